"""
What happens to instants that were looked at too late?

When the oldest unsettled instant is older than the grace, everything due up to now is one missed
run, or one for each cause (causes.py): the catch-up rule says which part of it still runs
(`judge`), and the rest ends in one record with first, last and count (`skipped`). Late means
now - due; the cases POL-001, -006, -008, -011 and -022 pin the edges.
"""

from __future__ import annotations

from typing import NamedTuple

from schemas.definition import CatchUpMode
from schemas.events import Reason, Skipped
from schemas.snapshot import Cursor
from streams.calendar.occurrences import NEVER, Span, Tick
from streams.decider.agenda import Agenda, agenda_of
from streams.decider.agenda_without import without
from streams.decider.causes import Stretch, stretch_of
from streams.decider.limits import lookback_of
from streams.decider.state import Schedule, World


class Verdict(NamedTuple):
    """Skip everything up to `skip_until` (None: nothing), then fire the oldest that is left."""

    skip_until: int | None
    fire: bool


def due_of(state: Schedule, world: World) -> int:
    """When the oldest unsettled instant was due; while it waits the cursor says something else.

    It was due when it was first put off, also if its jitter reaches further by now: up to the next
    instant, which another calendar or definition may have put off.
    """
    plan, cursor = state
    if not cursor.deferrals:
        return cursor.due
    return min(agenda_of(plan, world, cursor).due_at(cursor.nominal), cursor.deferred_at)


def oldest(agenda: Agenda, cursor: Cursor) -> Tick:
    """The oldest unsettled instant, also one that the calendar does not know any more.

    What waits keeps its instant and its wall time, whatever zone data and calendars say by now.
    """
    if cursor.waiting is not None:
        return Tick(cursor.nominal, *cursor.waiting)
    tick = agenda.next_tick(cursor.nominal - 1)
    return tick if tick.instant == cursor.nominal else agenda.outside(cursor.nominal)


def judge(state: Schedule, world: World, now: int, stretch: Stretch | None = None) -> Verdict:
    """What the catch-up rule makes of a schedule whose oldest unsettled instant is late.

    `stretch` is that of a pause; all others are found here.
    """
    plan, cursor = state
    agenda = agenda_of(plan, world, cursor)
    until = max(agenda.due_by(now), cursor.nominal)
    if plan.skips:
        agenda = without(agenda, (one for one in plan.skips if cursor.nominal <= one <= until))
    stretch = stretch or stretch_of(agenda, world, cursor, until)
    lost = _youngest_lost(agenda, lookback_of(agenda.definition.catch_up, world), now)
    return choose(agenda, cursor.nominal, stretch, lost)


def choose(agenda: Agenda, oldest: int, stretch: Stretch, lost: int) -> Verdict:
    """Which instants of a stretch still run: skip what comes before the first of them.

    Those up to `lost` lie beyond the lookback.
    """
    first_to_run = _first_to_run(agenda, max(oldest - 1, lost), stretch)
    if first_to_run is None:
        return Verdict(skip_until=stretch.until, fire=False)
    if first_to_run == oldest:
        return Verdict(skip_until=None, fire=True)
    return Verdict(skip_until=first_to_run - 1, fire=True)


def skipped(
    state: Schedule,
    world: World,
    now: int,
    until: int,
    reason: Reason,
    evidence: str | None = None,
) -> Skipped:
    """One record that ends every unsettled instant up to `until`, the oldest one in any case."""
    plan, cursor = state
    agenda = agenda_of(plan, world, cursor)
    first = oldest(agenda, cursor)
    missed = agenda.span(cursor.nominal - 1, until)
    last = agenda.newest_tick(cursor.nominal - 1, until)
    if missed.count == 0 or until <= cursor.nominal or last.instant == first.instant:
        missed, last = Span(first.instant, first.instant, 1), first
    following, due = agenda.ahead(last, now)
    alone = missed.count == 1
    return Skipped(
        schedule=plan.id,
        version=plan.version,
        incarnation=plan.incarnation,
        first=missed.first,
        last=last.instant,
        count=missed.count,
        reason=reason,
        wall=last.wall,
        second_pass=last.second_pass,
        next=following,
        next_due=due,
        deferred_at=(cursor.deferred_at or None) if alone else None,
        deferrals=cursor.deferrals if alone else 0,
        evidence=evidence,
    )


def _first_to_run(agenda: Agenda, after: int, stretch: Stretch) -> int | None:
    """The oldest instant of a stretch, later than `after`, that still runs; None if none does."""
    until = stretch.until
    if stretch.mode is CatchUpMode.NONE:
        return None
    newest = agenda.newest_tick(after, until).instant
    if newest == NEVER:
        return None
    if stretch.mode is CatchUpMode.LATEST:
        return newest if newest >= stretch.newest else None
    if agenda.only is not None:  # the calendar knows none but this one
        return newest
    first = agenda.next_tick(after).instant
    return newest_of(agenda, first, until, stretch.most)


def _youngest_lost(agenda: Agenda, lookback: int | None, now: int) -> int:
    """Instants up to this one lie beyond the lookback, whose end is inclusive."""
    return -NEVER if lookback is None else agenda.due_by(now - lookback - 1)


def newest_of(agenda: Agenda, first: int, until: int, most: int) -> int:
    """The oldest of the newest `most` instants in [first, until], found by halving."""
    if agenda.span(first - 1, until).count <= most:
        return first
    low, high = first - 1, until  # `most` instants or more come after low, fewer after high
    while high - low > 1:
        middle = (low + high) // 2
        if agenda.span(middle, until).count >= most:
            low = middle
        else:
            high = middle
    return high
