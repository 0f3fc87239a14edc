"""
Who begins now that a run has ended, or waits no longer?

Walks through the waiting runs of the subject in the order of their turn. Each begins if nothing is
in its way any more, is dropped if it has become too old meanwhile, and else goes on waiting. An
edit of the overlap rule acts here: what waits without a rule of its own follows the one in force.
"""

from __future__ import annotations

from schemas.definition import CatchUp, CatchUpMode
from schemas.events import Reason, ScheduleEvent
from schemas.policies import OverlapMode
from schemas.snapshot import Run, RunPhase
from streams.decider.beginning import begin
from streams.decider.counting_on import over
from streams.decider.evolve_subject import world_after
from streams.decider.giving_out import dropped, rule_of
from streams.decider.overlap import Candidate, at_capacity, blocked, in_words, rivals
from streams.decider.resting import rests
from streams.decider.state import Plan, World


def promoted(world: World, now: int) -> tuple[ScheduleEvent, ...]:
    """The events about waiting runs whose turn has come; none while all rests."""
    if world.rests:
        return ()
    events: list[ScheduleEvent] = []
    for run in world.subject.waiting():
        state = world.siblings.get(run.schedule)
        if state is None or rests(state.plan, world):
            continue
        found = _look(run, state.plan, world, now)
        events += found
        world = world_after(world, found, now)
    return tuple(events)


def too_old(catch_up: CatchUp, due: int, now: int) -> bool:
    """Whether something that waited is past the age at which anything late still runs."""
    late = now - due
    if late <= catch_up.grace:
        return False
    if catch_up.mode is CatchUpMode.NONE:
        return True
    return catch_up.lookback is not None and late > catch_up.lookback


def _look(run: Run, plan: Plan, world: World, now: int) -> tuple[ScheduleEvent, ...]:
    rule = rule_of(plan, run.overlap)
    others = rivals(Candidate(run.schedule, run.scope, run.id), rule.across, world.subject)
    going = [one for one in others if one.phase is not RunPhase.WAITING]
    if plan.definition.action.tracked is None:
        return begin(run, plan, run.attempt, world, now)
    if blocked(going, rule):
        if rule.mode in {OverlapMode.SKIP, OverlapMode.ALLOW} and run.behind is None:
            return over(dropped(run, Reason.OVERLAP, in_words(going[0])), world, now)
        return ()
    if at_capacity(world) is not None:
        return ()
    if too_old(plan.definition.catch_up, run.due, now):
        why = "it waited longer than the catch-up rule looks back"
        return over(dropped(run, Reason.MISSED, why), world, now)
    return begin(run, plan, run.attempt, world, now)
