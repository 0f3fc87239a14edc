"""Is a fresh container made of what its app is made of, for one command, and is nothing left?"""

from __future__ import annotations

import re
import tracemalloc
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import pytest

from schemas.actions import App, Fresh, Setting, Volume
from schemas.commands import ReportStatus
from streams.runner.container import Freshes
from streams.runner.engine import Engine
from streams.runner.fresh import name_of
from streams.runner.work import Attempt, Job, Outcome
from tests.runner.containers import BARE, ME, SHELL, Podman, eventually, job_of
from tests.runner.line_to_engine import line_to

SHOP = App(SHELL, network="none")
NAME = "horae-shop-jr_AbCd-fGh_jKl"
MIB = 2**20


def done(podman: Podman, job: Job, engine: Engine | None = None) -> Outcome:
    """How an attempt ended."""
    outcome = Freshes(engine or podman.engine, ME).attempt(job).run()
    job.output.end()
    return outcome


def sh(script: str, **other: Any) -> Fresh:
    return Fresh(("sh", "-c", script), **other)


def begun(podman: Podman, job: Job) -> tuple[Attempt, list[Outcome], Thread]:
    """An attempt that is under way and has said something."""
    attempt, ends = Freshes(podman.engine, ME).attempt(job), list[Outcome]()
    thread = Thread(target=lambda: ends.append(attempt.run()), daemon=True)
    thread.start()
    eventually(lambda: job.output.kept().text != "", "it says something")
    return attempt, ends, thread


def test_both_streams_and_the_exit_code_are_those_of_the_command(podman: Podman) -> None:
    job = job_of(sh("echo out; echo err >&2; exit 3"), SHOP)

    assert done(podman, job) == Outcome(ReportStatus.FAILED, "ended with 3", 3, NAME)
    assert sorted(job.output.kept().text.split()) == ["err", "out"]
    assert podman.states() == {}


def test_it_is_made_of_what_the_app_is_made_of(podman: Podman, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "given").write_text("kept")
    secret = Setting("TOKEN", secret="env:T")  # noqa: S106 # only where it is
    app = replace(
        SHOP,
        env=(Setting("COLOUR", "red"), Setting("SIZE", "small"), secret),
        volumes=(Volume(str(tmp_path), "/given", read_only=True), Volume("shop-data", "/data")),
        user="jobs",
        folder="/tmp",
        memory=64 * MIB,
        cpus=500,
    )  # fmt: skip
    script = (
        "id -u; pwd; echo $COLOUR $SIZE $HORAE_RUN; echo ${#TOKEN} $TOKEN; cat /given/*; echo;"
        "grep -cE ' /(given|data) [a-z0-9]+ ' /proc/mounts; touch /given/x 2>/dev/null || echo ro;"
        "while [ ! -e /given/go ]; do sleep 0.1; done"
    )
    job = job_of(sh(script, env=(Setting("SIZE", "large"),)), app, secrets={"env:T": "s3cret"})

    _, ends, thread = begun(podman, job)
    found = podman.api.inspect_container(NAME)
    (tmp_path / "go").touch()
    thread.join(20)

    assert ends == [Outcome(ReportStatus.SUCCESS, "", 0, NAME)]
    assert job.output.kept().text.splitlines() == [
        "1234", "/tmp", "red large jr_AbCd-fGh_jKl", "6 ***", "kept", "2", "ro",
    ]  # fmt: skip
    assert found["HostConfig"]["Memory"] == 64 * MIB
    assert found["HostConfig"]["NanoCpus"] == 500_000_000
    assert found["HostConfig"]["NetworkMode"] == "none"
    podman.api.remove_volume("shop-data")


def test_its_name_and_its_labels_say_whose_it_is(podman: Podman) -> None:
    """AJ-021: the name follows from service, run and job; it is not taken for a replica."""
    job = job_of(sh("echo up; while [ ! -e /tmp/go ]; do sleep 0.1; done"), SHOP)

    _, _, thread = begun(podman, job)
    found = podman.api.inspect_container(NAME)
    podman.told(NAME, "touch /tmp/go")
    thread.join(20)

    assert found["Config"]["Labels"] == {
        "horae.run": "jr_AbCd-fGh_jKl",
        "horae.runner": "runner-1",
        "horae.boot": "7",
        "horae.subject": "shop",
    }
    assert podman.states() == {}


@pytest.mark.parametrize("subject", ["shop", "abc def/\N{SNOWMAN}", "x" * 300, "0123456789abcdef"])
def test_every_subject_gives_a_name_that_ends_in_no_hexadecimal_number(subject: str) -> None:
    """AJ-021: what is named after a replica ends in one."""
    name = name_of(subject, "jr_0123456789ab")

    assert re.fullmatch(r"[a-zA-Z0-9][a-zA-Z0-9_.-]{1,62}", name)
    assert re.search(r"-[0-9a-f]+$", name) is None


def test_the_arguments_are_the_program_whatever_the_image_begins_with(podman: Podman) -> None:
    job = job_of(Fresh(("sleep", "0")), replace(SHOP, image=BARE))

    assert done(podman, job).status is ReportStatus.SUCCESS


class Case(NamedTuple):
    app: App | None
    said: str
    work: Fresh = Fresh(("true",))


CASES = {
    "no app is defined": Case(None, "shop was never deployed: no app says what it is made of"),
    "no such image": Case(App("localhost/horae/none:1", network="none"), "no such image"),
    "no such network": Case(App(SHELL, network="no-such-net"), "no-such-net"),
    "no such user": Case(replace(SHOP, user="nobody-here"), "nobody-here"),
    "no such program": Case(SHOP, "no-such-program", Fresh(("no-such-program",))),
    "no name of an image": Case(App("Not an image", network="none"), "invalid reference format"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_what_cannot_be_made_is_not_to_be_had(case: Case, podman: Podman) -> None:
    """AJ-020: the run ends unavailable with the reason, and nothing is started or left."""
    job = job_of(case.work, case.app)

    outcome = done(podman, job)

    assert outcome.status is ReportStatus.UNAVAILABLE
    assert case.said in outcome.detail
    assert job.output.kept().text == ""
    assert podman.states() == {}


def test_no_engine_is_not_to_be_had_either(podman: Podman, tmp_path: Path) -> None:
    """AJ-020: one that is not there, and one that says nothing."""
    nobody = Engine(f"unix://{tmp_path}/nobody.sock")
    with line_to(podman.address, tmp_path) as line:
        line.fall_silent()
        silent = Engine(line.address, patience=1)
        outcomes = [done(podman, job_of(sh("true"), SHOP), engine) for engine in (nobody, silent)]

    assert [each.status for each in outcomes] == [ReportStatus.UNAVAILABLE] * 2
    assert podman.states() == {}


def test_a_container_that_an_earlier_attempt_left_makes_room(podman: Podman) -> None:
    """AJ-021: it is found by its name, and removed."""
    podman.up(name=NAME, labels={"horae.run": "jr_AbCd-fGh_jKl", "horae.runner": "runner-9"})

    assert done(podman, job_of(sh("true"), SHOP, attempt=2)).status is ReportStatus.SUCCESS
    assert podman.states() == {}


def test_a_container_of_somebody_else_is_left_alone(podman: Podman) -> None:
    podman.up(name=NAME)

    outcome = done(podman, job_of(sh("true"), SHOP))

    assert outcome.status is ReportStatus.UNAVAILABLE
    assert (
        outcome.detail == f"{NAME} is in the way: a container that is not of this run has its name"
    )
    assert podman.states() == {NAME: "running"}


def test_what_takes_too_long_is_ended_and_removed(podman: Podman) -> None:
    """AJ-027: a signal, then a kill."""
    script = "trap 'echo heard' TERM; setsid sleep 401 & while :; do sleep 0.1; done"
    job = job_of(sh(script), SHOP, timeout=0.5, grace=0.5)

    assert done(podman, job) == Outcome(
        ReportStatus.TIMEOUT, "it took longer than 0.5 s; asked to end and killed", 137, NAME
    )
    assert "heard" in job.output.kept().text
    assert podman.states() == {}


@pytest.mark.parametrize("kill", [False, True])
def test_it_stops_when_somebody_wants_that(podman: Podman, *, kill: bool) -> None:
    script = "trap 'exit 5' TERM; echo up; while :; do sleep 0.1; done"
    attempt, ends, thread = begun(podman, job_of(sh(script), SHOP, grace=20.0))

    attempt.stop("replaced", kill=kill)
    thread.join(20)

    how, code = ("asked to end and killed", 137) if kill else ("asked to end", 5)
    assert ends == [Outcome(ReportStatus.CANCELLED, f"replaced; {how}", code, NAME)]
    assert podman.states() == {}


def test_what_was_stopped_before_it_began_is_never_made(podman: Podman) -> None:
    attempt = Freshes(podman.engine, ME).attempt(job_of(sh("true"), SHOP))

    attempt.stop("replaced", kill=False)

    assert attempt.run().status is ReportStatus.CANCELLED


def test_much_output_takes_little_memory(podman: Podman) -> None:
    job = job_of(sh("head -c 50000000 /dev/zero; echo; echo the end"), SHOP, timeout=120.0)
    tracemalloc.start()
    try:
        outcome = done(podman, job)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert outcome.status is ReportStatus.SUCCESS
    assert job.output.kept().cut
    assert job.output.kept().text.endswith("\nthe end\n")
    assert most < 8 * MIB
