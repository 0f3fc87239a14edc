"""
Who begins now that a run has ended, or waits no longer?

Walks through the waiting runs of the subject in the order of their turn. Each begins if nothing is
in its way any more, is dropped if it has become too old meanwhile, and else goes on waiting. An
edit of the overlap rule acts here: what waits without a rule of its own follows the one in force.
"""

from __future__ import annotations

from collections.abc import Iterator

from schemas.definition import CatchUp, CatchUpMode
from schemas.events import Reason, ScheduleEvent
from schemas.policies import OverlapMode
from schemas.snapshot import Run, RunPhase
from streams.decider.beginning import begin
from streams.decider.counting_on import over
from streams.decider.evolve_subject import world_after
from streams.decider.giving_out import dropped, rule_of
from streams.decider.limits import lookback_of
from streams.decider.overlap import Going, at_capacity, blocked, in_words
from streams.decider.resting import rests
from streams.decider.state import Plan, World
from streams.decider.subject import turn

MOST_AT_ONCE = 500
"""Of so many something becomes in one look, of the rest in the next: a batch is bounded."""
_GIVES_WAY = frozenset({OverlapMode.SKIP, OverlapMode.ALLOW})
"""Whoever follows one of these now waits for nobody."""


def promoted(world: World, now: int) -> tuple[ScheduleEvent, ...]:
    """The events about the waiting runs whose turn it is."""
    waiting = [run for run in world.subject.runs.values() if run.phase is RunPhase.WAITING]
    if not waiting:
        return ()  # the common case
    events: list[ScheduleEvent] = []
    going = Going(world.subject)
    moved = 0
    for run, plan in sorted(_movable(waiting, world, going), key=lambda one: turn(one[0])):
        if moved >= MOST_AT_ONCE:
            break
        found = _look(run, plan, world, going, now)
        moved += bool(found)
        events += found
        world = world_after(world, found, now)
        if found:
            going.note(world.subject.runs.get(run.id))
    return tuple(events)


def _movable(waiting: list[Run], world: World, going: Going) -> Iterator[tuple[Run, Plan]]:
    """Those of whom something becomes: most go on waiting, whoever of them begins first.

    Those of one place and rule are all alike, however many they are.
    """
    known: dict[tuple[object, ...], Plan | None] = {}
    for run in waiting:
        alike = run.schedule, run.scope, run.overlap, run.behind is None
        if alike not in known:
            known[alike] = _moved_by(run, world, going)
        plan = known[alike]
        if plan is not None:
            yield run, plan


def _moved_by(run: Run, world: World, going: Going) -> Plan | None:
    """By which plan something becomes of a waiting run; None: it goes on waiting."""
    state = world.siblings.get(run.schedule)
    if state is None or rests(state.plan, world):
        return None
    rule = rule_of(state.plan, run.overlap)
    waits = run.behind is not None or rule.mode not in _GIVES_WAY
    tracked = state.plan.definition.action.tracked is not None
    if tracked and waits and blocked(going.beside(run, rule.across), rule):
        return None
    return state.plan


def too_old(catch_up: CatchUp, due: int, world: World, now: int) -> bool:
    """Whether something that waited is past the age at which anything late still runs."""
    late = now - due
    if late <= catch_up.grace:
        return False
    if catch_up.mode is CatchUpMode.NONE:
        return True
    lookback = lookback_of(catch_up, world)
    return lookback is not None and late > lookback


def _look(run: Run, plan: Plan, world: World, going: Going, now: int) -> tuple[ScheduleEvent, ...]:
    if plan.definition.action.tracked is None:
        return begin(run, plan, run.attempt, world, now)
    rule = rule_of(plan, run.overlap)
    others = going.beside(run, rule.across)
    if blocked(others, rule):
        if rule.mode in _GIVES_WAY and run.behind is None:
            why = in_words(min(others, key=turn))
            return over(dropped(run, Reason.OVERLAP, why), world, now)
        return ()
    if at_capacity(world, going.count) is not None:
        return ()
    if too_old(plan.definition.catch_up, run.due, world, now):
        why = "it waited longer than the catch-up rule looks back"
        return over(dropped(run, Reason.MISSED, why), world, now)
    return begin(run, plan, run.attempt, world, now)
