"""
Which instants of a schedule come next?

Computed from its definition and the calendars that it excludes, so that the answer is right
whatever the views have seen last. How it is shown is the faces' part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Protocol

from projections.queries import OccurrenceFilter
from projections.shown import CalendarShown, OccurrenceShown, Page, ScheduleShown
from schemas.definition import Basis, Interval
from schemas.faults import FieldFault
from schemas.globals import Calendar
from schemas.reading_times import read_calendar
from streams.calendar.exclusions import excluding
from streams.calendar.occurrences import rule_for
from streams.calendar.ticks import LAST_INSTANT
from streams.decider.state import grid_origin

MOST = 10
_COUNTED = 1_000
"""Fires that are counted to say how many are left."""


class Fires(Protocol):
    """Who knows what became of a schedule's occurrences."""

    def occurrences(
        self,
        schedule: str,
        which: OccurrenceFilter | None = None,
        *,
        after: str | None = None,
        limit: int = 50,
    ) -> Page[OccurrenceShown]:
        """A page of them, the newest first."""
        ...


def coming(row: ScheduleShown, calendars: Mapping[str, Calendar], fired: int = 0) -> list[int]:
    """The next instants by the definition; of a grid that counts from the creation, by that."""
    if row.next is None:
        return []
    rule = row.rule
    if _counts_from_fires(row):
        return [row.next]
    ticks = rule_for(rule.timings, rule.zone, rule.dst, row.schedule)
    if rule.exclude is not None:
        ticks = excluding(ticks, rule.exclude, calendars)
    last = rule.end_at if rule.end_at is not None else LAST_INSTANT
    left = MOST if rule.max_fires is None else max(rule.max_fires - fired, 0)
    most, skips = min(MOST, left), frozenset(row.skips)
    stretch = ticks.between(row.next - 1, last, most + len(skips), grid_origin(row.created_at))
    return [tick.instant for tick in stretch.ticks if tick.instant not in skips][:most]


def fired_so_far(known: Fires, row: ScheduleShown) -> int:
    """How often it has fired, as far as that is counted: of a few fires that it may have."""
    most = row.rule.max_fires
    if most is None or most > _COUNTED:
        return 0
    page = known.occurrences(row.schedule, OccurrenceFilter(state="fired"), limit=most)
    return sum(each.count for each in page.rows if each.incarnation == row.incarnation)


def known_calendars(shown: Sequence[CalendarShown]) -> dict[str, Calendar]:
    """The calendars of the views as the calendar takes them, without those that are gone."""
    found = {}
    for each in shown:
        with suppress(FieldFault):  # one of old that no door would take today excludes nothing
            if not each.removed:
                found[each.name] = read_calendar(each.content)
    return found


def _counts_from_fires(row: ScheduleShown) -> bool:
    """Whether only the next instant is known, since the one after it counts from its fire."""
    return any(
        isinstance(timing, Interval) and timing.basis is not Basis.GRID
        for timing in row.rule.timings
    )
