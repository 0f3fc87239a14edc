"""What becomes of proposals with the days, as an admin accepts, dismisses or never looks?"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import pytest

from horae.client import ClientFault, Order
from horae.proposing.judging import Judge
from horae.proposing.known import Known
from horae.proposing.rounds import Round, carry_out
from projections.shown_traffic import ProposalShown
from schemas.actions import Act, Verb
from schemas.commands import DefineDeployment
from schemas.definition import Weekly
from schemas.deployments import Deployment, Vllm
from schemas.events import (
    CommandUnchanged,
    ProposalAccepted,
    ProposalDismissed,
    ProposalMade,
    ProposalWithdrawn,
    ScheduleDefined,
    ScheduleEvent,
)
from schemas.policies import Preset
from schemas.profiles import Profile
from schemas.proposals import AcceptProposal, DismissProposal, ProposalStatus
from schemas.replies import Reply, Verdict
from schemas.units import DAY
from tests.decider.house import House
from tests.decider.stage import at
from tests.face.proposed import a_row
from tests.proposals.weeks import week

NAMES = ("a", "b", "c", "d", "e")
BEGIN = at("06:00")


class Town:
    """Deployments with a decider each, and what was proposed for them."""

    def __init__(self, *names: str) -> None:
        self.now = BEGIN
        self.houses = {name: House(subject=name) for name in names}
        self.profiles = {name: week((22, 10), subject=name) for name in names}
        for house in self.houses.values():
            house.ask(self.now, DefineDeployment(Deployment(Vllm("http://127.0.0.1:9"))), None)

    def ask_many(self, orders: Sequence[Order]) -> list[Reply | ClientFault]:
        return [self._ask(order) for order in orders]

    def day(self) -> None:
        """All timers ring, and the daily round comes."""
        self.now += DAY
        for house in self.houses.values():
            house.wait(self.now)
        profiles: dict[str, Profile] = self.profiles
        rows = {name: self._rows(name) for name in self.houses}
        known = Known(profiles, frozenset(self.houses), rows)
        one_round = Round(known, Judge(None, Decimal("0.8")), self.now, self._stands)
        list(carry_out(one_round, known.subjects, self))

    def events(self, name: str, *kinds: type[ScheduleEvent]) -> list[ScheduleEvent]:
        return [event for event, _ in self.houses[name].history if isinstance(event, kinds)]

    def newest(self, name: str) -> str:
        return self.houses[name].known.notes.proposals[-1].id

    def _ask(self, order: Order) -> Reply:
        house = self.houses[order.about.removesuffix("/")]
        house.ask(self.now, order.command, None, order.id)
        return Reply(order.about, "propose", Verdict.ACCEPTED, self.now, 0, 0)

    def _stands(self, schedule: str) -> bool:
        return schedule in self.houses[schedule.partition("/")[0]].schedules

    def _rows(self, name: str) -> list[ProposalShown]:
        """As the views have them."""
        return [
            a_row(
                subject=name,
                id=one.id,
                status=one.status.value,
                windows=one.windows,
                zone=one.zone,
                settled_at=None if one.status is ProposalStatus.OPEN else one.since,
                schedules=(f"{name}/sleep-{one.id}", f"{name}/wake-{one.id}"),
            )
            for one in reversed(self.houses[name].known.notes.proposals)
        ]


@pytest.mark.case("DP-004")
def test_five_strong_proposals_make_no_schedule_in_a_month() -> None:
    """DP-004: no admin looks at them, and each day has its round."""
    town = Town(*NAMES)

    for _ in range(31):
        town.day()

    for name in NAMES:
        assert len(town.events(name, ProposalMade)) == 1, "it waits, and is proposed no second time"
        assert town.events(name, ScheduleDefined, ProposalWithdrawn, ProposalAccepted) == []
        assert town.houses[name].schedules == {}


@pytest.mark.case("DP-053")
def test_two_admins_accept_one_and_the_schedules_are_made_once() -> None:
    """DP-053: the first one is their creator; a dismissed one makes nothing."""
    town = Town("a", "b")
    town.day()
    house, id_ = town.houses["a"], town.newest("a")

    first = house.ask(town.now, AcceptProposal(id_, "agreed"), None)
    second = house.ask(town.now + 1_000_000, AcceptProposal(id_), None)
    town.houses["b"].ask(town.now, DismissProposal(town.newest("b"), "never"), None)

    defined = [event for event in first if isinstance(event, ScheduleDefined)]
    assert [event.schedule for event in defined] == [f"a/sleep-{id_}", f"a/wake-{id_}"]
    assert [type(event) for event in second] == [CommandUnchanged]
    sleep, wake = (house.schedules[event.schedule].plan for event in defined)
    assert (sleep.actor, wake.actor) == ("user:ann", "user:ann")
    assert sleep.definition.timings == (Weekly(1, 22 * 3_600),)
    assert wake.definition.timings == (Weekly(2, 7 * 3_600 + 45 * 60),)
    works = [plan.definition.action.work for plan in (sleep, wake)]
    assert works == [Act(Verb.SLEEP), Act(Verb.WAKE)]
    assert {plan.definition.preset for plan in (sleep, wake)} == {Preset.DEPLOYMENT}
    assert town.houses["b"].schedules == {}
    assert len(town.events("b", ProposalDismissed)) == 1


def test_what_was_dismissed_comes_again_after_thirty_days() -> None:
    town = Town("a")
    town.day()
    town.houses["a"].ask(town.now, DismissProposal(town.newest("a")), None)

    for _ in range(30):
        town.day()
    quiet = len(town.events("a", ProposalMade))
    town.day()

    assert (quiet, len(town.events("a", ProposalMade))) == (1, 2)


def test_other_times_take_the_place_of_those_that_wait() -> None:
    town = Town("a")
    town.day()
    before = town.newest("a")
    town.profiles["a"] = week((23, 9), subject="a")
    town.day()

    withdrawn = town.events("a", ProposalWithdrawn)
    assert [one.proposal for one in withdrawn if isinstance(one, ProposalWithdrawn)] == [before]
    assert town.newest("a") != before
    notes = town.houses["a"].known.notes.proposals
    assert [one.status for one in notes] == [ProposalStatus.WITHDRAWN, ProposalStatus.OPEN]


def test_what_fits_no_more_is_withdrawn_and_comes_again_when_it_does() -> None:
    town = Town("a")
    town.day()
    night, town.profiles["a"] = town.profiles["a"], week(subject="a")
    town.day()
    busy = [one.status for one in town.houses["a"].known.notes.proposals]
    town.profiles["a"] = night
    town.day()

    assert busy == [ProposalStatus.WITHDRAWN]
    assert len(town.events("a", ProposalMade)) == 2
    assert town.houses["a"].known.notes.proposals[-1].status is ProposalStatus.OPEN
