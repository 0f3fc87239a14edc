"""
Which calendar and which schedules do the tests of excluded days share?

A daily one at noon, the same without the days of the calendar `feasts`, and words that change it.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from schemas.commands import Define
from schemas.definition import Exclude
from schemas.globals import Calendar
from tests.decider.stage import Tells, at, rule


def days(*texts: str) -> tuple[int, ...]:
    return tuple((date.fromisoformat(f"2026-{text}") - date(1970, 1, 1)).days for text in texts)


def feasts(*texts: str, said: str | None = None, base: tuple[str, ...] = ()) -> Tells:
    since = 0 if said is None else at(said)
    return Tells("calendar/feasts", Calendar(dates=days(*texts), at=since, base=base))


NOON = rule("0 12 * * *")
WORKING = replace(NOON, exclude=Exclude(calendars=("feasts",)))
DATES = replace(NOON, exclude=Exclude(dates=days("06-02", "06-03")))
NO_FEASTS = ("00:00", feasts())
DEFINED = ("13:00", Define(WORKING))
