"""What is decided about deployments is told to runners, found again, and decided so once more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from schemas.actions import Verb
from schemas.commands import (
    AcceptProposal,
    Command,
    Define,
    DefineDeployment,
    DismissProposal,
    HoldSubject,
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
from schemas.definition import Weekly
from schemas.deployments import Deployment, DeploymentState, Vllm
from schemas.events import (
    DeploymentStateNoted,
    Event,
    Fired,
    InsightRaised,
    ProposalAccepted,
    RunRetries,
    SubjectHeld,
)
from schemas.orders import Denial, Deployed, Order
from schemas.policies import Gate
from schemas.replies import Verdict
from schemas.snapshot import RunPhase, Standing
from streams.decider.state import Target
from tests.decider.deployed import act
from tests.decider.proposed import nights, proposal
from tests.processor.desk import HOUR, MINUTE, SECOND, Desk
from tests.processor.offering import R, is_sound
from tests.processor.runners import control_in, orders_in
from tests.processor.running import replayed, runs

MODEL = Deployment(Vllm("http://127.0.0.1:8000"))
HALL = replace(MODEL, pool="hall-3", priority=90)
GATE = Gate(fresh=10 * MINUTE, look=5 * MINUTE, max_wait=HOUR)
SLEEP = act(Verb.SLEEP, "20 * * * *", gate=GATE)
WAKE = act(Verb.WAKE, "50 * * * *")
OFTEN = (act(Verb.SLEEP, "*/20 * * * *", gate=GATE), act(Verb.WAKE, "10-59/20 * * * *"))
RUNNING, STOPPED = DeploymentState.RUNNING, DeploymentState.STOPPED


def desk_with(*definitions: object) -> Desk:
    """A desk on which a deployment that runs is registered, and seen to be quiet."""
    desk = Desk()
    desk.put(*R.beats())
    desk.ask("shop/", DefineDeployment(MODEL))
    desk.ask("shop/", ReportState(RUNNING, "service:deployer"))
    for number, one in enumerate(definitions):
        desk.ask(f"shop/{number}", Define(one))  # type: ignore[arg-type]
    saw(desk, served=7)
    desk.step()
    return desk


def saw(desk: Desk, in_flight: int = 0, served: int | None = None) -> None:
    """What a sampler sees at this moment."""
    desk.ask("shop/", ReportActivity(in_flight, 0, desk.now, None, served))


def offered(desk: Desk) -> Order:
    """The sleep of 12:20, which was quiet."""
    desk.now += 19 * MINUTE
    saw(desk, served=7)
    desk.step()
    (order,) = orders_in(desk.pass_time(MINUTE))
    return order


def of_kind(desk: Desk, kind: type[Event]) -> list[Event]:
    return [one for one in desk.events() if isinstance(one, kind)]


def test_an_order_tells_the_runner_what_is_known_of_the_deployment() -> None:
    desk = desk_with(SLEEP)
    order = offered(desk)

    assert order.deployed == Deployed(MODEL, RUNNING, quiet=True, served=7)
    assert order.app is None
    assert is_sound(desk)


def test_a_wake_is_not_to_be_quiet_and_goes_to_the_pool_of_the_deployment() -> None:
    desk = desk_with(WAKE)
    desk.ask("shop/", DefineDeployment(HALL))
    desk.ask("shop/", ReportState(STOPPED, "schedule:shop/x"))
    desk.step()
    written = desk.pass_time(50 * MINUTE)
    (order,) = orders_in(written)

    assert order.deployed == Deployed(HALL, STOPPED, quiet=False, served=7)
    assert "horae.orders.hall-3" in {one.topic for one in written}
    assert is_sound(desk)


def test_what_was_done_is_noted_and_kept() -> None:
    desk = desk_with(SLEEP)
    order = offered(desk)
    desk.put(*R.claims(order))
    desk.put(*R.reports(order))
    desk.step()
    (first, noted) = of_kind(desk, DeploymentStateNoted)

    assert isinstance(first, DeploymentStateNoted)
    assert noted == DeploymentStateNoted(
        *("shop/", DeploymentState.ASLEEP, "schedule:shop/0", order.run)
    )
    notes = desk.partition.subjects["shop"].subject.notes
    assert notes.standing == Standing(DeploymentState.ASLEEP, "schedule:shop/0", desk.now)
    assert is_sound(desk)


def test_a_run_that_was_found_busy_waits_for_quiet_over_a_restart() -> None:
    desk = desk_with(SLEEP)
    order = offered(desk)
    desk.put(*R.claims(order))
    desk.put(*R.reports(order, ReportStatus.BUSY))
    desk.step()
    saw(desk, in_flight=1, served=8)
    assert orders_in(desk.pass_time(5 * MINUTE)) == []
    assert is_sound(desk)
    (run,) = runs(desk)
    assert run.phase is RunPhase.RETRYING
    saw(desk, served=9)
    assert orders_in(desk.pass_time(5 * MINUTE)) == [], "a request ended since"
    saw(desk, served=9)
    (again,) = orders_in(desk.pass_time(5 * MINUTE))

    assert (again.run, again.attempt, again.issue) == (order.run, 1, 2)
    assert again.deployed is not None
    assert again.deployed.served == 9
    looks = of_kind(desk, RunRetries)
    assert len(looks) == 3, "one a look"
    assert is_sound(desk)


def test_a_claim_of_what_is_in_use_again_is_denied() -> None:
    desk = desk_with(SLEEP)
    order = offered(desk)
    saw(desk, in_flight=1)
    desk.put(*R.claims(order))
    (said,) = control_in(desk.step(), R.id)

    assert isinstance(said, Denial)
    assert said.why == "it is not to begin any more"
    assert is_sound(desk)


def test_a_failed_sleep_holds_what_was_decided_to_follow_and_a_release_lets_it_go() -> None:
    desk = desk_with(SLEEP, WAKE)
    order = offered(desk)
    desk.put(*R.claims(order))
    desk.put(*R.reports(order, ReportStatus.FAILED, "the node is gone"))
    desk.step()
    desk.pass_time(3 * HOUR)
    assert len(of_kind(desk, SubjectHeld)) == 1
    assert len(of_kind(desk, InsightRaised)) == 1
    fires = len(of_kind(desk, Fired))
    assert is_sound(desk)
    desk.ask("shop/", ReleaseSubject("mended"))
    desk.step()
    desk.pass_time(30 * MINUTE)

    assert len(of_kind(desk, Fired)) > fires
    assert is_sound(desk)


def test_accepting_makes_schedules_that_are_due_and_answers_each_who_accepts() -> None:
    desk = desk_with()
    desk.ask("shop/", Propose(proposal("p1", *nights(13, 7, *range(7)))))
    desk.ask("shop/", AcceptProposal("p1"))
    desk.ask("shop/", AcceptProposal("p1"))
    desk.ask("shop/", DismissProposal("p1"))
    desk.step()

    verdicts = [one.verdict for one in desk.replies()][-4:]
    assert verdicts == [
        *(Verdict.ACCEPTED, Verdict.ACCEPTED, Verdict.UNCHANGED, Verdict.REFUSED),
    ]
    (accepted,) = of_kind(desk, ProposalAccepted)
    assert isinstance(accepted, ProposalAccepted)
    assert sorted(desk.partition.residents) == sorted(accepted.schedules)
    state = desk.partition.residents["shop/sleep-p1"].wake("shop/sleep-p1")
    assert state.plan.definition.timings == (Weekly(127, 13 * 3600),)
    assert is_sound(desk)
    desk.now += HOUR
    saw(desk)
    assert len(orders_in(desk.step())) == 1


about_deployments = st.one_of(
    st.builds(DefineDeployment, st.sampled_from([MODEL, HALL])),
    st.builds(
        ReportState,
        st.sampled_from([*DeploymentState, STOPPED, STOPPED]),
        st.sampled_from([None, "user:42", "service:deployer", "schedule:shop/0"]),
    ),
    st.builds(
        Propose,
        st.builds(
            lambda name, begin: proposal(name, *nights(begin)),
            st.sampled_from(["p1", "p2", "p3"]),
            st.sampled_from([13, 14]),
        ),
    ),
    st.builds(AcceptProposal, st.sampled_from(["p1", "p2", "p3"])),
    st.builds(DismissProposal, st.sampled_from(["p1", "p2"])),
    st.builds(WithdrawProposal, st.sampled_from(["p1", "p2"])),
    st.sampled_from([HoldSubject(actions_only=True), ReleaseSubject(), ReleaseSubject()]),
    st.just(RemoveSubject()),
)
STOP = act(Verb.STOP, "*/20 * * * *", gate=GATE)
START = act(Verb.START, "*/15 * * * *")
about_schedules = st.sampled_from(
    [*map(Define, (*OFTEN, STOP, START)), Trigger(), Trigger(force=True), Remove()]
)
steps = st.one_of(
    st.tuples(st.just("shop/"), about_deployments),
    st.tuples(st.sampled_from(["shop/0", "shop/1", "shop/2"]), about_schedules),
    st.sampled_from(["quiet", "quiet", "busy", "served", "claim", "claim", "restart", "lost"]),
    st.sampled_from(["pool gone", "pool back"]),
    st.sampled_from(ReportStatus),
    st.sampled_from([ReportStatus.SUCCESS, ReportStatus.BUSY, ReportStatus.DOES_NOT_FIT]),
    st.sampled_from([SECOND, MINUTE, 5 * MINUTE, 10 * MINUTE, 10 * MINUTE, HOUR]),
)
Step = tuple[str, Command] | ReportStatus | str | int


class Play:
    """A desk on which anything happens, and the orders that were written on it."""

    def __init__(self) -> None:
        self.desk = desk_with(*OFTEN)
        self.orders: dict[str, Order] = {}
        self.served = 7

    def take(self, step: Step) -> None:
        """One thing happens."""
        for _ in self._happens(step):
            written = self.desk.step()
            self.orders |= {one.run: one for one in orders_in(written)}

    def _happens(self, step: Step) -> Iterator[None]:
        desk = self.desk
        match step:
            case (about, command):
                desk.ask(about, command)
            case ReportStatus() | "claim":
                for order in list(self.orders.values()):
                    said = R.claims(order) if step == "claim" else R.reports(order, step)
                    desk.put(*said)
            case "restart":
                desk.restart()
            case "pool gone" | "pool back":
                words = Target(fault="topic 'horae.orders.default' does not exist")
                desk.targets = {} if step == "pool back" else {"horae.orders.default": words}
            case "lost":
                self.orders.clear()
            case "quiet" | "busy" | "served":
                self.served += step == "served"
                saw(desk, int(step == "busy"), self.served)
            case _:
                desk.now += int(step)
        yield


@given(st.lists(steps, max_size=40))
def test_whatever_happens_is_kept_and_decided_the_same_way_again(happened: list[Step]) -> None:
    play = Play()
    for step in happened:
        play.take(step)
    play.desk.pass_time(MINUTE)
    play.desk.pass_time(HOUR)

    assert is_sound(play.desk)
    assert replayed(play.desk) == []
