"""
Is a deployment left alone where it should be, whatever happens?

Random histories of one deployment: acts that are due, triggered, claimed and end in every way,
states that people and deployers tell, samples, holds, proposals, time that passes or jumps. What
must not be is written down in tests/simulation/laws_of_deployments.py, which asks no decider.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from typing_extensions import override

from schemas.actions import Verb
from schemas.codec import decode_as, decode_event, encode, encode_event
from schemas.commands import (
    AcceptProposal,
    Command,
    Define,
    DefineDeployment,
    DismissProposal,
    HoldSubject,
    Pause,
    Propose,
    ReleaseSubject,
    Remove,
    RemoveSubject,
    ReportActivity,
    ReportState,
    ReportStatus,
    Trigger,
    WithdrawProposal,
)
from schemas.definition import Definition
from schemas.deployments import DeploymentState
from schemas.events import RunRetries
from schemas.policies import Gate, Retry
from schemas.proposals import ProposalStatus
from schemas.run_events import RunStatus
from schemas.snapshot import RunPhase, SubjectNotes
from streams.decider.evolve import evolve
from streams.decider.evolve_subject import evolve_subject
from streams.decider.state import Schedule
from streams.decider.subject import Subject
from tests.decider.deployed import MODEL, NAMES, STOPPED, Place, act
from tests.decider.proposed import nights, proposal
from tests.decider.stage import HOUR, MINUTE, SECOND, at
from tests.simulation.laws_of_deployments import Models

GATE = Gate(quiet=5 * MINUTE, fresh=MINUTE, look=MINUTE, max_wait=20 * MINUTE)
names = st.sampled_from(list(NAMES.values()))
states = st.sampled_from([*DeploymentState, STOPPED, STOPPED])
actors = st.sampled_from(
    [None, "user:42", "service:deployer", "service:unknown", "schedule:shop/x"]
)
seldom = st.sampled_from([0, 0, 0, 1])
ids = st.sampled_from(["p1", "p2", "p3"])
spans = st.sampled_from([SECOND, 20 * SECOND, MINUTE, 5 * MINUTE, 5 * MINUTE, 20 * MINUTE, HOUR])


def _act(verb: Verb, every: int, retry: Retry, *, gated: bool, holds: bool) -> Definition:
    gate = GATE if gated and verb in {Verb.SLEEP, Verb.STOP} else None
    held = holds and verb in {Verb.SLEEP, Verb.WAKE}
    timing = f"*/{every} * * * *"
    return act(verb, timing, gate=gate, hold_on_failure=held, retry=retry)


acts = st.builds(
    _act,
    st.sampled_from([Verb.SLEEP, Verb.STOP, Verb.WAKE, Verb.START]),
    st.sampled_from([5, 10, 20]),
    st.sampled_from([Retry(), Retry(), Retry(1, MINUTE)]),
    gated=st.sampled_from([True, True, False]),
    holds=st.booleans(),
)


class Histories(RuleBasedStateMachine):
    """One deployment and all that can happen to it."""

    def __init__(self) -> None:
        super().__init__()
        self.now = at("12:00")
        self.place = Place(now=self.now)
        self.models = Models()
        self.checked = 0
        self.served = 7

    @initialize(first=acts, second=acts)
    def begin(self, first: Definition, second: Definition) -> None:
        self._ask(None, DefineDeployment(MODEL))
        for name, one in zip(NAMES.values(), (first, second), strict=False):
            self._ask(name, Define(one))

    # ------------------------------------------------------------------ what is asked

    @rule(name=names, definition=acts)
    def define(self, name: str, definition: Definition) -> None:
        self._ask(name, Define(definition))

    @rule(name=names, command=st.sampled_from([Trigger(), Trigger(force=True), Remove()]))
    def order(self, name: str, command: Command) -> None:
        self._ask(name, command)

    @rule(state=states, actor=actors)
    def tell(self, state: DeploymentState, actor: str | None) -> None:
        self._ask(None, ReportState(state, actor))

    @rule(
        in_flight=st.sampled_from([0, 0, 0, 1]),
        more=st.sampled_from([0, 0, 0, 1]),
        new=st.booleans(),
    )
    def see(self, in_flight: int, more: int, new: bool) -> None:
        self.served = more if new and more else self.served + more
        self._ask(None, ReportActivity(in_flight, 0, self.now, None, self.served))

    @rule(
        command=st.sampled_from(
            [
                *(ReleaseSubject(), ReleaseSubject(), HoldSubject(actions_only=True)),
                *(HoldSubject(), DefineDeployment(MODEL), RemoveSubject()),
            ]
        )
    )
    def of_the_subject(self, command: Command) -> None:
        self._ask(None, command)

    @rule(name=ids, begin=st.sampled_from([13, 14]))
    def propose(self, name: str, begin: int) -> None:
        self._ask(None, Propose(proposal(name, *nights(begin))))

    @rule(name=ids, kind=st.sampled_from([AcceptProposal, DismissProposal, WithdrawProposal]))
    def settle(self, name: str, kind: type[AcceptProposal]) -> None:
        self._ask(None, kind(name))

    # ------------------------------------------------------------------ runners

    @rule()
    def claim(self) -> None:
        for run in self.place.offered():
            self.place.claim(self.now, run.id)

    @rule(status=st.sampled_from([*ReportStatus, *[ReportStatus.SUCCESS] * 5]))
    def report(self, status: ReportStatus) -> None:
        for run in self.place.runs(RunPhase.STARTED):
            self.place.says(self.now, run.id, status)

    # ------------------------------------------------------------------ time

    @rule(span=spans)
    def run_on_time(self, span: int) -> None:
        self.place.wait(self.now + span)
        self.now += span

    @rule(span=spans)
    def watched(self, span: int) -> None:
        """A sampler looks each half minute, and nobody uses it."""
        for _ in range(min(span // (30 * SECOND), 20)):
            self.now += 30 * SECOND
            self._ask(None, ReportActivity(0, 0, self.now, None, self.served))
            self.place.wait(self.now)

    @rule(span=spans)
    def sleep(self, span: int) -> None:
        self.now += span

    # ------------------------------------------------------------------ what is promised

    @invariant()
    def it_is_left_alone(self) -> None:
        history = self.place.history
        for event, stamp in history[self.checked :]:
            self.models.take(event, stamp)
        self.checked = len(history)
        assert self.models.wrong == []

    @invariant()
    def what_waits_is_looked_at_and_given_up_in_time(self) -> None:
        for run in self.place.known.runs.values():
            if run.phase is RunPhase.RETRYING and run.status is RunStatus.BUSY:
                assert run.until is not None
                assert run.until <= max(run.due + HOUR, run.since + MINUTE)

    @invariant()
    def one_proposal_is_open_at_most(self) -> None:
        known = self.place.known.notes.proposals
        assert sum(one.status is ProposalStatus.OPEN for one in known) <= 1

    @override
    def teardown(self) -> None:
        """Nothing new comes, and all ends; the recorded bytes give the same state."""
        self._ask(None, ReleaseSubject("the end"))
        for name in self.place.ids():
            self._ask(name, Pause("the end"))
        for _ in range(100):
            if not self.place.known.runs:
                break
            self.claim()
            self.report(ReportStatus.SUCCESS)
            self.run_on_time(MINUTE)
        assert not self.place.known.runs, "somebody waits for ever"
        self._one_event_a_look()
        self._fold_again()

    def _one_event_a_look(self) -> None:
        looks = [
            (event.run, stamp.decided_at)
            for event, stamp in self.place.history
            if isinstance(event, RunRetries) and stamp.offset is None
        ]
        assert len(looks) == len(set(looks))

    def _fold_again(self) -> None:
        schedules: dict[str, Schedule] = {}
        subject = Subject()
        for event, stamp in self.place.history:
            assert decode_event(encode_event(event, stamp)) == (event, stamp)
            before = schedules.get(event.schedule)
            subject = evolve_subject(subject, before and before.plan, event, stamp)
            if not event.schedule.endswith("/"):
                after = evolve(before, event, stamp)
                schedules.pop(event.schedule, None)
                if after is not None:
                    schedules[event.schedule] = after
        assert subject == self.place.known
        assert decode_as(encode(subject.notes), SubjectNotes) == subject.notes

    def _ask(self, name: str | None, command: Command) -> None:
        self.place.ask(self.now, command, name)


TestHistories = Histories.TestCase
