"""
What is closed? A second opinion, wall time by wall time, on Python's own dates.

Calendars are put together by chance near a day, together with a predicate that says the same.
"""

import random
from collections.abc import Callable
from datetime import date, datetime, timedelta

from schemas.definition import Exclude, OnExcluded
from schemas.globals import Calendar, YearlyRange
from tests.calendar.oracle import Example

EPOCH_DAY = date(1970, 1, 1)
FARTHEST = 24
"""Days around the ones in question that are looked at; so far apart lie no closed days here."""

Predicate = Callable[[datetime], bool]
CRONS: tuple[tuple[str, Predicate], ...] = (
    ("* 9-12 * * *", lambda wall: 9 <= wall.hour <= 12),
    ("0-29 * * * *", lambda wall: wall.minute < 30),
    ("* * * * 6,0", lambda wall: wall.isoweekday() >= 6),
    ("*/2 1-3 * * *", lambda wall: wall.minute % 2 == 0 and 1 <= wall.hour <= 3),
    ("* * L * *", lambda wall: (wall + timedelta(days=1)).day == 1),
    ("30 2 * * 1-5", lambda wall: wall.isoweekday() <= 5 and (wall.hour, wall.minute) == (2, 30)),
    ("* 0 * * *", lambda wall: wall.hour == 0),
)


def number(day: date) -> int:
    """Days since 1970-01-01."""
    return (day - EPOCH_DAY).days


def day(text: str) -> int:
    """The same of a text."""
    return number(date.fromisoformat(text))


CALENDARS = {
    "holidays": Calendar(dates=(day("2026-12-24"),), base=("weekends",)),
    "weekends": Calendar(weekdays=96, base=("holidays", "lunch")),
    "winter": Calendar(yearly=(YearlyRange(1220, 106), YearlyRange(229, 229))),
    "lunch": Calendar(crons=("* 12 * * *", "no cron", "H H * * *", "*/10 0 13 * * *")),
    "gone": Calendar(weekdays=127, removed=True),
    "empty": Calendar(),
}


def closing(chance: random.Random, near: date) -> tuple[Exclude, dict[str, Calendar], Predicate]:
    """What to exclude, the calendars it names, and the same as a predicate."""
    dates = tuple(number(near) + chance.randrange(-4, 5) for _ in range(chance.randrange(5)))
    own = dates if chance.random() < 0.5 else ()
    weekdays = chance.choice([0, 0, 96, 64, chance.randrange(1, 127)])
    yearly = tuple(
        YearlyRange(month_day(near + timedelta(days=first)), month_day(near + timedelta(days=last)))
        for first, last in ([(-1, 1)] if chance.random() < 0.3 else [])
    )
    crons = chance.sample(CRONS, chance.choice([0, 0, 1, 1, 2]))
    calendars = {
        "days": Calendar(dates=() if own else dates, yearly=yearly, base=("base", "days")),
        "base": Calendar(weekdays=weekdays, base=("times", "gone")),
        "times": Calendar(crons=tuple(text for text, _ in crons), base=("days",)),
        "gone": Calendar(weekdays=127, removed=True),
    }

    def closed(wall: datetime) -> bool:
        return (
            number(wall.date()) in dates
            or bool(weekdays >> wall.weekday() & 1)
            or any(inside(month_day(wall.date()), each) for each in yearly)
            or any(test(wall) for _, test in crons)
        )

    moved = chance.choice(list(OnExcluded))
    return Exclude(("days", "unknown"), own, moved), calendars, closed


def month_day(day: date) -> int:
    """Month and day in one number."""
    return day.month * 100 + day.day


def inside(day: int, yearly: YearlyRange) -> bool:
    """Whether a range, which may go over New Year, holds a day."""
    after, before = day >= yearly.first, day <= yearly.last
    return after and before if yearly.first <= yearly.last else after or before


def landing(wall: datetime, closed: Predicate, moved: OnExcluded) -> datetime | None:
    """Where a wall time comes instead, or None."""
    if not closed(wall):
        return wall
    if moved is OnExcluded.DROP:
        return None
    step = timedelta(days=1 if moved is OnExcluded.NEXT_BUSINESS_DAY else -1)
    for _ in range(366):
        wall += step
        if not closed(wall):
            return wall
    return None


def landed(
    example: Example, middle: date, days: int, closed: Predicate, moved: OnExcluded
) -> list[datetime]:
    """The wall times that are left of an expression's, some days around one."""
    around = days if moved is OnExcluded.DROP else days + FARTHEST
    walls = example.walls(middle - timedelta(days=around), 2 * around + 1)
    near = (middle - timedelta(days=days), middle + timedelta(days=days))
    found = set()
    for wall in walls:
        if near[0] <= wall.date() <= near[1] or closed(wall):
            found.add(landing(wall, closed, moved))
    return sorted(wall for wall in found if wall is not None and near[0] <= wall.date() <= near[1])
