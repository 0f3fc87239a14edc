"""
What does an occurrence mean for each of its targets?

Asks overlap.py for each target in turn, as if what was answered before had happened already, and
puts the answers together: one `Fired` that says who starts, who waits and who is left out, with the
events about runs that follow from it; or, if nobody starts or waits, why not. The targets are read
now, so that an edit of them acts on the next fire.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from schemas.events import (
    Outcome,
    Reason,
    RunCancelling,
    RunEnded,
    RunQueued,
    ScheduleEvent,
    ScopeResult,
)
from schemas.identity import occurrence_id, run_id
from schemas.made_often import made_often
from schemas.policies import Overlap, OverlapMode
from schemas.run_events import RunStatus
from schemas.snapshot import Run, RunPhase
from streams.decider.counting_on import over
from streams.decider.evolve_subject import world_after
from streams.decider.overlap import AT_ONCE, Admission, Candidate, Drop, Start, Wait, admit
from streams.decider.state import Plan, World
from streams.decider.subject import Subject

_STARTED = Outcome.STARTED  # looked up once: of an enumeration that takes long


@made_often
@dataclass(frozen=True, slots=True)
class Occasion:
    """What is given out: an occurrence, and by which rule."""

    nominal: int
    due: int
    origin: str | None = None
    overlap: OverlapMode | None = None
    """Instead of the schedule's own."""
    free: bool = False
    """Whatever goes on already, and whatever the caps."""


@made_often
@dataclass(frozen=True, slots=True)
class GivenOut:
    """What became of each target, and the events that follow the fire."""

    scopes: tuple[ScopeResult, ...]
    events: tuple[ScheduleEvent, ...] = ()
    evidence: str | None = None
    """Why the first target was left out, if one was."""

    @property
    def nobody(self) -> Reason | None:
        """Why the work starts and waits for no target; None: it does for one."""
        if self.scopes and self.evidence is None:
            return None
        for one in self.scopes:
            if one.outcome is not Outcome.SKIPPED:
                return None
        return self.scopes[0].reason if self.scopes else Reason.NO_SCOPE


def give_out(plan: Plan, world: World, occasion: Occasion, now: int) -> GivenOut:
    """The answers for all targets."""
    occurrence = occurrence_id(plan.id, plan.incarnation, occasion.nominal, occasion.origin)
    scopes = targets(plan)
    if plan.definition.action.tracked is None:
        return GivenOut(tuple([_started(occurrence, scope) for scope in scopes]))
    rule = rule_of(plan, occasion.overlap)
    results: list[ScopeResult] = []
    events: list[ScheduleEvent] = []
    evidence = None
    for scope in scopes:
        result = _started(occurrence, scope)
        candidate = Candidate(plan.id, scope, result.run)
        answer = AT_ONCE if occasion.free else admit(candidate, rule, world)
        if isinstance(answer, Drop):
            evidence = evidence or answer.evidence
            results.append(result._replace(outcome=Outcome.SKIPPED, reason=answer.reason))
            continue
        if answer is not AT_ONCE:
            if isinstance(answer, Wait):
                result = result._replace(outcome=Outcome.WAITING)
            events += _led_to(answer, result, plan, occasion, world, now)
        results.append(result)
        if len(results) < len(scopes):
            world = _as_if(world, plan, occasion, result, answer)
    return GivenOut(tuple(results), tuple(events), evidence)


def targets(plan: Plan) -> tuple[str, ...]:
    """The scopes of a schedule: those of its definition, or its subject."""
    scopes = plan.definition.scopes
    return (plan.subject,) if scopes is None else tuple(one.target for one in scopes)


def rule_of(plan: Plan, own: OverlapMode | None) -> Overlap:
    """The overlap rule of a schedule, or of what has one of its own."""
    rule = plan.definition.overlap
    if own is None or own is rule.mode:
        return rule
    return replace(rule, mode=own, limit=None)


def dropped(run: Run, reason: Reason, detail: str) -> RunEnded:
    """The end of a run that waited and never begins."""
    return RunEnded(
        *run.named,
        *(run.attempt, RunStatus.DROPPED, None),
        detail=detail,
        reason=reason,
    )


def put_aside(run: Run, reason: Reason, detail: str) -> RunEnded:
    """The end of a run with nothing going on, for which another one comes."""
    if run.started_at is None:
        return dropped(run, reason, detail)
    return RunEnded(
        *run.named,
        *(run.attempt, RunStatus.REPLACED, run.started_at),
        detail=detail,
    )


def cancelling(run: Run, reason: str, by: str | None) -> RunCancelling:
    """A run is asked to stop."""
    return RunCancelling(
        *run.named,
        *(run.attempt, reason, by),
    )


def _started(occurrence: str, scope: str) -> ScopeResult:
    return ScopeResult(scope, run_id(occurrence, scope), _STARTED)


def _led_to(
    answer: Start | Wait,
    result: ScopeResult,
    plan: Plan,
    occasion: Occasion,
    world: World,
    now: int,
) -> list[ScheduleEvent]:
    """What follows for the runs that make room for this one, and for it if it waits itself."""
    events = _instead(answer, result, plan, world, now)
    if isinstance(answer, Wait):
        events += _waiting(plan, occasion, result, answer, now)
    return events


def _instead(
    answer: Start | Wait, result: ScopeResult, plan: Plan, world: World, now: int
) -> list[ScheduleEvent]:
    """The ends of the runs that make room for this one."""
    events: list[ScheduleEvent] = []
    why = answer.why if isinstance(answer, Wait) else Reason.SUPERSEDED
    for run in answer.instead:
        end = put_aside(run, why, f"run {result.run} came after it")
        ends = (end,) if run.schedule == plan.id else over(end, world, now)
        world = world_after(world, ends, now)  # the last of a schedule's runs lets it go on
        events += ends
    return events


def _waiting(
    plan: Plan, occasion: Occasion, result: ScopeResult, answer: Wait, now: int
) -> list[ScheduleEvent]:
    """What follows for the run that waits, and for those that it waits for."""
    rule = rule_of(plan, occasion.overlap)
    queued = RunQueued(
        *(plan.id, plan.version, plan.incarnation, result.run, result.scope),
        *(occasion.nominal, occasion.origin, 1, occasion.due, now + rule.max_wait),
        overlap=occasion.overlap,
        behind=answer.behind,
    )
    return [
        queued,
        *(cancelling(run, "replaced by a newer run", result.run) for run in answer.stops),
    ]


def _as_if(
    world: World, plan: Plan, occasion: Occasion, result: ScopeResult, answer: Admission
) -> World:
    """The world once that was answered: the next target counts it."""
    waits = isinstance(answer, Wait)
    begun = RunPhase.STARTED if plan.definition.action.work is None else RunPhase.OFFERED
    phase = RunPhase.WAITING if waits else begun
    run = Run(
        *(result.run, plan.id, plan.version, plan.incarnation, result.scope),
        *(occasion.nominal, occasion.due, occasion.origin, phase, occasion.due),
    )
    runs = {**world.subject.runs, run.id: run}
    if not isinstance(answer, Drop):
        for gone in answer.instead:
            runs.pop(gone.id, None)
    if isinstance(answer, Wait):
        for stops in answer.stops:
            runs[stops.id] = stops._replace(phase=RunPhase.CANCELLING)
    return world.around(Subject(world.subject.notes, runs, world.subject.over), world.siblings)
