"""A deployment is registered, changed and removed; what acts on none waits until there is one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.actions import Act, App, Verb
from schemas.commands import Define, DefineApp, Propose, RemoveSubject, ReportStatus, Trigger
from schemas.definition import CatchUp, offering
from schemas.deployments import Deployment, HttpDriver
from schemas.events import (
    CommandRefused,
    CommandUnchanged,
    Deferred,
    DeploymentDefined,
    Fired,
    InsightResolved,
    ProposalWithdrawn,
    Reason,
    RunEnded,
    ScheduleRemoved,
    Skipped,
    SubjectRemoved,
)
from schemas.snapshot import SubjectNotes
from streams.decider.pools import topic_of
from streams.decider.state import Target
from streams.decider.subject import NO_NOTES
from tests.decider.deployed import ASLEEP, MODEL, SLEEP, STOP, WAKE, Place, act, only, place
from tests.decider.proposed import proposal
from tests.decider.stage import HOUR, at


def test_it_is_what_was_said_last() -> None:
    found = Place()
    other = replace(MODEL, priority=90, zone="Asia/Tokyo")

    assert found.register("10:00") == [DeploymentDefined("shop/", MODEL)]
    (same,) = found.register("10:01")
    assert isinstance(same, CommandUnchanged)
    assert found.register("10:02", other) == [DeploymentDefined("shop/", other)]
    assert found.known.notes.deployment == other


def test_a_zone_that_nobody_knows_is_refused_as_in_a_definition() -> None:
    found = Place()
    (refused,) = found.register("10:00", replace(MODEL, zone="europe/berlin"))

    assert isinstance(refused, CommandRefused)
    assert (refused.command, refused.field) == ("deployment", "zone")
    assert "did you mean Europe/Berlin?" in refused.message
    assert found.known.notes == NO_NOTES


class TestWhatActsOnNoDeployment:
    """It waits like what has no topic."""

    def test_is_deferred_and_says_so(self) -> None:
        found = Place()
        found.ask("00:01", Define(act(Verb.WAKE)), WAKE)
        (put_off,) = found.wait("07:00")

        assert isinstance(put_off, Deferred)
        assert (put_off.reason, put_off.evidence) == (
            *(Reason.TARGET_UNAVAILABLE,),
            "no deployment shop is registered",
        )

    def test_goes_on_once_it_is_registered(self) -> None:
        found = Place()
        found.ask("00:01", Define(act(Verb.WAKE)), WAKE)
        found.wait("07:05")
        found.register("07:05:30")
        found.wait("07:06:30")

        (run,) = found.offered()
        assert run.due == at("07:00")

    def test_is_waited_for_as_long_as_late_ones_run(self) -> None:
        """No gate gives up what never asked for quiet."""
        found = Place()
        patient = CatchUp(lookback=24 * HOUR)
        found.ask("00:01", Define(act(Verb.WAKE, catch_up=patient)), WAKE)
        found.wait("10:00")
        found.register("10:00:30")

        assert only(found.wait("10:01:30"), Fired)

    def test_is_given_up_like_what_has_no_topic(self) -> None:
        found = Place()
        found.ask("00:01", Define(act(Verb.WAKE)), WAKE)
        skip = found.wait("07:20")[-1]

        assert isinstance(skip, Skipped)
        assert (skip.reason, skip.evidence) == (
            *(Reason.TARGET_UNAVAILABLE,),
            "no deployment shop is registered",
        )

    def test_is_refused_by_hand(self) -> None:
        found = Place()
        found.ask("00:01", Define(act(Verb.WAKE)), WAKE)
        (refused,) = found.ask("06:00", Trigger(), WAKE)

        assert isinstance(refused, CommandRefused)
        assert (refused.field, refused.message) == (
            *("deployment",),
            "no deployment shop is registered",
        )


@pytest.mark.parametrize(
    ("work", "notes", "topic"),
    {
        "its own": (Act(Verb.WAKE, pool="gpu"), SubjectNotes(deployment=MODEL), "gpu"),
        "that of the deployment": (
            Act(Verb.WAKE),
            SubjectNotes(deployment=replace(MODEL, pool="hall-3")),
            "hall-3",
        ),
        "the default one": (Act(Verb.WAKE), SubjectNotes(deployment=MODEL), "default"),
        "not that of an app": (
            Act(Verb.WAKE),
            SubjectNotes(app=App("shop:1", node="n1"), deployment=MODEL),
            "default",
        ),
    }.values(),
)
def test_the_pool_of_an_act(work: Act, notes: SubjectNotes, topic: str) -> None:
    assert topic_of(work, notes) == f"horae.orders.{topic}"
    assert offering(work).work == work


def test_without_a_topic_of_its_pool_it_waits() -> None:
    found = place(Verb.WAKE)
    found.register("00:02", Deployment(HttpDriver("http://127.0.0.1:1"), pool="gone"))
    targets = {"horae.orders.gone": Target(fault="topic 'horae.orders.gone' does not exist")}
    found.world = replace(found.world, targets=targets)
    (put_off,) = found.wait("07:00")

    assert isinstance(put_off, Deferred)
    assert put_off.evidence == "topic 'horae.orders.gone' does not exist"


@pytest.mark.case("DP-041")
def test_each_schedule_goes_first_and_then_all_that_is_known() -> None:
    """DP-041: a schedule that waits, one with an open insight, and an open proposal."""
    found = place(Verb.SLEEP, Verb.STOP)
    found.ask("00:01", Define(act(Verb.WAKE)), WAKE)
    found.ask("00:02", DefineApp(App("shop:1")), None)
    found.note("00:02", ASLEEP)
    found.wait("07:00")
    found.acts("07:00:01", found.the_offered(WAKE).id, ReportStatus.DOES_NOT_FIT)
    found.ask("12:00", Propose(proposal("p1")), None)
    events = found.ask("13:00", RemoveSubject("sold"), None)

    removed = only(events, ScheduleRemoved)
    assert [one.schedule for one in removed] == [SLEEP, STOP, WAKE]
    assert [type(one) for one in events[-2:]] == [ProposalWithdrawn, SubjectRemoved]
    assert len(only(events, InsightResolved)) == 1
    assert found.schedules == {}
    assert found.known.notes == NO_NOTES
    last_schedule = events.index(removed[-1])
    assert last_schedule < events.index(events[-2])


def test_what_is_open_about_a_schedule_that_is_gone_is_closed_with_the_subject() -> None:
    found = place(Verb.SLEEP, state=ASLEEP)
    found.ask("00:01", Define(act(Verb.WAKE)), WAKE)
    found.wait("07:00")
    run = found.the_offered(WAKE).id
    found.claim("07:00:01", run)
    found.says("07:00:02", run, ReportStatus.FAILED)
    assert found.known.notes.insights
    events = found.ask("13:00", RemoveSubject(cancel=True), None)

    assert len(only(events, InsightResolved)) == 1
    assert only(events, RunEnded) == []
    assert only(events, Fired) == []


def test_who_is_only_registered_can_be_removed() -> None:
    found = place(state=None)

    assert found.ask("13:00", RemoveSubject(), None) == [SubjectRemoved("shop/", "")]
