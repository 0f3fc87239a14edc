"""
What becomes of the occurrence that is due?

`due` asks the questions in their order: held, paused, deferred before, late, then whether the
target takes it. What lateness means is lateness.py; whether a target takes a record is gates.py;
which instants there are is agenda.py.
"""

from __future__ import annotations

from schemas.commands import Asked
from schemas.definition import HOUR, MINUTE, SECOND
from schemas.events import (
    Deferred,
    Fired,
    Outcome,
    Reason,
    ScheduleCompleted,
    ScheduleEvent,
    ScheduleResumed,
    ScopeResult,
    Skipped,
)
from schemas.identity import occurrence_id, run_id
from streams.calendar.occurrences import NEVER
from streams.decider import agenda, gates, lateness
from streams.decider.evolve import advance
from streams.decider.state import Plan, Schedule, World

FIRST_RETRY = SECOND
LONGEST_RETRY = MINUTE
UNBOUNDED_RETRIES = 24 * HOUR
"""How long a target is waited for when the lookback has no limit."""

MOST_SETTLED = 1_000
"""Instants within the grace that still fire before a command changes their schedule."""

Events = tuple[ScheduleEvent, ...]


def due(state: Schedule, world: World, now: int) -> Events:
    """What is decided about a schedule whose timer rings; nothing if it rang too early."""
    plan, cursor = state
    if cursor.due > now or world.held or plan.rule is None:
        return ()
    if plan.pause is not None:
        return resumed(state, "the pause ended", cursor.due)
    looked_at = cursor.deferred_at if cursor.deferrals else now
    late = looked_at - cursor.nominal > plan.definition.catch_up.grace
    if late and not cursor.deferrals:
        return _late(state, world, now)
    return on_time(state, world, now, late=late)


def on_time(state: Schedule, world: World, now: int, *, late: bool = False) -> Events:
    """Fire the oldest unsettled instant, or defer it if its target does not take it."""
    refusal = gates.refuses(state.plan.definition.action, world)
    if refusal is not None:
        return _put_off(state, refusal, now)
    event = fired(state, late=late)
    return (event,) if event.next != NEVER else (event, _completed(state.plan))


def fired(state: Schedule, *, late: bool = False) -> Fired:
    """The fire of the oldest unsettled instant."""
    plan, cursor = state
    tick = agenda.next_tick(plan, cursor.mark)
    following = agenda.next_tick(plan, tick.instant).instant
    return Fired(
        plan.id,
        plan.version,
        plan.incarnation,
        tick.instant,
        tick.instant,
        tick.wall,
        tick.second_pass,
        None,
        late,
        (_started(plan, tick.instant, None),),
        following,
        following,
        cursor.deferred_at or None,
        cursor.deferrals,
        None,
    )


def triggered(state: Schedule, asked: Asked, world: World, now: int) -> Events:
    """Fire by hand: the calendar goes on as if nothing had happened, but a one-time is consumed."""
    plan = state.plan
    consumed = _is_last(state)
    events: Events = ()
    if consumed and plan.pause is None and state.cursor.nominal <= now:
        skip = withdrawn(state, now, "it was fired by hand")
        events = (skip,)
        state = advance(state, skip, world.zone_data)
    cursor = state.cursor
    origin = f"trigger:{asked.id}.{asked.offset}"
    following, following_due = (NEVER, NEVER) if consumed else (cursor.nominal, cursor.due)
    fired = Fired(
        plan.id,
        plan.version,
        plan.incarnation,
        now,
        now,
        now,
        0,
        origin,
        False,  # noqa: FBT003 - positional like the rest of the record
        (_started(plan, now, origin),),
        following,
        following_due,
    )
    end = (_completed(plan),) if consumed and not plan.completed else ()
    return (*events, fired, *end)


def resumed(state: Schedule, reason: str, at: int) -> Events:
    """Go on from `at`; a one-time keeps its instant, and lateness rules apply to it."""
    plan, cursor = state
    once = plan.rule is not None and plan.rule.once
    begins_at = cursor.mark if once else max(at, cursor.mark)
    following = agenda.next_tick(plan, begins_at).instant
    event = ScheduleResumed(plan.id, plan.version, plan.incarnation, reason, begins_at, following)
    return (event,) if following != NEVER else (event, _completed(plan))


def settled(state: Schedule, world: World, until: int, now: int) -> tuple[Events, Schedule]:
    """Bring the past of a schedule to its end before a command changes its timing.

    Instants up to `until` that are within the grace fire under the old rule, but only the newest
    MOST_SETTLED of them, since all this is one transaction; older ones are withdrawn in one record,
    and so is one that waits; under a hold all are withdrawn. Returns the events and the state after
    them.
    """
    events: list[ScheduleEvent] = []
    too_old = _too_old(state, until, now)
    while state.plan.pause is None and (state.cursor.deferrals or state.cursor.nominal <= until):
        event = _settle_oldest(state, world, until, too_old)
        events.append(event)
        state = advance(state, event, world.zone_data)
    return tuple(events), state


def _too_old(state: Schedule, until: int, now: int) -> int:
    """Up to here nothing is fired any more before a change."""
    plan, cursor = state
    late = min(until, now - plan.definition.catch_up.grace - 1)
    first = agenda.next_tick(plan, max(late, cursor.mark)).instant
    if first > until:
        return late
    return lateness.newest_of(plan, first, until, MOST_SETTLED) - 1


def _settle_oldest(state: Schedule, world: World, until: int, too_old: int) -> Fired | Skipped:
    plan, cursor = state
    if cursor.deferrals:
        return withdrawn(state, cursor.nominal, "the schedule changed while it waited")
    if world.held:
        return withdrawn(state, until, "held")
    if plan.rule is None:
        return withdrawn(state, until, "its timing cannot be read any more")
    if cursor.nominal <= too_old:
        return withdrawn(state, too_old, None)
    refusal = gates.refuses(plan.definition.action, world)
    if refusal is not None:
        return withdrawn(state, until, refusal)
    return fired(state)


def withdrawn(state: Schedule, until: int, evidence: str | None) -> Skipped:
    """One record that ends everything unsettled up to `until`."""
    return lateness.skipped(state, until, Reason.WITHDRAWN, evidence)


def _late(state: Schedule, world: World, now: int) -> Events:
    verdict = lateness.judge(state, now)
    events: Events = ()
    if verdict.skip_until is not None:
        skip = lateness.skipped(state, verdict.skip_until, Reason.MISSED, None)
        events = (skip,)
        state = advance(state, skip, world.zone_data)
    if verdict.fire:
        return events + on_time(state, world, now, late=True)
    if state.cursor.nominal == NEVER:
        return (*events, _completed(state.plan))
    return events


def _put_off(state: Schedule, refusal: str, now: int) -> Events:
    plan, cursor = state
    nominal = cursor.nominal
    lookback = plan.definition.catch_up.lookback
    first_at = cursor.deferred_at or now
    ends_at = first_at + UNBOUNDED_RETRIES if lookback is None else nominal + lookback
    if now >= ends_at:
        skip = lateness.skipped(state, nominal, Reason.TARGET_UNAVAILABLE, refusal)
        return (skip,) if skip.next != NEVER else (skip, _completed(plan))
    wait = min(FIRST_RETRY << min(cursor.deferrals, 6), LONGEST_RETRY)
    until = max(min(now + wait, ends_at), now + FIRST_RETRY)
    return (
        Deferred(
            plan.id,
            plan.version,
            plan.incarnation,
            nominal,
            nominal,
            Reason.TARGET_UNAVAILABLE,
            until,
            first_at,
            cursor.deferrals + 1,
            refusal,
        ),
    )


def _is_last(state: Schedule) -> bool:
    """A one-time with no more than one instant left: a fire by hand takes its place."""
    plan, cursor = state
    if plan.rule is None or not plan.rule.once:
        return False
    return agenda.next_tick(plan, agenda.next_tick(plan, cursor.mark).instant).instant == NEVER


def _started(plan: Plan, nominal: int, origin: str | None) -> ScopeResult:
    scope = plan.subject
    occurrence = occurrence_id(plan.id, plan.incarnation, nominal, origin)
    return ScopeResult(scope, run_id(occurrence, scope), Outcome.STARTED)


def _completed(plan: Plan) -> ScheduleCompleted:
    return ScheduleCompleted(plan.id, plan.version, plan.incarnation)
