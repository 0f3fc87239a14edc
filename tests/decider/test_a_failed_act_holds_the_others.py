"""A failed sleep or wake holds both until somebody has looked, and nothing else does."""

from __future__ import annotations

import pytest

from schemas.actions import Verb
from schemas.commands import (
    Define,
    HoldSubject,
    ReleaseSubject,
    ReportStatus,
    Trigger,
)
from schemas.events import (
    CommandRefused,
    Fired,
    InsightRaised,
    InsightResolved,
    Reason,
    RunEnded,
    RunRetries,
    SchedulePaused,
    Skipped,
    SubjectHeld,
)
from schemas.policies import Overlap, OverlapMode
from schemas.subject_events import InsightKind
from streams.decider.resting import hold_over
from tests.decider.deployed import (
    ASLEEP,
    DOWN,
    NAMES,
    RUNNING,
    SLEEP,
    START,
    STOP,
    WAKE,
    Place,
    act,
    acted,
    only,
    place,
)
from tests.decider.stage import at

S = ReportStatus
HOLDS = [S.FAILED, S.TIMEOUT, S.UNAVAILABLE, S.INTERRUPTED]


@pytest.mark.case("DP-026")
@pytest.mark.parametrize("status", HOLDS)
@pytest.mark.parametrize("verb", [Verb.SLEEP, Verb.WAKE])
def test_a_failed_sleep_or_wake_holds_both(verb: Verb, status: ReportStatus) -> None:
    found, events = acted(verb, status, ASLEEP if verb is Verb.WAKE else RUNNING, "node 3 is gone")
    end, held, raised = events
    assert isinstance(end, RunEnded)
    why = f"run {end.run} of {NAMES[verb]} ended {status.value}: node 3 is gone"

    assert held == SubjectHeld("shop/", why, found.now, None, actions_only=True)
    assert raised == InsightRaised("shop/", InsightKind.HELD, NAMES[verb], why)
    found.ask(found.now, _define(Verb.SLEEP), SLEEP)
    found.ask(found.now, _define(Verb.WAKE), WAKE)
    found.ask(found.now, _define(Verb.STOP), STOP)
    held_now = {name for name, one in found.schedules.items() if hold_over(one.plan, found.known)}
    assert held_now == {SLEEP, WAKE}
    (refused,) = found.ask(found.now, Trigger(), WAKE)
    assert isinstance(refused, CommandRefused)


@pytest.mark.case("DP-027")
@pytest.mark.parametrize(
    ("verb", "status"),
    {
        "a stop fails": (Verb.STOP, S.FAILED),
        "a start fails": (Verb.START, S.FAILED),
        "there is no room for a wake": (Verb.WAKE, S.DOES_NOT_FIT),
        "a sleep is there already": (Verb.SLEEP, S.ALREADY_THERE),
        "a wake is not to happen": (Verb.WAKE, S.NOT_STOPPED_BY_SCHEDULE),
        "a sleep is cancelled": (Verb.SLEEP, S.CANCELLED),
        "a sleep finds it busy": (Verb.SLEEP, S.BUSY),
    }.values(),
)
def test_what_is_no_failed_sleep_or_wake_holds_nothing(verb: Verb, status: ReportStatus) -> None:
    found, events = acted(verb, status, RUNNING if verb in DOWN else ASLEEP)

    assert only(events, SubjectHeld) == []
    assert only(events, SchedulePaused) == []
    assert found.known.notes.actions_hold is None


@pytest.mark.case("DP-027")
def test_a_sleep_that_is_given_up_holds_nothing() -> None:
    found = place(Verb.SLEEP)
    events = [one for _, one in found.live("21:55", "23:00", busy_until="23:00")]

    assert isinstance(events[-1], Skipped)
    assert found.known.notes.actions_hold is None


class TestHeldBecauseOfAFailure:
    """Nothing of its sleep and wake starts before somebody released it."""

    def failed(self) -> Place:
        found, _ = acted(Verb.SLEEP, S.FAILED)
        found.ask(found.now, _define(Verb.WAKE), WAKE)
        found.ask(found.now, _define(Verb.START), START)
        return found

    def test_nothing_of_them_starts_and_a_start_does(self) -> None:
        found = self.failed()
        events = found.wait("06-02T12:00")

        fires = only(events, Fired)
        assert [one.schedule for one in fires] == [START]
        assert only(events, Skipped) == []

    @pytest.mark.case("DP-026")
    def test_a_release_lets_them_go_on_and_resolves_it(self) -> None:
        found = self.failed()
        released, resolved = found.ask("06-02T06:00", ReleaseSubject("looked at it"), None)

        assert resolved == InsightResolved("shop/", InsightKind.HELD, SLEEP, "looked at it")
        assert type(released).__name__ == "SubjectReleased"
        fires = only(found.wait("06-02T07:00"), Fired)
        assert [one.schedule for one in fires] == [WAKE, START]

    def test_what_was_due_meanwhile_is_late(self) -> None:
        found = self.failed()
        found.ask("06-02T08:00", ReleaseSubject(), None)
        events = found.ring("06-02T08:00")

        missed = [one for one in only(events, Skipped) if one.schedule == WAKE]
        assert [str(one.reason) for one in missed] == ["missed"]

    def test_a_hold_that_was_to_end_by_itself_does_not(self) -> None:
        found = place(Verb.SLEEP)
        found.live("21:40", "22:00")
        run = found.the_offered(SLEEP).id
        found.claim("22:00:01", run)
        until = at("23:00")
        found.ask("22:00:02", HoldSubject("lunch", until, actions_only=True), None)
        events = found.says("22:00:03", run, S.FAILED)

        (held,) = only(events, SubjectHeld)
        assert (held.since, held.until) == (at("22:00:02"), None)

    def test_a_hold_of_somebodys_stays_as_it_is(self) -> None:
        found = place(Verb.SLEEP)
        found.live("21:40", "22:00")
        run = found.the_offered(SLEEP).id
        found.claim("22:00:01", run)
        found.ask("22:00:02", HoldSubject("works", actions_only=True), None)
        events = found.says("22:00:03", run, S.FAILED)

        assert only(events, SubjectHeld) == []
        assert [one.kind for one in only(events, InsightRaised)] == [InsightKind.HELD]

    def test_a_definition_may_say_that_it_holds_nothing(self) -> None:
        found = place(Verb.SLEEP, hold_on_failure=False)
        found.live("21:40", "22:00")
        events = found.acts("22:00:01", found.the_offered(SLEEP).id, S.FAILED)

        assert only(events, SubjectHeld) == []

    def test_what_waited_behind_it_is_held_too(self) -> None:
        found = place(Verb.SLEEP)
        found.ask("00:01", _define(Verb.WAKE, "0 22 * * *"), WAKE)
        found.live("21:40", "22:00")
        run = found.the_offered(SLEEP).id
        (waits,) = found.waiting()
        found.claim("22:00:01", run)
        events = found.says("22:00:03", run, S.FAILED)

        assert waits.schedule == WAKE
        assert [one.id for one in found.waiting()] == [waits.id]
        assert len(only(events, SubjectHeld)) == 1


def _define(verb: Verb, *timings: str) -> Define:
    return Define(act(verb, *timings))


def test_what_is_given_back_under_the_hold_is_not_offered_again() -> None:
    """A wake that somebody was granted, who gives it back after another one failed."""
    found = place(state=ASLEEP)
    beside = Overlap(OverlapMode.ALLOW)
    for name in (WAKE, SLEEP):
        found.ask("00:01", Define(act(Verb.WAKE, overlap=beside)), name)
    found.wait("07:00")
    failing, other = (found.the_offered(name).id for name in (WAKE, SLEEP))
    for run in (failing, other):
        found.claim("07:00:01", run)
    found.says("07:00:02", failing, S.FAILED)
    (put_off,) = found.decline("07:00:03", other)

    assert isinstance(put_off, RunRetries)
    assert found.offered() == []


def test_what_falls_due_with_the_failure_that_pauses_its_schedule_does_not_fire() -> None:
    """The hold is there already: a pause that settles what is due settles it as held."""
    found = place(Verb.WAKE, state=ASLEEP)
    found.ask("00:02", Define(act(Verb.WAKE, "0,1 7 * * *", pause_on_failure=1)), WAKE)
    found.wait("07:00")
    run = found.the_offered(WAKE).id
    found.claim("07:00:01", run)
    events = found.says("07:01", run, S.FAILED)

    assert only(events, Fired) == []
    (skip,) = only(events, Skipped)
    assert (skip.reason, skip.evidence) == (Reason.WITHDRAWN, "held")
    assert found.schedules[WAKE].plan.pause is not None
