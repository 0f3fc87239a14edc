"""
How does a schedule come to be, change, rest and go?

One function for each command that changes a schedule. A refusal is an event like any other. Edits
are not retroactive: what was due before is settled first (firing.settled), under the old rule.
"""

from __future__ import annotations

from schemas.commands import Asked, Define, Pause
from schemas.definition import CatchUpMode, Definition
from schemas.events import (
    CommandRefused,
    CommandUnchanged,
    ScheduleChanged,
    ScheduleDefined,
    SchedulePaused,
    ScheduleRemoved,
)
from schemas.instants import FIRST, format_instant
from streams.calendar.occurrences import NEVER, TimingRefused, rule_for
from streams.decider import agenda, firing, gates
from streams.decider.evolve import compiled
from streams.decider.firing import Events
from streams.decider.state import Plan, Schedule, World


def define(state: Schedule | None, asked: Asked, command: Define, world: World, now: int) -> Events:
    """Create or change; the same content is answered `unchanged`."""
    stale = _stale(state, command.expected_version)
    if stale is not None:
        return refused(state, asked, "define", "expected_version", stale)
    if state is not None and state.plan.definition == command.definition:
        return unchanged(state, "define")
    fault = _fault(asked.schedule, command.definition, world)
    if fault is not None:
        return refused(state, asked, "define", *fault)
    if state is None:
        return _created(asked, command.definition, now)
    if _timing(state.plan.definition) == _timing(command.definition):
        begins_at, following = state.cursor.mark, state.cursor.nominal
        return (_changed(state, asked, command.definition, begins_at, following),)
    return _retimed(state, asked, command.definition, world, now)


def remove(state: Schedule, asked: Asked, world: World, now: int) -> Events:
    """Take it away; what was due before the command was sent still fires."""
    events, state = firing.settled(state, world, min(asked.appended_at, now), now)
    plan = state.plan
    return (*events, ScheduleRemoved(plan.id, asked.version, plan.incarnation))


def pause(state: Schedule, asked: Asked, command: Pause, world: World, now: int) -> Events:
    """Let no instant be an occurrence from here on."""
    plan = state.plan
    if plan.completed:
        return refused(state, asked, "pause", "schedule", f"{plan.id} is completed")
    if command.until is not None and command.until <= now:
        message = f"{format_instant(command.until)} is not in the future"
        return refused(state, asked, "pause", "until", message)
    note = plan.pause
    if note and (note.reason, note.until) == (command.reason, command.until):
        return unchanged(state, "pause")
    events, state = firing.settled(state, world, min(asked.appended_at, now), now)
    since = note.since if note else now
    paused = SchedulePaused(
        plan.id, plan.version, plan.incarnation, command.reason, since, command.until
    )
    return (*events, paused)


def resume(state: Schedule, asked: Asked, reason: str, now: int) -> Events:
    """Go on from now."""
    plan = state.plan
    if plan.completed:
        return refused(state, asked, "resume", "schedule", f"{plan.id} is completed")
    if plan.pause is None:
        return unchanged(state, "resume")
    if plan.rule is None:
        return refused(state, asked, "resume", "timings", "they cannot be read any more")
    return firing.resumed(state, reason, max(asked.appended_at, now))


def refused(state: Schedule | None, asked: Asked, command: str, field: str, message: str) -> Events:
    """Nothing changed, and here is why."""
    version = state.plan.version if state else None
    return (CommandRefused(asked.schedule, command, field, message, version),)


def unchanged(state: Schedule, command: str) -> Events:
    """It already was as asked."""
    plan, cursor = state
    return (CommandUnchanged(plan.id, command, plan.version, plan.incarnation, cursor.nominal),)


def _created(asked: Asked, definition: Definition, now: int) -> Events:
    plan = _draft(asked.schedule, definition, created_at=now)
    begins_at = _beginning(plan, max(asked.appended_at, now))
    following = agenda.next_tick(plan, begins_at).instant
    if following == NEVER:
        return refused(None, asked, "define", *_why_never(plan, max(asked.appended_at, now)))
    return (
        ScheduleDefined(
            schedule=asked.schedule,
            version=asked.version,
            incarnation=asked.version,
            definition=definition,
            begins_at=begins_at,
            next=following,
        ),
    )


def _retimed(
    state: Schedule, asked: Asked, definition: Definition, world: World, now: int
) -> Events:
    """Give it other instants; the mark never moves back, so none of them is a second time."""
    events, settled = firing.settled(state, world, min(asked.appended_at, now), now)
    plan = _draft(asked.schedule, definition, created_at=state.plan.created_at)
    here = max(asked.appended_at, now, settled.cursor.mark)
    begins_at = max(_beginning(plan, here), settled.cursor.mark)
    following = agenda.next_tick(plan, begins_at).instant
    if state.plan.completed and state.plan.rule is not None and state.plan.rule.once:
        following = NEVER  # a consumed one-time is not revived by an edit
    elif following == NEVER:
        return refused(state, asked, "define", *_why_never(plan, here))
    return (*events, _changed(settled, asked, definition, begins_at, following))


def _changed(
    state: Schedule, asked: Asked, definition: Definition, begins_at: int, following: int
) -> ScheduleChanged:
    return ScheduleChanged(
        schedule=asked.schedule,
        version=asked.version,
        incarnation=state.plan.incarnation,
        previous_version=state.plan.version,
        definition=definition,
        begins_at=begins_at,
        next=following,
    )


def _draft(schedule: str, definition: Definition, created_at: int) -> Plan:
    """A plan good enough to ask for its instants."""
    rule = compiled(definition, schedule)
    return Plan(schedule, 0, 0, created_at, created_at, "", definition, rule)


def _beginning(plan: Plan, begins_at: int) -> int:
    """A one-time in the past still runs inside the lookback; anything else begins now."""
    if plan.rule is None or not plan.rule.once:
        return begins_at
    return max(begins_at - _patience(plan.definition) - 1, FIRST)


def _patience(definition: Definition) -> int:
    """How old a one-time may be when it is defined."""
    rule = definition.catch_up
    if rule.mode is CatchUpMode.NONE:
        return rule.grace
    return NEVER if rule.lookback is None else max(rule.lookback, rule.grace)


def _timing(definition: Definition) -> tuple[object, ...]:
    """What an edit must change to make waiting instants void."""
    return (
        definition.timings, definition.zone, definition.dst,
        definition.start_at, definition.end_at,
    )  # fmt: skip


def _stale(state: Schedule | None, expected: int | None) -> str | None:
    if expected is None:
        return None
    if state is None:
        return f"version {expected} was expected, but there is no such schedule"
    if state.plan.version != expected:
        return f"version {expected} was expected, the schedule has {state.plan.version}"
    return None


def _fault(schedule: str, definition: Definition, world: World) -> tuple[str, str] | None:
    """The field that makes no sense, and what is wrong with it."""
    forbidden = gates.forbids(definition.action.topic, world)
    if forbidden is not None:
        return "emit.topic", forbidden
    try:
        rule_for(definition.timings, definition.zone, definition.dst, schedule)
    except TimingRefused as refusal:
        return refusal.field, refusal.message
    return None


def _why_never(plan: Plan, begins_at: int) -> tuple[str, str]:
    """The field because of which no instant is left."""
    end = plan.definition.end_at
    if end is not None:
        return "end_at", f"no instant is left up to {format_instant(end)}"
    if plan.rule is not None and plan.rule.once:
        return "once", "the instant lies in the past, further than catch_up looks back"
    return "timings", f"no instant lies after {format_instant(begins_at)}"
