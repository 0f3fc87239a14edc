"""
How does a run that waited begin, or a further attempt of one?

Under the definition that is in force now, which also says where its record goes. A target that does
not take it now is tried again a little later, for as long as an occurrence would be; so is one
whose actions are held. What is done to a deployment is asked about once more (acts.py, busy.py).
Whose turn it is decides promotion.py; when the next attempt is, runs.py.
"""

from __future__ import annotations

from schemas.definition import HOUR, MINUTE, SECOND
from schemas.events import Reason, RunEnded, RunRetries, RunStarted, ScheduleEvent
from schemas.run_events import RunStatus
from schemas.snapshot import Run, RunPhase
from streams.decider import acts, busy, gates
from streams.decider.counting_on import over
from streams.decider.ending import ended
from streams.decider.giving_out import dropped
from streams.decider.limits import lookback_of
from streams.decider.resting import held_by, hold_over
from streams.decider.state import Plan, World
from streams.decider.waiting import UNBOUNDED_RETRIES

NOBODY_REPORTS = "nobody reports about such work any more"


def begin(run: Run, plan: Plan, attempt: int, world: World, now: int) -> tuple[ScheduleEvent, ...]:
    """The attempt begins, or is put off; work that nobody reports about is over with it."""
    held = held_by(plan, world)
    if held is not None:
        hold = hold_over(plan, world.subject)
        until = None if hold is None else hold.until
        return (_later(run, attempt, until or now + HOUR, held),)
    refusal = gates.refuses(plan, world)
    if refusal is not None:
        return _not_taken(run, plan, attempt, (world, refusal), now)
    instead = otherwise(run, plan, attempt, world, now)
    if instead:
        return instead
    started = RunStarted(
        *(run.schedule, plan.version, run.incarnation, run.id, run.scope, run.nominal),
        *(run.origin, attempt),
    )
    if plan.definition.action.tracked is not None:
        return (started,)
    end = RunEnded(
        *(run.schedule, plan.version, run.incarnation, run.id, run.scope, run.nominal, run.origin),
        *(attempt, RunStatus.SUCCESS, now if run.started_at is None else run.started_at),
        detail=NOBODY_REPORTS,
    )
    return (started, end)


def otherwise(
    run: Run, plan: Plan, attempt: int, world: World, now: int
) -> tuple[ScheduleEvent, ...]:
    """What becomes of an attempt that need not begin, or has to wait for quiet; nothing: it may."""
    needless = acts.needless(plan, world)
    if needless is not None:
        return over(acts.not_begun(run, attempt, needless), world, now)
    return busy.put_off(run, plan, attempt, world, now)


def _not_taken(
    run: Run, plan: Plan, attempt: int, why: tuple[World, str], now: int
) -> tuple[ScheduleEvent, ...]:
    """Try again after twice the last wait, a minute at most; give up at the lookback's end."""
    world, refusal = why
    lookback = lookback_of(plan.definition.catch_up, world)
    if now < run.due + (UNBOUNDED_RETRIES if lookback is None else lookback):
        before = run.until - run.since if run.until and run.phase is RunPhase.RETRYING else 0
        return (_later(run, attempt, now + min(max(2 * before, SECOND), MINUTE), refusal),)
    if run.started_at is None:
        return over(dropped(run, Reason.TARGET_UNAVAILABLE, refusal), world, now)
    return ended(run, RunStatus.UNAVAILABLE, refusal, world, now)


def _later(run: Run, attempt: int, again_at: int, why: str) -> RunRetries:
    """The attempt before this one is the last that was."""
    return RunRetries(
        *run.named,
        *(attempt - 1, RunStatus.UNAVAILABLE, again_at),
        detail=why,
    )
