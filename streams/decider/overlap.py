"""
May this piece of work begin while others go on?

Looks at the overlap rule, the open runs and the caps of the subject, and answers with an Admission
for each target of an occurrence. A run that waits, or waits for another attempt, counts as going
on. Work that nobody reports about is over at once and never overlaps. What a fire becomes of the
answers is giving_out.py; who begins when a run ends is promotion.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.events import Reason
from schemas.made_often import made_often
from schemas.policies import Across, Full, Overlap, OverlapMode
from schemas.snapshot import Run, RunPhase
from streams.decider.state import World
from streams.decider.subject import Subject, turn

QUEUE_LIMIT = 5
"""How many wait if the definition does not say."""
_WORDS = {
    RunPhase.WAITING: "waits for its turn",
    RunPhase.STARTED: "goes on",
    RunPhase.RETRYING: "waits for its next attempt",
    RunPhase.OFFERED: "is offered to the runners",
    RunPhase.CANCELLING: "was asked to stop and has not yet",
}

_IDLE = frozenset({RunPhase.WAITING, RunPhase.RETRYING, RunPhase.OFFERED})
"""Nothing goes on of a run in such a phase."""


@made_often
@dataclass(frozen=True, slots=True)
class Candidate:
    """Work that may begin, or wait."""

    schedule: str
    scope: str
    run: str


@made_often
@dataclass(frozen=True, slots=True)
class Start:
    """Begin at once; `instead` are runs that are over with it."""

    instead: tuple[Run, ...] = ()


@made_often
@dataclass(frozen=True, slots=True)
class Wait:
    """Begin later; `instead` are runs that never begin for it, `stops` those that are to end."""

    behind: str | None = None
    instead: tuple[Run, ...] = ()
    why: Reason = Reason.SUPERSEDED
    stops: tuple[Run, ...] = ()


@made_often
@dataclass(frozen=True, slots=True)
class Drop:
    """Never begin."""

    reason: Reason
    evidence: str


Admission = Start | Wait | Drop
AT_ONCE = Start()
"""The common case."""


def admit(candidate: Candidate, rule: Overlap, world: World) -> Admission:
    """Whether it begins, waits or is dropped."""
    others = rivals(candidate, rule.across, world.subject) if world.subject.runs else []
    if not others and not _cap(world):
        return AT_ONCE
    mode = rule.mode
    waits = mode is OverlapMode.QUEUE or mode is OverlapMode.LATEST
    in_line = _waiting(others) if waits or mode is OverlapMode.REPLACE else ()
    if not in_line and not blocked(others, rule):
        full = _full(world)
        if full is None:
            return AT_ONCE
        return _in_line(others, rule) if waits else Drop(Reason.CAPACITY, full)
    match rule.mode:
        case OverlapMode.SKIP | OverlapMode.ALLOW:
            return Drop(Reason.OVERLAP, in_words(others[0]))
        case OverlapMode.QUEUE | OverlapMode.LATEST:
            return _in_line(others, rule)
        case OverlapMode.REPLACE:
            return _in_their_place(others, world)


class Going:
    """The runs of a subject that do not wait, while one after the other begins."""

    __slots__ = ("_all", "_by_place")

    def __init__(self, subject: Subject) -> None:
        runs = subject.runs.values()
        self._all = [run for run in runs if run.phase is not RunPhase.WAITING]
        self._by_place: dict[tuple[str, str], list[Run]] = {}
        for run in self._all:
            self._by_place.setdefault((run.schedule, run.scope), []).append(run)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._all)

    def note(self, run: Run | None) -> None:
        """One more has begun, unless it waits still or is over."""
        if run is not None and run.phase is not RunPhase.WAITING:
            self._all.append(run)
            self._by_place.setdefault((run.schedule, run.scope), []).append(run)

    def beside(self, run: Run, across: Across) -> list[Run]:
        """Those that a waiting run may not overlap with, in no order."""
        if across is Across.SUBJECT:
            return self._all
        return self._by_place.get((run.schedule, run.scope), [])


def rivals(candidate: Candidate, across: Across, subject: Subject) -> list[Run]:
    """The open runs that it may not overlap with, in the order of their turn; those going first."""
    everywhere = across is Across.SUBJECT
    schedule, scope, own = candidate.schedule, candidate.scope, candidate.run
    others = [
        run
        for run in subject.runs.values()
        if (everywhere or (run.scope == scope and run.schedule == schedule)) and run.id != own
    ]
    return sorted(others, key=_going_first) if len(others) > 1 else others


def _going_first(run: Run) -> tuple[object, ...]:
    return run.phase is RunPhase.WAITING, *turn(run)


def blocked(others: list[Run], rule: Overlap) -> bool:
    """Whether one of these keeps it from beginning."""
    if rule.mode is OverlapMode.ALLOW:
        return rule.limit is not None and len(others) >= rule.limit
    if rule.mode is OverlapMode.SKIP:
        return bool(others)
    return any(run.phase is not RunPhase.WAITING for run in others)


def at_capacity(world: World, going: int) -> str | None:
    """Why the subject may have no further run beside so many; None: it may."""
    most = _cap(world)
    if not most or going < most:
        return None
    return f"{going} runs of the subject go on, {most} may"


def _full(world: World, without: tuple[Run, ...] = ()) -> str | None:
    """Why the subject may have no further run, once some are over; None: it may."""
    if not _cap(world):
        return None  # nobody need be counted
    gone = {run.id for run in without}
    runs = world.subject.runs.values()
    going = [run for run in runs if run.phase is not RunPhase.WAITING and run.id not in gone]
    return at_capacity(world, len(going))


def _cap(world: World) -> int:
    return world.settings.max_concurrent if world.settings else 0


def in_words(run: Run) -> str:
    """What a run does that is in the way."""
    return f"run {run.id} {_WORDS[run.phase]}"


def _in_their_place(others: list[Run], world: World) -> Admission:
    """What goes on is asked to stop and waited for; what does not is over at once."""
    idle = tuple(run for run in others if run.phase in _IDLE)
    going = [run for run in others if run not in idle]
    if going:
        stops = tuple(run for run in going if run.phase is not RunPhase.CANCELLING)
        return Wait(going[-1].id, idle, stops=stops)
    full = _full(world, without=idle)
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
