"""What is promised of every deployment, whatever drives it: against real parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from horae.local import ports
from schemas.commands import ReportStatus
from schemas.deployments import DeploymentState
from tests.examples.model_servers import serving
from tests.runner.driven import Runner, measured, one_request
from tests.runner.other_side import service
from tests.runner.rigs import (
    ASLEEP,
    RUNNING,
    STOPPED,
    UNKNOWN,
    CallsRig,
    ContainerRig,
    Plane,
    Rig,
    VllmRig,
)

Kind = tuple[Rig, str]
Driven = tuple[Rig, Runner]
NOWHERE = "unix:///nowhere/engine.sock"


def vllm(parts: ExitStack, _: pytest.FixtureRequest) -> Kind:
    rig = VllmRig(ports.choose())
    parts.callback(rig.end)
    return rig, NOWHERE


def calls(parts: ExitStack, _: pytest.FixtureRequest) -> Kind:
    plane = Plane()
    here = parts.enter_context(service(plane.answer))
    return CallsRig(here, plane, parts.enter_context(serving())), NOWHERE


def container(parts: ExitStack, request: pytest.FixtureRequest) -> Kind:
    podman = request.getfixturevalue("podman_service")
    rig = ContainerRig(podman, parts.enter_context(serving()))
    parts.callback(rig.end)
    return rig, podman.address


KINDS: dict[str, Callable[[ExitStack, pytest.FixtureRequest], Kind]] = {
    "vllm": vllm,
    "http": calls,
    "container": container,
}


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> Iterator[Kind]:
    """One deployment of each kind, for all tests: to start one takes a while."""
    with ExitStack() as parts:
        yield KINDS[request.param](parts, request)


@pytest.fixture
def driven(kind: Kind, tmp_path: Path) -> Iterator[Driven]:
    """A deployment that runs and has nothing to do."""
    rig, engine = kind
    rig.put(RUNNING)
    yield rig, Runner(tmp_path, measured(rig.driver, rig.traffic), engine)
    rig.free()


class TestWhatIsAskedForComesAbout:
    def test_it_sleeps_and_wakes(self, driven: Driven) -> None:
        rig, runner = driven

        assert runner.act("sleep").status is ReportStatus.SUCCESS
        assert rig.state is ASLEEP
        assert runner.act("wake", ASLEEP).status is ReportStatus.SUCCESS
        assert rig.state is RUNNING

    def test_it_stops_and_starts(self, driven: Driven) -> None:
        rig, runner = driven

        assert runner.act("stop").status is ReportStatus.SUCCESS
        assert rig.state is STOPPED
        assert runner.act("start", STOPPED).status is ReportStatus.SUCCESS
        assert rig.state is RUNNING

    def test_what_was_stopped_by_a_schedule_is_started_to_wake(self, driven: Driven) -> None:
        rig, runner = driven
        rig.put(STOPPED)

        assert runner.act("wake", STOPPED).status is ReportStatus.SUCCESS
        assert rig.state is RUNNING

    def test_what_sleeps_is_woken_to_start_and_may_be_stopped(self, driven: Driven) -> None:
        rig, runner = driven
        rig.put(ASLEEP)
        assert runner.act("start", ASLEEP).status is ReportStatus.SUCCESS
        assert rig.state is RUNNING
        rig.put(ASLEEP)

        assert runner.act("stop", ASLEEP).status is ReportStatus.SUCCESS
        assert rig.state is STOPPED


@pytest.mark.case("DP-035")
@pytest.mark.parametrize(
    ("state", "verbs"),
    [(RUNNING, ("wake", "start")), (ASLEEP, ("sleep",)), (STOPPED, ("sleep", "stop"))],
)
def test_what_is_there_already_is_not_done_however_often_it_is_asked(
    driven: Driven, state: DeploymentState, verbs: tuple[str, ...]
) -> None:
    rig, runner = driven
    rig.put(state)
    for verb in verbs:
        for noted in (state, UNKNOWN):  # what was told of it decides nothing
            outcome = runner.act(verb, noted, quiet=True)

            assert outcome.status is ReportStatus.ALREADY_THERE, outcome
            assert runner.text == f"it is {state.value}\n", "something was asked of it"
    assert rig.state is state


class TestNobodyIsCutOff:
    @pytest.mark.case("DP-021")
    @pytest.mark.parametrize("verb", ["sleep", "stop"])
    def test_a_request_since_the_decision_keeps_it_up(self, driven: Driven, verb: str) -> None:
        rig, runner = driven
        rig.traffic.ask()
        decided_at = rig.traffic.counts.finished
        rig.traffic.ask()

        outcome = runner.act(verb, served=decided_at, quiet=True)

        assert outcome.status is ReportStatus.BUSY
        assert outcome.detail == "1 requests came and went since it was decided"
        assert rig.state is RUNNING

    @pytest.mark.case("DP-021")
    def test_a_request_that_is_under_way_keeps_it_up(self, driven: Driven) -> None:
        rig, runner = driven
        with one_request() as traffic:
            runner.deployment = measured(rig.driver, traffic)
            outcome = runner.act("sleep", served=0, quiet=True)

        assert outcome.status is ReportStatus.BUSY
        assert outcome.detail == "requests in flight: 1, waiting: 0"
        assert rig.state is RUNNING

    def test_without_one_it_sleeps(self, driven: Driven) -> None:
        rig, runner = driven
        rig.traffic.ask()
        served = rig.traffic.counts.finished

        assert runner.act("sleep", served=served, quiet=True).status is ReportStatus.SUCCESS
        assert rig.state is ASLEEP

    def test_where_quiet_is_not_asked_for_requests_are_not_looked_at(self, driven: Driven) -> None:
        rig, runner = driven
        rig.traffic.ask()

        assert runner.act("sleep", served=0).status is ReportStatus.SUCCESS
        assert rig.state is ASLEEP


def test_what_is_stopped_is_not_started_if_nobody_told_who_did_it(driven: Driven) -> None:
    rig, runner = driven
    rig.put(STOPPED)
    for verb in ("wake", "start"):
        for noted in (RUNNING, ASLEEP, UNKNOWN):
            outcome = runner.act(verb, noted)

            assert outcome.status is ReportStatus.NOT_STOPPED_BY_SCHEDULE, outcome
    assert rig.state is STOPPED


@pytest.mark.case("DP-037")
@pytest.mark.parametrize("kind", ["vllm", "http"], indirect=True)
def test_what_somebody_else_holds_is_left_alone_and_the_order_is_busy(driven: Driven) -> None:
    """A container engine knows no locks: what it is asked it does."""
    rig, runner = driven
    assert isinstance(rig, VllmRig | CallsRig)
    rig.lock()
    outcome = runner.act("sleep", quiet=True)

    assert outcome.status is ReportStatus.BUSY
    assert "answered 423" in outcome.detail
    assert rig.state is RUNNING


class TestWhatDoesNotFit:
    @pytest.mark.case("DP-023")
    @pytest.mark.parametrize(("verb", "state"), [("wake", ASLEEP), ("start", STOPPED)])
    @pytest.mark.parametrize("answer", [409, 507])
    def test_is_not_woken_and_nothing_makes_room_for_it(
        self, tmp_path: Path, verb: str, state: DeploymentState, answer: int
    ) -> None:
        """Only a control plane can say so: a server and an engine do not know what there is."""
        plane = Plane()
        plane.state, plane.room = state, answer
        with service(plane.answer) as here, serving() as traffic:
            rig = CallsRig(here, plane, traffic)
            outcome = Runner(tmp_path, measured(rig.driver, traffic)).act(verb, state)

        assert outcome.status is ReportStatus.DOES_NOT_FIT
        assert "8 GiB are missing" in outcome.detail
        assert (plane.deeds, plane.state) == ([], state), "something was done"
