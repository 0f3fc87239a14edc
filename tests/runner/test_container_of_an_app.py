"""Does a command run inside the container of its app as it would by hand, and is its end known?"""

from __future__ import annotations

from threading import Thread

from schemas.actions import App, Exec, Setting
from schemas.commands import ReportStatus
from streams.runner.allowed import Allowed
from streams.runner.container import Execs
from streams.runner.work import Job, Outcome
from streams.settings import RunnerSettings
from tests.runner.containers import ME, SHELL, Podman, eventually, job_of

SHOP = App(SHELL)
LABEL = {"horae.app": "shop"}
ANY_IMAGE = Allowed(RunnerSettings(allow_images="*"))


def done(podman: Podman, job: Job) -> Outcome:
    """How an attempt ended; its output is the job's."""
    outcome = Execs(podman.engine, ME, ANY_IMAGE).attempt(job).run()
    job.output.end()
    return outcome


def sh(script: str, **other: object) -> Exec:
    return Exec(("sh", "-c", script), **other)  # type: ignore[arg-type] # fields of an Exec


def test_both_streams_and_the_exit_code_are_those_of_the_command(podman: Podman) -> None:
    podman.up(name="shop-1", labels=LABEL)
    job = job_of(sh("echo out; echo err >&2; exit 3"), SHOP)

    outcome = done(podman, job)

    assert outcome == Outcome(ReportStatus.FAILED, "ended with 3", 3, "shop-1")
    assert sorted(job.output.kept().text.split()) == ["err", "out"]


def test_a_command_that_ends_with_0_has_succeeded(podman: Podman) -> None:
    podman.up(name="shop-1", labels=LABEL)
    job = job_of(Exec(("echo", "$HOME; not a shell's")), SHOP)

    assert done(podman, job) == Outcome(ReportStatus.SUCCESS, "", 0, "shop-1")
    assert job.output.kept().text == "$HOME; not a shell's\n"


def test_it_has_the_user_the_folder_and_the_variables_of_the_order(podman: Podman) -> None:
    podman.up(name="shop-1", labels=LABEL)
    env = (Setting("COLOUR", "red"), Setting("TOKEN", secret="env:TOKEN"))  # noqa: S106
    script = "id -u; pwd; echo $COLOUR $HORAE_RUN $HORAE_RUN_ATTEMPT; echo ${#TOKEN} $TOKEN"
    job = job_of(
        sh(script, env=env, user="jobs", folder="/tmp"), SHOP, secrets={"env:TOKEN": "s3cret"}
    )

    done(podman, job)

    assert job.output.kept().text.splitlines() == [
        "1234",
        "/tmp",
        "red jr_AbCd-fGh_jKl 1",
        "6 ***",
    ]


def test_output_is_shown_while_the_command_goes_on(podman: Podman) -> None:
    container = podman.up(name="shop-1", labels=LABEL)
    job = job_of(sh("echo begun; while [ ! -e /tmp/go ]; do sleep 0.05; done"), SHOP)
    ends: list[Outcome] = []
    thread = Thread(target=lambda: ends.append(done(podman, job)))

    thread.start()
    eventually(lambda: job.output.kept().text == "begun\n", "its first line is shown")
    assert ends == []
    podman.told(container, "touch /tmp/go")
    thread.join(20)

    assert [end.status for end in ends] == [ReportStatus.SUCCESS]
