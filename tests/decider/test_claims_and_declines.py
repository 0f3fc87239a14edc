"""An attempt starts on the grant of the first claim of its newest offer, and on nothing else."""

from __future__ import annotations

import pytest

from schemas.commands import CancelRun, ClaimRun, DeclineRun, Define, Remove, ReportStatus
from schemas.events import InsightResolved, RunEnded, RunGranted, RunNoted, RunOffered
from schemas.policies import Overlap, OverlapMode, Retry
from schemas.run_events import RunStatus
from schemas.snapshot import RunPhase
from streams.decider.subject import ENDED_RUNS_KEPT
from tests.decider.crew import R1, Crew, crew_with, ends, refusal, work
from tests.decider.stage import MINUTE, NIGHTLY, SECOND, at

# ---------------------------------------------------------------------- claims


def test_the_first_claim_is_granted_and_the_run_has_begun() -> None:
    crew, run = crew_with()
    (granted,) = crew.claim("00:05:02", run)

    assert isinstance(granted, RunGranted)
    assert (granted.attempt, granted.issue, granted.runner, granted.boot) == (1, 1, R1, 1)
    known = crew.run(run)
    assert (known.phase, known.started_at) == (RunPhase.STARTED, at("00:05:02"))
    assert (known.lease_until, known.attempt_until) == (at("00:05:32"), None)


def test_a_second_copy_of_the_claim_changes_nothing_and_is_no_refusal() -> None:
    """ANC-15: whoever has it is answered from the record."""
    crew, run = crew_with()
    crew.claim("00:05:02", run)
    before = crew.run(run)
    (noted,) = crew.claim("00:05:03", run)

    assert isinstance(noted, RunNoted)
    assert noted.ignored == "the runner has it already"
    assert crew.run(run) == before


def test_a_cancel_of_an_attempt_that_has_ended_is_ignored_with_a_note() -> None:
    """ANC-15: it does not turn a success into a cancel."""
    crew, run = crew_with()
    crew.done("00:05:02", run, ReportStatus.SUCCESS)
    (noted,) = crew.ask("00:05:03", CancelRun(run), None)

    assert isinstance(noted, RunNoted)
    assert noted.ignored == "it is over already: success"
    assert crew.run(run).status is RunStatus.SUCCESS


@pytest.mark.parametrize(
    ("attempt", "issue", "why"),
    [
        (1, 1, "the claim is of attempt 1, offer 1; it is at attempt 1, offer 2"),
        (2, 2, "the claim is of attempt 2, offer 2; it is at attempt 1, offer 2"),
        (1, 3, "the claim is of attempt 1, offer 3; it is at attempt 1, offer 2"),
    ],
)
def test_only_a_claim_of_the_newest_offer_is_granted(attempt: int, issue: int, why: str) -> None:
    crew, run = crew_with()
    crew.wait("00:05:05")

    assert refusal(crew.ask("00:05:06", ClaimRun(run, attempt, issue, R1, 1), None)) == why
    assert [type(one) for one in crew.claim("00:05:06", run)] == [RunGranted]


def test_nobody_gets_what_somebody_else_has_or_what_is_over() -> None:
    crew, run = crew_with()
    crew.claim("00:05:02", run)
    taken = crew.claim("00:05:03", run, "node-2")
    crew.says("00:05:04", run)
    over = crew.claim("00:05:05", run, "node-2")
    unknown = crew.ask("00:05:05", ClaimRun("jr_nothing", 1, 1, R1, 1), None)
    crew.now = 0
    forgotten = crew.claim(at("00:05:04") + ENDED_RUNS_KEPT, run, "node-2", issue=1)

    assert refusal(taken) == "the run is not offered now"
    assert refusal(over) == "the run is over already: success"
    assert refusal(unknown) == "there is no run jr_nothing of this subject"
    assert refusal(forgotten) == f"there is no run {run} of this subject"


def test_a_former_life_and_one_that_leaves_get_nothing() -> None:
    crew, run = crew_with()
    crew.beat("00:05:01", boot=7)
    former = crew.claim("00:05:02", run, boot=6)
    crew.beat("00:05:03", boot=7, leaving=True)
    leaving = crew.claim("00:05:04", run, boot=7)

    assert refusal(former) == "runner node-1 has begun a later life"
    assert refusal(leaving) == "runner node-1 is leaving"
    assert [type(one) for one in crew.claim("00:05:05", run, boot=8)] == [RunGranted]


def test_nobody_gets_what_is_held() -> None:
    crew, run = crew_with()
    crew.tell_hold("00:05:01")
    held = crew.claim("00:05:02", run)
    crew.lift_hold()

    assert refusal(held) == "everything is held by eve: works"
    assert [type(one) for one in crew.claim("00:05:03", run)] == [RunGranted]


def test_what_is_there_again_under_another_incarnation_is_not_granted() -> None:
    crew, run = crew_with()
    other = Crew()
    other.ask("00:00:30", Define(work()))
    other.ask("00:00:31", Define(work()))
    del crew.schedules[NIGHTLY]

    assert refusal(crew.claim("00:05:02", run)) == "its schedule was removed"


def test_work_that_a_runner_took_is_no_longer_without_one() -> None:
    crew, _ = crew_with(work(start_within=MINUTE))
    crew.wait("00:10")
    (later,) = crew.offered()
    found = crew.claim("00:10", later.id)

    assert [type(one) for one in found] == [RunGranted, InsightResolved]


# ---------------------------------------------------------------------- declines


def test_what_is_given_back_is_offered_again_and_has_not_begun() -> None:
    crew, run = crew_with()
    crew.claim("00:05:02", run)
    (again,) = crew.decline("00:05:04", run)

    assert isinstance(again, RunOffered)
    assert (again.attempt, again.issue, again.until) == (1, 2, at("00:05:14"))
    assert again.why == "runner node-1 gave it back: late"
    known = crew.run(run)
    assert (known.phase, known.started_at, known.runner) == (RunPhase.OFFERED, None, None)
    assert known.start_until == at("01:05")


def test_a_further_attempt_that_is_given_back_leaves_the_first_begun() -> None:
    crew, run = crew_with(work("5 0 * * *", retry=Retry(1, SECOND)))
    crew.done("00:05:02", run, ReportStatus.FAILED)
    crew.wait("00:05:03")
    crew.claim("00:05:04", run)
    crew.decline("00:05:05", run)

    known = crew.run(run)
    assert (known.phase, known.attempt, known.issue) == (RunPhase.OFFERED, 2, 2)
    assert known.started_at == at("00:05:02")


@pytest.mark.parametrize(
    ("runner", "boot", "issue", "why"),
    [
        ("node-2", 1, 1, "runner node-2 does not have attempt 1 by that offer"),
        (R1, 2, 1, "runner node-1 does not have attempt 1 by that offer"),
        (R1, 1, 2, "runner node-1 does not have attempt 1 by that offer"),
    ],
)
def test_nobody_gives_back_what_he_does_not_have(
    runner: str, boot: int, issue: int, why: str
) -> None:
    crew, run = crew_with()
    crew.claim("00:05:02", run)
    before = crew.run(run)

    assert refusal(crew.decline("00:05:03", run, runner, boot, issue)) == why
    assert crew.run(run) == before


def test_what_is_offered_over_or_unknown_is_not_given_back() -> None:
    crew, run = crew_with()
    offered = crew.decline("00:05:02", run)
    unknown = crew.ask("00:05:02", DeclineRun("jr_nothing", 1, 1, R1, 1, ""), None)
    crew.claim("00:05:03", run)
    crew.beat("00:05:04", boot=2)
    former = crew.decline("00:05:05", run, issue=1)

    assert refusal(offered) == "runner node-1 does not have attempt 1 by that offer"
    assert refusal(unknown) == "there is no run jr_nothing of this subject"
    assert refusal(former) == "runner node-1 has begun a later life"


def test_one_that_leaves_may_give_back_what_it_has_not_begun() -> None:
    crew, run = crew_with()
    crew.claim("00:05:02", run)
    crew.beat("00:05:03", run, leaving=True)

    assert [type(one) for one in crew.decline("00:05:04", run)] == [RunOffered]


@pytest.mark.parametrize(
    ("mode", "status"), [(OverlapMode.REPLACE, "replaced"), (OverlapMode.SKIP, "cancelled")]
)
def test_what_was_to_stop_and_is_given_back_is_over(mode: OverlapMode, status: str) -> None:
    crew, run = crew_with(work(overlap=Overlap(mode)))
    crew.claim("00:05:02", run)
    if mode is OverlapMode.REPLACE:
        crew.look("00:10")
    else:
        crew.ask("00:10", CancelRun(run), None)
    assert crew.run(run).phase is RunPhase.CANCELLING
    found = crew.decline("00:10:01", run)

    assert ends(found) == [("shop", status)]
    assert len(crew.offered()) == (mode is OverlapMode.REPLACE)


def test_what_is_given_back_after_its_schedule_went_is_over() -> None:
    crew, run = crew_with()
    crew.claim("00:05:02", run)
    crew.ask("00:05:03", Remove())
    (end,) = crew.decline("00:05:04", run)

    assert isinstance(end, RunEnded)
    assert (end.status, end.detail) == (RunStatus.CANCELLED, "its schedule was removed")
