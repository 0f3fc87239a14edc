"""A runner that lists a run keeps it; one that does not, or that begins anew, loses it."""

from __future__ import annotations

import pytest

from schemas.commands import CancelRun, Define, ReportRun, ReportStatus
from schemas.events import RunEnded, RunNoted, RunStarted
from schemas.policies import Overlap, OverlapMode, Retry
from schemas.run_events import RunStatus
from schemas.snapshot import RunPhase
from tests.decider.crew import Crew, crew_with, ends, work
from tests.decider.house import tracked
from tests.decider.stage import at


@pytest.mark.parametrize(
    ("when", "renewed"), [("00:05:10", False), ("00:05:11", True), ("00:05:29", True)]
)
def test_a_beat_renews_a_lease_that_has_less_than_twenty_seconds_left(
    when: str, renewed: bool
) -> None:
    crew, run = crew_with()
    crew.claim("00:05", run)
    found = crew.beat(when, run)

    assert [type(one) for one in found] == [RunNoted] * renewed
    until = crew.run(run).lease_until
    assert until == (at(when) + 30_000_000 if renewed else at("00:05:30"))


def test_whoever_is_silent_loses_it_and_it_is_never_done_again() -> None:
    """IT-038: not lost without trace, and not submitted a second time."""
    crew, run = crew_with(work("5 0 * * *", retry=Retry(3)))
    crew.claim("00:05", run)
    found = crew.wait("00:06")

    assert ends(found) == [("shop", "interrupted")]
    assert crew.run(run).phase is RunPhase.ENDED
    assert crew.wait("02:00") == []


def test_a_beat_keeps_only_what_it_lists_and_its_life_has() -> None:
    crew = Crew()
    for name in "abc":
        crew.ask("00:01", Define(work("5 0 * * *")), f"shop/{name}")
    crew.wait("00:05")
    first, second, third = crew.offered()
    crew.claim("00:05", first.id)
    crew.claim("00:05", second.id)
    crew.claim("00:05", third.id, "node-2")
    found = crew.beat("00:05:20", first.id, third.id, "jr_nothing")

    assert [one.run for one in found if isinstance(one, RunNoted)] == [first.id]
    crew.ring_subject("00:05:31")
    assert [one.id for one in crew.going()] == [first.id]


def test_what_is_to_stop_is_kept_while_it_is_listed() -> None:
    crew, run = crew_with(work("5 0 * * *"))
    crew.claim("00:05", run)
    crew.ask("00:05:10", CancelRun(run), None)
    crew.beat("00:05:20", run)

    assert crew.wait("00:05:49") == []
    assert crew.run(run).phase is RunPhase.CANCELLING
    assert ends(crew.wait("00:05:50")) == [("shop", "interrupted")]


def test_a_later_life_interrupts_at_once_whatever_an_earlier_one_had() -> None:
    """IT-038: also what was granted and had perhaps not begun."""
    crew = Crew()
    for name in "abc":
        crew.ask("00:01", Define(work("5 0 * * *")), f"shop/{name}")
    crew.wait("00:05")
    first, second, third = crew.offered()
    crew.beat("00:05")
    crew.claim("00:05", first.id)
    crew.claim("00:05", second.id, "node-2")
    found = crew.beat("00:05:01", boot=2)

    assert [(one.run, one.status) for one in found if isinstance(one, RunEnded)] == [
        (first.id, RunStatus.INTERRUPTED)
    ]
    assert [one.id for one in crew.going()] == [second.id]
    assert [one.id for one in crew.offered()] == [third.id]


def test_a_beat_of_a_former_life_is_ignored() -> None:
    crew, run = crew_with()
    crew.beat("00:05", boot=2)
    crew.claim("00:05", run, boot=2)

    assert crew.beat("00:05:20", run, boot=1) == []
    assert crew.run(run).lease_until == at("00:05:30")
    assert crew.runners["node-1"].boot == 2


def test_who_waited_behind_it_begins_when_its_runner_begins_anew() -> None:
    crew, run = crew_with(work(overlap=Overlap(OverlapMode.REPLACE)))
    crew.claim("00:05", run)
    crew.look("00:10")
    found = crew.beat("00:10:01", boot=2)

    assert ends(found) == [("shop", "interrupted")]
    assert isinstance(found[-1], RunStarted)


def test_only_whoever_has_it_is_heard_about_it() -> None:
    crew, run = crew_with()
    early = crew.says("00:05:01", run)
    crew.claim("00:05:02", run)
    stranger = crew.report("00:05:03", run, ReportStatus.FAILED)
    crew.ask("00:05:04", CancelRun(run), None)
    again = crew.report("00:05:05", run, ReportStatus.CANCELLED)

    notes = [one.ignored for one in (*early, *stranger, *again) if isinstance(one, RunNoted)]
    assert notes == ["no runner has attempt 1", *["runner node-1 has it"] * 2]
    assert ends(crew.says("00:05:06", run)) == [("shop", "success")]


def test_a_runner_is_not_heard_about_what_no_runner_has() -> None:
    crew = Crew()
    crew.ask("00:01", Define(tracked("5 0 * * *")))
    crew.wait("00:05")
    (run,) = crew.going()
    said = ReportRun(run.id, ReportStatus.SUCCESS, runner="node-1", boot=1)
    (noted,) = crew.ask("00:05:01", said, None)

    assert isinstance(noted, RunNoted)
    assert noted.ignored == "nobody has it"


def test_a_report_that_it_goes_on_renews_the_lease_of_a_runner() -> None:
    crew, run = crew_with()
    crew.claim("00:05", run)
    crew.says("00:05:03", run, ReportStatus.RUNNING)

    assert crew.run(run).lease_until == at("00:05:33")
