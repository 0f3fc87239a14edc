"""Which instants ran, are missing or failed is told by the ledger alone."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from horae.following import Followed, begun_before, follow, look_back
from horae.once_more import Turns, failures, find, gaps, instants_of
from schemas.commands import (
    Backfill,
    Define,
    EditScopes,
    Pause,
    ReportRun,
    ReportStatus,
    ScopeEdit,
    Skip,
    Trigger,
)
from schemas.definition import Basis, Interval
from schemas.events import (
    BackfillEnded,
    BackfillProgressed,
    BackfillStarted,
    Event,
    RunEnded,
    ScheduleChanged,
)
from schemas.policies import Overlap, OverlapMode, Scope
from streams.calendar.occurrences import NEVER
from tests.decider.house import House, tracked
from tests.decider.stage import HOUR, NIGHTLY, at, rule

HOURLY = rule("0 * * * *")
MORNING = at("08:00"), at("12:00")


def times(*texts: str) -> tuple[int, ...]:
    return tuple(map(at, texts))


def turns_of(house: House) -> Turns:
    turns = Turns()
    for event, _ in house.history:
        if event.schedule == NIGHTLY:
            turns.take(event)
    return turns


def missing(house: House, most: int = 1_000) -> tuple[int, ...]:
    plan = house.schedules[NIGHTLY].plan
    return gaps(turns_of(house), instants_of(plan, house.world, MORNING), MORNING, most).instants


def failed(house: House) -> tuple[tuple[int, ...], int]:
    plan = house.schedules[NIGHTLY].plan
    calendar = instants_of(plan, house.world, MORNING)
    found = failures(turns_of(house), calendar, MORNING, 1_000)
    return found.instants, found.elsewhere


def test_what_was_missed_skipped_or_never_due_is_missing() -> None:
    house = House()
    house.ask("08:30", Define(HOURLY))
    house.ask("08:31", Skip(instant=at("09:00")))
    house.wait("09:59")
    house.ring("11:30")

    assert missing(house) == times("08:00", "09:00", "10:00")
    assert missing(house, most=2) == times("09:00", "10:00")


def test_what_is_due_or_waits_is_not_missing() -> None:
    house = House()
    house.ask("08:30", Define(HOURLY))

    assert missing(house) == times("08:00")


def test_of_a_paused_one_the_instants_of_its_pause_are_missing() -> None:
    house = House()
    house.ask("08:30", Define(HOURLY))
    house.wait("09:00")
    house.ask("09:30", Pause())

    assert missing(house) == times("08:00", "10:00", "11:00", "12:00")


def test_what_ran_once_more_is_not_missing_and_a_fire_by_hand_stands_for_nothing() -> None:
    house = House()
    house.ask("08:30", Define(HOURLY))
    house.ask("09:00", Trigger())
    house.ask("09:10", Backfill(instants=times("08:00")))
    house.wait("09:20")

    assert missing(house) == ()
    assert turns_of(house).fired == {*times("08:00", "09:00")}


def busy() -> House:
    """Three hours: the first run failed, the second succeeded, the third went silent."""
    house = House()
    house.ask("08:30", Define(tracked("0 * * * *", lease=HOUR // 2)))
    for hour, status in ((9, ReportStatus.FAILED), (10, ReportStatus.SUCCESS)):
        house.wait(f"{hour:02}:00")
        house.ask(f"{hour:02}:10", ReportRun(house.going()[0].id, status), None)
    house.wait("11:50")
    return house


def test_failed_is_whose_last_run_failed_or_was_interrupted() -> None:
    assert failed(busy()) == (times("09:00", "11:00"), 0)


def test_what_goes_on_once_more_or_succeeded_then_is_not_failed() -> None:
    house = busy()
    command = Backfill(instants=times("09:00", "11:00"), overlap=OverlapMode.ALLOW)
    house.ask("11:51", command)
    house.wait("11:52")
    assert failed(house) == ((), 0)

    first, second = house.going()
    house.report("11:53", first.id)
    house.report("11:53", second.id, ReportStatus.FAILED)
    assert failed(house) == (times("11:00"), 0)


def test_one_target_that_failed_makes_the_instant_a_failed_one() -> None:
    house = House()
    scopes = (Scope("rack-a"), Scope("rack-b"))
    house.ask("08:30", Define(replace(tracked("0 * * * *"), scopes=scopes)))
    house.wait("09:00")
    for run in house.going():
        status = ReportStatus.FAILED if run.scope == "rack-a" else ReportStatus.SUCCESS
        house.report("09:10", run.id, status)

    assert failed(house) == (times("09:00"), 0)


def test_what_failed_at_an_instant_of_a_former_calendar_is_only_counted() -> None:
    house = busy()
    definition = house.schedules[NIGHTLY].plan.definition
    house.ask("11:55", Define(replace(definition, timings=rule("0 10 * * *").timings)))

    assert failed(house) == ((), 2)


def test_a_run_that_waited_and_was_dropped_has_not_failed() -> None:
    house = House()
    queue = Overlap(OverlapMode.QUEUE, max_wait=HOUR // 4)
    house.ask("08:30", Define(tracked("0 * * * *", overlap=queue)))
    house.wait("09:00")
    house.report("09:30", house.going()[0].id, ReportStatus.RUNNING)
    house.wait("10:20")
    assert any(isinstance(event, RunEnded) for event, _ in house.history)

    assert failed(house) == ((), 0)


def test_what_counts_from_its_fires_has_no_calendar_of_the_past() -> None:
    house = House()
    house.ask("08:30", Define(rule(Interval(micros=HOUR, basis=Basis.AFTER_FIRE))))

    assert missing(house) == ()


class Shelf:
    """A past with these events."""

    def __init__(self, house: House) -> None:
        self.house = house

    def of(self, subjects: list[str]) -> list[str]:
        return subjects

    def events(self, subject: str) -> Any:
        assert subject == self.house.subject
        return iter(self.house.history)

    def plans(self, _: Any) -> Any:
        return {name: state.plan for name, state in self.house.schedules.items()}

    def globals(self) -> list[Any]:
        return []


def test_all_of_it_is_read_from_the_past() -> None:
    house = busy()
    house.ask("11:55", Define(HOURLY), "shop/other")
    past = cast("Any", Shelf(house))

    assert find(past, NIGHTLY, MORNING, 1_000, failed=True).instants == times("09:00", "11:00")
    found = find(past, NIGHTLY, MORNING, 1, failed=True)
    assert (found.instants, found.more) == (times("11:00"), 1)
    assert find(past, NIGHTLY, MORNING, 1_000, failed=False).instants == times("08:00")
    assert found.is_known
    assert not find(past, "shop/none", MORNING, 1_000, failed=False).is_known


ABOUT = (NIGHTLY, 1, 1, "b.7")
BEGUN = BackfillStarted(*ABOUT, times("08:00", "09:00"), None, "")
OTHER = BackfillProgressed(NIGHTLY, 1, 1, "c.8", 5, 9)


def tail_of(*stretches: tuple[Event, ...]) -> Any:
    found = [SimpleNamespace(events=[(event, None) for event in events]) for events in stretches]
    return SimpleNamespace(read=lambda _: found.pop(0))


@pytest.mark.parametrize("cancelled", [False, True])
def test_a_backfill_is_followed_to_its_end(cancelled: bool) -> None:
    end = BackfillEnded(*ABOUT, 1 if cancelled else 2, 2, cancelled=cancelled, reason="enough")
    waits = BackfillProgressed(*ABOUT, 1, 2, NEVER, "run jr_1 goes on")
    one = Followed("b.7")
    told: list[tuple[int, int]] = []
    follow(tail_of((BEGUN, OTHER), (waits,), (end,)), [one], lambda *now: told.append(now))

    assert told == [(0, 2), (1, 2), (end.done, 2)]
    assert one.as_line() == (
        "backfill b.7: 1 of 2 instants had their turn, then it was cancelled: enough"
        if cancelled
        else "backfill b.7: 2 of 2 instants had their turn"
    )
    assert one.as_json()["cancelled"] is cancelled


def test_one_that_is_over_already_is_not_waited_for() -> None:
    house = House()
    house.ask("08:30", Define(HOURLY))
    house.ask("09:10", Backfill(instants=times("08:00")), name="b")
    house.wait("09:20")
    one = Followed("b.1")
    look_back(cast("Any", Shelf(house)), NIGHTLY, [one])
    follow(tail_of(), [one], lambda *_: None)

    assert (one.done, one.total, one.ended) == (1, 1, True)


def test_what_was_begun_under_an_id_is_found_with_how_far_it_is() -> None:
    house = House()
    house.ask("09:05", Define(tracked("0 * * * *")))
    for name in ("b-1", "b-2", "bb", "b-x", "c"):
        house.ask("09:10", Backfill(at("06:00"), at("07:00")), name=name)
    house.wait("09:20")
    past = cast("Any", Shelf(house))

    assert [(one.id, one.done, one.total) for one in begun_before(past, NIGHTLY, "b")] == [
        *(("b-1.1", 1, 2), ("b-2.2", 0, 2)),
    ]
    assert [one.id for one in begun_before(past, NIGHTLY, "c")] == ["c.5"]
    assert begun_before(past, "shop/other", "b") == []


def test_an_edit_of_targets_is_no_turn() -> None:
    house = House()
    house.ask("08:30", Define(HOURLY))
    house.ask("08:40", EditScopes(ScopeEdit.ADD, (Scope("rack-a"),)))
    assert isinstance(house.history[-1][0], ScheduleChanged)

    assert turns_of(house).pending == at("09:00")
