"""What a person stopped stays so, what a schedule stopped is woken, and what starts is left."""

from __future__ import annotations

import pytest

from schemas.actions import Verb
from schemas.commands import Define, ReportStatus, Trigger
from schemas.deployments import DeploymentState
from schemas.events import (
    CommandRefused,
    Deferred,
    DeploymentStateNoted,
    Fired,
    Reason,
    RunEnded,
    RunGranted,
    RunRetries,
    Skipped,
)
from schemas.policies import Retry
from schemas.run_events import RunStatus
from schemas.snapshot import RunPhase, Standing
from tests.decider.deployed import (
    ASLEEP,
    RUNNING,
    SLEEP,
    START,
    STARTING,
    STOP,
    STOPPED,
    WAKE,
    Place,
    act,
    only,
    place,
)
from tests.decider.stage import at

AT_SIX = "2026-06-01T06:00:00Z"


@pytest.mark.case("DP-028")
@pytest.mark.parametrize("verb", [Verb.WAKE, Verb.START])
def test_what_a_person_stopped_is_not_started(verb: Verb) -> None:
    found = place(verb)
    found.note("06:00", STOPPED, "user:42")
    (skip,) = found.wait("07:00")

    assert isinstance(skip, Skipped)
    assert (skip.first, skip.reason) == (at("07:00"), Reason.NOT_STOPPED_BY_SCHEDULE)
    assert skip.evidence == f"stopped by user:42, noted {AT_SIX}"


@pytest.mark.case("DP-029")
def test_what_a_schedule_stopped_is_started_by_another_one() -> None:
    found = place(Verb.STOP, Verb.WAKE)
    found.live("21:40", "22:00")
    found.acts("22:00:01", found.the_offered(STOP).id)
    assert found.known.notes.standing == Standing(
        *(STOPPED, f"schedule:{STOP}", at("22:00:01"), f"schedule:{STOP}")
    )
    (fire,) = found.wait("06-02T07:00")

    assert isinstance(fire, Fired)
    assert fire.schedule == WAKE


@pytest.mark.case("DP-031")
@pytest.mark.parametrize(
    ("actor", "words"),
    [
        ("service:unknown", "stopped nobody knows by whom"),
        ("service:deployer", "stopped by service:deployer"),
    ],
)
def test_who_is_no_schedule_did_not_stop_it_to_be_woken(actor: str, words: str) -> None:
    found = place(Verb.WAKE)
    found.note("06:00", STOPPED, actor)
    (skip,) = found.wait("07:00")

    assert isinstance(skip, Skipped)
    assert skip.reason is Reason.NOT_STOPPED_BY_SCHEDULE
    assert skip.evidence == f"{words}, noted {AT_SIX}"


def test_whoever_says_it_did_it_if_nobody_else_is_named() -> None:
    found = place()
    (noted,) = found.note("06:00", STOPPED, detail="for a new version")

    assert noted == DeploymentStateNoted("shop/", STOPPED, "user:ann", None, "for a new version")
    assert found.known.notes.standing == Standing(STOPPED, "user:ann", at("06:00"), "user:ann")


def test_of_one_that_was_stopped_once_and_runs_again_nobody_asks_who_did_it() -> None:
    found = place(Verb.WAKE)
    found.note("05:00", STOPPED, "user:42")
    found.note("06:00", ASLEEP, "user:42")

    assert isinstance(found.wait("07:00")[0], Fired)


class TestTheSameStateAgain:
    """What is known is no news, unless a person says that it was by them."""

    def test_is_unchanged_by_whoever_is_no_person(self) -> None:
        found = place()
        found.note("05:00", STOPPED, "user:42")

        for actor in ("service:deployer", "user:42", "service:unknown", f"schedule:{STOP}"):
            (event,) = found.note("06:00", STOPPED, actor)
            assert type(event).__name__ == "CommandUnchanged"
        standing = found.known.notes.standing
        assert standing is not None
        assert standing.stopped_by == "user:42"

    def test_is_by_a_person_from_then_on(self) -> None:
        found = place(Verb.WAKE)
        found.note("05:00", STOPPED, f"schedule:{STOP}")
        (noted,) = found.note("06:00", STOPPED, "user:42")
        assert isinstance(noted, DeploymentStateNoted)
        (skip,) = found.wait("07:00")

        assert isinstance(skip, Skipped)
        assert skip.reason is Reason.NOT_STOPPED_BY_SCHEDULE

    def test_of_which_nothing_was_ever_said_is_unknown(self) -> None:
        found = place(state=None)
        (event,) = found.note("06:00", DeploymentState.UNKNOWN, "service:deployer")

        assert type(event).__name__ == "CommandUnchanged"


class TestWhatIsBeingStarted:
    """Somebody is at it."""

    def test_is_there_already_for_a_wake(self) -> None:
        found = place(Verb.WAKE)
        found.note("06:59", STARTING, "user:42")
        (skip,) = found.wait("07:00")

        assert isinstance(skip, Skipped)
        assert skip.reason is Reason.ALREADY_THERE
        assert skip.evidence == "it is starting; started by user:42, noted 2026-06-01T06:59:00Z"

    @pytest.mark.case("DP-037")
    @pytest.mark.parametrize("gated", [True, False])
    def test_is_not_put_to_sleep_before_that_is_over(self, gated: bool) -> None:
        found = Place()
        found.register("00:00")
        definition = act(Verb.SLEEP) if gated else act(Verb.SLEEP, gate=None)
        found.ask("00:01", Define(definition), SLEEP)
        found.note("21:55", STARTING, "user:42")
        events = [event for _, event in found.live("21:40", "22:05")]
        assert {type(one) for one in events} == {Deferred}
        assert len(events) == 6
        assert {(one.reason, one.evidence) for one in only(events, Deferred)} == {
            (Reason.BUSY, "somebody is starting it")
        }
        found.note("22:05:10", RUNNING, "user:42")
        ((when, fire),) = found.live("22:05:15", "22:06")

        assert isinstance(fire, Fired)
        assert when == at("22:06")

    @pytest.mark.case("DP-037")
    def test_is_given_up_after_an_hour(self) -> None:
        found = place(Verb.STOP, state=STARTING)
        events = found.live("21:40", "23:00")
        when, skip = events[-1]

        assert isinstance(skip, Skipped)
        assert (when, skip.reason) == (at("23:00"), Reason.DEFERRAL_EXPIRED)
        assert skip.evidence == "somebody is starting it"


class TestByHand:
    """Whoever fires a schedule by hand asks for no gate, but for the state."""

    def test_what_a_person_stopped_is_not_woken(self) -> None:
        found = place(Verb.WAKE)
        found.note("06:00", STOPPED, "user:42")
        (refused,) = found.ask("06:10", Trigger(), WAKE)

        assert isinstance(refused, CommandRefused)
        assert (refused.field, refused.message) == (
            *("deployment",),
            f"stopped by user:42, noted {AT_SIX}",
        )

    def test_what_is_being_started_is_not_put_to_sleep(self) -> None:
        found = place(Verb.SLEEP, state=STARTING)
        (refused,) = found.ask("06:10", Trigger(), SLEEP)

        assert isinstance(refused, CommandRefused)
        assert (refused.field, refused.message) == ("deployment", "somebody is starting it")


class TestWhileItWaits:
    """It is asked again when its turn comes, whoever waited and for whatever."""

    def waiting_wake(self) -> tuple[Place, str, str]:
        """A start goes on, and a wake waits behind it."""
        found = place(state=ASLEEP)
        found.ask("00:01", Define(act(Verb.START)), START)
        found.ask("00:01", Define(act(Verb.WAKE)), WAKE)
        found.wait("07:00")
        (waiting,) = found.waiting()
        (first,) = found.offered()
        found.claim("07:00", first.id)
        assert (waiting.schedule, first.schedule) == (START, WAKE)
        return found, first.id, waiting.id

    def test_a_wake_that_waited_is_not_begun_when_a_person_stopped_it_meanwhile(self) -> None:
        found, first, waiting = self.waiting_wake()
        found.note("07:01", STOPPED, "user:42")
        *_, end = found.says("07:02", first, ReportStatus.FAILED)

        assert isinstance(end, RunEnded)
        assert (end.run, end.status, end.reason) == (
            *(waiting, RunStatus.DROPPED, Reason.NOT_STOPPED_BY_SCHEDULE),
        )

    def test_a_claim_is_denied_when_a_person_stopped_it_meanwhile(self) -> None:
        found = place(Verb.WAKE, state=ASLEEP)
        found.wait("07:00")
        run = found.the_offered(WAKE)
        found.note("07:00:01", STOPPED, "user:42")
        refused, end = found.claim("07:00:02", run.id)

        assert isinstance(refused, CommandRefused)
        assert isinstance(end, RunEnded)
        assert (end.run, end.status, end.reason) == (
            *(run.id, RunStatus.DROPPED, Reason.NOT_STOPPED_BY_SCHEDULE),
        )

    def test_it_is_not_offered_again_when_a_person_stopped_it_meanwhile(self) -> None:
        found = place(Verb.WAKE, state=ASLEEP)
        found.wait("07:00")
        found.note("07:00:01", STOPPED, "user:42")
        (end,) = found.wait("07:10")

        assert isinstance(end, RunEnded)
        assert end.reason is Reason.NOT_STOPPED_BY_SCHEDULE

    def test_a_further_attempt_ends_as_it_is(self) -> None:
        found = place(Verb.WAKE, state=ASLEEP, retry=Retry(1), hold_on_failure=False)
        found.wait("07:00")
        run = found.the_offered(WAKE)
        (_, again) = found.acts("07:00:01", run.id, ReportStatus.FAILED)
        assert isinstance(again, RunRetries)
        found.note("07:00:02", STOPPED, "user:42")
        (end,) = found.wait("07:05")

        assert isinstance(end, RunEnded)
        assert (end.status, end.attempt) == (RunStatus.NOT_STOPPED_BY_SCHEDULE, 1)
        assert found.run(run.id).phase is RunPhase.ENDED

    def test_a_person_who_stops_it_while_a_sleep_goes_on_has_the_last_word(self) -> None:
        found = place(Verb.SLEEP)
        found.live("21:40", "22:00")
        run = found.the_offered(SLEEP)
        assert isinstance(found.claim("22:00:01", run.id)[0], RunGranted)
        found.note("22:00:02", STOPPED, "user:42")
        (end,) = found.says("22:00:03", run.id)

        assert isinstance(end, RunEnded)
        assert found.known.notes.standing == Standing(
            *(STOPPED, "user:42", at("22:00:02"), "user:42")
        )
