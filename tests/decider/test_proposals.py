"""A proposal is open until somebody says what to make of it, and is made into schedules once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.actions import Act, Verb
from schemas.commands import (
    AcceptProposal,
    Define,
    DismissProposal,
    Propose,
    Remove,
    RemoveSubject,
    WithdrawProposal,
)
from schemas.definition import Weekly
from schemas.events import (
    CommandRefused,
    CommandUnchanged,
    ProposalAccepted,
    ProposalDismissed,
    ProposalMade,
    ProposalWithdrawn,
    ScheduleDefined,
    ScheduleEvent,
)
from schemas.policies import Gate, Preset
from schemas.proposals import ProposalStatus
from streams.decider.evolve_deployments import SETTLED_KEPT
from tests.decider.deployed import Place, act, place
from tests.decider.proposed import HOURS, nights, proposal, window
from tests.decider.stage import DAY, at

ACCEPT, DISMISS, WITHDRAW = AcceptProposal("p1"), DismissProposal("p1"), WithdrawProposal("p1")


def proposed(name: str = "p1", when: str = "10:00") -> Place:
    """A deployment with an open proposal."""
    found = place()
    (made,) = found.ask(when, Propose(proposal(name)), None)
    assert made == ProposalMade("shop/", proposal(name))
    return found


def statuses(found: Place) -> dict[str, ProposalStatus]:
    return {one.id: one.status for one in found.known.notes.proposals}


def refusal(events: list[ScheduleEvent]) -> tuple[str, str, str]:
    (event,) = events
    assert isinstance(event, CommandRefused)
    return event.command, event.field, event.message


@pytest.mark.case("DP-004")
def test_nothing_accepts_by_itself() -> None:
    """DP-004: proposed for five deployments, and nobody looks for a month."""
    for name in ("p1", "p2", "p3", "p4", "p5"):
        found = proposed(name)

        assert found.wait("06-30T10:00") == []
        assert found.schedules == {}
        assert statuses(found) == {name: ProposalStatus.OPEN}


@pytest.mark.case("DP-053")
def test_accepting_twice_makes_one_set_of_schedules() -> None:
    """DP-053: with whoever accepts it as their creator; the second time changes nothing."""
    found = proposed()
    accepted, sleep, wake = found.ask("10:05:00", replace(ACCEPT, reason="fine"), None)
    names = ("shop/sleep-p1", "shop/wake-p1")

    assert accepted == ProposalAccepted("shop/", "p1", names, "fine")
    assert isinstance(sleep, ScheduleDefined)
    assert isinstance(wake, ScheduleDefined)
    assert (sleep.schedule, wake.schedule) == names
    assert {one.plan.actor for one in found.schedules.values()} == {"user:ann"}
    (again,) = found.ask("10:05:01", ACCEPT, None)
    assert isinstance(again, CommandUnchanged)
    assert found.ids() == names
    assert statuses(found) == {"p1": ProposalStatus.ACCEPTED}


@pytest.mark.case("DP-053")
def test_a_dismissed_one_creates_nothing() -> None:
    found = proposed()
    (dismissed,) = found.ask("10:05", replace(DISMISS, reason="used at night"), None)

    assert dismissed == ProposalDismissed("shop/", "p1", "used at night")
    said = ("accept", "proposal", "proposal p1 is dismissed already")
    assert refusal(found.ask("10:06", ACCEPT, None)) == said
    assert found.schedules == {}


@pytest.mark.parametrize(
    ("first", "then", "word", "status"),
    [
        (ACCEPT, DISMISS, "dismiss", "accepted"),
        (ACCEPT, WITHDRAW, "withdraw", "accepted"),
        (DISMISS, WITHDRAW, "withdraw", "dismissed"),
        (WITHDRAW, ACCEPT, "accept", "withdrawn"),
        (WITHDRAW, DISMISS, "dismiss", "withdrawn"),
    ],
)
def test_what_was_settled_stays_so(
    first: AcceptProposal | DismissProposal | WithdrawProposal,
    then: AcceptProposal | DismissProposal | WithdrawProposal,
    word: str,
    status: str,
) -> None:
    found = proposed()
    found.ask("10:05", first, None)
    (again,) = found.ask("10:05:01", first, None)
    assert isinstance(again, CommandUnchanged)

    said = (word, "proposal", f"proposal p1 is {status} already")
    assert refusal(found.ask("10:06", then, None)) == said


@pytest.mark.parametrize("command", [ACCEPT, DISMISS, WITHDRAW])
def test_of_what_was_never_proposed_nothing_is_made(
    command: AcceptProposal | DismissProposal | WithdrawProposal,
) -> None:
    _, field, message = refusal(place().ask("10:05", command, None))

    assert (field, message) == ("proposal", "there is no proposal p1 of this subject")


class TestProposedAgain:
    """Only what says something new is told."""

    def test_the_same_times_are_no_news_while_they_are_open(self) -> None:
        """The weeks in which they were seen grow, and the windows stay the same."""
        found = proposed()
        other = proposal("p2", *reversed(nights(weeks=4)))
        (event,) = found.ask("06-08T10:00", Propose(other), None)

        assert isinstance(event, CommandUnchanged)

    def test_other_times_take_the_place_of_the_open_one(self) -> None:
        found = proposed()
        later = proposal("p2", *nights(23))
        withdrawn, made = found.ask("06-08T10:00", Propose(later), None)

        assert withdrawn == ProposalWithdrawn(
            *("shop/", "p1", "what was measured since says other times")
        )
        assert made == ProposalMade("shop/", later)
        assert statuses(found) == {"p1": ProposalStatus.WITHDRAWN, "p2": ProposalStatus.OPEN}

    def test_the_same_times_in_another_zone_are_others(self) -> None:
        found = proposed()
        events = found.ask("11:00", Propose(proposal("p2", zone="Asia/Tokyo")), None)

        assert [type(one) for one in events] == [ProposalWithdrawn, ProposalMade]

    @pytest.mark.parametrize(
        ("later", "kind"), [(30 * DAY, CommandUnchanged), (30 * DAY + 1, ProposalMade)]
    )
    def test_what_was_dismissed_is_not_news_for_thirty_days(
        self, later: int, kind: type[object]
    ) -> None:
        found = proposed()
        found.ask("10:05", DISMISS, None)
        (event,) = found.ask(at("10:05") + later, Propose(proposal("p2")), None)

        assert isinstance(event, kind)

    def test_what_was_withdrawn_may_come_back(self) -> None:
        found = proposed()
        found.ask("10:05", WITHDRAW, None)
        (event,) = found.ask("10:06", Propose(proposal("p2")), None)

        assert isinstance(event, ProposalMade)

    def test_what_was_accepted_is_no_news_while_its_schedules_are_there(self) -> None:
        found = proposed()
        found.ask("10:05", ACCEPT, None)
        (event,) = found.ask("10:06", Propose(proposal("p2")), None)
        assert isinstance(event, CommandUnchanged)
        found.ask("10:07", Remove(), "shop/wake-p1")
        (event,) = found.ask("10:08", Propose(proposal("p2")), None)

        assert isinstance(event, ProposalMade)

    def test_an_id_is_used_once(self) -> None:
        found = proposed()
        found.ask("10:05", WITHDRAW, None)
        said = ("propose", "id", "there was a proposal p1 before")

        assert refusal(found.ask("10:06", Propose(proposal("p1", *nights(23))), None)) == said

    def test_only_the_last_ones_are_remembered(self) -> None:
        found = place()
        for number in range(SETTLED_KEPT + 5):
            times = window((0, number * HOURS // 2), (1, 7 * HOURS))
            found.ask("10:00", Propose(proposal(f"p{number}", times)), None)
        known = found.known.notes.proposals

        assert len(known) == SETTLED_KEPT + 1
        assert [one.status for one in known[-2:]] == [
            *(ProposalStatus.WITHDRAWN, ProposalStatus.OPEN)
        ]
        assert [one.id for one in known] == [f"p{n}" for n in range(4, SETTLED_KEPT + 5)]


class TestWhatCannotBe:
    """It is refused, and names what is wrong."""

    def test_for_no_deployment_nothing_is_proposed(self) -> None:
        said = ("propose", "deployment", "no deployment shop is registered")

        assert refusal(Place().ask("10:00", Propose(proposal("p1")), None)) == said

    def test_in_no_zone_nothing_is_proposed(self) -> None:
        found = place().ask("10:00", Propose(proposal("p1", zone="Mars/Base")), None)

        assert refusal(found)[:2] == ("propose", "zone")

    @pytest.mark.parametrize(("length", "taken"), [(374, True), (375, False)])
    def test_what_could_have_no_schedules_is_not_proposed(
        self, length: int, *, taken: bool
    ) -> None:
        """Its id is a part of theirs: whoever accepted it would get what nobody can name."""
        found = Place(subject="s" * length)
        found.register("09:00")
        events = found.ask("10:00", Propose(proposal("p" * 19)), None)

        if taken:
            assert isinstance(events[0], ProposalMade)
        else:
            assert refusal(events)[:2] == ("propose", "id")

    def test_without_room_for_both_none_is_made(self) -> None:
        found = proposed()
        found.caps(schedules=1)
        said = ("accept", "subject", "it has 1 schedules already, and may have no more")

        assert refusal(found.ask("10:05", ACCEPT, None)) == said
        assert found.schedules == {}
        assert statuses(found) == {"p1": ProposalStatus.OPEN}

    def test_over_another_schedule_none_is_made(self) -> None:
        found = proposed()
        found.ask("10:04", Define(act(Verb.WAKE)), "shop/wake-p1")
        said = ("accept", "proposal", "there is a schedule shop/wake-p1 already")

        assert refusal(found.ask("10:05", ACCEPT, None)) == said

    def test_with_its_subject_an_open_one_is_withdrawn(self) -> None:
        found = proposed()
        withdrawn, _ = found.ask("10:05", RemoveSubject(), None)

        assert withdrawn == ProposalWithdrawn("shop/", "p1", "its subject was removed")


def test_the_schedules_have_the_defaults_of_their_preset() -> None:
    found = proposed()
    found.ask("10:05", ACCEPT, None)
    sleep, wake = (found.schedules[name].plan.definition for name in found.ids())

    assert sleep == act(Verb.SLEEP, Weekly(31, 22 * HOURS), description="proposed: p1")
    assert wake == act(Verb.WAKE, Weekly(62, 7 * HOURS), description="proposed: p1")
    assert (sleep.gate, wake.gate) == (Gate(), None)
    assert sleep.hold_on_failure
    assert wake.hold_on_failure
    assert {one.preset for one in (sleep, wake)} == {Preset.DEPLOYMENT}
    assert (sleep.action.work, wake.action.work) == (Act(Verb.SLEEP), Act(Verb.WAKE))
