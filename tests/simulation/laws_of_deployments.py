"""
Is a deployment left alone where it should be, and is nothing made of a proposal twice?

Walks the ledger of one partition and keeps by itself who stopped what, when it was last used, which
sleep or wake failed, and what is proposed; nothing of the decider is asked. What counts is each
moment at which something may start: its fire, its later beginning, each offer and the grant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from schemas.actions import Act, Verb
from schemas.definition import Definition
from schemas.deployments import DeploymentState
from schemas.events import (
    ActivityNoted,
    DeploymentStateNoted,
    Fired,
    GlobalChanged,
    Outcome,
    ProposalAccepted,
    ProposalDismissed,
    ProposalMade,
    ProposalWithdrawn,
    RunEnded,
    RunGranted,
    RunOffered,
    RunStarted,
    ScheduleChanged,
    ScheduleDefined,
    ScheduleEvent,
    Stamp,
    SubjectReleased,
    SubjectRemoved,
)
from schemas.identity import subject_of
from schemas.policies import Gate
from schemas.run_events import RunStatus
from tests.acceptance.history import History

FAILED = (RunStatus.FAILED, RunStatus.TIMEOUT, RunStatus.UNAVAILABLE, RunStatus.INTERRUPTED)
DOWN, UP = (Verb.SLEEP, Verb.STOP), (Verb.WAKE, Verb.START)


@dataclass(slots=True)
class Model:
    """What is known of one deployment."""

    state: DeploymentState = DeploymentState.UNKNOWN
    stopped_by: str | None = None
    seen: ActivityNoted | None = None
    used_at: int | None = None
    """When the last request was seen, in flight or by their number."""
    held_by: str | None = None
    """A sleep or wake that failed, and nobody has released it since."""
    open: str | None = None
    """The proposal that somebody should look at."""

    def see(self, event: ActivityNoted) -> None:
        """A sampler looked."""
        before, self.seen = self.seen, event
        counted = before is not None and before.served not in (None, event.served)
        if counted and event.served:
            self.used_at = max(self.used_at or 0, event.sampled_at)
        if event.last_request is not None:
            self.used_at = max(self.used_at or 0, event.last_request)

    def in_use(self, gate: Gate, now: int) -> str | None:
        """Why it is not quiet."""
        seen = self.seen
        if seen is None or abs(now - seen.sampled_at) > gate.fresh:
            # Nobody sees into what rests: whoever acts looks whether that is so.
            rests = self.state in {DeploymentState.ASLEEP, DeploymentState.STOPPED}
            return (
                None if rests and not self._used_lately(gate, now) else "nobody has looked lately"
            )
        if seen.in_flight or seen.waiting:
            return "it is in use"
        return "it was used" if self._used_lately(gate, now) else None

    def _used_lately(self, gate: Gate, now: int) -> bool:
        return self.used_at is not None and now - self.used_at < gate.quiet


@dataclass(slots=True)
class Models:
    """What is known of the deployments of one partition on the way through its events."""

    definitions: dict[str, Definition] = field(default_factory=dict)
    lives: dict[str, int] = field(default_factory=dict)
    """Which incarnation a schedule is in: a run of an earlier one is none of its work."""
    known: dict[str, Model] = field(default_factory=dict)
    accepted: set[tuple[str, str]] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)
    starts: int = 0
    """How many of its acts may have started."""

    def take(self, event: ScheduleEvent, stamp: Stamp) -> None:
        """Go on by one event."""
        model = self.known.setdefault(subject_of(event.schedule), Model())
        match event:
            case ScheduleDefined() | ScheduleChanged():
                self.definitions[event.schedule] = event.definition
                self.lives[event.schedule] = event.incarnation
            case Fired():
                if any(one.outcome is Outcome.STARTED for one in event.scopes):
                    self._starts(event, stamp, by_hand=event.origin is not None)
            case RunStarted() | RunOffered() | RunGranted():
                self._starts(event, stamp, by_hand=event.origin is not None)
            case RunEnded():
                self._ends(event, model)
            case _:
                self._told(event, model)

    def _told(self, event: ScheduleEvent, model: Model) -> None:
        """What is said of a deployment as such."""
        match event:
            case DeploymentStateNoted():
                model.state = event.state
                is_stop = event.state is DeploymentState.STOPPED
                model.stopped_by = event.actor if is_stop else model.stopped_by
            case ActivityNoted():
                model.see(event)
            case SubjectReleased(actions_only=True):
                model.held_by = None
            case SubjectRemoved():
                self._require(model.open is None, "a proposal of nobody is open", event)
                gone = subject_of(event.schedule)
                self.known[gone] = Model()
                self.accepted = {one for one in self.accepted if one[0] != gone}
            case _:
                self._proposed(event, subject_of(event.schedule), model)

    def _starts(
        self, event: Fired | RunStarted | RunOffered | RunGranted, stamp: Stamp, *, by_hand: bool
    ) -> None:
        definition = self.definitions[event.schedule]
        work = definition.action.work
        if not isinstance(work, Act):
            return
        self.starts += 1
        model, verb = self.known[subject_of(event.schedule)], work.verb
        stopped = model.state is DeploymentState.STOPPED and verb in UP
        by_a_schedule = (model.stopped_by or "").startswith("schedule:")
        why = f"{model.stopped_by} had stopped it"
        self._require(not stopped or by_a_schedule, why, event)
        starting = model.state is DeploymentState.STARTING and not isinstance(event, RunGranted)
        self._require(not starting or (by_hand and verb in DOWN), "it was being started", event)
        held = model.held_by is not None and verb in {Verb.SLEEP, Verb.WAKE}
        self._require(not held, f"run {model.held_by} had failed", event)
        if definition.gate is not None and not by_hand:
            used = model.in_use(definition.gate, stamp.decided_at)
            self._require(used is None, f"{used}", event)

    def _ends(self, event: RunEnded, model: Model) -> None:
        definition = self.definitions[event.schedule]
        work = definition.action.work
        is_held = isinstance(work, Act) and work.verb in {Verb.SLEEP, Verb.WAKE}
        is_its_own = self.lives[event.schedule] == event.incarnation
        if is_its_own and is_held and definition.hold_on_failure and event.status in FAILED:
            model.held_by = event.run

    def _proposed(self, event: ScheduleEvent, subject: str, model: Model) -> None:
        match event:
            case ProposalMade():
                self._require(model.open is None, "another proposal is open", event)
                model.open = event.proposal.id
            case ProposalAccepted() | ProposalDismissed() | ProposalWithdrawn():
                self._require(model.open == event.proposal, "no such proposal is open", event)
                model.open = None
                if isinstance(event, ProposalAccepted):
                    once = (subject, event.proposal) not in self.accepted
                    self._require(once, "it is accepted twice", event)
                    self.accepted.add((subject, event.proposal))
            case _:
                pass

    def _require(self, condition: bool, otherwise: str, event: object) -> None:
        if not condition:
            self.wrong.append(f"{otherwise}: {event}")


def walked(history: History) -> Iterator[Models]:
    """Each partition's deployments, after all of its events."""
    for records in history.ledger.values():
        models = Models()
        for one in records:
            if not isinstance(one.event, GlobalChanged):
                models.take(one.event, one.stamp)
        yield models


def deployments_are_left_alone(history: History) -> Iterator[str]:
    """All that was done to a deployment at the wrong moment, or made of a proposal twice."""
    for models in walked(history):
        yield from models.wrong
