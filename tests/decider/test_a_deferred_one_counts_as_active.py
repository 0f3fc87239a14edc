"""What was deferred is in the way of a fire by hand like a run that goes on."""

from __future__ import annotations

import pytest

from schemas.commands import Define, Trigger
from schemas.definition import Hours, Window
from schemas.events import Fired, Reason, Skipped
from schemas.policies import Overlap, OverlapMode
from tests.decider.house import House, tracked
from tests.decider.stage import HOUR, SECOND, rule

FROM_ELEVEN = Window((Hours(11 * HOUR // SECOND, 12 * HOUR // SECOND),), spread=0)


def waiting(overlap: Overlap) -> House:
    """At half past ten, the occurrence of ten waits for its window."""
    house = House()
    house.ask("09:30", Define(tracked("0 10 * * *", window=FROM_ELEVEN, overlap=overlap)))
    house.wait("10:30")
    return house


def test_under_skip_a_trigger_is_left_out_while_an_occurrence_waits() -> None:
    house = waiting(Overlap(OverlapMode.SKIP))

    [skip] = house.ask("10:30", Trigger())
    fires = [one for one in house.wait("11:00") if isinstance(one, Fired)]

    assert isinstance(skip, Skipped)
    assert skip.reason is Reason.OVERLAP
    assert skip.evidence == (
        "the occurrence of 2026-06-01T10:00:00Z waits until 2026-06-01T11:00:00Z"
    )
    assert [one.origin for one in fires] == [None]


@pytest.mark.parametrize(
    "trigger",
    [Trigger(force=True), Trigger(overlap=OverlapMode.ALLOW), Trigger(overlap=OverlapMode.QUEUE)],
    ids=["forced", "allow", "queue"],
)
def test_a_trigger_with_a_rule_of_its_own_fires_beside_it(trigger: Trigger) -> None:
    house = waiting(Overlap(OverlapMode.SKIP))

    assert isinstance(house.ask("10:30", trigger)[0], Fired)


def test_what_nobody_reports_about_is_in_nobodys_way() -> None:
    house = House()
    house.ask("09:30", Define(rule("0 10 * * *", window=FROM_ELEVEN)))
    house.wait("10:30")

    assert isinstance(house.ask("10:30", Trigger())[0], Fired)
