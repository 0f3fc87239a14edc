"""Most openings are found by looking at a few days, and are those that a look at months finds."""

from __future__ import annotations

from random import Random

import pytest

from schemas.definition import DAY, Hours, Window
from schemas.instants import parse_instant
from streams.calendar import windows
from streams.calendar.windows import opening
from streams.calendar.zones import ZoneClock

NOON = parse_instant("2026-11-29T12:00:00Z")
JUMPS = tuple(
    parse_instant(f"{text}Z")
    for text in ("2011-12-30T10:00:00", "2026-03-29T01:00:00", "2026-10-25T01:00:00")
)
ZONES = ("UTC", "Europe/Berlin", "Pacific/Apia", "America/New_York", "Antarctica/Troll")
OFTEN_SHUT = Window((Hours(36_000, 43_200),))


@pytest.fixture
def days(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The local dates that were looked at."""
    looked: list[int] = []
    found = windows._openings

    def openings(window: Window, clock: ZoneClock, day: int) -> object:
        looked.append(day)
        return found(window, clock, day)

    monkeypatch.setattr(windows, "_openings", openings)
    windows._near.cache_clear()
    windows._around.cache_clear()
    return looked


def test_a_question_that_nobody_asked_before_looks_at_a_few_days(days: list[int]) -> None:
    """As many schedules may have windows of their own as there are schedules."""
    assert opening(OFTEN_SHUT, "UTC", NOON) is not None
    assert len(days) <= 16


def test_what_may_go_on_beyond_them_is_looked_at_whole(days: list[int]) -> None:
    """It is open from Saturday to Friday evening, by hours that adjoin."""
    week = Window((Hours(0, 86_400, 127 - 16), Hours(0, 72_000, 16)))
    saturday, friday = (parse_instant(f"2026-{d}Z") for d in ("11-28T00:00:00", "12-04T20:00:00"))
    found = {opening(week, "UTC", NOON + day * DAY) for day in range(-1, 6)}

    assert found == {(saturday, friday)}
    assert len(days) > 100


@pytest.mark.parametrize("seed", range(20))
def test_an_opening_is_the_same_either_way(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(seed)  # noqa: S311 - a seed is there to be repeated
    edges = (0, 7_200, 82_800, 86_399, rng.randrange(86_400))
    hours = tuple(
        Hours(opens, rng.choice([one for one in (*edges, 86_400) if one != opens]), days)
        for opens, days in zip(rng.sample(edges, 2), (rng.randint(1, 127), 127), strict=True)
    )
    window = Window(hours[: rng.randint(1, 2)])
    asked = [
        (rng.choice(ZONES), jump + rng.randint(-6 * DAY, 6 * DAY)) for jump in JUMPS for _ in "1234"
    ]

    nearby = [opening(window, zone, at) for zone, at in asked]
    monkeypatch.setattr(windows._Near, "is_whole", lambda *_: False)

    assert nearby == [opening(window, zone, at) for zone, at in asked]
