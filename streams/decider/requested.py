"""
Which instants were asked to be skipped, and how do they end?

What was asked for is kept in the plan as nominal instants, and those that are over stay in the list
until a command writes it the next time: here they are passed over. Each ends `requested`, also in
the middle of a run of instants that end together for another reason. Who asks is skipping.py.
"""

from __future__ import annotations

from schemas.events import Reason, Skipped
from streams.decider import lateness
from streams.decider.agenda import agenda_of
from streams.decider.evolve import advance
from streams.decider.state import Schedule, World


def still_ahead(state: Schedule) -> tuple[int, ...]:
    """The instants that are to be skipped and have not ended yet, in order."""
    return tuple(one for one in state.plan.skips if one > state.cursor.mark)


def is_requested(state: Schedule) -> bool:
    """Whether the oldest unsettled instant is to be skipped."""
    return state.cursor.nominal in state.plan.skips


def closed(
    state: Schedule, world: World, now: int, until: int, why: tuple[Reason, str | None]
) -> tuple[Skipped, ...]:
    """Records that end every unsettled instant up to `until`, the oldest one in any case.

    `why` is the reason, and the evidence, of those that nobody asked to be skipped.
    """
    found: list[Skipped] = []
    while not found or state.cursor.nominal <= until:
        if is_requested(state):
            last = _unbroken(state, world, until)
            skip = lateness.skipped(state, world, now, last, Reason.REQUESTED)
        else:
            last = before_next(state, until)
            skip = lateness.skipped(state, world, now, last, *why)
        found.append(skip)
        state = advance(state, skip, now, world.zone_data)
    return tuple(found)


def before_next(state: Schedule, until: int) -> int:
    """`until`, or the end of what comes before the next instant that is to be skipped."""
    coming = (one - 1 for one in state.plan.skips if one > state.cursor.nominal)
    return min((until, *coming))


def _unbroken(state: Schedule, world: World, until: int) -> int:
    """The last one of those that follow each other and are all to be skipped."""
    agenda = agenda_of(state.plan, world, state.cursor)
    last, following = state.cursor.nominal, agenda.next_tick(state.cursor.nominal).instant
    while following in state.plan.skips and following <= until:
        last, following = following, agenda.next_tick(following).instant
    return last
