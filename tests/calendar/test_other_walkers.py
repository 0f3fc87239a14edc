"""On ordinary days croniter and cronsim agree with us; around changes cronsim does as `vixie`."""

import random
from datetime import UTC, datetime
from itertools import islice

from croniter import CroniterBadDateError, croniter
from cronsim import CronSim

from schemas.definition import Cron, Dst
from streams.calendar.occurrences import rule_for
from streams.calendar.zones import zone_clock, zone_names
from tests.calendar.oracle import SECOND, zone

ROUNDS = 1_500
PLAIN = (
    ("0", "*/7", "5-50/9", "0,1,59", "*", "13"),
    ("*", "0", "*/5", "8-18", "1,2,23", "3-23/4"),
    ("*", "1", "L", "28-31", "*/3", "1,15"),
    ("*", "2", "JAN-MAR", "*/4", "6,12", "11"),
    ("*", "0", "1-5", "SUN", "*/2", "5#3"),
)


def expressions(chance: random.Random) -> str:
    return " ".join(chance.choice(field) for field in PLAIN)


def theirs(walk: object, count: int) -> list[int]:
    assert hasattr(walk, "__iter__")
    return [int(at.timestamp()) * SECOND for at in islice(iter(walk), count)]


def ours(expression: str, name: str, dst: Dst, begin: int, count: int) -> list[int]:
    rule = rule_for((Cron(expression),), name, dst)
    return [tick.instant for tick in rule.between(begin * SECOND, 1 << 61, count).ticks]


def test_cronsim_walks_the_same_way_where_no_clock_changes() -> None:
    chance = random.Random("cronsim")  # noqa: S311 - a seed, no secret
    for _ in range(ROUNDS):
        expression, begin = expressions(chance), chance.randrange(0, 2**31)
        walk = CronSim(expression, datetime.fromtimestamp(begin, UTC))
        assert ours(expression, "UTC", Dst.SHIFT, begin, 3) == theirs(walk, 3), expression


def test_croniter_walks_the_same_way_where_no_clock_changes() -> None:
    compared = 0
    chance = random.Random("croniter")  # noqa: S311 - a seed, no secret
    for _ in range(ROUNDS // 3):
        expression, begin = expressions(chance), chance.randrange(0, 2**31)
        fields = expression.split()
        if "*/" in fields[2] + fields[4] or ("#" in fields[4] and fields[2] != "*"):
            continue  # it takes */n for a restriction, and wants both fields beside a #
        walk = croniter(expression, datetime.fromtimestamp(begin, UTC))
        try:
            found = [int(walk.get_next(float)) * SECOND for _ in range(3)]
        except CroniterBadDateError:
            continue  # it gives up on rare ones
        assert ours(expression, "UTC", Dst.SHIFT, begin, 3) == found, expression
        compared += 1
    assert compared > ROUNDS // 6


def test_vixie_is_what_cronsim_does() -> None:
    """Where clocks change by an hour at a full hour; elsewhere it loses occurrences."""
    chance = random.Random("vixie")  # noqa: S311 - a seed, no secret
    compared = 0
    for name in chance.sample(sorted(zone_names()), 150):
        clock = zone_clock(name)
        segment = clock.segment_at(chance.randrange(10**8, 2 * 10**9))
        at = segment.low
        if at < 0 or abs(segment.offset - segment.before) != 3600 or segment.before % 3600:
            continue
        if (at + segment.before) % 3600:
            continue
        hour = chance.choice(["*", "*/2", "0-4", "1,2,3", "2", "23", "0"])
        minute = chance.choice(["*/20", "0", "30", "15,45", "59", "0,1"])
        expression, begin = f"{minute} {hour} * * *", (at - 90_000) // 60 * 60
        walk = CronSim(expression, datetime.fromtimestamp(begin, zone(name)))
        assert ours(expression, name, Dst.VIXIE, begin, 40) == theirs(walk, 40), (name, expression)
        compared += 1
    assert compared > 50
