"""What falls due beside an earlier run starts, waits or is left out, by the schedule's rule."""

from __future__ import annotations

import pytest

from schemas.commands import Define
from schemas.events import RunEnded, RunStarted
from schemas.policies import Overlap, OverlapMode
from tests.decider.house import House, outcomes, tracked
from tests.decider.stage import at


def test_one_waits_and_begins_when_the_run_before_it_ends() -> None:
    """POL-030."""
    house = House()
    queue = Overlap(OverlapMode.QUEUE, limit=1)
    house.ask("00:01", Define(tracked("*/5 * * * *", overlap=queue)))

    found = outcomes(house.wait("00:26"))
    first = house.going()[0]
    begun = [one for one in house.report("00:27", first.id) if isinstance(one, RunStarted)]
    house.report("00:29", house.going()[0].id)

    assert [(at("00:05"), "started"), (at("00:10"), "waiting")] == found[:2]
    assert [(at(one), "buffer_full") for one in ("00:15", "00:20", "00:25")] == found[2:]
    assert [at("00:10")] == [one.nominal for one in begun]
    assert outcomes(house.wait("00:30")) == [(at("00:30"), "started")]


@pytest.mark.parametrize("mode", OverlapMode)
def test_nothing_overlaps_what_is_over(mode: OverlapMode) -> None:
    house = House()
    house.ask("00:01", Define(tracked("*/5 * * * *", overlap=Overlap(mode))))

    for minute in (5, 10, 15):
        assert outcomes(house.wait(f"00:{minute:02}")) == [(at(f"00:{minute:02}"), "started")]
        ended = house.report(f"00:{minute + 1:02}", house.going()[0].id)
        assert any(isinstance(one, RunEnded) for one in ended)
