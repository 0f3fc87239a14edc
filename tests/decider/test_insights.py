"""What should not stay so is told once, and told again when it is over."""

from __future__ import annotations

import pytest

from schemas.commands import Define, Remove, ReportStatus, Resume, Trigger
from schemas.events import InsightRaised, InsightResolved, ScheduleEvent
from schemas.subject_events import InsightKind
from tests.decider.crew import Crew, ends, work
from tests.decider.house import tracked
from tests.decider.stage import MINUTE, NIGHTLY

FAILED, SUCCESS = ReportStatus.FAILED, ReportStatus.SUCCESS
Told = list[tuple[str, str]]


def told(events: list[ScheduleEvent]) -> Told:
    """What was raised and resolved."""
    return [
        ("raised" if isinstance(one, InsightRaised) else "resolved", str(one.kind))
        for one in events
        if isinstance(one, InsightRaised | InsightResolved)
    ]


def ending(crew: Crew, *statuses: ReportStatus) -> list[Told]:
    """One run by hand after the other, each of which ends like this."""
    found = []
    for number, status in enumerate(statuses):
        crew.ask(f"00:0{number}:10", Trigger())
        (run,) = crew.offered()
        found.append(told(crew.done(f"00:0{number}:11", run.id, status)))
    return found


def crew_of(**more: object) -> Crew:
    crew = Crew()
    crew.ask("00:00", Define(work("5 12 * * *", **more)))
    return crew


def test_three_in_a_row_that_do_not_succeed_are_told_once_until_one_does() -> None:
    """AJ-061."""
    crew = crew_of()
    said = (FAILED, ReportStatus.TIMEOUT, ReportStatus.CONTAINER_NOT_RUNNING, FAILED, SUCCESS)
    found = ending(crew, *said)

    assert found == [[], [], [("raised", "failing")], [], [("resolved", "failing")]]
    assert crew.known.notes.insights == ()
    assert crew.known.notes.failures == ()
    raised = next(one for one, _ in crew.history if isinstance(one, InsightRaised))
    assert (raised.schedule, raised.about) == ("shop/", NIGHTLY)
    assert raised.message.startswith("3 runs in a row did not succeed; the last one, jr_")
    assert raised.message.endswith(", ended container_not_running")


def test_what_somebody_chose_is_no_failure_and_no_success() -> None:
    found = ending(crew_of(), FAILED, FAILED, ReportStatus.CANCELLED, ReportStatus.DOES_NOT_FIT)

    assert found == [[]] * 4
    crew = crew_of()
    assert ending(crew, FAILED, ReportStatus.ALREADY_THERE, FAILED, FAILED)[-1] == [
        ("raised", "failing")
    ]


def test_the_schedules_own_number_counts_and_the_pause_is_told_until_it_is_resumed() -> None:
    crew = crew_of(pause_on_failure=2)
    found = ending(crew, FAILED, FAILED)
    resumed = crew.ask("00:05", Resume())

    assert found == [[], [("raised", "failing"), ("raised", "paused")]]
    assert told(resumed) == [("resolved", "paused")]
    assert [one.kind for one in crew.known.notes.insights] == [InsightKind.FAILING]


def test_a_single_one_is_told_as_one() -> None:
    crew = crew_of(pause_on_failure=1)
    ending(crew, FAILED)
    raised = next(one for one, _ in crew.history if isinstance(one, InsightRaised))

    assert raised.message.startswith("a run did not succeed; the last one, ")


def test_a_run_of_a_paused_schedule_is_told_too() -> None:
    crew = crew_of(pause_on_failure=1)
    found = ending(crew, FAILED, SUCCESS)

    assert found == [[("raised", "failing"), ("raised", "paused")], [("resolved", "failing")]]


def test_work_that_no_runner_took_is_told_until_one_takes_some() -> None:
    crew = Crew()
    crew.ask("00:01", Define(work("*/5 * * * *", start_within=MINUTE)))
    first = crew.wait("00:09")
    crew.wait("00:10")
    second = crew.wait("00:14")
    crew.wait("00:15")
    (run,) = crew.offered()
    taken = crew.claim("00:15", run.id)

    assert (ends(first), told(first)) == ([("shop", "expired")], [("raised", "no_runner")])
    assert (ends(second), told(second)) == ([("shop", "expired")], [])
    assert told(taken) == [("resolved", "no_runner")]


def test_expired_work_counts_among_what_did_not_succeed() -> None:
    crew = Crew()
    crew.ask("00:01", Define(work("*/5 * * * *", start_within=MINUTE)))
    found = crew.wait("00:19")

    assert told(found) == [("raised", "no_runner"), ("raised", "failing")]


def test_what_nobody_reports_about_any_more_is_told_for_emits_as_well() -> None:
    crew = Crew()
    crew.ask("00:01", Define(tracked("*/5 * * * *", lease=2 * MINUTE)))

    assert told(crew.wait("00:19")) == [("raised", "failing")]


@pytest.mark.parametrize("again", [False, True])
def test_with_its_schedule_an_insight_is_over(again: bool) -> None:
    crew = crew_of(pause_on_failure=1)
    ending(crew, FAILED)
    gone = crew.ask("00:05", Remove())
    if again:
        crew.ask("00:06", Define(work("5 12 * * *")))

    assert told(gone) == [("resolved", "failing"), ("resolved", "paused")]
    assert crew.known.notes.insights == ()
    assert crew.known.notes.failures == ()
