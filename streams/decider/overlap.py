"""
May this piece of work begin while others go on?

Looks at the overlap rule, the open runs and the caps of the subject, and answers with an Admission
for each target of an occurrence. A run that waits, or waits for another attempt, counts as going
on. Work that nobody reports about is over at once and never overlaps. What a fire becomes of the
answers is giving_out.py; who begins when a run ends is promotion.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from schemas.events import Reason
from schemas.policies import Across, Full, Overlap, OverlapMode
from schemas.snapshot import Run, RunPhase
from streams.decider.state import World
from streams.decider.subject import Subject

QUEUE_LIMIT = 5
"""How many wait if the definition does not say."""
_WORDS = {
    RunPhase.WAITING: "waits for its turn",
    RunPhase.STARTED: "goes on",
    RunPhase.RETRYING: "waits for its next attempt",
    RunPhase.CANCELLING: "was asked to stop and has not yet",
}


class Candidate(NamedTuple):
    """Work that may begin, or wait."""

    schedule: str
    scope: str
    run: str


@dataclass(frozen=True, slots=True)
class Start:
    """Begin at once; `instead` are runs that are over with it."""

    instead: tuple[Run, ...] = ()


@dataclass(frozen=True, slots=True)
class Wait:
    """Begin later; `instead` are runs that never begin for it, `stops` those that are to end."""

    behind: str | None = None
    instead: tuple[Run, ...] = ()
    why: Reason = Reason.SUPERSEDED
    stops: tuple[Run, ...] = ()


@dataclass(frozen=True, slots=True)
class Drop:
    """Never begin."""

    reason: Reason
    evidence: str


Admission = Start | Wait | Drop


def admit(candidate: Candidate, rule: Overlap, world: World) -> Admission:
    """Whether it begins, waits or is dropped."""
    others = rivals(candidate, rule.across, world.subject)
    waits = rule.mode in {OverlapMode.QUEUE, OverlapMode.LATEST}
    in_line = _waiting(others) if waits or rule.mode is OverlapMode.REPLACE else ()
    if not in_line and not blocked(others, rule):
        full = at_capacity(world)
        if full is None:
            return Start()
        return _in_line(others, rule) if waits else Drop(Reason.CAPACITY, full)
    match rule.mode:
        case OverlapMode.SKIP | OverlapMode.ALLOW:
            return Drop(Reason.OVERLAP, in_words(others[0]))
        case OverlapMode.QUEUE | OverlapMode.LATEST:
            return _in_line(others, rule)
        case OverlapMode.REPLACE:
            return _in_their_place(others, world)


def rivals(candidate: Candidate, across: Across, subject: Subject) -> list[Run]:
    """The open runs that it may not overlap with, in the order of their turn; those going first."""
    open_runs = [*subject.active(), *subject.waiting()]
    if across is Across.SUBJECT:
        return [run for run in open_runs if run.id != candidate.run]
    return [
        run
        for run in open_runs
        if (run.schedule, run.scope) == candidate[:2] and run.id != candidate.run
    ]


def blocked(others: list[Run], rule: Overlap) -> bool:
    """Whether one of these keeps it from beginning."""
    if rule.mode is OverlapMode.ALLOW:
        return rule.limit is not None and len(others) >= rule.limit
    if rule.mode is OverlapMode.SKIP:
        return bool(others)
    return any(run.phase is not RunPhase.WAITING for run in others)


def at_capacity(world: World, without: tuple[Run, ...] = ()) -> str | None:
    """Why the subject may have no further run now, once some are over; None: it may."""
    most = world.settings.max_concurrent if world.settings else 0
    active = [run for run in world.subject.active() if run not in without] if most else []
    if not most or len(active) < most:
        return None
    return f"{len(active)} runs of the subject go on, {most} may"


def in_words(run: Run) -> str:
    """What a run does that is in the way."""
    return f"run {run.id} {_WORDS[run.phase]}"


def _in_their_place(others: list[Run], world: World) -> Admission:
    """What goes on is asked to stop and waited for; what does not is over at once."""
    idle = tuple(run for run in others if run.phase in {RunPhase.WAITING, RunPhase.RETRYING})
    going = [run for run in others if run not in idle]
    if going:
        stops = tuple(run for run in going if run.phase is not RunPhase.CANCELLING)
        return Wait(going[-1].id, idle, stops=stops)
    full = at_capacity(world, without=idle)
    if full is None:
        return Start(idle)
    waiting = _waiting(others)
    return Wait(None, waiting) if waiting else Drop(Reason.CAPACITY, full)


def _in_line(others: list[Run], rule: Overlap) -> Admission:
    waiting = _waiting(others)
    if rule.mode is OverlapMode.LATEST:
        return Wait(instead=waiting)
    limit = QUEUE_LIMIT if rule.limit is None else rule.limit
    if len(waiting) < limit:
        return Wait()
    if rule.full is Full.OLDEST:
        return Wait(instead=waiting[: len(waiting) - limit + 1], why=Reason.BUFFER_FULL)
    return Drop(Reason.BUFFER_FULL, f"{len(waiting)} wait already, {limit} may")


def _waiting(others: list[Run]) -> tuple[Run, ...]:
    return tuple(run for run in others if run.phase is RunPhase.WAITING)
