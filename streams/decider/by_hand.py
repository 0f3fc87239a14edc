"""
What does a fire by hand mean?

One fire more, beside the calendar, at once: also while the schedule is paused, and outside of its
window, which holds back what comes by itself. It is refused under a hold, in a freeze, without a
topic that takes it, and where a deployment is not to be woken or is being started. It obeys overlap
and caps unless it is told not to, and is then skipped beside the calendar. It counts for
`max_fires` like any other fire, takes the place of the last instant of a one-time, and restarts an
interval that counts from decisions.
"""

from __future__ import annotations

from schemas.commands import Asked, Trigger
from schemas.events import Fired, Reason, Skipped
from schemas.instants import format_instant
from schemas.policies import Manual, OverlapMode
from streams.calendar.occurrences import NEVER, Tick
from streams.decider import acts, firing, gates, lateness, quiet, requested
from streams.decider.agenda import agenda_of
from streams.decider.evolve import advance
from streams.decider.evolve_subject import world_after
from streams.decider.firing import Events, completed, superseded
from streams.decider.freezes import frozen
from streams.decider.giving_out import GivenOut, Occasion, give_out, rule_of
from streams.decider.recompute import brought_up_to_date
from streams.decider.resting import held_by
from streams.decider.state import Schedule, World

BY_HAND = "it was fired by hand"


def refusal(state: Schedule, world: World, now: int) -> tuple[str, str] | None:
    """The field because of which nothing can be fired by hand now, and the reason."""
    plan = state.plan
    held = held_by(plan, world)
    if held is not None:
        return "hold", held
    why = frozen(world, plan.subject, now)
    if why is not None:
        return "freeze", f"{plan.subject} is frozen: {why}"
    fault = gates.refuses(plan, world)
    if fault is not None:
        return gates.field_of(plan, world), fault
    why = in_its_state(state, world)
    return None if why is None else ("deployment", why)


def in_its_state(state: Schedule, world: World) -> str | None:
    """Why nothing is done to a deployment in the state in which it is, whoever asks."""
    needless = acts.needless(state.plan, world)
    if needless is not None:
        return needless.evidence
    return quiet.in_use(state.plan.definition, world.subject.notes)


def triggered(state: Schedule, asked: Asked, command: Trigger, world: World, now: int) -> Events:
    """Fire, and let the calendar go on as if nothing had happened, if this was not the last one."""
    plan = state.plan
    anew, state = brought_up_to_date(state, world, now)
    free = command.force or plan.definition.manual is Manual.IGNORE
    origin = f"trigger:{asked.id}.{asked.offset}"
    occasion = Occasion(now, now, origin, command.overlap, free)
    waits = _waits(state, occasion)
    if waits is not None:
        return (*anew, left_out(state, occasion, Reason.OVERLAP, waits))
    closed = superseded(plan, world, now, now)
    given = give_out(plan, world_after(world, closed, now) if closed else world, occasion, now)
    why = given.nobody
    if why is not None and given.scopes:
        return (*anew, left_out(state, occasion, why, given.evidence))
    consumed = _is_last(state, world)
    ends, state = _given_way(state, world, now, consumed=consumed)
    goes_on = (NEVER, NEVER)
    if not consumed:
        idle = plan.counts_from_ends and not given.scopes  # nothing will end
        goes_on = (state.cursor.nominal, state.cursor.due) if idle else _goes_on(state, world, now)
    fired = beside(state, occasion, given, goes_on)
    is_over = consumed or (ends and firing.is_over(state))
    end = (completed(plan),) if is_over and not plan.completed else ()
    return (*anew, *ends, fired, *closed, *given.events, *end)


def _given_way(
    state: Schedule, world: World, now: int, *, consumed: bool
) -> tuple[tuple[Skipped, ...], Schedule]:
    """The ends of what gives way to a fire by hand, and the state after them.

    The last fire leaves nothing behind. Any other one closes what waits, if it is a newer word.
    """
    plan, cursor = state
    if not _is_pending(state, now):
        return (), state
    ends: list[Skipped] = []
    supersedes = plan.definition.overlap.supersedes and lateness.due_of(state, world) < now
    if cursor.deferrals and (consumed or supersedes):
        why = (Reason.WITHDRAWN, BY_HAND) if consumed else (Reason.SUPERSEDED, BY_HAND)
        ends += requested.closed(state, world, now, cursor.nominal, why)
        state = advance(state, ends[-1], now, world.zone_data)
    if consumed and state.cursor.due <= now:
        last = agenda_of(plan, world, state.cursor).due_by(now)
        rest = requested.closed(state, world, now, last, (Reason.WITHDRAWN, BY_HAND))
        for one in rest:
            state = advance(state, one, now, world.zone_data)
        ends += rest
    return tuple(ends), state


def _waits(state: Schedule, occasion: Occasion) -> str | None:
    """What waits already where nothing may be beside it: a deferred occurrence counts as active.

    Only work that somebody reports about overlaps, and one that is to be closed is not in the way.
    """
    definition, cursor = state.plan.definition, state.cursor
    rule = rule_of(state.plan, occasion.overlap)
    alone = rule.mode is OverlapMode.SKIP and not rule.supersedes and not occasion.free
    if definition.action.tracked is None or not alone or not cursor.deferrals:
        return None
    since = format_instant(cursor.nominal)
    return f"the occurrence of {since} waits until {format_instant(cursor.due)}"


def beside(state: Schedule, occasion: Occasion, given: GivenOut, goes_on: tuple[int, int]) -> Fired:
    """A fire beside the calendar; what is looked at next, and when, is `goes_on`."""
    plan = state.plan
    return Fired(
        plan.id,
        plan.version,
        plan.incarnation,
        occasion.nominal,
        occasion.due,
        occasion.nominal,
        0,
        occasion.origin,
        False,  # noqa: FBT003 - positional like the rest of the record
        given.scopes,
        *goes_on,
    )


def left_out(state: Schedule, occasion: Occasion, why: Reason, evidence: str | None) -> Skipped:
    """An occurrence beside the calendar whose work begins for no target."""
    plan, cursor = state
    return Skipped(
        *(plan.id, plan.version, plan.incarnation, occasion.nominal, occasion.nominal, 1, why),
        *(occasion.nominal, 0, cursor.nominal, cursor.due, occasion.origin),
        evidence=evidence,
    )


def _goes_on(state: Schedule, world: World, now: int) -> tuple[int, int]:
    """What is looked at next, and when; while paused the end of the pause is."""
    plan, cursor = state
    if not plan.counts_from_decisions or plan.completed or _is_pending(state, now):
        return cursor.nominal, cursor.due
    since = max(cursor.mark, now)  # the clock may have been put back
    tick = Tick(since, since, 0)
    following, due_at = agenda_of(plan, world, cursor).ahead(tick, since, fires=1)
    return following, due_at if plan.pause is None else cursor.due


def _is_pending(state: Schedule, now: int) -> bool:
    """Whether an occurrence is due or waits, and is left to its timer."""
    plan, cursor = state
    return plan.pause is None and (cursor.due <= now or cursor.deferrals > 0)


def _is_last(state: Schedule, world: World) -> bool:
    """Whether a fire by hand is the last one: of so many, or of a one-time's instants."""
    plan, cursor = state
    agenda = agenda_of(plan, world, cursor)
    if agenda.exhausted(fires=1):
        return True
    if plan.rule is None or not plan.rule.once:
        return False
    first = cursor.nominal if cursor.deferrals else agenda.next_tick(cursor.mark).instant
    return agenda.next_tick(first).instant == NEVER
