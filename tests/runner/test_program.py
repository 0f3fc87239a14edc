"""A program is started without a shell, ends in time, and nothing of its group is left."""

from __future__ import annotations

import getpass
import os
import pwd
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest

from schemas.actions import Program, Setting
from schemas.commands import ReportStatus
from streams.runner.output import Kept
from streams.runner.remembered import MARK, living_in, started_at
from streams.runner.work import Outcome
from tests.processor.cluster import await_that
from tests.runner.ordered import order, program
from tests.runner.processes import marked
from tests.runner.programs import ENVIRON, RUN, Runs, script

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs are run on Linux only")


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    found = Runs(tmp_path)
    yield found
    assert list((tmp_path / "runs").iterdir()) == []


# ------------------------------------------------------------------ what is run


def test_arguments_are_passed_as_they_are(runs: Runs) -> None:
    """AJ-018: no shell reads them, unless the program is one."""
    assert runs.run(program("echo", "$HOME; rm x")) == Outcome(ReportStatus.SUCCESS, "", 0)
    assert runs.text == "$HOME; rm x\n"

    runs.run(program("sh", "-c", "echo a; echo b"))
    assert runs.text == "a\nb\n"


@pytest.mark.case("AJ-022")
def test_what_it_ends_with_is_its_outcome(runs: Runs) -> None:
    """Code 0 is success; any other is a failure, with what it wrote to both streams."""
    assert runs.run(program("echo", "ok")).status is ReportStatus.SUCCESS
    assert runs.text == "ok\n"

    failed = runs.run(script("echo out; echo err >&2; exit 1"))
    assert failed == Outcome(ReportStatus.FAILED, "ended with 1", 1)
    assert runs.text == "out\nerr\n"


def test_one_that_a_signal_ends_has_failed(runs: Runs) -> None:
    assert runs.run(script("kill -SEGV $$")) == Outcome(
        ReportStatus.FAILED, "ended by SIGSEGV", 128 + signal.SIGSEGV
    )


def test_it_knows_its_run_and_nothing_of_the_runner(runs: Runs) -> None:
    runs.run(Program(("env",), env=(Setting("MINE", "1"),)))

    told = dict(line.split("=", 1) for line in runs.text.splitlines())
    assert told.pop(MARK) == f"{RUN}.1.1"
    assert told == {
        "PATH": ENVIRON["PATH"],
        "HOME": "/nonexistent",
        "MINE": "1",
        "HORAE_RUN": RUN,
        "HORAE_RUN_ATTEMPT": "1",
        "HORAE_SCHEDULE": "billing/close",
        "HORAE_SCOPE": "billing",
        "HORAE_NOMINAL": "2026-11-30T12:00:00Z",
        "HORAE_OCCURRENCE": "billing/close~7@2026-11-30T12:00:00Z",
    }


def test_a_secret_that_it_prints_is_masked(runs: Runs) -> None:
    """AJ-029."""
    work = replace(script('echo "it is $TOKEN"'), env=(Setting("TOKEN", secret="env:JOB_TOKEN"),))  # noqa: S106 - where it is

    runs.run(work)

    assert runs.text == "it is ***\n"


def test_its_folder_and_its_input(runs: Runs, tmp_path: Path) -> None:
    runs.run(script("pwd; cat", folder=str(tmp_path)))

    assert runs.text == f"{tmp_path}\n"


@pytest.mark.parametrize(
    ("work", "said"),
    [
        (program("no-such-program"), "no program 'no-such-program' in the runner's PATH"),
        (program("/no/such/program"), "/no/such/program could not be started: No such file"),
        (program("/etc/passwd"), "/etc/passwd could not be started: Permission denied"),
        (program("true", folder="/no/such/folder"), "/no/such/folder could not be started"),
        (program("true", user="no-such-user"), "no user 'no-such-user'"),
        (program("true", user="root:no-such-group"), "no user 'root:no-such-group'"),
        (program("true", "a\0b"), "could not be started: embedded null byte"),
        (program("true", "x" * 3_000_000), "Argument list too long"),
    ],
    ids=["name", "path", "not to be run", "folder", "user", "group", "NUL", "too long"],
)
def test_what_cannot_be_started_is_unavailable(runs: Runs, work: Program, said: str) -> None:
    outcome = runs.run(work)

    assert outcome.status is ReportStatus.UNAVAILABLE
    assert said in outcome.detail
    assert outcome.exit_code is None


def test_the_path_of_an_order_does_not_choose_the_program(runs: Runs, tmp_path: Path) -> None:
    mine = tmp_path / "echo"
    mine.write_text("#!/bin/sh\necho mine\n")
    mine.chmod(0o755)

    runs.run(program("echo", "theirs", env={"PATH": str(tmp_path)}))

    assert runs.text == "theirs\n"


def test_another_user(runs: Runs) -> None:
    work = program("id", "-un", user="nobody")
    if os.geteuid() == 0:
        runs.run(work)
        assert runs.text == "nobody\n"
        runs.run(program("id", "-u", user=str(pwd.getpwnam("nobody").pw_uid)))
        assert runs.text == f"{pwd.getpwnam('nobody').pw_uid}\n"
        runs.run(program("id", "-gn", user="nobody:root"))
        assert runs.text == "root\n"
        runs.run(program("id", "-G", user="nobody:12345"))
        assert runs.text == "12345\n"
    else:
        assert runs.run(work).status is ReportStatus.UNAVAILABLE
    assert runs.run(program("true", user=getpass.getuser())).status is ReportStatus.SUCCESS


# ------------------------------------------------------------------ how it ends


@pytest.mark.case("AJ-025")
def test_one_that_hangs_is_stopped_when_its_time_is_over(runs: Runs) -> None:
    outcome = runs.run(program("sleep", "100"), timeout=0.05)

    assert outcome.status is ReportStatus.TIMEOUT
    assert outcome.detail == "it took longer than 0.05 s; asked to end, ended by SIGTERM"


def test_one_that_does_not_listen_is_killed_after_the_grace_with_all_it_started(
    runs: Runs,
) -> None:
    """AJ-027: signal, then kill; it is over when its process is gone, and no earlier."""
    deaf = "trap '' TERM; sh -c 'trap \"\" TERM; sleep 100' & echo $$; sleep 100; sleep 100"

    outcome = runs.run(script(deaf), timeout=0.2, grace=0.1)

    assert outcome.status is ReportStatus.TIMEOUT
    assert outcome.detail.endswith("asked to end and killed, ended by SIGKILL")
    assert living_in(int(runs.text)) == []
    assert marked(RUN) == []


@pytest.mark.parametrize(
    ("text", "kill", "said"),
    [
        ("sleep 100", False, "asked to end, ended by SIGTERM"),
        ("trap 'echo bye; exit 0' TERM; while :; do sleep 0.01; done", False, "ended with 0"),
        ("trap '' TERM; sleep 100", True, "asked to end and killed, ended by SIGKILL"),
    ],
    ids=["obeys", "tidies up", "is killed at once"],
)
def test_one_that_is_stopped_is_cancelled(runs: Runs, text: str, kill: bool, said: str) -> None:
    attempt = runs.attempt(order(script(f"echo begun; {text}")), grace=60)
    outcomes: list[Outcome] = []
    thread = Thread(target=lambda: outcomes.append(attempt.run()))
    thread.start()
    await_that(lambda: "begun" in runs.text, "it has begun")
    attempt.stop("a successor waits", kill=kill)
    thread.join(10)

    [outcome] = outcomes
    assert outcome.status is ReportStatus.CANCELLED
    assert outcome.detail.startswith("a successor waits; ")
    assert said in outcome.detail


def test_one_that_was_stopped_before_it_began_never_begins(runs: Runs, tmp_path: Path) -> None:
    attempt = runs.attempt(order(program("touch", str(tmp_path / "it"))))
    attempt.stop("not wanted", kill=False)

    assert attempt.run().status is ReportStatus.CANCELLED
    assert not (tmp_path / "it").exists()
    attempt.stop("too late", kill=True)


def test_what_it_leaves_in_its_group_is_ended(runs: Runs) -> None:
    outcome = runs.run(script("sleep 100 & echo $$"))

    assert outcome.status is ReportStatus.SUCCESS
    assert living_in(int(runs.text)) == []


def test_one_that_becomes_a_daemon_and_keeps_the_pipe_does_not_hold_the_slot(runs: Runs) -> None:
    """Its own session is not ours to end; its output is not waited for."""
    outcome = runs.run(script("setsid sh -c 'echo $$; exec sleep 100' & sleep 0.3"))

    daemon = int(runs.text)
    assert outcome.status is ReportStatus.SUCCESS
    assert started_at(daemon) is not None
    os.kill(daemon, signal.SIGKILL)


def test_one_that_closes_its_output_is_still_watched(runs: Runs) -> None:
    outcome = runs.run(script("exec >&- 2>&-; sleep 0.2; exit 5"))

    assert outcome == Outcome(ReportStatus.FAILED, "ended with 5", 5)


@pytest.mark.case("ANC-16")
def test_fifty_megabytes_of_output_and_a_code(runs: Runs) -> None:
    text = "head -c 50000000 /dev/zero | tr '\\0' x; echo; echo the end; exit 3"

    outcome = runs.run(script(text))

    kept = runs.output.kept()
    assert outcome == Outcome(ReportStatus.FAILED, "ended with 3", 3)
    assert kept == Kept("x" * (64 * 1024 - 9) + "\nthe end\n", cut=True)


def test_many_at_once_do_not_get_in_each_others_way(tmp_path: Path) -> None:
    """AJ-066, of programs: a slow one holds nobody up."""
    slow = Runs(tmp_path / "slow")
    attempt = slow.attempt(order(program("sleep", "100"), "jr_slow"))
    outcomes: list[Outcome] = []
    thread = Thread(target=lambda: outcomes.append(attempt.run()))
    thread.start()

    for number in range(5):
        assert Runs(tmp_path / str(number)).run(program("true")).status is ReportStatus.SUCCESS
    assert outcomes == []
    attempt.stop("enough", kill=True)
    thread.join(10)
    assert [one.status for one in outcomes] == [ReportStatus.CANCELLED]
