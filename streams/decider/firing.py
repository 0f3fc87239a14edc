"""
What becomes of the occurrence that is due?

`due` asks the questions in their order: held, paused, to be skipped, deferred before, late, frozen,
outside of its window, whether its subject is quiet, a deployment may be woken (acts.py) and the
target takes it, and for each scope whether others go on. What is to be skipped is requested.py;
what lateness means is lateness.py; what waits is waiting.py, for quiet quiet.py; whether a target
takes a record is gates.py; who starts is giving_out.py; which instants there are is agenda.py, and
whether they still are is recompute.py.
"""

from __future__ import annotations

from collections.abc import Callable

from schemas.definition import CatchUpMode
from schemas.events import (
    Deferred,
    Fired,
    Reason,
    ScheduleCompleted,
    ScheduleEvent,
    Skipped,
    Stamp,
)
from streams.calendar.occurrences import NEVER
from streams.decider import acts, gates, lateness, quiet, requested, resuming, superseding, waiting
from streams.decider.agenda import agenda_of
from streams.decider.causes import Stretch
from streams.decider.evolve import advance, evolve
from streams.decider.evolve_subject import world_after
from streams.decider.freezes import frozen
from streams.decider.giving_out import Occasion, give_out
from streams.decider.recompute import recomputed
from streams.decider.resting import rests
from streams.decider.state import Plan, Schedule, World

Events = tuple[ScheduleEvent, ...]
Decision = Fired | Skipped | Deferred
Decided = tuple[Decision, *tuple[ScheduleEvent, ...]]
"""What became of the occurrence, and what follows for runs."""


def due(state: Schedule, world: World, now: int) -> Events:
    """What is decided about a schedule whose timer rings; nothing if it rang too early."""
    plan, cursor = state
    if cursor.due > now or plan.rule is None or rests(plan, world):
        return ()
    if plan.pause is not None:
        return resumed(state, world, "the pause ended", cursor.due, now)
    anew = recomputed(state, world, now)
    if anew is None:
        return _decided(state, world, now)
    state = advance(state, anew, now, world.zone_data)
    return (anew, *(_decided(state, world, now) if state.cursor.due <= now else ()))


def _decided(state: Schedule, world: World, now: int) -> Events:
    plan, cursor = state
    if plan.skips and requested.is_requested(state):
        return skipped_by_request(state, world, now)
    if cursor.deferrals:
        age = cursor.deferred_at - lateness.due_of(state, world)
    else:
        age = now - cursor.due
    late = age > plan.definition.catch_up.grace
    if late and not cursor.deferrals:
        return _late(state, world, now)
    return on_time(state, world, now, late=late)


def skipped_by_request(state: Schedule, world: World, now: int) -> Events:
    """End the oldest unsettled instant, which was asked to be skipped."""
    skips = requested.closed(state, world, now, state.cursor.nominal, (Reason.REQUESTED, None))
    return _ended(state, skips, world, now)


def on_time(state: Schedule, world: World, now: int, *, late: bool = False) -> Events:
    """Fire the oldest unsettled instant, skip it in a freeze, or defer it if it has to wait."""
    events = closing(_outcome, state, world, now, late=late)
    after = _after(state, events[0], world, now)
    return (*events, *after) if after else events  # the latter nearly always


def closing(
    decide: Callable[..., Decided], state: Schedule, world: World, now: int, *, late: bool = False
) -> Decided:
    """What is decided about an occurrence that is due, and what it closes if it happens."""
    due_at = lateness.due_of(state, world)
    closed = superseded(state.plan, world, due_at, now)
    if closed:
        decision, *follows = decide(state, world_after(world, closed, now), now, due_at, late=late)
        if not isinstance(decision, Skipped):  # what does not happen closes nothing
            return (decision, *(*closed, *follows))
    return decide(state, world, now, due_at, late=late)


def superseded(plan: Plan, world: World, due_at: int, now: int) -> Events:
    """The ends of what an occurrence that is due closes, if its schedule says that it does."""
    if not plan.definition.overlap.supersedes:
        return ()
    events: Events = ()
    for ends in superseding.superseded_runs(plan, world, due_at, now):
        events += ends
    for other, skip in superseding.superseded_occurrences(plan, world, due_at, now):
        events += (skip, *_after(other, skip, world, now))
    return events


def _outcome(state: Schedule, world: World, now: int, due_at: int, *, late: bool) -> Decided:
    plan, cursor = state
    definition = plan.definition
    why = frozen_at(state, world, due_at) if world.freezes else None
    if why is not None:
        return (lateness.skipped(state, world, now, cursor.nominal, Reason.FREEZE, why),)
    has_work = definition.action.work is not None
    if has_work or definition.window is not None or definition.gate is not None:
        put_off = waits(state, world, now, due_at)
        if put_off is None and has_work:
            put_off = acts.skipped(state, world, now)
        if put_off is not None:
            return (put_off,)
    refusal = gates.refuses(plan, world)
    if refusal is not None:
        return (waiting.for_target(state, world, now, due_at, refusal),)
    return fired(state, world, now, due_at, late=late)


def waits(state: Schedule, world: World, now: int, due_at: int) -> Deferred | Skipped | None:
    """What becomes of it while its window is shut or its subject is busy; None: it may start."""
    put_off = waiting.for_window(state, world, now, due_at)
    return quiet.for_quiet(state, world, now, due_at) if put_off is None else put_off


def frozen_at(state: Schedule, world: World, due_at: int) -> str | None:
    """Why the oldest unsettled instant falls into a freeze.

    When it was due counts, not when it is looked at; of what waited, when it was to start.
    """
    plan, cursor = state
    why = frozen(world, plan.subject, due_at)
    return frozen(world, plan.subject, cursor.due) if why is None and cursor.deferrals else why


def fired(state: Schedule, world: World, now: int, due_at: int, *, late: bool = False) -> Decided:
    """The fire of the oldest unsettled instant, with the events about its runs.

    If its work starts and waits for no target, it is skipped instead.
    """
    plan, cursor = state
    agenda = agenda_of(plan, world, cursor)
    tick = lateness.oldest(agenda, cursor)
    given = give_out(plan, world, Occasion(tick.instant, due_at), now)
    why = given.nobody
    if why is not None:
        return (lateness.skipped(state, world, now, cursor.nominal, why, given.evidence),)
    following, following_due = agenda.ahead(tick, now, fires=1)
    fire = Fired(
        plan.id,
        plan.version,
        plan.incarnation,
        tick.instant,
        due_at,
        tick.wall,
        tick.second_pass,
        None,
        late,
        given.scopes,
        following,
        following_due,
        cursor.deferred_at or None,
        cursor.deferrals,
        quiet.seen(plan.definition, world, now),
    )
    return (fire, *given.events)


def _after(state: Schedule, event: Decision, world: World, now: int) -> Events:
    """What follows at once: the schedule is over, or what fell due while it waited is skipped."""
    plan = state.plan
    until = _fell_due_behind(state, event, now) if state.cursor.deferrals else None
    if until is None and (isinstance(event, Deferred) or event.next != NEVER):
        return ()  # as nearly always
    state = advance(state, event, now, world.zone_data)
    if is_over(state):
        return (completed(plan),)
    if until is None or state.cursor.due > until:
        return ()
    last = agenda_of(plan, world, state.cursor).due_by(until)
    waited = "for its window" if plan.definition.gate is None else "for its turn"
    why = (Reason.OVERLAP, f"an earlier one waited {waited}")
    return _ended(state, requested.closed(state, world, now, last, why), world, now)


def _fell_due_behind(state: Schedule, event: Decision, now: int) -> int | None:
    """What was due up to then comes too late, since this one waited before it; None: nothing.

    When one starts that is all by now; when one is given up, what is on time has its own turn.
    """
    definition = state.plan.definition
    if definition.window is None and definition.gate is None:
        return None
    if isinstance(event, Fired):
        return now
    given_up = isinstance(event, Skipped) and event.reason is Reason.DEFERRAL_EXPIRED
    late = now - definition.catch_up.grace - 1
    return late if given_up and definition.gate is not None else None


def _ended(state: Schedule, skips: tuple[Skipped, ...], world: World, now: int) -> Events:
    """These ends, one after the other, and what follows at once."""
    *others, last = skips
    for one in others:
        state = advance(state, one, now, world.zone_data)
    return (*skips, *_after(state, last, world, now))


def _late(state: Schedule, world: World, now: int) -> Events:
    verdict = lateness.judge(state, world, now)
    events: Events = ()
    if verdict.skip_until is not None:
        skips = requested.closed(state, world, now, verdict.skip_until, (Reason.MISSED, None))
        if not verdict.fire:
            return _ended(state, skips, world, now)
        events = skips
        for skip in skips:
            state = advance(state, skip, now, world.zone_data)
    return events + on_time(state, world, now, late=True)


def resumed(
    state: Schedule, world: World, reason: str, at: int, now: int, mode: CatchUpMode | None = None
) -> Events:
    """Go on from `at`, also with what was not due yet; a one-time keeps its instant.

    `mode` says for this once what of the pause still runs, instead of the definition: that is
    decided at once, unless it is held.
    """
    pause = resuming.stretch_of_pause(state, world, min(at, now), mode)
    event = resuming.going_on(state, world, reason, at, pause)
    after = _after_events(state, (event,), world, now)
    if is_over(after):
        return (event, completed(state.plan))
    if pause is None or rests(state.plan, world):
        return (event,)
    return (event, *_caught_up(after, world, pause, now))


def _caught_up(state: Schedule, world: World, pause: Stretch, now: int) -> Events:
    """What still runs of a pause, oldest first, and the end of the rest.

    If one has to wait, those after it are late once it has had its turn.
    """
    verdict = lateness.judge(state, world, now, pause)
    events: Events = ()
    if verdict.skip_until is not None:
        events = requested.closed(state, world, now, verdict.skip_until, (Reason.MISSED, None))
        if not verdict.fire:
            return _ended(state, events, world, now)
        state = _after_events(state, events, world, now)
    while state.cursor.nominal <= pause.until and not state.cursor.deferrals:
        if requested.is_requested(state):
            found = skipped_by_request(state, world, now)
        else:
            found = on_time(state, world, now, late=True)
        state, world = _after_events(state, found, world, now), world_after(world, found, now)
        events += found
    return events


def _after_events(state: Schedule, events: Events, world: World, now: int) -> Schedule:
    """The state of a schedule after these, who caused them left aside."""
    stamp = Stamp(now, 0, None, world.globals_offset, 0, "")
    after: Schedule | None = state
    for event in events:
        if event.schedule == state.plan.id:
            after = evolve(after, event, stamp, world.zone_data)
    return state if after is None else after


def is_over(state: Schedule) -> bool:
    """Whether a schedule will never fire again by itself, whatever becomes of calendars."""
    plan, cursor = state
    if cursor.nominal != NEVER:
        return False
    agenda = agenda_of(plan, World(), cursor)
    return agenda.exhausted() or agenda.next_tick(cursor.mark).instant == NEVER


def is_exhausted(state: Schedule, world: World) -> bool:
    """Whether a schedule has fired as often as it may."""
    return agenda_of(state.plan, world, state.cursor).exhausted()


def completed(plan: Plan) -> ScheduleCompleted:
    """The end of a schedule that has no instant left."""
    return ScheduleCompleted(plan.id, plan.version, plan.incarnation)
