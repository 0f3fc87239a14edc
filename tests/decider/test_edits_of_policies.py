"""An edit of a policy leaves what is pending alone, and acts on what waits at once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import Define
from schemas.definition import CatchUp, CatchUpMode, Definition, Hours, Window
from schemas.events import Deferred, Fired, ScheduleChanged
from schemas.policies import (
    Gate,
    Manual,
    Overlap,
    OverlapMode,
    Retry,
    Scope,
    Tracking,
)
from streams.decider.state import Target
from tests.decider.house import House, tracked
from tests.decider.sampled import house, sample, sleep
from tests.decider.stage import HOUR, MINUTE, at, rule


def deferred_since_22() -> House:
    found = house()
    sample(found, "22:00", "21:59")
    found.wait("22:00")
    return found


def test_a_gate_that_is_removed_lets_it_start_at_once() -> None:
    found = deferred_since_22()
    found.ask("22:00:20", Define(rule("0 22 * * *")))

    [fire] = found.wait("22:00:20")
    assert isinstance(fire, Fired)
    assert (fire.nominal, fire.version, fire.deferrals) == (at("22:00"), 2, 1)
    assert fire.evidence is None


def test_another_gate_is_asked_at_once() -> None:
    found = deferred_since_22()
    found.ask("22:00:20", Define(sleep(gate=Gate(quiet=MINUTE, max_wait=30 * MINUTE))))

    [fire] = found.wait("22:00:20")
    assert isinstance(fire, Fired)
    assert fire.nominal == at("22:00")


@pytest.mark.parametrize(
    "edited",
    [
        sleep(description="edited"),
        sleep(catch_up=CatchUp(CatchUpMode.NONE, lookback=HOUR)),
        sleep(max_fires=3),
    ],
    ids=["words", "catch-up", "max_fires"],
)
def test_an_edit_of_anything_else_leaves_it_waiting(edited: Definition) -> None:
    found = deferred_since_22()
    before = found.schedules["shop/nightly"].cursor
    found.ask("22:00:20", Define(edited))

    assert found.schedules["shop/nightly"].cursor == before
    assert found.wait("22:00:59") == []


def test_a_gate_that_is_added_is_asked_at_the_next_instant() -> None:
    found = house(rule("0 22 * * *"))
    found.ask("21:40", Define(sleep()))
    sample(found, "22:00", "21:59")

    assert [type(event) for event in found.wait("22:00")] == [Deferred]


TRACKED = tracked("0 22 * * *")
EDITS = {
    "overlap": replace(TRACKED, overlap=Overlap(OverlapMode.QUEUE)),
    "retry": replace(TRACKED, retry=Retry(2)),
    "timeout": replace(TRACKED, timeout=HOUR),
    "pause_on_failure": replace(TRACKED, pause_on_failure=1),
    "scopes": replace(TRACKED, scopes=(Scope("a"), Scope("b"))),
    "gate": replace(TRACKED, gate=Gate()),
    "manual": replace(TRACKED, manual=Manual.IGNORE),
    "window": replace(TRACKED, window=Window((Hours(22 * 3600, 23 * 3600),))),
    "catch_up": replace(TRACKED, catch_up=CatchUp(CatchUpMode.NONE)),
    "max_fires": replace(TRACKED, max_fires=3),
    "tracking": replace(TRACKED, action=replace(TRACKED.action, tracked=Tracking(MINUTE))),
    "what is written": replace(TRACKED, action=replace(TRACKED.action, value=b"other")),
}


@pytest.mark.parametrize("edited", EDITS.values(), ids=EDITS.keys())
def test_what_is_pending_stays_pending(edited: Definition) -> None:
    found = house(TRACKED)
    before = found.schedules["shop/nightly"].cursor
    [changed] = found.ask("21:40", Define(edited))

    assert isinstance(changed, ScheduleChanged)
    assert (changed.version, changed.previous_version, changed.next) == (1, 0, at("22:00"))
    assert found.schedules["shop/nightly"].cursor == before


@pytest.mark.parametrize("edited", EDITS.values(), ids=EDITS.keys())
def test_what_is_deferred_keeps_its_instant_and_is_not_recorded_anew(edited: Definition) -> None:
    found = house(TRACKED)
    found.world = replace(found.world, targets={"jobs": Target(fault="gone")})
    assert [type(event) for event in found.wait("22:00")] == [Deferred]
    before = found.schedules["shop/nightly"].cursor
    [changed] = found.ask("22:00:00.5", Define(edited))

    assert isinstance(changed, ScheduleChanged)
    after = found.schedules["shop/nightly"].cursor
    looked_at_again = after.due == at("22:00:00.5")
    assert after._replace(due=before.due) == before
    assert looked_at_again is (edited.gate is not None or edited.window is not None)


def test_an_edit_acts_on_the_occurrence_that_is_pending() -> None:
    found = house(TRACKED)
    found.ask("21:40", Define(EDITS["scopes"]))
    [fire] = found.wait("22:00")

    assert isinstance(fire, Fired)
    assert [one.scope for one in fire.scopes] == ["a", "b"]
