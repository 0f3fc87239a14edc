"""
What does it mean to skip instants that are still to come, and to take that back?

A skip names the next so many instants, or a single one; what is kept is the list of all that are to
be skipped, so asking twice is asking once. The next ones count from the moment at which they were
asked for: what was due by then is left to its timer. An occurrence that waits may be named too, and
ends at once. How each ends otherwise is requested.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from schemas.commands import Asked, Skip, Unskip
from schemas.definition import CatchUpMode
from schemas.events import SkipsChanged
from schemas.instants import format_instant
from streams.calendar.occurrences import NEVER
from streams.decider import firing
from streams.decider.agenda import Agenda, agenda_of
from streams.decider.answers import refuse, unchanged
from streams.decider.firing import Events
from streams.decider.recompute import brought_up_to_date
from streams.decider.requested import still_ahead
from streams.decider.resting import rests
from streams.decider.state import Plan, Schedule, World

MOST_SKIPPED = 1_000
"""Instants of a schedule that are to be skipped at the same time: they stand in its row."""
_COUNTED = "it counts from its last fire or end: no instant is known but the pending one"


@dataclass(frozen=True, slots=True)
class _Fault:
    """Why instants cannot be skipped."""

    field: str
    message: str


def skip(state: Schedule, asked: Asked, command: Skip, world: World, now: int) -> Events:
    """Let the next instants, or the one that is named, be skipped."""
    if state.plan.completed:
        return refuse(asked, "skip", "schedule", f"{state.plan.id} is completed", state)
    if state.plan.rule is None:
        return refuse(asked, "skip", "timings", "they cannot be read any more", state)
    anew, state = brought_up_to_date(state, world, now)
    known = still_ahead(state)
    if command.instant is not None:
        found = _named(state, world, command.instant, now)
    else:
        since = min(asked.appended_at, now)
        found = _counted(state, world, command.count or 0, since, known)
    if isinstance(found, _Fault):
        return (*anew, *refuse(asked, "skip", found.field, found.message, state))
    skips = tuple(sorted({*known, *found}))
    if skips == known:
        return (*anew, *unchanged(state, "skip"))
    if len(skips) > MOST_SKIPPED:
        why = f"{len(skips):,} instants would be skipped, {MOST_SKIPPED:,} may"
        field = "instant" if command.count is None else "count"
        return (*anew, *refuse(asked, "skip", field, why, state))
    after = Schedule(replace(state.plan, skips=skips), state.cursor)
    end = firing.skipped_by_request(after, world, now) if _ends_now(after, world) else ()
    return (*anew, _changed(state, skips, command.reason), *end)


def unskip(state: Schedule, command: Unskip) -> Events:
    """Let instants fire after all."""
    known = still_ahead(state)
    left = tuple(one for one in known if command.instant not in (None, one))
    if left == known:
        return unchanged(state, "unskip")
    return (_changed(state, left, command.reason),)


def carried_over(before: Schedule, after: Schedule, world: World) -> tuple[SkipsChanged, ...]:
    """Under other timings those are left that are instants of the new ones too."""
    if not before.plan.skips:
        return ()
    agenda = agenda_of(after.plan, world)
    kept = tuple(
        one
        for one in before.plan.skips
        if one > after.cursor.mark and agenda.next_tick(one - 1).instant == one
    )
    if kept == before.plan.skips:
        return ()
    return (_changed(after, kept, "the timing was changed"),)


def _changed(state: Schedule, skips: tuple[int, ...], reason: str) -> SkipsChanged:
    plan = state.plan
    return SkipsChanged(plan.id, plan.version, plan.incarnation, skips, reason)


def _ends_now(state: Schedule, world: World) -> bool:
    """Whether what was asked to be skipped waits, and need not wait any longer."""
    plan, cursor = state
    waits = plan.pause is None and cursor.deferrals > 0
    return waits and cursor.nominal in plan.skips and not rests(plan, world)


def _counted(
    state: Schedule, world: World, count: int, since: int, known: tuple[int, ...]
) -> tuple[int, ...] | _Fault:
    """The next so many that are not to be skipped already."""
    plan = state.plan
    if plan.pause is not None and plan.pause.until is None and not _runs_later(plan):
        return _Fault("count", "it is paused, and nobody knows which come next: name an instant")
    if plan.counts_from_decisions and count > 1:
        return _Fault("count", _COUNTED)
    coming = (one for one in _coming(state, world, since) if one not in known)
    found = tuple(islice(coming, count))
    if found:
        return found
    none_left = _COUNTED if plan.counts_from_decisions else "no instant is left that would fire"
    return _Fault("count", none_left)


def _coming(state: Schedule, world: World, since: int) -> Iterator[int]:
    """What waits, and the instants that are due later than `since`; oldest first."""
    plan, cursor = state
    agenda = agenda_of(plan, world, cursor)
    is_ahead = NEVER > cursor.due > since and plan.pause is None
    if cursor.deferrals or (plan.counts_from_decisions and is_ahead):
        yield cursor.nominal
    if plan.counts_from_decisions:
        return  # what follows counts from a decision that is not made yet
    after = max(_settled(state, cursor.nominal), agenda.due_by(since))
    while (instant := agenda.next_tick(after).instant) != NEVER:
        yield instant
        after = instant


def _settled(state: Schedule, pending: int) -> int:
    """Instants up to this one have no turn any more, or wait."""
    plan, cursor = state
    if plan.pause is None:
        return pending if cursor.deferrals else pending - 1
    return cursor.mark if _runs_later(plan) else max(cursor.mark, plan.pause.until or cursor.mark)


def _runs_later(plan: Plan) -> bool:
    """Whether what is due while it is paused may have its turn when it is resumed."""
    once = plan.rule is not None and plan.rule.once
    return once or plan.definition.catch_up.on_resume is not CatchUpMode.NONE


def _named(state: Schedule, world: World, instant: int, now: int) -> tuple[int, ...] | _Fault:
    """The one that is named, if it is still to come."""
    plan, cursor = state
    if plan.pause is None and instant == cursor.nominal:
        return (instant,)
    if plan.counts_from_decisions:
        return _Fault("instant", _COUNTED)
    agenda = agenda_of(plan, world, cursor)
    begin = _settled(state, cursor.nominal)
    if plan.pause is not None and not _runs_later(plan):
        begin = max(begin, now)
    if instant > begin and agenda.next_tick(instant - 1).instant == instant:
        return (instant,)
    passed = "lies in its pause" if plan.pause is not None and instant > now else "is over"
    return _Fault("instant", _not_there(agenda, begin, instant, passed))


def _not_there(agenda: Agenda, begin: int, instant: int, passed: str) -> str:
    """What is wrong with an instant, and which ones are near it."""
    nearest = (
        agenda.newest_tick(begin, instant).instant,
        agenda.next_tick(max(begin, instant)).instant,
    )
    names = " and ".join(format_instant(one) for one in nearest if one != NEVER)
    said = format_instant(instant)
    wrong = f"{said} {passed}" if instant <= begin else f"{said} is no instant of it"
    return f"{wrong}; {f'nearest: {names}' if names else 'none is left'}"
