"""A subject goes with all that is its; each schedule ends as if it had been removed alone."""

from __future__ import annotations

import pytest

from schemas.commands import (
    Define,
    HoldSubject,
    RemoveSubject,
    ReportActivity,
    ReportStatus,
)
from schemas.events import (
    CommandRefused,
    Reason,
    RunCancelling,
    RunEnded,
    RunStarted,
    ScheduleRemoved,
    SubjectRemoved,
)
from schemas.policies import Overlap, OverlapMode
from tests.decider.house import House, outcomes, tracked
from tests.decider.stage import at, rule

HOURLY = rule("0 * * * *")


def test_removing_a_subject_removes_its_schedules_in_the_order_of_their_ids() -> None:
    held = House()
    for name in ("shop/b", "shop/a"):
        held.ask("10:30", Define(HOURLY), name)
    held.ask("10:40", HoldSubject("moves"), None)
    events = held.ask("10:50", RemoveSubject("sold"), None)

    assert events == [
        ScheduleRemoved("shop/a", 3, 1),
        ScheduleRemoved("shop/b", 3, 0),
        SubjectRemoved("shop/", "sold"),
    ]
    assert held.schedules == {}
    assert held.known.notes.hold is None


def test_what_was_due_before_a_removal_is_settled() -> None:
    held = House()
    held.ask("10:30", Define(HOURLY))
    events = held.ask("11:00:30", RemoveSubject(), None)

    assert outcomes(events) == [(at("11:00"), "started")]
    assert [type(event) for event in events[1:]] == [ScheduleRemoved, SubjectRemoved]


@pytest.mark.parametrize("cancel", [False, True])
def test_what_waits_is_withdrawn_and_what_goes_on_is_asked_to_stop_if_wanted(cancel: bool) -> None:
    held = House()
    queue = tracked("*/10 * * * *", overlap=Overlap(OverlapMode.QUEUE))
    held.ask("10:05", Define(queue))
    held.wait("10:20")
    [going], [waiting] = held.going(), held.waiting()
    events = held.ask("10:21", RemoveSubject("sold", cancel=cancel), None)

    ended = [event for event in events if isinstance(event, RunEnded)]
    assert [(one.run, one.reason) for one in ended] == [(waiting.id, Reason.WITHDRAWN)]
    asked = [event.run for event in events if isinstance(event, RunCancelling)]
    assert asked == ([going.id] if cancel else [])
    assert isinstance(events[-1], SubjectRemoved)
    status = ReportStatus.CANCELLED if cancel else ReportStatus.SUCCESS
    assert [type(event) for event in held.report("10:25", going.id, status)] == [RunEnded]


def test_no_waiting_run_begins_between_two_removals_of_its_subject() -> None:
    held = House()
    once_at_a_time = Overlap(OverlapMode.QUEUE)
    for name in ("shop/a", "shop/b"):
        every_ten = tracked("*/10 * * * *", overlap=once_at_a_time)
        held.ask("10:05", Define(every_ten), name)
    held.caps(concurrent=1)
    held.wait("10:10")
    events = held.ask("10:11", RemoveSubject(), None)

    assert not [event for event in events if isinstance(event, RunStarted)]


def test_a_subject_of_which_nothing_is_known_cannot_be_removed() -> None:
    refusal = CommandRefused("shop/", "remove", "subject", "there is no subject shop", None)

    assert House().ask("10:00", RemoveSubject(), None) == [refusal]


def test_a_subject_without_schedules_can_be_removed_with_what_is_known_of_it() -> None:
    seen = House()
    seen.ask("10:00", ReportActivity(1, 0, at("10:00")), None)

    assert seen.ask("10:01", RemoveSubject(), None) == [SubjectRemoved("shop/", "")]
    assert seen.known.notes.activity is None


def test_what_the_removal_itself_still_starts_is_asked_to_stop_too() -> None:
    """Due within the grace when the subject is removed: it starts, and is asked to stop."""
    held = House()
    held.ask("10:30", Define(tracked("0 * * * *")))
    events = held.ask("11:00:30", RemoveSubject("sold", cancel=True), None)

    assert outcomes(events) == [(at("11:00"), "started")]
    [asked] = [event for event in events if isinstance(event, RunCancelling)]
    assert [run.id for run in held.going()] == [asked.run]
