"""What a runner found ends an attempt, is followed by another, or puts the same one off."""

from __future__ import annotations

import pytest

from schemas.commands import Define, Remove, ReportActivity, ReportRun, ReportStatus, Trigger
from schemas.events import Fired, RunEnded, RunNoted, RunRetries
from schemas.policies import Gate, Retry, Scope
from schemas.run_events import Result, RunStatus
from schemas.snapshot import RunPhase
from tests.decider.crew import R1, Crew, crew_with, ends, work
from tests.decider.house import tracked
from tests.decider.stage import HOUR, MINUTE, NIGHTLY, SECOND, at

TWICE = Retry(2, 10 * SECOND)
FAILED, SUCCESS, TIMEOUT = ReportStatus.FAILED, ReportStatus.SUCCESS, ReportStatus.TIMEOUT
UNAVAILABLE = ReportStatus.UNAVAILABLE
NOT_RUNNING = ReportStatus.CONTAINER_NOT_RUNNING
ENDS_AT_ONCE = (
    ReportStatus.INTERRUPTED,
    ReportStatus.DOES_NOT_FIT,
    ReportStatus.ALREADY_THERE,
    ReportStatus.CANCELLED,
)


def attempts(found: list[object]) -> list[tuple[int, str]]:
    """Each attempt that ended, and how."""
    return [
        (one.attempt, str(one.status)) for one in found if isinstance(one, RunRetries | RunEnded)
    ]


@pytest.mark.parametrize(
    ("said", "expected"),
    {
        "AJ-053: fails, fails, succeeds": (
            (FAILED, FAILED, SUCCESS),
            [(1, "failed"), (2, "failed"), (3, "success")],
        ),
        "AJ-055: the container is up at the second attempt": (
            (NOT_RUNNING, SUCCESS),
            [(1, "container_not_running"), (2, "success")],
        ),
        "ANC-19: times out, fails, succeeds": (
            (TIMEOUT, FAILED, SUCCESS),
            [(1, "timeout"), (2, "failed"), (3, "success")],
        ),
        "the image comes too late": (
            (UNAVAILABLE, UNAVAILABLE, UNAVAILABLE),
            [(1, "unavailable"), (2, "unavailable"), (3, "unavailable")],
        ),
    }.values(),
)
def test_one_run_has_all_attempts_and_the_outcome_of_the_last(
    said: tuple[ReportStatus, ...], expected: list[tuple[int, str]]
) -> None:
    crew, run = crew_with(work("5 0 * * *", retry=TWICE))
    found = crew.done("00:05", run, *said)

    assert attempts([*found]) == expected
    assert crew.run(run).phase is RunPhase.ENDED
    fires = [one for one, _ in crew.history if isinstance(one, Fired)]
    assert len(fires) == 1


def test_a_late_result_of_an_attempt_changes_nothing() -> None:
    """ANC-19."""
    crew, run = crew_with(work("5 0 * * *", retry=TWICE))
    crew.done("00:05", run, TIMEOUT, FAILED, SUCCESS)
    (noted,) = crew.ask("00:20", ReportRun(run, SUCCESS, 1, "", R1, 1), None)

    assert isinstance(noted, RunNoted)
    assert noted.ignored == "the run is over already: success"


@pytest.mark.parametrize("status", ENDS_AT_ONCE)
def test_some_ends_are_followed_by_no_attempt(status: ReportStatus) -> None:
    crew, run = crew_with(work("5 0 * * *", retry=TWICE))
    crew.claim("00:05", run)

    assert ends(crew.says("00:05:01", run, status)) == [("shop", status.value)]


def test_what_a_runner_found_is_kept_with_the_attempt() -> None:
    crew, run = crew_with(work("5 0 * * *", retry=TWICE))
    result = Result(1, "no space left\n", cut=True, started_at=at("00:05"), ended_at=at("00:06"))
    crew.claim("00:05", run)
    (retries,) = crew.says("00:06", run, FAILED, "exit 1", result)

    assert isinstance(retries, RunRetries)
    assert (retries.detail, retries.result) == ("exit 1", result)


def test_what_was_not_to_be_had_is_no_failure_of_the_work() -> None:
    """AJ-024: nothing is recorded as if the command had run, and nothing is paused for it."""
    crew, run = crew_with(work("5 0 * * *", pause_on_failure=1))
    crew.claim("00:05", run)
    end, *_ = crew.says("00:05:01", run, UNAVAILABLE, "the apps are not to be had")

    assert isinstance(end, RunEnded)
    assert (end.status, end.result) == (RunStatus.UNAVAILABLE, Result())
    assert crew.schedules[NIGHTLY].plan.pause is None


def test_all_submissions_are_refused_and_the_occurrence_is_spent() -> None:
    """IT-027: at most once; the failure of all three is kept, and next has moved."""
    scopes = tuple(Scope(f"rack-{one}") for one in "abc")
    crew = Crew()
    crew.ask("00:01", Define(work("*/30 * * * *", scopes=scopes)))
    crew.wait("00:30")
    found = [end for run in crew.offered() for end in ends(crew.done("00:30:01", run.id, FAILED))]

    assert found == [("rack-a", "failed"), ("rack-b", "failed"), ("rack-c", "failed")]
    assert crew.schedules[NIGHTLY].cursor.nominal == at("01:00")
    assert crew.wait("00:59") == []


def test_one_target_fails_and_the_other_has_its_task() -> None:
    """IT-028: the firing as a whole counts as done."""
    scopes = (Scope("rack-a"), Scope("rack-b"))
    crew = Crew()
    crew.ask("00:01", Define(work("*/30 * * * *", scopes=scopes)))
    crew.wait("00:30")
    first, second = crew.offered()
    crew.claim("00:30", first.id)
    crew.claim("00:30", second.id)
    (end,) = crew.says("00:30:01", first.id, SUCCESS, "", Result(201, reference="task-1"))
    crew.says("00:30:02", second.id, FAILED)

    assert isinstance(end, RunEnded)
    assert end.result is not None
    assert end.result.reference == "task-1"
    fired = [one for one, _ in crew.history if isinstance(one, Fired)]
    assert len(fired) == 1


def test_a_hand_whose_submissions_all_fail_has_spent_its_fire() -> None:
    """IT-029, as far as it is decided: next is where the calendar had it, nothing is repeated."""
    crew = Crew()
    crew.ask("00:01", Define(work("*/30 * * * *")))
    crew.ask("00:02", Trigger())
    (run,) = crew.offered()
    found = crew.done("00:02:01", run.id, FAILED)

    assert ends(found) == [("shop", "failed")]
    assert crew.schedules[NIGHTLY].cursor.nominal == at("00:30")
    assert crew.wait("00:29") == []


def test_what_is_busy_is_looked_at_again_and_counts_no_attempt() -> None:
    crew, run = crew_with(work("5 0 * * *", retry=Retry()))
    crew.claim("00:05", run)
    (put_off,) = crew.says("00:05:10", run, ReportStatus.BUSY, "in use")

    assert isinstance(put_off, RunRetries)
    assert (put_off.attempt, put_off.again_at) == (0, at("00:06:10"))
    assert crew.run(run).started_at is None
    crew.wait("00:06:10")
    known = crew.run(run)
    assert (known.phase, known.attempt, known.issue) == (RunPhase.OFFERED, 1, 2)
    assert known.start_until == at("01:05")


def test_what_is_busy_is_looked_at_as_its_gate_says_and_given_up_with_it() -> None:
    """Not with its start deadline, which is that of each offer."""
    gate = Gate(quiet=SECOND, fresh=HOUR, look=20 * SECOND, max_wait=MINUTE)
    crew = Crew()
    crew.ask("00:04", Define(work("5 0 * * *", gate=gate, start_within=30 * SECOND)))
    crew.ask("00:04", ReportActivity(0, 0, at("00:04")), None)
    crew.wait("00:05")
    (run,) = crew.offered()
    found = crew.done("00:05", run.id, *[ReportStatus.BUSY] * 4)

    assert attempts([*found]) == [(0, "busy"), (0, "busy"), (0, "busy"), (1, "busy")]
    assert isinstance(found[-1], RunEnded)
    assert crew.now == at("00:06")


def test_work_that_no_runner_has_may_be_busy_too() -> None:
    crew = Crew()
    crew.ask("00:01", Define(tracked("5 0 * * *")))
    crew.wait("00:05")
    (run,) = crew.going()
    (put_off,) = crew.report("00:05:01", run.id, ReportStatus.BUSY)

    assert isinstance(put_off, RunRetries)
    assert put_off.again_at == at("00:06:01")


def test_what_is_busy_after_its_schedule_went_is_over() -> None:
    crew, run = crew_with()
    crew.claim("00:05", run)
    crew.ask("00:05:01", Remove())

    assert ends(crew.says("00:05:02", run, ReportStatus.BUSY)) == [("shop", "busy")]
