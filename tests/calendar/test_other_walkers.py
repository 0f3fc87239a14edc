"""On ordinary days croniter and cronsim agree with us; around changes cronsim does as `vixie`."""

import random
from datetime import datetime
from itertools import islice

from croniter import CroniterBadDateError, croniter
from cronsim import CronSim

from schemas.definition import Cron, Dst
from streams.calendar.occurrences import rule_for
from streams.calendar.zones import zone_clock, zone_names
from tests.calendar.asking import DAY, changes, policies
from tests.calendar.oracle import SECOND, zone

ROUNDS = 4_000
PLAIN = (
    ("0", "*/7", "5-50/9", "0,1,59", "*", "13"),
    ("*", "0", "*/5", "8-18", "1,2,23", "3-23/4"),
    ("*", "1", "L", "28-31", "*/3", "1,15"),
    ("*", "2", "JAN-MAR", "*/4", "6,12", "11"),
    ("*", "0", "1-5", "SUN", "*/2", "5#3"),
)


def expressions(chance: random.Random) -> str:
    return " ".join(chance.choice(field) for field in PLAIN)


def ordinary(chance: random.Random) -> tuple[str, int, int]:
    """A zone, a minute, and how long no clock changes there from then on."""
    while True:
        name, begin = chance.choice(sorted(zone_names())), chance.randrange(0, 2**31) // 60 * 60
        segment = zone_clock(name).segment_at(begin)
        # Neither of the two is right where an offset has seconds.
        if segment.calm + DAY < begin and segment.offset % 60 == 0:
            return name, begin, segment.high


def theirs(walk: object, count: int, until: int) -> list[int]:
    """What another walker finds before a second of UTC."""
    assert hasattr(walk, "__iter__")
    found = []
    for at in islice(iter(walk), count):
        if at.timestamp() >= until - DAY:
            break
        found.append(int(at.timestamp()) * SECOND)
    return found


def ours(expression: str, name: str, dst: Dst, begin: int, count: int) -> list[int]:
    rule = rule_for((Cron(expression),), name, dst)
    return [tick.instant for tick in rule.between(begin * SECOND, 1 << 61, count).ticks]


def compare_cronsim(seed: str, rounds: int) -> int:
    """How many instants were compared where no clock changes."""
    compared = 0
    chance = random.Random(seed)  # noqa: S311 - a seed, no secret
    for _ in range(rounds):
        expression, (name, begin, until) = expressions(chance), ordinary(chance)
        walk = CronSim(expression, datetime.fromtimestamp(begin, zone(name)))
        found = theirs(walk, 3, until)
        assert ours(expression, name, policies(chance), begin, 3)[: len(found)] == found, (
            expression,
            name,
            begin,
        )
        compared += len(found)
    return compared


def compare_croniter(seed: str, rounds: int) -> int:
    """The same with croniter, but for what it takes for something else or gives up on."""
    compared = 0
    chance = random.Random(seed)  # noqa: S311 - a seed, no secret
    for _ in range(rounds):
        expression, (name, begin, until) = expressions(chance), ordinary(chance)
        fields = expression.split()
        if "*/" in fields[2] + fields[4] or ("#" in fields[4] and fields[2] != "*"):
            continue  # it takes */n for a restriction, and wants both fields beside a #
        walk = croniter(expression, datetime.fromtimestamp(begin, zone(name)))
        try:
            found = theirs([walk.get_next(datetime) for _ in range(3)], 3, until)
        except CroniterBadDateError:
            continue  # it gives up on rare ones
        assert ours(expression, name, policies(chance), begin, 3)[: len(found)] == found, (
            expression,
            name,
            begin,
        )
        compared += len(found)
    return compared


def compare_vixie(seed: str, rounds: int) -> int:
    """How many changes by an hour at a full hour were compared; elsewhere it loses occurrences."""
    chance = random.Random(seed)  # noqa: S311 - a seed, no secret
    compared = 0
    for name, at in chance.choices(changes(), k=rounds):
        segment = zone_clock(name).segment_at(at)
        if abs(segment.offset - segment.before) != 3600 or segment.before % 3600:
            continue
        if (at + segment.before) % 3600:
            continue
        hour = chance.choice(["*", "*/2", "0-4", "1,2,3", "2", "23", "0"])
        minute = chance.choice(["*/20", "0", "30", "15,45", "59", "0,1"])
        expression, begin = f"{minute} {hour} * * *", (at - 90_000) // 60 * 60
        walk = CronSim(expression, datetime.fromtimestamp(begin, zone(name)))
        found = [int(each.timestamp()) * SECOND for each in islice(walk, 40)]
        assert ours(expression, name, Dst.VIXIE, begin, 40) == found, (name, at, expression)
        compared += 1
    return compared


def test_cronsim_walks_the_same_way_where_no_clock_changes() -> None:
    assert compare_cronsim("cronsim", ROUNDS) > ROUNDS


def test_croniter_walks_the_same_way_where_no_clock_changes() -> None:
    assert compare_croniter("croniter", ROUNDS // 4) > ROUNDS // 4


def test_vixie_is_what_cronsim_does() -> None:
    assert compare_vixie("vixie", 800) > 300
