"""
What should the calendar answer? A second opinion, slow and simple.

Wall times are put together minute by minute from sets of numbers, and Python's own datetime
(PEP 495) says where each is in real time. Nothing of the calendar itself is used.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo

from schemas.definition import Dst

SECOND = 1_000_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EVERY_HOUR = tuple(range(24))
EVERY_MINUTE = tuple(range(60))


@dataclass(frozen=True)
class Example:
    """An expression together with what it means."""

    text: str
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    on: Callable[[date], bool]
    star: bool

    def walls(self, first: date, days: int) -> Iterator[datetime]:
        """The matching naive times of some days."""
        for day in (first + timedelta(days=n) for n in range(days)):
            if self.on(day):
                for hour in self.hours:
                    for minute in self.minutes:
                        yield datetime.combine(day, time(hour, minute))


def weekday(day: date) -> int:
    """0 is Sunday."""
    return day.isoweekday() % 7


DAYS: tuple[tuple[str, Callable[[date], bool]], ...] = (
    ("* * *", lambda _day: True),
    ("* * 1-5", lambda day: 1 <= weekday(day) <= 5),
    ("* * SUN", lambda day: weekday(day) == 0),
    ("* * 5-7/2", lambda day: weekday(day) in {5, 0}),
    ("*/2 * *", lambda day: day.day % 2 == 1),
    ("L * *", lambda day: (day + timedelta(days=1)).day == 1),
    ("1-7 * 0", lambda day: day.day <= 7 or weekday(day) == 0),
    ("*/3 * 0,6", lambda day: day.day % 3 == 1 and weekday(day) in {0, 6}),
    ("* 3,4,9,10,11 *", lambda day: day.month in {3, 4, 9, 10, 11}),
    ("* * 0#2,0L", lambda day: weekday(day) == 0 and (8 <= day.day <= 14 or is_last_week(day))),
    ("25-5 OCT-APR *", lambda day: (day.day >= 25 or day.day <= 5) and not 5 <= day.month <= 9),
)
HOURS: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("*", EVERY_HOUR),
    ("*/2", tuple(range(0, 24, 2))),
    ("0-23", EVERY_HOUR),
    ("1-4", (1, 2, 3, 4)),
    ("22-2", (0, 1, 2, 22, 23)),
    ("2", (2,)),
    ("0,23", (0, 23)),
    ("1/3", tuple(range(1, 24, 3))),
    ("9", (9,)),
)
MINUTES: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("0", (0,)),
    ("30", (30,)),
    ("59/15", (59,)),
    ("15,45", (15, 45)),
    ("*/20", (0, 20, 40)),
    ("10-50/20", (10, 30, 50)),
    ("0-5", (0, 1, 2, 3, 4, 5)),
)


def is_last_week(day: date) -> bool:
    """Whether the month has no such weekday after this one."""
    return (day + timedelta(days=7)).month != day.month


def examples(chance: random.Random) -> Iterator[Example]:
    """Expressions without end."""
    while True:
        days, on = chance.choice(DAYS)
        hour, hours = chance.choice(HOURS)
        minute, minutes = chance.choice(MINUTES)
        text = f"{minute} {hour} {days}"
        yield Example(text, minutes, hours, on, star=minute[0] == "*" or hour[0] == "*")


@cache
def zone(name: str) -> ZoneInfo:
    """One zone of Python's."""
    return ZoneInfo(name)


def offset(wall: datetime, where: ZoneInfo, fold: int) -> timedelta:
    """What Python says the offset is."""
    return wall.replace(tzinfo=where, fold=fold).utcoffset() or timedelta()


def instants_of(wall: datetime, name: str, dst: Dst, *, star: bool) -> list[int]:
    """Where a wall time is in real time, in microseconds."""
    where = zone(name)
    first, second = (offset(wall, where, fold) for fold in (0, 1))
    early, late = (
        (wall.replace(tzinfo=UTC) - passed - EPOCH) // timedelta(seconds=1)
        for passed in (first, second)
    )
    real_time = dst is Dst.LITERAL or (star and dst in {Dst.SHIFT, Dst.VIXIE})
    if first == second:
        found = [early]
    elif first > second:
        found = [early, late] if real_time else [early]
    elif real_time or dst is Dst.SKIP:
        found = []
    elif dst is Dst.VIXIE:
        found = [jump(late - 1, early + 1, where)]
    else:
        found = [early]
    return [one * SECOND for one in found]


def jump(before: int, after: int, where: ZoneInfo) -> int:
    """The second at which the clocks leap."""

    def shown(at: int) -> timedelta:
        return datetime.fromtimestamp(at, where).utcoffset() or timedelta()

    old = shown(before)
    while after - before > 1:
        middle = (before + after) // 2
        before, after = (middle, after) if shown(middle) == old else (before, middle)
    return after


def expected(example: Example, name: str, dst: Dst, around: int, days: int = 3) -> list[int]:
    """All instants whose wall times lie within so many days of a second of UTC, in order."""
    middle = (EPOCH + timedelta(seconds=around)).date()
    walls = example.walls(middle - timedelta(days=days), 2 * days + 1)
    return sorted({at for wall in walls for at in instants_of(wall, name, dst, star=example.star)})
