"""What falls due beside an earlier run starts or is left out, by the schedule's rule."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import Define, Pause, ReportRun, ReportStatus, Trigger
from schemas.definition import Basis, Interval, Once
from schemas.events import (
    Fired,
    Outcome,
    Reason,
    ScheduleCompleted,
    ScheduleEvent,
    Skipped,
)
from schemas.policies import Manual, Overlap, OverlapMode, Preset, Scope
from schemas.presets import PRESETS
from schemas.snapshot import RunPhase
from streams.decider.subject import ENDED_RUNS_KEPT
from tests.decider.house import House, outcomes, tracked
from tests.decider.stage import DAY, HOUR, NIGHTLY, at
from tests.decider.told import ended, going, house_with

FAILED = ReportStatus.FAILED
CANCELLED = ReportStatus.CANCELLED
QUEUE = Overlap(OverlapMode.QUEUE)
ALLOW = Overlap(OverlapMode.ALLOW)
RACKS = (Scope("rack-a"), Scope("rack-b"), Scope("rack-c"))
AFTER_END = Interval(micros=HOUR, basis=Basis.AFTER_END)


def many_triggers(overlap: Overlap, count: int = 50) -> tuple[House, list[ScheduleEvent]]:
    """So many fires by hand, a second apart, beside the first of them."""
    house = House()
    house.ask("00:01", Define(tracked("0 5 * * *", overlap=overlap)))
    events: list[ScheduleEvent] = []
    for number in range(count):
        events += house.ask(at("01:00") + number * 1_000_000, Trigger())
    return house, events


@pytest.mark.parametrize("mode", OverlapMode)
def test_nothing_overlaps_what_is_over(mode: OverlapMode) -> None:
    house = House()
    house.ask("00:01", Define(tracked("*/5 * * * *", overlap=Overlap(mode))))

    for minute in (5, 10, 15):
        assert outcomes(house.wait(f"00:{minute:02}")) == [(at(f"00:{minute:02}"), "started")]
        assert ended(house.report(f"00:{minute + 1:02}", going(house)[0]))


def test_a_failure_beside_others_pauses_and_a_later_success_does_not_resume() -> None:
    """POL-034."""
    house = House()
    house.ask("00:01", Define(tracked("*/5 * * * *", overlap=ALLOW, pause_on_failure=1)))
    house.wait("00:15")
    first, second, third = going(house)

    house.report("00:16", first, FAILED)
    paused = house.schedules[NIGHTLY].plan.pause
    house.report("00:16:01", second)
    house.report("00:17", third)

    assert paused is not None
    assert first in paused.reason
    assert house.schedules[NIGHTLY].plan.pause == paused
    assert house.going() == []
    assert house.wait("01:00") == []


def test_a_trigger_beside_a_run_is_skipped_and_names_it_unless_it_says_otherwise() -> None:
    """POL-037, AJ-030, AJ-034."""
    house = House()
    house.ask("00:01", Define(tracked("0 5 * * *")))
    house.ask("01:00", Trigger())
    (first,) = going(house)

    (skipped,) = house.ask("01:01", Trigger())
    beside = outcomes(house.ask("01:02", Trigger(overlap=OverlapMode.ALLOW)))
    forced = outcomes(house.ask("01:03", Trigger(force=True)))
    for run in going(house):
        house.report("01:04", run)
    third = outcomes(house.ask("01:05", Trigger()))

    assert isinstance(skipped, Skipped)
    assert skipped.reason is Reason.OVERLAP
    assert first in (skipped.evidence or "")
    assert (skipped.origin or "").startswith("trigger:")
    assert [one for _, one in beside + forced + third] == ["started"] * 3


def test_a_trigger_runs_while_paused_and_leaves_it_paused() -> None:
    """POL-037."""
    house = House()
    house.ask("00:01", Define(tracked("*/5 * * * *")))
    house.ask("00:02", Pause("works"))

    found = outcomes(house.ask("00:03", Trigger()))

    assert found == [(at("00:03"), "started")]
    assert house.schedules[NIGHTLY].plan.pause is not None
    assert house.wait("00:30") == []


def test_a_trigger_may_ignore_overlap_and_caps_by_the_schedules_own_rule() -> None:
    house = House()
    house.caps(concurrent=1)
    house.ask("00:01", Define(tracked("0 5 * * *", manual=Manual.IGNORE)))

    found = [outcomes(house.ask(f"01:0{minute}", Trigger()))[0][1] for minute in range(3)]

    assert found == ["started"] * 3


@pytest.mark.parametrize("phase", [RunPhase.STARTED, RunPhase.CANCELLING, RunPhase.WAITING])
def test_whatever_the_last_run_still_does_a_target_is_left_out_and_the_calendar_goes_on(
    phase: RunPhase,
) -> None:
    """IT-041; for what waits for another attempt see POL-038."""
    house, first = house_with(overlap=Overlap(OverlapMode.REPLACE))
    if phase is RunPhase.STARTED:
        house.ask("00:06", Define(tracked("*/5 * * * *")))
    house.wait("00:10")
    if phase is RunPhase.WAITING:
        house.tell_hold("00:11")
        house.report("00:11", first, CANCELLED)
        house.ask("00:11", Define(tracked("*/5 * * * *", overlap=Overlap())))
        house.lift_hold()
    else:
        house.ask("00:11", Define(tracked("*/5 * * * *")))
    assert house.runs(phase)

    found = outcomes(house.look("00:15"))

    assert found == [(at("00:15"), "overlap")]
    assert house.schedules[NIGHTLY].cursor.nominal == at("00:20")


def test_overlap_is_asked_for_each_target_by_itself() -> None:
    """IT-043."""
    house = House()
    house.ask("00:01", Define(tracked("*/5 * * * *", scopes=RACKS[:2])))
    house.wait("00:05")
    house.report("00:06", next(run.id for run in house.going() if run.scope == "rack-b"))

    (fired,) = house.wait("00:10")

    assert isinstance(fired, Fired)
    assert [(one.scope, one.outcome, one.reason) for one in fired.scopes] == [
        ("rack-a", Outcome.SKIPPED, Reason.OVERLAP),
        ("rack-b", Outcome.STARTED, None),
    ]
    assert house.schedules[NIGHTLY].cursor.nominal == at("00:15")


def test_what_another_service_queues_is_given_out_for_every_busy_target() -> None:
    """IT-045."""
    house = House()
    infra = replace(PRESETS[Preset.INFRA].overlap, mode=OverlapMode.ALLOW)
    definition = tracked("*/5 * * * *", scopes=RACKS, overlap=infra, preset=Preset.INFRA)
    house.ask("00:01", Define(definition))
    house.wait("00:05")

    found = outcomes(house.wait("00:10"))

    assert found == [(at("00:10"), "started")] * 3
    assert len(house.going()) == 6


def test_without_a_rule_nothing_starts_beside_an_earlier_run() -> None:
    """IT-046: one without a rule; for a rule that is not known see tests/schemas."""
    house = House()
    house.ask("00:01", Define(tracked("*/5 * * * *")))

    assert [one for _, one in outcomes(house.wait("00:15"))] == ["started", "overlap", "overlap"]


def test_a_target_whose_last_run_is_forgotten_takes_part() -> None:
    """IT-047."""
    house = House()
    house.ask("00:01", Define(tracked("0 5 * * *", lease=400 * DAY)))
    house.ask("01:00", Trigger())
    (run,) = going(house)
    house.report("01:01", run)

    forgotten = at("01:01") + ENDED_RUNS_KEPT
    (refused,) = house.ask(forgotten, ReportRun(run, ReportStatus.SUCCESS), None)

    assert getattr(refused, "field", None) == "run"
    assert outcomes(house.ask(forgotten, Trigger())) == [(forgotten, "started")]


def test_of_fifty_at_once_one_runs() -> None:
    """IT-097."""
    house, events = many_triggers(Overlap())

    assert [one for _, one in outcomes(events)] == ["started"] + ["overlap"] * 49
    assert len(house.going()) == 1


def test_as_many_as_the_limit_says_run_side_by_side() -> None:
    _, events = many_triggers(Overlap(OverlapMode.ALLOW, limit=3), 5)

    assert [one for _, one in outcomes(events)] == ["started"] * 3 + ["overlap"] * 2


def test_a_one_time_whose_targets_are_all_busy_is_consumed_and_says_so() -> None:
    """IT-014."""
    house = House()
    house.ask("00:01", Define(tracked("0 1 * * *", scopes=RACKS, lease=DAY)))
    house.wait("01:00")
    house.ask("01:30", Define(tracked(Once(at("02:00")), scopes=RACKS, lease=DAY)))

    found = house.wait("02:00")

    assert outcomes(found) == [(at("02:00"), "overlap")]
    assert isinstance(found[-1], ScheduleCompleted)
    assert house.schedules[NIGHTLY].cursor.mark == at("02:00")
    assert house.schedules[NIGHTLY].plan.completed
    assert len(house.going()) == 3


def test_an_interval_whose_targets_are_all_busy_goes_on_from_the_skip() -> None:
    """IT-016."""
    house = House()
    after_fire = Interval(micros=6 * HOUR, basis=Basis.AFTER_FIRE)
    house.ask("00:00", Define(tracked(after_fire, scopes=RACKS, lease=DAY)))
    house.wait("06:00")
    fires = house.schedules[NIGHTLY].cursor.fires

    found = outcomes(house.wait("12:00"))

    assert found == [(at("12:00"), "overlap")]
    assert house.schedules[NIGHTLY].cursor.nominal == at("18:00")
    assert house.schedules[NIGHTLY].cursor.fires == fires


def test_only_what_started_counts_for_the_most_fires() -> None:
    """POL-061."""
    house, first = house_with(overlap=Overlap(), max_fires=2)

    second = outcomes(house.wait("00:10"))
    house.report("00:11", first)
    third = house.wait("00:30")

    assert second == [(at("00:10"), "overlap")]
    assert outcomes(third) == [(at("00:15"), "started")]
    assert isinstance(third[-1], ScheduleCompleted)


def test_a_schedule_without_a_target_left_is_skipped_for_that() -> None:
    house = House()
    house.ask("00:01", Define(tracked("*/5 * * * *", scopes=())))

    assert outcomes(house.wait("00:05")) == [(at("00:05"), "no_scope")]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (OverlapMode.SKIP, "overlap"),
        (OverlapMode.ALLOW, "started"),
        (OverlapMode.QUEUE, "waiting"),
    ],
)
def test_each_of_many_by_hand_may_have_a_rule_of_its_own(mode: OverlapMode, expected: str) -> None:
    """ANC-01: while a run goes on, one starts beside it, one waits and one is dropped."""
    house = House()
    house.ask("00:01", Define(tracked("0 5 * * *", overlap=QUEUE)))
    house.ask("01:00", Trigger())

    assert [one for _, one in outcomes(house.ask("01:01", Trigger(overlap=mode)))] == [expected]
