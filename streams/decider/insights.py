"""
What should somebody know about a schedule, and from when to when?

An insight is raised once and is open until what it says is over: runs that do not succeed several
times in a row until one does, a pause because of failures until somebody resumes, work that no
runner took until one takes some. They are events of the subject; how often runs did not succeed is
counted in evolve_subject.py.
"""

from __future__ import annotations

from schemas.events import InsightRaised, InsightResolved, RunEnded
from schemas.identity import subject_of
from schemas.run_events import RunStatus
from schemas.subject_events import InsightKind
from streams.decider.evolve_subject import UNSUCCESSFUL
from streams.decider.state import Plan, World
from streams.decider.subject import Subject

IN_A_ROW = 3
"""So many unsuccessful runs are told of, unless the schedule is paused after another number."""

Insights = tuple[InsightRaised | InsightResolved, ...]


def after_end(end: RunEnded, plan: Plan, world: World) -> Insights:
    """What the end of a run brings to light, or to an end; `world` is the one after it."""
    subject = world.subject
    if end.status is RunStatus.SUCCESS:
        return resolved(subject, plan.id, InsightKind.FAILING, f"run {end.run} succeeded")
    if end.status not in UNSUCCESSFUL:
        return ()
    found: Insights = ()
    if end.status is RunStatus.EXPIRED:
        found = raised(subject, plan.id, InsightKind.NO_RUNNER, f"run {end.run}: {end.detail}")
    times = subject.unsuccessful(plan.id)
    if times < (plan.definition.pause_on_failure or IN_A_ROW):
        return found
    words = f"{times} runs in a row did not succeed" if times > 1 else "a run did not succeed"
    message = f"{words}; the last one, {end.run}, ended {end.status}"
    return (*found, *raised(subject, plan.id, InsightKind.FAILING, message))


def raised(subject: Subject, schedule: str, kind: InsightKind, message: str) -> Insights:
    """The beginning of an insight about a schedule, unless it is open already."""
    if subject.insight(kind, schedule) is not None:
        return ()
    return (InsightRaised(f"{subject_of(schedule)}/", kind, schedule, message),)


def resolved_of_kind(subject: Subject, kind: InsightKind, message: str) -> Insights:
    """The end of all open insights of one kind, whatever each of them is about."""
    return tuple(
        InsightResolved(f"{subject_of(one.about)}/", kind, one.about, message)
        for one in subject.notes.insights
        if one.kind is kind
    )


def resolved(subject: Subject, schedule: str, kind: InsightKind | None, message: str) -> Insights:
    """The end of the open insights about a schedule, of one kind or of all."""
    return tuple(
        InsightResolved(f"{subject_of(schedule)}/", one.kind, schedule, message)
        for one in subject.notes.insights
        if one.about == schedule and kind in {None, one.kind}
    )
