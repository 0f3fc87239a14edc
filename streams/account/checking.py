"""
Is this event the one that the calendar called for?

Holds an end or a deferral against what was known before it: the definition in force, the calendar
of that moment, holds, freezes and windows. The answer is a sentence, or None. Whether a policy
chose rightly between running and skipping is decided again elsewhere (streams/processor/replay.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from schemas.events import Deferred, Fired, Reason, Skipped, Stamp, SubjectHeld
from schemas.instants import LAST, format_instant
from streams.account.expected import called_for, is_known
from streams.calendar.windows import opening
from streams.decider.agenda import agenda_of
from streams.decider.freezes import frozen
from streams.decider.lateness import due_of
from streams.decider.state import Schedule, World


@dataclass(frozen=True, slots=True)
class Moment:
    """What was known right before an event."""

    state: Schedule
    worlds: list[World]
    """All that held since the mark; the last one is that of the decision."""
    stamp: Stamp
    hold: SubjectHeld | None = None
    """Of its subject, or of its actions if this is one."""
    is_late_look: bool = False
    """Something was missed in the same look, or a pause ended: all due by then is one stretch."""

    @property
    def world(self) -> World:
        """The one that was decided under."""
        return self.worlds[-1]


def fault_of(event: Fired | Skipped | Deferred, moment: Moment) -> str | None:
    """The first thing that is wrong with an event about an instant of the calendar."""
    return next(_faults(event, moment), None)


def in_force_fault(event: Fired | Skipped | Deferred, state: Schedule) -> str | None:
    """Whether it names another version than the one in force."""
    plan = state.plan
    if (event.version, event.incarnation) == (plan.version, plan.incarnation):
        return None
    what = f"version {event.version} of incarnation {event.incarnation}"
    there = f"version {plan.version} of incarnation {plan.incarnation}"
    return f"it was decided under {what}, while {there} was in force"


def written(instant: int) -> str:
    """An instant as text, or never."""
    return "never" if instant > LAST else format_instant(instant)


def _faults(event: Fired | Skipped | Deferred, moment: Moment) -> Iterator[str]:
    state = moment.state
    outside = in_force_fault(event, state)
    if outside is not None:
        yield outside
    if state.plan.pause is not None:
        yield "the schedule was paused"
    if state.plan.completed:
        yield "the schedule was completed"
    first = event.first if isinstance(event, Skipped) else event.nominal
    yield from _not_next(first, moment)
    match event:
        case Fired():
            yield from _wrong_fire(event, moment)
        case Skipped():
            yield from _wrong_skip(event, moment)
        case Deferred():
            yield from _wrong_due(event.due, moment)


def _not_next(first: int, moment: Moment) -> Iterator[str]:
    state = moment.state
    plan, cursor = state
    if first <= cursor.mark and not plan.counts_from_decisions:
        yield "it had its end already, or never was to come"
    if not (cursor.deferrals and first == cursor.nominal):
        if first != cursor.nominal and _is_still_next(moment):
            yield f"the next instant was {written(cursor.nominal)}"
        if not is_known(state, moment.worlds, first):
            yield "the calendar has no such instant"


def _is_still_next(moment: Moment) -> bool:
    """Whether the pending instant is one of the calendar under which it was decided."""
    cursor = moment.state.cursor
    return bool(cursor.deferrals) or is_known(moment.state, [moment.world], cursor.nominal)


def _wrong_due(due: int, moment: Moment) -> Iterator[str]:
    state = moment.state
    wanted = due_of(state, moment.world)
    if due != wanted:
        yield f"it is said to be due at {written(due)}, and was at {written(wanted)}"


def _wrong_fire(event: Fired, moment: Moment) -> Iterator[str]:
    state, now = moment.state, moment.stamp.decided_at
    plan, cursor = state
    yield from _wrong_due(event.due, moment)
    if moment.world.held:
        yield "it fired although everything was held"
    if moment.hold is not None:
        held = "the actions of its subject were" if moment.hold.actions_only else "its subject was"
        yield f"it fired although {held} held"
    if now < event.due:
        yield "it fired before it was due"
    if agenda_of(plan, moment.world, cursor).exhausted():
        yield "it had fired as often as it may"
    rings = (event.due, cursor.due) if cursor.deferrals else (event.due,)
    if any(frozen(moment.world, plan.subject, at) is not None for at in rings):
        yield "it fired in a freeze"
    if not _is_open(moment):
        yield "it fired outside of its window"


def _is_open(moment: Moment) -> bool:
    definition, cursor = moment.state.plan.definition, moment.state.cursor
    if definition.window is None:
        return True
    now = moment.stamp.decided_at
    at = cursor.due if now - cursor.due <= definition.catch_up.grace else now
    found = opening(definition.window, definition.zone, at)
    return found is not None and found.begins <= at


def _wrong_skip(event: Skipped, moment: Moment) -> Iterator[str]:
    state = moment.state
    if event.count > 1:
        found = called_for(state, [moment.world], event.first - 1, event.last)
        if found.number != event.count:
            yield f"{event.count} instants are said to be skipped, the calendar has {found.number}"
    elif event.first != event.last:
        yield "one instant is said to be skipped, and two are named"
    if event.reason is Reason.MISSED and not moment.is_late_look:
        age = moment.stamp.decided_at - due_of(state, moment.world)
        if age <= state.plan.definition.catch_up.grace:
            yield "it is said to be missed, and was not late"
