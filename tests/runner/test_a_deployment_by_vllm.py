"""A server that speaks like vLLM: levels, faults, and what it means that nobody answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from horae.local import ports
from schemas.actions import Act, Setting, Verb
from schemas.commands import ReportStatus
from schemas.deployments import Deployment, Metrics, Vllm
from schemas.orders import Deployed
from streams.settings import RunnerSettings
from tests.examples import model_servers
from tests.examples.model_servers import Server, serving
from tests.runner.desk import Desk
from tests.runner.driven import Runner, measured, stopped_once
from tests.runner.ordered import RUN, order
from tests.runner.other_side import Asked, Say, service
from tests.runner.processes import marked
from tests.runner.rigs import RUNNING, STOPPED


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as found:
        yield found


def runner_of(folder: Path, url: str, **given: object) -> Runner:
    return Runner(folder, Deployment(Vllm(url, **given)))  # type: ignore[arg-type] # by their names


class TestLevels:
    def test_after_a_sleep_at_level_2_it_answers_again(
        self, server: Server, tmp_path: Path
    ) -> None:
        runner = runner_of(tmp_path, server.url, level=2)
        assert runner.act("sleep").status is ReportStatus.SUCCESS
        assert "POST " + server.url + "/sleep?level=2 answered 200" in runner.text
        assert server.ask() == 503

        assert runner.act("wake").status is ReportStatus.SUCCESS
        assert server.ask() == 200

    def test_a_schedule_may_have_it_sleep_less_deeply(self, server: Server, tmp_path: Path) -> None:
        runner = runner_of(tmp_path, server.url, level=2)

        assert runner.act("sleep", level=1).status is ReportStatus.SUCCESS
        assert "/sleep?level=1 answered 200" in runner.text

    def test_but_not_so_deeply_that_it_would_wake_without_weights(
        self, server: Server, tmp_path: Path
    ) -> None:
        outcome = runner_of(tmp_path, server.url, level=1).act("sleep", level=2)

        assert outcome.status is ReportStatus.FAILED
        assert "register it with level 2" in outcome.detail
        assert not server.is_sleeping


class TestWhatGoesWrong:
    def test_a_sleep_that_fails_is_told_with_what_was_answered(
        self, server: Server, tmp_path: Path
    ) -> None:
        server.faults(sleeps=1)
        outcome = runner_of(tmp_path, server.url).act("sleep")

        assert (outcome.status, outcome.exit_code) == (ReportStatus.FAILED, 500)
        assert "the sleep failed, as it was asked to" in outcome.detail
        assert not server.is_sleeping

    def test_a_wake_that_takes_longer_than_the_order_allows_is_given_up(
        self, server: Server, tmp_path: Path
    ) -> None:
        runner = runner_of(tmp_path, server.url)
        runner.act("sleep")
        server.faults(wake_seconds=15)
        outcome = runner.act("wake", timeout=3.0)

        assert outcome.status is ReportStatus.TIMEOUT
        assert outcome.detail == "it is not over after 3 s; it was begun; last seen asleep"

    def test_a_server_that_is_not_well_has_not_woken(self, server: Server, tmp_path: Path) -> None:
        runner = runner_of(tmp_path, server.url)
        runner.act("sleep")
        server.faults(sick=True)

        assert runner.act("wake", timeout=3.0).status is ReportStatus.TIMEOUT

    def test_a_server_without_sleep_mode_says_what_it_needs(self, tmp_path: Path) -> None:
        def answers(asked: Asked) -> Say:
            return Say(200 if asked.path == "/health" else 404)

        with service(answers) as here:
            runner = runner_of(tmp_path, here.url)
            outcome = runner.act("sleep")

            assert outcome.status is ReportStatus.FAILED
            assert "VLLM_SERVER_DEV_MODE=1" in outcome.detail
            assert runner.act("wake").status is ReportStatus.ALREADY_THERE

    def test_what_has_no_program_and_no_container_is_not_stopped_or_started(
        self, server: Server, tmp_path: Path
    ) -> None:
        stopped = runner_of(tmp_path, server.url).act("stop")
        nobody = f"http://127.0.0.1:{ports.choose()}"
        started = runner_of(tmp_path, nobody).act("wake", STOPPED)

        assert stopped.status is started.status is ReportStatus.FAILED
        assert "it names no container, and no program to stop it" in stopped.detail
        assert "it names no container, and no program to start it" in started.detail

    def test_one_that_can_only_be_stopped_is_stopped_once_nobody_listens(
        self, tmp_path: Path
    ) -> None:
        port = ports.choose()
        model_servers.run(port, "--behind")
        stop = model_servers.program(port, "--end")
        runner = runner_of(tmp_path, f"http://127.0.0.1:{port}", stop=stop)

        assert runner.act("stop", timeout=60.0).status is ReportStatus.SUCCESS
        assert runner.act("sleep").status is ReportStatus.ALREADY_THERE

    def test_a_program_that_fails_ends_the_order_in_failure(
        self, server: Server, tmp_path: Path
    ) -> None:
        runner = runner_of(tmp_path, server.url, stop=("env", "sh", "-c", "echo no; exit 3"))
        outcome = runner.act("stop")

        assert (outcome.status, outcome.detail) == (ReportStatus.FAILED, "env ended with 3")
        assert "no\n" in runner.text


class TestNobodyAnswers:
    def test_of_one_that_should_run_it_is_unavailable(self, tmp_path: Path) -> None:
        runner = runner_of(tmp_path, f"http://127.0.0.1:{ports.choose()}")

        for verb in ("sleep", "stop", "wake"):
            assert runner.act(verb).status is ReportStatus.UNAVAILABLE

    def test_of_one_that_was_told_to_be_stopped_it_is_stopped(self, tmp_path: Path) -> None:
        runner = runner_of(tmp_path, f"http://127.0.0.1:{ports.choose()}")

        assert runner.act("stop", STOPPED).status is ReportStatus.ALREADY_THERE
        assert runner.act("sleep", STOPPED).status is ReportStatus.ALREADY_THERE

    def test_its_metrics_do_not_it_counts_as_busy(self, server: Server, tmp_path: Path) -> None:
        gone = Metrics(f"http://127.0.0.1:{ports.choose()}/metrics")
        wrong = Metrics(f"{server.url}/metrics", in_flight="vllm:misspelt")
        missing = Metrics(f"{server.url}/nothing")
        for metrics in (gone, wrong, missing):
            deployment = Deployment(Vllm(server.url), metrics=metrics)
            outcome = Runner(tmp_path, deployment).act("sleep", quiet=True)

            assert outcome.status is ReportStatus.BUSY
            assert outcome.detail.startswith("its requests cannot be seen: ")
        assert not server.is_sleeping

    def test_a_server_that_counts_from_0_again_was_asked_as_often_as_it_says(
        self, server: Server, tmp_path: Path
    ) -> None:
        runner = Runner(tmp_path, measured(Vllm(server.url), server))
        server.ask()
        assert runner.act("sleep", served=700, quiet=True).status is ReportStatus.BUSY

        with serving() as anew:
            runner.deployment = measured(Vllm(server.url), anew)
            assert runner.act("sleep", served=700, quiet=True).status is ReportStatus.SUCCESS


class TestItIsToStop:
    def test_a_wake_that_goes_on_is_not_waited_for(self, server: Server, tmp_path: Path) -> None:
        runner = runner_of(tmp_path, server.url)
        runner.act("sleep")
        server.faults(sick=True)

        def woken() -> bool:
            return not server.is_sleeping

        outcome = stopped_once(runner.attempt("wake"), woken)

        assert outcome.status is ReportStatus.CANCELLED
        assert outcome.detail.startswith("enough of it; it was begun; last seen ")

    @pytest.mark.parametrize("kill", [False, True])
    def test_a_program_of_it_is_ended_too(
        self, server: Server, tmp_path: Path, *, kill: bool
    ) -> None:
        begun = tmp_path / "begun"
        script = f"trap '' TERM; touch {begun}; while :; do sleep 0.1; done"
        runner = runner_of(tmp_path, server.url, stop=("env", "sh", "-c", script))
        outcome = stopped_once(runner.attempt("stop"), begun.exists, kill=kill)

        assert outcome.status is ReportStatus.CANCELLED
        assert marked(RUN) == []

    def test_before_it_began_nothing_is_done(self, server: Server, tmp_path: Path) -> None:
        attempt = runner_of(tmp_path, server.url).attempt("sleep")
        attempt.stop("it was cancelled", kill=False)

        outcome = attempt.run()

        assert outcome.status is ReportStatus.CANCELLED
        assert outcome.detail == "it was cancelled; nothing was done"
        assert not server.is_sleeping


def test_a_runner_reports_what_became_of_it_and_what_was_answered(
    server: Server, tmp_path: Path
) -> None:
    settings = RunnerSettings(allow_actions="deployment", allow_urls="http://127.0.0.1:*/")
    desk = Desk(tmp_path, settings)
    desk.thread.start()
    server.faults(locked=True)
    deployed = Deployed(Deployment(Vllm(server.url)), RUNNING, quiet=False, served=None)
    for number, verb in enumerate((Verb.WAKE, Verb.SLEEP)):
        desk.offer(order(Act(verb), f"jr_AAAAAAAAAAA{number}", deployed=deployed))
    told = [desk.report(f"jr_AAAAAAAAAAA{number}") for number in (0, 1)]
    desk.end()

    assert [one.status for one in told] == [ReportStatus.ALREADY_THERE, ReportStatus.BUSY]
    assert told[1].result is not None
    assert told[1].result.exit_code == 423
    assert told[1].result.output.endswith('answered 423: {"error":"somebody holds the server"}\n')


def test_its_headers_go_to_it_with_the_values_of_secrets(tmp_path: Path) -> None:
    asleep = []

    def answers(asked: Asked) -> Say:
        if asked.path.startswith("/sleep"):
            asleep.append(asked.headers["authorization"])
        return Say(data={"is_sleeping": bool(asleep)})

    with service(answers) as here:
        header = Setting("Authorization", "", "env:KEY")
        runner = runner_of(tmp_path, here.url, headers=(header,))
        runner.environ = {"KEY": "Bearer hunter2"}
        outcome = runner.act("sleep")

    assert outcome.status is ReportStatus.SUCCESS
    assert asleep == ["Bearer hunter2"]
    assert {one.headers["authorization"] for one in here.asked} == {"Bearer hunter2"}


def test_an_answer_that_breaks_off_is_no_end(tmp_path: Path) -> None:
    """A proxy may lose its patience while the server is still at it."""
    asked_for: list[str] = []

    def answers(asked: Asked) -> Say:
        if asked.method == "POST":
            asked_for.append(asked.path)
            return Say(headers={"content-length": "9000"})
        return Say(data={"is_sleeping": bool(asked_for)})

    with service(answers) as here:
        runner = runner_of(tmp_path, here.url)
        outcome = runner.act("sleep")

    assert asked_for == ["/sleep?level=1"]
    assert outcome.status is ReportStatus.SUCCESS
    assert "gave no whole answer" in runner.text
    assert outcome.detail == f"it was {RUNNING.value} and is asleep"
