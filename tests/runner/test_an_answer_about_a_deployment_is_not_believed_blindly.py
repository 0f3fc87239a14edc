"""Is nothing read out of an answer that does not stand in it, or out of one that never comes?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from schemas.commands import ReportStatus
from schemas.deployments import Call, Deployment, HttpDriver, Metrics, Vllm
from streams.runner.asking import MOST_BYTES
from streams.runner.faults import Misfit
from streams.runner.inventory import components_in
from tests.runner.driven import Runner
from tests.runner.other_side import Asked, Say, service
from tests.runner.rigs import ASLEEP, CALLS, RUNNING, STOPPED, Plane

DEEP = b"[" * 100_000
RUNNING_ONE = b"vllm:num_requests_running 1\n"


class TestWhereTheStateIsNeverTold:
    """A stop by a person would else become one by a schedule, which starts it again."""

    @pytest.mark.parametrize("verb", ["sleep", "stop"])
    def test_what_was_told_to_be_stopped_is_left_so(self, tmp_path: Path, verb: str) -> None:
        plane = Plane()
        with service(plane.answer) as here:
            driver = replace(CALLS, url=here.url, state=None)
            outcome = Runner(tmp_path, Deployment(driver)).act(verb, STOPPED)

        assert outcome.status is ReportStatus.ALREADY_THERE
        assert outcome.detail == "it is stopped already"
        assert plane.deeds == []

    @pytest.mark.parametrize("noted", [RUNNING, ASLEEP])
    def test_of_other_states_nobody_is_sure(self, tmp_path: Path, noted: object) -> None:
        plane = Plane()
        with service(plane.answer) as here:
            driver = replace(CALLS, url=here.url, state=None)
            outcome = Runner(tmp_path, Deployment(driver)).act("sleep", noted)  # type: ignore[arg-type]

        assert outcome.status is ReportStatus.SUCCESS
        assert plane.deeds == ["sleep"]


@pytest.mark.parametrize("said", ["false", 0, None, "no"])
def test_only_a_truth_value_says_whether_a_server_sleeps(tmp_path: Path, said: object) -> None:
    def answers(_: Asked) -> Say:
        return Say(data={"is_sleeping": said})

    with service(answers) as here:
        outcome = Runner(tmp_path, Deployment(Vllm(here.url))).act("sleep")

    assert outcome.status is ReportStatus.FAILED
    assert "does not say whether it sleeps" in outcome.detail
    assert [one for one in here.asked if one.method == "POST"] == []


def test_an_answer_that_is_deeper_than_one_reads_is_no_answer(tmp_path: Path) -> None:
    with service(lambda _: Say(data=DEEP)) as here:
        called = HttpDriver(here.url, sleep=Call("/sleep"), state=Call("/state", "GET"))
        for driver in (Vllm(here.url), called):
            outcome = Runner(tmp_path, Deployment(driver)).act("sleep")
            assert outcome.status is ReportStatus.FAILED
            assert "the answer is no JSON" in outcome.detail
    with pytest.raises(Misfit, match="JSON"):
        components_in(DEEP)


def test_of_a_page_that_is_not_read_to_its_end_nobody_knows_that_it_is_quiet(
    tmp_path: Path,
) -> None:
    """The request that is under way may stand behind what was read."""
    page = b"vllm:num_requests_running 0\n" + b"# nothing\n" * (MOST_BYTES // 10) + RUNNING_ONE

    def answers(asked: Asked) -> Say:
        return Say(data=page if asked.path == "/metrics" else {"is_sleeping": False})

    with service(answers) as here:
        known = Deployment(Vllm(here.url), metrics=Metrics(f"{here.url}/metrics"))
        outcome = Runner(tmp_path, known).act("sleep", quiet=True)

    assert outcome.status is ReportStatus.BUSY
    assert "its requests cannot be seen" in outcome.detail
    assert [one for one in here.asked if one.method == "POST"] == []


class TestWhatRests:
    """It may be asked for without a fresh sample, so its runner makes sure that it does rest."""

    def acted(self, folder: Path, plane: Plane, *, measured: bool, noted: object) -> ReportStatus:
        with service(plane.answer) as here:
            metrics = Metrics("http://127.0.0.1:1/metrics") if measured else None
            known = Deployment(replace(CALLS, url=here.url), metrics=metrics)
            return Runner(folder, known).act("stop", noted, quiet=True).status  # type: ignore[arg-type]

    @pytest.mark.parametrize("measured", [True, False])
    def test_is_stopped_also_if_it_tells_no_numbers(
        self, tmp_path: Path, *, measured: bool
    ) -> None:
        plane = Plane()
        plane.state = ASLEEP

        assert self.acted(tmp_path, plane, measured=measured, noted=ASLEEP) is ReportStatus.SUCCESS
        assert plane.deeds == ["stop"]

    @pytest.mark.parametrize("noted", [ASLEEP, STOPPED])
    @pytest.mark.parametrize("measured", [True, False])
    def test_and_runs_all_the_same_is_left_alone_by_whoever_sees_no_requests(
        self, tmp_path: Path, noted: object, *, measured: bool
    ) -> None:
        plane = Plane()

        assert self.acted(tmp_path, plane, measured=measured, noted=noted) is ReportStatus.BUSY
        assert plane.deeds == []

    def test_whose_samples_somebody_sent_is_not_asked_once_more(self, tmp_path: Path) -> None:
        plane = Plane()

        assert self.acted(tmp_path, plane, measured=False, noted=RUNNING) is ReportStatus.SUCCESS
