"""What is due is offered to runners until one has it, or until it is too late."""

from __future__ import annotations

from dataclasses import replace

from schemas.commands import (
    Define,
    HoldSubject,
    Remove,
    RemoveTarget,
    ReportActivity,
    ReportStatus,
    Trigger,
)
from schemas.definition import Emit
from schemas.events import (
    Fired,
    RunCancelling,
    RunEnded,
    RunOffered,
    RunRetries,
    ScheduleEvent,
    Skipped,
)
from schemas.policies import Across, Gate, Manual, Overlap, OverlapMode, Retry, Scope
from schemas.run_events import RunStatus
from schemas.snapshot import RunPhase
from streams.decider.pools import offered_for
from streams.decider.state import Target
from tests.decider.crew import Crew, crew_with, ends, refusal, work
from tests.decider.house import STARTED, TRACKED, outcomes
from tests.decider.stage import HOUR, MINUTE, NIGHTLY, SECOND, at


def kinds(events: list[ScheduleEvent]) -> list[str]:
    return [type(one).__name__ for one in events]


def test_an_offer_lasts_longer_each_time_up_to_a_minute() -> None:
    assert [offered_for(issue) // SECOND for issue in range(1, 9)] == [5, 10, 20, 40, *[60] * 4]
    assert offered_for(10_000) == MINUTE


def test_it_is_offered_until_its_start_deadline_and_then_expires() -> None:
    crew, run = crew_with(work("5 0 * * *", start_within=2 * MINUTE))
    found = crew.wait("00:10")

    assert kinds(found) == ["RunOffered"] * 4 + ["RunEnded", "InsightRaised"]
    offers = [one.issue for one in found if isinstance(one, RunOffered)]
    end = found[-2]
    assert offers == [2, 3, 4, 5]
    assert isinstance(end, RunEnded)
    assert (end.status, end.started_at, crew.now) == (RunStatus.EXPIRED, None, at("00:07"))
    assert crew.run(run).phase is RunPhase.ENDED


def test_what_was_not_heard_of_at_the_deadline_does_not_expire_before_it_is() -> None:
    """The offer ran out before the last whole second, the deadline after it: so far it is heard."""
    crew, run = crew_with(work("5 0 * * *", start_within=5_900_000))
    first = crew.ring_subject(at("00:05:05") + 950_000)
    crew.ring_subject("00:05:16")

    assert kinds(first) == ["RunOffered"]
    assert crew.run(run).status is RunStatus.EXPIRED


def test_what_is_offered_is_in_the_way_and_counts_as_going_on() -> None:
    crew, run = crew_with()
    (skipped,) = crew.wait("00:10")[-1:]

    assert isinstance(skipped, Skipped)
    assert skipped.evidence == f"run {run} is offered to the runners"


def test_a_slow_one_and_five_short_ones_are_all_offered_in_the_same_tick() -> None:
    """AJ-066: runs go in the background, and nobody waits for another schedule's work."""
    crew = Crew()
    for name in ("slow", *"abcde"):
        crew.ask("00:01", Define(work("5 0 * * *", start_within=HOUR)), f"shop/{name}")
    crew.look("00:05")

    assert {one.schedule for one in crew.offered()} == set(crew.ids())
    assert {one.since for one in crew.offered()} == {at("00:05")}


def test_targets_that_are_offered_make_room_for_each_other_at_once() -> None:
    """Across a subject, the second target of one fire replaces the first, which nobody has yet."""
    crew = Crew()
    scopes = (Scope("rack-a"), Scope("rack-b"))
    overlap = Overlap(OverlapMode.REPLACE, across=Across.SUBJECT)
    crew.ask("00:01", Define(work("5 0 * * *", scopes=scopes, overlap=overlap)))
    found = crew.look("00:05")

    assert ends(found) == [("rack-a", "dropped")]
    assert [one.scope for one in crew.offered()] == ["rack-b"]
    assert not any(isinstance(one, RunCancelling) for one in found)


def test_a_hold_over_actions_puts_off_what_is_offered_and_its_offers_count_on() -> None:
    gate = Gate(quiet=SECOND, fresh=HOUR, max_wait=HOUR)
    crew = Crew()
    crew.ask("00:04", Define(work("5 0 * * *", gate=gate)))
    crew.ask("00:04", ReportActivity(0, 0, at("00:04")), None)
    crew.wait("00:05")
    (run,) = crew.offered()
    crew.ask("00:05:01", HoldSubject("works", at("00:20"), actions_only=True), None)
    refused = crew.claim("00:05:02", run.id)
    (put_off,) = crew.ring_subject("00:05:05")
    found = crew.wait("00:20")

    assert refusal(refused) == "the actions of shop are held by user:ann: works"
    assert isinstance(put_off, RunRetries)
    assert put_off.again_at == at("00:20")
    assert kinds(found) == ["SubjectReleased", "RunStarted"]
    (again,) = crew.offered()
    assert (again.id, again.attempt, again.issue) == (run.id, 1, 2)
    assert again.start_until == run.start_until


def test_an_edit_to_an_emit_begins_it_as_one() -> None:
    crew, run = crew_with(work("5 0 * * *"))
    crew.ask("00:05:01", Define(work("5 0 * * *", start_within=MINUTE)))
    crew.ask("00:05:02", Define(replace(work("5 0 * * *"), action=TRACKED)))
    found = crew.wait("00:05:05")

    assert kinds(found) == ["RunStarted"]
    known = crew.run(run)
    assert (known.phase, known.issue, known.runner) == (RunPhase.STARTED, 1, None)
    assert known.lease_until == at("01:05:05")


def test_an_edit_to_work_that_nobody_reports_about_ends_it() -> None:
    crew, run = crew_with(work("5 0 * * *"))
    crew.ask("00:05:02", Define(replace(work("5 0 * * *"), action=Emit("jobs"))))
    found = crew.wait("00:05:05")

    assert kinds(found) == ["RunStarted", "RunEnded"]
    assert crew.run(run).status is RunStatus.SUCCESS


def test_another_attempt_that_is_offered_goes_with_its_schedule_as_it_ended_before() -> None:
    crew, run = crew_with(work("5 0 * * *", retry=Retry(2, SECOND)))
    crew.done("00:05", run, ReportStatus.FAILED)
    crew.wait("00:05:01")
    found = crew.ask("00:05:02", Remove())

    assert crew.run(run).status is RunStatus.FAILED
    assert ends(found) == [("shop", "failed")]


def test_a_target_that_is_gone_is_not_offered_any_longer() -> None:
    crew = Crew()
    scopes = (Scope("rack-a"), Scope("rack-b"))
    crew.ask("00:01", Define(work("5 0 * * *", scopes=scopes)))
    crew.wait("00:05")
    found = crew.ask("00:05:01", RemoveTarget("rack-a"), None)

    assert ends(found) == [("rack-a", "dropped")]
    assert [one.scope for one in crew.offered()] == ["rack-b"]


def test_the_newer_word_of_a_subject_closes_what_is_offered() -> None:
    overlap = Overlap(OverlapMode.QUEUE, across=Across.SUBJECT, supersedes=True)
    crew = Crew()
    crew.ask("00:01", Define(work("5 0 * * *", overlap=overlap)), "shop/sleep")
    crew.ask("00:01", Define(work("6 0 * * *", overlap=overlap)), "shop/wake")
    crew.wait("00:05")
    found = crew.look("00:06")

    assert [(one.schedule, one.reason) for one in found if isinstance(one, RunEnded)] == [
        ("shop/sleep", "superseded")
    ]
    assert [one.schedule for one in crew.offered()] == ["shop/wake"]


def test_a_pool_without_a_topic_puts_a_further_attempt_off() -> None:
    crew, run = crew_with(work("5 0 * * *"))
    words = "topic 'horae.orders.default' does not exist"
    crew.world = replace(crew.world, targets={"horae.orders.default": Target(fault=words)})
    (put_off,) = crew.ring_subject("00:05:05")

    assert isinstance(put_off, RunRetries)
    assert (put_off.status, put_off.attempt, put_off.result) == (RunStatus.UNAVAILABLE, 0, None)
    assert put_off.detail == words
    assert crew.run(run).issue == 1
    (refused,) = crew.ask("00:05:06", Define(work("7 0 * * *")), "shop/b")
    assert type(refused).__name__ == "ScheduleDefined", "it may be there by then"


def test_a_trigger_whose_pool_is_not_there_submits_nothing() -> None:
    """IT-080: the error reaches the caller."""
    crew = Crew()
    crew.ask("00:01", Define(work("5 0 * * *")))
    words = "topic 'horae.orders.default' may not be written to"
    crew.world = replace(crew.world, targets={"horae.orders.default": Target(fault=words)})
    (refused,) = crew.ask("00:02", Trigger())

    assert (refused.field, refused.message) == ("pool", words)  # type: ignore[union-attr]
    assert crew.offered() == []


def test_a_hand_that_may_ignore_overlap_does() -> None:
    """IT-078: another one is offered for the same target while the first goes on."""
    crew, run = crew_with(work("5 0 * * *", manual=Manual.IGNORE))
    crew.claim("00:05", run)
    (fired,) = crew.ask("00:05:01", Trigger())

    assert isinstance(fired, Fired)
    assert outcomes([fired]) == [(at("00:05:01"), STARTED)]
    assert len(crew.offered()) == 1


def test_a_schedule_goes_and_what_runs_goes_on() -> None:
    """IT-081: one of two targets runs; an id that nobody knows is an error."""
    crew = Crew()
    scopes = (Scope("rack-a"), Scope("rack-b"))
    crew.ask("00:01", Define(work("5 0 * * *", scopes=scopes)))
    crew.wait("00:05")
    (first, _) = crew.offered()
    crew.claim("00:05", first.id)
    found = crew.ask("00:05:01", Remove())

    assert ends(found) == [("rack-b", "dropped")]
    assert crew.schedules == {}
    assert [one.id for one in crew.going()] == [first.id]
    (refused,) = crew.ask("00:05:02", Remove())
    assert refused.message == f"there is no schedule {NIGHTLY}"  # type: ignore[union-attr]


def test_nobody_offers_anything_while_the_subject_is_held() -> None:
    crew, _ = crew_with(work("5 0 * * *"))
    crew.ask("00:05:01", HoldSubject("works"), None)

    assert crew.wait("00:30") == []
    assert crew.ring_subject("00:30") == []
