"""
Does an imported OnCalendar expression fire when systemd itself says it would?

Asks systemd for random expressions, where it is at hand; rows are test_systemd_calendar.py.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess

import pytest

from horae.importers.on_calendar import CalendarFault, WallTimes, read_calendar
from horae.importers.on_calendar_cron import as_crons
from schemas.definition import Cron, Dst
from schemas.instants import format_instant, parse_instant
from streams.calendar.occurrences import TimingRefused, rule_for

pytestmark = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd is not at hand"
)

NOW = "2026-01-15 10:11:12 UTC"


def instants(text: str, count: int) -> list[str]:
    found = read_calendar(text)
    assert isinstance(found, WallTimes)
    timings = tuple(Cron(each) for each in as_crons(found).expressions)
    rule = rule_for(timings, "UTC", Dst.SKIP, "of/timer")
    after, end = (
        parse_instant(f"{each}Z") for each in ("2026-01-15T10:11:12", "2099-01-01T00:00:00")
    )
    return [format_instant(tick.instant) for tick in rule.between(after, end, count).ticks]


def _chain(dice: random.Random, low: int, high: int) -> str:
    first, second = sorted((dice.randint(low, high), dice.randint(low, high)))
    step = dice.randint(1, max(1, (high - first) // 2 or 1))
    one = [f"{first}", f"{first}..{second}", f"{first}/{step}", f"{first}..{second}/{step}", "*"]
    return dice.choice(one)


def _expression(dice: random.Random) -> str:
    days = dice.choice(("", "Mon ", "Tue..Thu ", "Fri,Sun "))
    date = f"*-{_chain(dice, 1, 12)}-{_chain(dice, 1, 28)} " if dice.random() < 0.7 else ""
    return f"{days}{date}{_chain(dice, 0, 23)}:{_chain(dice, 0, 59)}"


@pytest.mark.parametrize("seed", range(40))
def test_systemd_itself_says_the_same(seed: int) -> None:
    text = _expression(random.Random(seed))  # noqa: S311 - dice, no secret
    asked = subprocess.run(
        ["systemd-analyze", "calendar", f"--base-time={NOW}",
         "--iterations=6", text],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.defpath, "TZ": "UTC"},
    )  # fmt: skip

    if asked.returncode:
        with pytest.raises(CalendarFault):
            read_calendar(text)
        return
    theirs = re.findall(r"(?:elapse|#\d+): \w+ (\S+) (\S+) UTC", asked.stdout)
    try:
        ours = instants(text, 6)
    except (CalendarFault, TimingRefused) as fault:
        pytest.skip(str(fault))
    assert ours == [f"{day}T{time}Z" for day, time in theirs]
