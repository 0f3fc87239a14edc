"""What is due at the same time for one deployment goes one after the other, always the same way."""

from __future__ import annotations

import pytest

from schemas.actions import Verb
from schemas.commands import Backfill, Define
from schemas.deployments import DeploymentState
from schemas.events import (
    BackfillProgressed,
    CommandRefused,
    Deferred,
    Fired,
    Outcome,
    RunEnded,
    ScheduleEvent,
    Skipped,
)
from schemas.run_events import RunStatus
from tests.decider.deployed import (
    ASLEEP,
    NAMES,
    RUNNING,
    SLEEP,
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

HOURS = {Verb.SLEEP: "22:00", Verb.WAKE: "07:00"}


def met(first: Verb, second: Verb) -> Place:
    """Two acts at 22:00, of which whoever is offered one says that it was done."""
    found = place(state=RUNNING)
    for verb in (first, second):
        found.ask("00:01", Define(act(verb, "0 22 * * *")), NAMES[verb])
    found.live("21:40", "22:00")
    while found.offered():
        (run,) = found.offered()
        found.acts(found.now + 1, run.id)
    return found


@pytest.mark.case("DP-036")
@pytest.mark.parametrize(
    ("one", "other", "state"),
    [(Verb.SLEEP, Verb.WAKE, RUNNING), (Verb.SLEEP, Verb.STOP, STOPPED)],
)
def test_two_of_one_minute_go_in_the_order_of_their_ids(
    one: Verb, other: Verb, state: object
) -> None:
    """DP-036: whichever was defined first; both are recorded, and the end is always the same."""
    for found in (met(one, other), met(other, one)):
        ends = [event for event, _ in found.history if isinstance(event, RunEnded)]
        assert [end.schedule for end in ends] == [NAMES[one], NAMES[other]]
        assert [end.status for end in ends] == [RunStatus.SUCCESS] * 2
        fires = [event for event, _ in found.history if isinstance(event, Fired)]
        outcomes = [fire.scopes[0].outcome for fire in fires]
        assert outcomes == [Outcome.STARTED, Outcome.WAITING]
        standing = found.known.notes.standing
        assert standing is not None
        assert standing.state is state


@pytest.mark.case("DP-036")
def test_a_wake_goes_ahead_of_a_sleep_that_has_to_wait() -> None:
    """DP-036: what is due first, or has the smaller id, is asked first; busy, it is put off."""
    found = place(state=ASLEEP)
    found.ask("00:01", Define(act(Verb.SLEEP, "0 22 * * *")), SLEEP)
    found.ask("00:01", Define(act(Verb.WAKE, "0 22 * * *")), WAKE)
    found.see("22:00", "21:59", in_flight=1)
    put_off, fire = found.wait("22:00")

    assert isinstance(put_off, Deferred)
    assert isinstance(fire, Fired)
    assert [one.schedule for one in found.offered()] == [WAKE]


@pytest.mark.case("DP-039")
def test_a_look_that_takes_longer_than_the_time_between_two_handles_each_slot_once() -> None:
    """DP-039: the looks of 22:00, 22:01 and 22:02 come at 22:00, 22:01:30 and 22:03."""
    found = place(Verb.SLEEP)
    found.see("21:59:50", "21:00")
    fires = []
    for late in ("22:00", "22:01:30", "22:03"):
        found.see(late, "21:00")
        fires += only(found.look(late), Fired)

    assert [fire.nominal for fire in fires] == [at("22:00")]
    assert len(found.offered()) == 1


@pytest.mark.case("DP-039")
def test_a_deferred_slot_is_looked_at_by_each_late_look_once() -> None:
    found = place(Verb.STOP)
    looks = []
    for late in ("22:00", "22:01:30", "22:03"):
        found.see(late, late)
        looks += [type(event) for event in found.ring(late)]
        assert found.ring(late) == [], "a look is over with its event"

    assert looks == [Deferred] * 3
    assert found.schedules[STOP].cursor.deferrals == 3


def test_a_wake_closes_a_sleep_that_still_waits() -> None:
    found = place(Verb.SLEEP)
    found.ask("00:01", Define(act(Verb.WAKE, "30 22 * * *")), WAKE)
    *_, (_, fire), (_, closed) = found.live("21:55", "22:30", busy_until="22:30")

    assert isinstance(fire, Fired)
    assert fire.schedule == WAKE
    assert str(getattr(closed, "reason", "")) == "superseded"


class TestRunOnceMore:
    """A backfill asks no gate, but for the state, like a fire by hand."""

    def again(self, verb: Verb, state: DeploymentState) -> list[ScheduleEvent]:
        """What becomes of the instants of two days when they run once more."""
        found = place(verb, state=RUNNING)
        found.wait("06-03T11:00")
        found.note("06-03T12:00", state, "user:42")
        instants = tuple(at(f"{day}T{HOURS[verb]}") for day in ("06-01", "06-02"))
        found.ask("06-03T12:00", Backfill(instants=instants), NAMES[verb])
        return found.ring_subject("06-03T12:00:01")

    def test_what_a_person_stopped_is_not_woken(self) -> None:
        skips = only(self.again(Verb.WAKE, STOPPED), Skipped)

        assert [str(one.reason) for one in skips] == ["not_stopped_by_schedule"] * 2

    def test_what_is_being_started_is_waited_for(self) -> None:
        (told,) = self.again(Verb.SLEEP, STARTING)

        assert isinstance(told, BackfillProgressed)
        assert told.waits == "somebody is starting it"

    def test_for_no_deployment_it_is_refused(self) -> None:
        found = Place()
        found.ask("00:01", Define(act(Verb.WAKE)), WAKE)
        asked = Backfill(instants=(at("07:00"),))
        (refused,) = found.ask("12:00", asked, WAKE)

        assert isinstance(refused, CommandRefused)
        assert refused.field == "deployment"
