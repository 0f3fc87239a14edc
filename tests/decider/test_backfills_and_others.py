"""A backfill goes on beside whatever else goes on, and is stopped by what stops all."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import (
    Backfill,
    Define,
    EditScopes,
    HoldSubject,
    ReleaseSubject,
    ScopeEdit,
)
from schemas.definition import Hours, Window
from schemas.events import (
    BackfillEnded,
    BackfillProgressed,
    Fired,
    Reason,
    Skipped,
)
from schemas.globals import Freeze
from schemas.policies import Gate, Overlap, OverlapMode, Scope
from streams.calendar.occurrences import NEVER
from streams.decider.backfilling import SLICE
from streams.decider.state import Target
from tests.decider.house import tracked
from tests.decider.once_more import HOURLY, SIX, house_of, once_more, times
from tests.decider.stage import NIGHTLY, at, rule


def test_all_run_beside_each_other_if_the_backfill_says_so() -> None:
    """ANC-04: the schedule's own policy is skip; all six run under that of the backfill."""
    house = house_of(tracked("0 * * * *", overlap=Overlap(OverlapMode.SKIP)))
    house.ask("11:40", replace(SIX, overlap=OverlapMode.ALLOW))

    assert len(once_more(house.wait("11:41"))) == 6
    assert len(house.going()) == 6
    assert not house.known.notes.backfills


OWN = [None, OverlapMode.SKIP, OverlapMode.QUEUE]


@pytest.mark.parametrize("own", OWN)
@pytest.mark.parametrize("mode", [mode for mode in OverlapMode if mode is not OverlapMode.ALLOW])
def test_else_one_runs_after_the_other_and_none_is_skipped(
    mode: OverlapMode, own: OverlapMode | None
) -> None:
    house = house_of(tracked("0 5-10 * * *", overlap=Overlap(mode)))
    house.ask("11:40", replace(SIX, overlap=own))
    seen: list[int] = []
    for minute in range(41, 47):
        events = house.wait(f"11:{minute}")
        seen += once_more(events)
        assert len(house.going()) == 1
        assert not house.waiting()
        assert house.known.looked_at() > at("11:50")
        house.report(at(f"11:{minute}") + 1, house.going()[0].id)

    assert seen == list(times("05:00", "06:00", "07:00", "08:00", "09:00", "10:00"))
    assert not house.known.notes.backfills


def test_it_says_why_it_waits() -> None:
    house = house_of(tracked("0 * * * *"))
    house.ask("11:40", SIX)
    [fired, progressed] = house.wait("11:41")

    assert isinstance(fired, Fired)
    assert progressed == BackfillProgressed(
        *(NIGHTLY, 0, 0, "id-1.1", 1, 6, NEVER), f"run {fired.scopes[0].run} goes on"
    )


def test_it_waits_for_the_calendars_own_run_too() -> None:
    house = house_of(tracked("0 * * * *"))
    house.wait("12:00")
    house.ask("12:10", SIX)
    assert once_more(house.wait("12:11")) == []

    house.report("12:20", house.going()[0].id)
    assert once_more(house.wait("12:21")) == [at("05:00")]


def test_under_its_own_rule_allow_runs_as_many_as_it_lets() -> None:
    house = house_of(tracked("0 * * * *", overlap=Overlap(OverlapMode.ALLOW, limit=2)))
    house.ask("11:40", SIX)
    assert len(once_more(house.wait("11:41"))) == 2

    house.report("11:42", house.going()[0].id)
    assert len(once_more(house.wait("11:43"))) == 1


def test_it_waits_for_a_place_under_the_cap() -> None:
    house = house_of(tracked("0 * * * *"))
    house.caps(concurrent=4)
    house.ask("11:40", replace(SIX, overlap=OverlapMode.ALLOW))
    assert len(once_more(house.wait("11:41"))) == 4

    for run in house.going()[:3]:
        house.report("11:42", run.id)
    assert len(once_more(house.wait("11:43"))) == 2


def test_the_newest_alone_waits_if_the_backfill_says_so() -> None:
    house = house_of(tracked("0 5-10 * * *"))
    house.ask("11:40", replace(SIX, overlap=OverlapMode.LATEST))
    house.wait("11:41")

    assert [run.nominal for run in house.going()] == [at("05:00")]
    assert [run.nominal for run in house.waiting()] == [at("10:00")]
    house.report("11:42", house.going()[0].id)
    assert [run.nominal for run in house.going()] == [at("10:00")]


def test_every_target_runs_once_more() -> None:
    house = house_of(rule("0 * * * *", scopes=(Scope("rack-a"), Scope("rack-b"))))
    house.ask("11:40", replace(SIX, first=at("10:00")))
    house.ask("11:40", EditScopes(ScopeEdit.ADD, (Scope("rack-c"),)))
    [fired, _] = house.wait("11:41")

    assert isinstance(fired, Fired)
    assert [one.scope for one in fired.scopes] == ["rack-a", "rack-b", "rack-c"]
    assert fired.version == 2


def test_without_a_target_each_is_skipped_in_sight() -> None:
    house = house_of(rule("0 * * * *", scopes=()))
    house.ask("11:40", replace(SIX, first=at("10:00")))
    [skipped, ended] = house.wait("11:41")

    assert isinstance(skipped, Skipped)
    assert (skipped.reason, skipped.origin) == (*(Reason.NO_SCOPE, "2026-06-01T10:00:00Z+id-1.1"),)
    assert isinstance(ended, BackfillEnded)


def test_a_window_does_not_hold_it_back() -> None:
    house = house_of(rule("0 * * * *", window=Window((Hours(18 * 3600, 20 * 3600),))))
    house.ask("11:40", SIX)

    assert len(once_more(house.wait("11:41"))) == 6


def test_in_a_freeze_each_is_skipped() -> None:
    house = house_of()
    house.ask("11:40", SIX)
    freeze = Freeze(("sh*",), at("11:00"), at("13:00"), "move")
    house.world = replace(house.world, freezes={"move": freeze})
    events = house.wait("11:41")

    found = [(one.reason, one.evidence) for one in events if isinstance(one, Skipped)]
    assert found == [(Reason.FREEZE, "move")] * 6
    assert isinstance(events[-1], BackfillEnded)


def test_a_target_that_takes_nothing_is_tried_again() -> None:
    house = house_of()
    house.ask("11:40", SIX)
    house.world = replace(house.world, targets={"jobs": Target("no leader")})
    [waits] = house.wait("11:40")
    assert isinstance(waits, BackfillProgressed)
    assert (waits.done, waits.waits) == (0, "no leader")
    assert house.known.looked_at() == at("11:41")

    house.world = replace(house.world, targets={})
    assert len(once_more(house.wait("11:45"))) == 6


def test_a_hold_stops_it_and_its_end_lets_it_go_on() -> None:
    house = house_of()
    house.ask("11:40", SIX)
    house.ask("11:40", HoldSubject("works"), None)
    assert house.wait("11:50") == []

    house.ask("11:51", ReleaseSubject(), None)
    assert len(once_more(house.wait("11:52"))) == 6


def test_a_long_one_goes_on_in_slices() -> None:
    house = house_of(rule("* * * * *"))
    house.ask("11:30:10", Backfill(at("01:00"), at("05:59"), most=250))
    sizes = []
    for _ in range(3):
        events = house.ring("11:30:20")
        sizes.append(len(once_more(events)))
        assert isinstance(events[-1], BackfillProgressed | BackfillEnded)
        assert events[-1].done == sum(sizes)

    assert sizes == [SLICE, SLICE, 50]


def test_many_targets_make_a_slice_shorter() -> None:
    house = house_of(rule("* * * * *", scopes=tuple(Scope(f"rack-{i}") for i in range(60))))
    house.ask("11:30:10", SIX)

    assert len(once_more(house.ring("11:30:20"))) == 2


def test_the_oldest_backfill_comes_first_and_one_that_waits_holds_up_no_other() -> None:
    house = house_of(tracked("0 * * * *"))
    house.ask("11:31", Define(HOURLY), "shop/plain")
    house.ask("11:40", SIX)
    house.ask("11:40", SIX, "shop/plain")
    events = house.wait("11:41")

    found = [one.schedule for one in events if isinstance(one, Fired)]
    assert found == [NIGHTLY, *["shop/plain"] * 6]


def test_a_hold_over_actions_stops_that_of_an_action_alone() -> None:
    house = house_of(rule("0 * * * *", gate=Gate()))
    house.ask("11:31", Define(HOURLY), "shop/plain")
    house.ask("11:40", SIX)
    house.ask("11:40", SIX, "shop/plain")
    house.ask("11:40", HoldSubject("works", actions_only=True), None)
    events = house.wait("11:50")
    assert {one.schedule for one in events if isinstance(one, Fired)} == {"shop/plain"}
    [waits] = [one for one in events if isinstance(one, BackfillProgressed)]
    assert waits.waits == "the actions of shop are held by user:ann: works"

    house.ask("11:51", ReleaseSubject(), None)
    assert len(once_more(house.wait("11:52"))) == 6
