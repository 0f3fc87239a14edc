"""
How does a schedule come to be, change, rest and go?

One function for each command that changes a schedule. A refusal is an event like any other. Edits
are not retroactive: what was due before is settled first (settling.py), under the old rule. Which
definition makes no sense is refusals.py.
"""

from __future__ import annotations

from dataclasses import replace

from schemas.commands import NOT_THERE, Asked, Define, Pause, Resume
from schemas.definition import CatchUpMode, Definition
from schemas.events import (
    ScheduleChanged,
    ScheduleCompleted,
    ScheduleDefined,
    SchedulePaused,
    ScheduleRemoved,
)
from schemas.instants import FIRST, format_instant
from schemas.subject_events import InsightKind
from streams.calendar.occurrences import NEVER
from streams.decider import firing, insights, refusals, skipping
from streams.decider.agenda import Agenda, agenda_of, last_turn, moved
from streams.decider.answers import refuse, unchanged
from streams.decider.backfill import withdrawn_backfills
from streams.decider.evolve import compiled, same_walls
from streams.decider.evolve_subject import world_after
from streams.decider.firing import Events
from streams.decider.limits import lookback_of
from streams.decider.promotion import promoted
from streams.decider.settling import settled
from streams.decider.state import Plan, Schedule, World
from streams.decider.withdrawing import withdrawn_runs, withdrawn_targets


def define(state: Schedule | None, asked: Asked, command: Define, world: World, now: int) -> Events:
    """Create or change; the same content is answered `unchanged`."""
    stale = _stale(state, command.expected_version)
    if stale is not None:
        return refuse(asked, "define", "expected_version", stale, state)
    if state is not None and state.plan.definition == command.definition:
        return unchanged(state, "define")
    fault = refusals.fault(state, asked.schedule, command.definition, world)
    if fault is not None:
        return refuse(asked, "define", *fault, state)
    if state is None:
        return created(asked, command.definition, world, now)
    if _keeps_time(state, command.definition):
        events = repainted(state, asked, command.definition, world, now)
    else:
        events = _retimed(state, asked, command.definition, world, now)
    return (*events, *promoted(world_after(world, events, now), now))


def remove(state: Schedule, asked: Asked, world: World, now: int) -> Events:
    """Take it away; what was due before the command was sent still fires."""
    events = taken_away(state, asked, world, now)
    return (*events, *promoted(world_after(world, events, now), now))


def taken_away(state: Schedule, asked: Asked, world: World, now: int) -> Events:
    """The end of a schedule and of all that has not begun of it, without who begins instead."""
    events, state = settled(state, world, min(asked.appended_at, now), now)
    plan = state.plan
    removed = ScheduleRemoved(plan.id, asked.version, plan.incarnation)
    backfills = withdrawn_backfills(plan, world, "the schedule was removed")
    idle = withdrawn_runs(plan, world_after(world, events, now), "the schedule was removed")
    known = insights.resolved(world.subject, plan.id, None, "the schedule was removed")
    return (*events, *idle, *backfills, *known, removed)


def pause(state: Schedule, asked: Asked, command: Pause, world: World, now: int) -> Events:
    """Let no instant be an occurrence from here on."""
    plan = state.plan
    if plan.completed:
        return refuse(asked, "pause", "schedule", f"{plan.id} is completed", state)
    if command.until is not None and command.until <= now:
        message = f"{format_instant(command.until)} is not in the future"
        return refuse(asked, "pause", "until", message, state)
    note = plan.pause
    if note and (note.reason, note.until) == (command.reason, command.until):
        return unchanged(state, "pause")
    events, state = settled(state, world, min(asked.appended_at, now), now)
    since = note.since if note else now
    paused = SchedulePaused(
        plan.id, plan.version, plan.incarnation, command.reason, since, command.until
    )
    if firing.is_exhausted(state, world):  # a pause would only put off that it is over
        return (*events, paused, firing.completed(plan))
    return (*events, paused)


def resume(state: Schedule, asked: Asked, command: Resume, world: World, now: int) -> Events:
    """Go on from now, and with what of the pause still runs."""
    plan = state.plan
    if plan.completed:
        return refuse(asked, "resume", "schedule", f"{plan.id} is completed", state)
    if plan.pause is None:
        return unchanged(state, "resume")
    if plan.rule is None:
        return refuse(asked, "resume", "timings", "they cannot be read any more", state)
    at = max(asked.appended_at, now)
    events = firing.resumed(state, world, command.reason, at, now, command.catch_up)
    known = insights.resolved(world.subject, plan.id, InsightKind.PAUSED, "it was resumed")
    return (*events, *known)


def created(asked: Asked, definition: Definition, world: World, now: int) -> Events:
    """The beginning of a schedule, if there is room for it and it has an instant left."""
    full = _full(world)
    if full is not None:
        return refuse(asked, "define", "subject", full)
    plan = _draft(asked.schedule, definition, created_at=now)
    begins_at = _beginning(plan, max(asked.appended_at, now), world)
    agenda = agenda_of(plan, world).restarted(begins_at)
    following = agenda.next_tick(begins_at).instant
    if following == NEVER:
        why = refusals.why_never(plan, max(asked.appended_at, now))
        return refuse(asked, "define", *why)
    return (
        ScheduleDefined(
            schedule=asked.schedule,
            version=asked.version,
            incarnation=asked.version,
            definition=definition,
            begins_at=begins_at,
            next=following,
            next_due=moved(following, agenda.due_at(following)),
        ),
    )


def _full(world: World) -> str | None:
    """Why the subject may have no further schedule."""
    most = world.settings.max_schedules if world.settings else 0
    if not most or len(world.siblings.ids()) < most:
        return None
    return f"it has {most} schedules already, and may have no more"


def _keeps_time(state: Schedule, definition: Definition) -> bool:
    """Whether an edit leaves the instants alone, and what waits waiting.

    One that lets a schedule fire more often than it did brings a completed one back.
    """
    plan, cursor = state
    limit = plan.definition.max_fires
    revived = plan.completed and limit is not None and cursor.fires >= limit
    if revived and definition.max_fires != limit:
        return False
    return _timing(plan.definition) == _timing(definition)


def repainted(
    state: Schedule, asked: Asked, definition: Definition, world: World, now: int
) -> Events:
    """Change all but the instants; what waits looks at once at what it waits for now.

    What has not begun for a target that is not there any more never does.
    """
    plan, cursor = state
    next_due = None
    if cursor.deferrals:
        next_due = None if _waits_alike(plan.definition, definition) else now
    elif plan.pause is None and cursor.nominal != NEVER:
        other = agenda_of(replace(plan, definition=definition), world, cursor)
        next_due = moved(cursor.nominal, other.due_at(cursor.nominal))
    times = cursor.nominal, next_due
    idle = withdrawn_targets(plan, definition, world)
    return (*idle, _changed(state, asked, definition, cursor.mark, times))


def _retimed(
    state: Schedule, asked: Asked, definition: Definition, world: World, now: int
) -> Events:
    """Give it other instants; the mark never moves back, so none of them is a second time."""
    events, before = settled(state, world, min(asked.appended_at, now), now)
    plan = _draft(asked.schedule, definition, created_at=state.plan.created_at)
    here = max(asked.appended_at, now, before.cursor.mark)
    begins_at = max(_beginning(plan, here, world), before.cursor.mark)
    agenda = agenda_of(plan, world, before.cursor)
    if _is_carried_over(before, agenda, here):
        begins_at = min(begins_at, before.cursor.nominal - 1)
    agenda = agenda.restarted(begins_at)
    handled = same_walls(before.cursor, state.plan.definition, definition)
    following = agenda.unhandled(begins_at, last_turn(handled)).instant
    was_used_up = _is_used_up(state, agenda_of(plan, world, state.cursor))
    if following == NEVER and not was_used_up:
        return refuse(asked, "define", *refusals.why_never(plan, here), state)
    if was_used_up or agenda.exhausted():
        following = NEVER  # what is used up is not revived by other instants
    times = following, moved(following, agenda.due_at(following))
    changed = _changed(before, asked, definition, begins_at, times)
    seen, why = world_after(world, events, now), "the timing was changed"
    idle = withdrawn_runs(state.plan, seen, why, retrying=False)
    after = replace(plan, version=asked.version, incarnation=changed.incarnation)
    cursor = before.cursor._replace(mark=begins_at)
    skips = skipping.carried_over(before, Schedule(after, cursor), world)
    events = (*events, *idle, changed, *skips)
    if following != NEVER or state.plan.completed:
        return events
    return (*events, ScheduleCompleted(plan.id, asked.version, changed.incarnation))


def _is_used_up(state: Schedule, agenda: Agenda) -> bool:
    """Whether nothing more may come of it, whatever a command settles; under that agenda.

    A completed schedule whose rule has instants ahead was a one-time before it was edited.
    """
    plan, cursor = state
    was_once = plan.rule is not None and plan.rule.once
    before = agenda_of(plan, World(), cursor)
    goes_on = not before.exhausted() and before.next_tick(cursor.mark).instant != NEVER
    return agenda.exhausted() or (plan.completed and (was_once or goes_on))


def _is_carried_over(before: Schedule, agenda: Agenda, here: int) -> bool:
    """Whether the pending instant lies behind us, is due later, and is one of the new rule too."""
    plan, cursor = before
    if plan.pause is not None or plan.counts_from_decisions or cursor.nominal > here:
        return False
    if agenda.only is not None:  # it counts from the edit, whatever was pending
        return False
    return agenda.newest_tick(cursor.nominal - 1, here).instant == cursor.nominal


def _changed(
    state: Schedule,
    asked: Asked,
    definition: Definition,
    begins_at: int,
    times: tuple[int, int | None],
) -> ScheduleChanged:
    following, next_due = times
    return ScheduleChanged(
        schedule=state.plan.id,
        version=asked.version,
        incarnation=state.plan.incarnation,
        previous_version=state.plan.version,
        definition=definition,
        begins_at=begins_at,
        next=following,
        next_due=next_due,
    )


def _draft(schedule: str, definition: Definition, created_at: int) -> Plan:
    """A plan good enough to ask for its instants."""
    rule = compiled(definition, schedule)
    return Plan(schedule, 0, 0, created_at, created_at, "", definition, rule)


def _beginning(plan: Plan, begins_at: int, world: World) -> int:
    """A one-time in the past still runs inside the lookback; anything else begins now."""
    if plan.rule is None or not plan.rule.once:
        return begins_at
    return max(begins_at - _patience(plan.definition, world) - 1, FIRST)


def _patience(definition: Definition, world: World) -> int:
    """How old a one-time may be when it is defined."""
    rule = definition.catch_up
    if rule.mode is CatchUpMode.NONE:
        return rule.grace
    lookback = lookback_of(rule, world)
    return NEVER if lookback is None else max(lookback, rule.grace)


def _waits_alike(old: Definition, new: Definition) -> bool:
    """Whether an edit leaves alone what an occurrence waits for."""
    return (old.window, old.gate) == (new.window, new.gate)


def _timing(definition: Definition) -> tuple[object, ...]:
    """What an edit must change to make waiting instants void."""
    return (
        definition.timings, definition.zone, definition.dst,
        definition.start_at, definition.end_at, definition.exclude,
    )  # fmt: skip


def _stale(state: Schedule | None, expected: int | None) -> str | None:
    if expected is None:
        return None
    if state is None:
        missing = f"version {expected} was expected, but there is no such schedule"
        return None if expected == NOT_THERE else missing
    if expected == NOT_THERE:
        return f"there is a schedule {state.plan.id} already, of version {state.plan.version}"
    if state.plan.version != expected:
        return f"version {expected} was expected, the schedule has {state.plan.version}"
    return None
