"""A control plane of somebody's own: its words, its refusals, and the calls that it has not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from schemas.actions import Setting
from schemas.commands import ReportStatus
from schemas.deployments import Call, Deployment, HttpDriver
from tests.runner.driven import Runner
from tests.runner.ordered import RUN
from tests.runner.other_side import Asked, Say, Service, service
from tests.runner.rigs import ASLEEP, CALLS, RUNNING, STARTING, STOPPED, UNKNOWN, Plane


@contextmanager
def plane(folder: Path, **given: Any) -> Iterator[tuple[Plane, Runner, Service]]:
    """A control plane, whose driver has these things otherwise."""
    found = Plane()
    with service(found.answer) as here:
        yield found, Runner(folder, Deployment(replace(CALLS, url=here.url, **given))), here


@contextmanager
def answering(folder: Path, *said: Say, **given: Any) -> Iterator[Runner]:
    """One that answers every question about its state in the same way, and does nothing."""
    left = list(said)

    def answers(asked: Asked) -> Say:
        if asked.method != "GET":
            return Say()
        return left.pop(0) if len(left) > 1 else left[0]

    with service(answers) as here:
        yield Runner(folder, Deployment(replace(CALLS, url=here.url, fits=None, **given)))


def stated(word: object) -> Say:
    return Say(data={"model": {"state": word}})


def test_each_call_is_sent_as_it_is_written_and_says_which_run_it_is(tmp_path: Path) -> None:
    header = Setting("X-Key", "", "env:KEY")
    with plane(tmp_path, headers=(header,)) as (_, runner, here):
        runner.environ = {"KEY": "hunter2"}
        runner.act("stop")
        [asked] = [one for one in here.asked if one.method == "POST"]

    assert asked.path == "/models/llama/stop"
    assert asked.data == {"drain": True}
    assert asked.headers["content-type"] == "application/json"
    assert asked.headers["x-key"] == "hunter2"
    assert asked.headers["horae-run"] == RUN
    assert asked.headers["horae-schedule"] == "llama/night"
    assert "hunter2" not in runner.text


@pytest.mark.parametrize(
    ("word", "verb"),
    [("Running", "wake"), ("ready", "start"), ("SLEEPING", "sleep"), ("paused", "sleep"),
     ("exited", "stop"), ("stopped", "sleep")],
)  # fmt: skip
def test_states_have_several_names(tmp_path: Path, word: str, verb: str) -> None:
    with answering(tmp_path, stated(word)) as runner:
        assert runner.act(verb).status is ReportStatus.ALREADY_THERE


@pytest.mark.parametrize("verb", ["sleep", "stop"])
def test_what_is_starting_is_left_alone(tmp_path: Path, verb: str) -> None:
    with answering(tmp_path, stated("starting")) as runner:
        outcome = runner.act(verb)

    assert (outcome.status, outcome.detail) == (
        ReportStatus.BUSY,
        "it is starting: somebody is at it",
    )


def test_what_is_starting_already_is_waited_for_and_not_started_again(tmp_path: Path) -> None:
    with answering(tmp_path, stated("starting"), stated("loading"), stated("running")) as runner:
        outcome = runner.act("wake", STARTING)

    assert outcome.status is ReportStatus.ALREADY_THERE
    assert "POST" not in runner.text


def test_without_a_call_for_its_state_it_has_come_about_with_the_answer(tmp_path: Path) -> None:
    with plane(tmp_path, state=None) as (found, runner, _):
        outcome = runner.act("sleep")

        assert (outcome.status, outcome.exit_code) == (ReportStatus.SUCCESS, 202)
        assert found.state is ASLEEP


@pytest.mark.parametrize(("noted", "deed"), [(STOPPED, "start"), (ASLEEP, "wake")])
@pytest.mark.parametrize("verb", ["wake", "start"])
def test_then_what_was_told_of_it_says_whether_it_is_started_or_woken(
    tmp_path: Path, verb: str, noted: Any, deed: str
) -> None:
    with plane(tmp_path, state=None) as (found, runner, _):
        assert runner.act(verb, noted).status is ReportStatus.SUCCESS
        assert found.deeds == [deed]


def test_what_has_no_call_cannot_be_done(tmp_path: Path) -> None:
    with plane(tmp_path, sleep=None) as (found, runner, _):
        outcome = runner.act("sleep")

        assert outcome.status is ReportStatus.FAILED
        assert outcome.detail == "the driver of this deployment has no call for sleep"
        assert found.deeds == []


@pytest.mark.parametrize(
    ("answer", "status"),
    {
        "held": (409, ReportStatus.BUSY),
        "locked": (423, ReportStatus.BUSY),
        "no room": (507, ReportStatus.DOES_NOT_FIT),
        "an error": (500, ReportStatus.FAILED),
        "unknown": (404, ReportStatus.FAILED),
    }.values(),
)
def test_a_refusal_of_a_deed_says_what_becomes_of_the_order(
    tmp_path: Path, answer: int, status: ReportStatus
) -> None:
    def answers(asked: Asked) -> Say:
        return Say(answer, {"why": "so"}) if asked.method == "POST" else stated("asleep")

    with service(answers) as here:
        driver = replace(CALLS, url=here.url, fits=None)
        outcome = Runner(tmp_path, Deployment(driver)).act("wake", ASLEEP)

    assert (outcome.status, outcome.exit_code) == (status, answer)
    assert f"answered {answer}: " in outcome.detail


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (Say(404), ReportStatus.UNAVAILABLE),
        (Say(423), ReportStatus.BUSY),
        (Say(data={"state": "running"}), ReportStatus.FAILED),
        (Say(data=b"running"), ReportStatus.FAILED),
    ],
)
def test_a_state_that_is_not_told_keeps_everything_as_it_is(
    tmp_path: Path, said: Say, status: ReportStatus
) -> None:
    with answering(tmp_path, said) as runner:
        assert runner.act("sleep").status is status
        assert "POST" not in runner.text


def test_whether_it_fits_is_asked_for_what_begins_only(tmp_path: Path) -> None:
    with plane(tmp_path) as (found, runner, _):
        found.room = 507
        assert runner.act("sleep").status is ReportStatus.SUCCESS
        found.room = 500
        outcome = runner.act("wake", ASLEEP)

        assert outcome.status is ReportStatus.UNAVAILABLE
        assert "whether it fits was asked: answered 500" in outcome.detail
        assert found.deeds == ["sleep"]


def test_a_redirected_deed_is_done_once_or_not_at_all(tmp_path: Path) -> None:
    """307 asks for the same again elsewhere; 302 asks for something else, and is no answer."""
    with plane(tmp_path) as (found, _, here):
        for status, ended in ((307, ReportStatus.SUCCESS), (302, ReportStatus.FAILED)):
            found.state = RUNNING

            def moved(asked: Asked, status: int = status) -> Say:
                return Say(status, headers={"location": here.url + asked.path})

            with service(moved) as old:
                driver = HttpDriver(old.url, sleep=Call("/models/llama/sleep"))
                assert Runner(tmp_path, Deployment(driver)).act("sleep", UNKNOWN).status is ended

    assert found.deeds == ["sleep"]
