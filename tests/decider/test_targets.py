"""Who takes part in a fire, and what becomes of work for a target that is gone."""

from __future__ import annotations

from dataclasses import replace

from schemas.commands import (
    Define,
    EditScopes,
    Pause,
    RemoveTarget,
    ReportStatus,
    ScopeEdit,
    Skip,
    Trigger,
)
from schemas.definition import Basis, Definition, Interval
from schemas.events import (
    CommandUnchanged,
    Fired,
    Outcome,
    Reason,
    RunEnded,
    RunRetries,
    RunStarted,
    ScheduleChanged,
    ScheduleEvent,
    Skipped,
)
from schemas.policies import Overlap, OverlapMode, Retry, Scope
from schemas.run_events import RunStatus
from schemas.snapshot import RunPhase
from tests.decider.house import House, tracked
from tests.decider.stage import HOUR, NIGHTLY, at, rule

ADD, UPDATE, REMOVE = ScopeEdit.ADD, ScopeEdit.UPDATE, ScopeEdit.REMOVE


A, B, C, D = map(Scope, ("rack-a", "rack-b", "rack-c", "rack-d"))


def hourly(*scopes: Scope, **more: object) -> Definition:
    return rule("0 * * * *", scopes=scopes or None, **more)  # type: ignore[arg-type]


def house_with(*scopes: Scope) -> House:
    house = House()
    house.ask("11:30", Define(hourly(*scopes)))
    return house


def scopes_of(house: House, schedule: str = NIGHTLY) -> tuple[Scope, ...] | None:
    return house.schedules[schedule].plan.definition.scopes


WEEKLY = "shop/weekly"


def fired(events: list[ScheduleEvent]) -> list[str]:
    """Who took part in the one fire among these."""
    [fire] = [event for event in events if isinstance(event, Fired)]
    return [one.scope for one in fire.scopes]


def test_a_target_that_came_a_minute_before_takes_part() -> None:
    """IT-034: targets are read when it fires."""
    house = house_with(A)
    house.ask("11:59", EditScopes(ADD, (B,)))

    assert fired(house.wait("12:00")) == ["rack-a", "rack-b"]


def test_what_waits_goes_on_waiting_with_the_new_targets() -> None:
    house = house_with(A)
    house.ask("11:35", Skip(instant=at("13:00")))
    house.ask("12:30", EditScopes(ADD, (B,)))
    house.ask("12:31", Pause())
    house.ask("12:32", EditScopes(ADD, (C,)))

    assert scopes_of(house) == (A, B, C)
    assert house.schedules[NIGHTLY].plan.pause is not None
    assert house.schedules[NIGHTLY].plan.skips == (at("13:00"),)


def going(**more: object) -> House:
    """One run goes on for each of two targets, and another waits for each."""
    house = House()
    queue = Overlap(OverlapMode.QUEUE)
    definition = tracked("0 * * * *", overlap=queue, **more)  # type: ignore[arg-type]
    house.ask("11:30", Define(replace(definition, scopes=(A, B))))
    house.wait("12:00")
    for run in house.going():
        house.report("12:30", run.id, ReportStatus.RUNNING)
    house.wait("13:00")
    assert [run.scope for run in house.waiting()] == ["rack-a", "rack-b"]
    return house


def test_what_has_begun_for_a_target_goes_on_and_what_waits_never_begins() -> None:
    """IT-087: running work is never cancelled by a change of targets."""
    house = going()
    withdrawn, changed = house.ask("13:10", EditScopes(REMOVE, (A,)))

    assert isinstance(withdrawn, RunEnded)
    assert (withdrawn.scope, withdrawn.status, withdrawn.reason) == (
        *("rack-a", RunStatus.DROPPED, Reason.WITHDRAWN),
    )
    assert isinstance(changed, ScheduleChanged)
    assert [run.scope for run in house.going()] == ["rack-a", "rack-b"]
    assert [run.scope for run in house.waiting()] == ["rack-b"]


def test_so_it_is_when_a_definition_names_other_targets() -> None:
    house = going()
    scopes = (B, C)
    house.ask("13:10", Define(replace(house.schedules[NIGHTLY].plan.definition, scopes=scopes)))

    assert [run.scope for run in house.waiting()] == ["rack-b"]


def test_a_target_that_is_gone_has_no_further_attempt() -> None:
    house = going(retry=Retry(most=3))
    house.ask("13:10", EditScopes(REMOVE, (A,)))
    first, other = house.going()
    ended = house.report("13:20", first.id, ReportStatus.FAILED)
    assert [type(one) for one in ended] == [RunEnded]
    assert any(
        isinstance(one, RunRetries) for one in house.report("13:20", other.id, ReportStatus.FAILED)
    )
    ended = house.ask("13:20:10", EditScopes(UPDATE, (C,)))
    assert {one.status for one in ended if isinstance(one, RunEnded)} == {
        *(RunStatus.FAILED, RunStatus.DROPPED),
    }
    assert not any(isinstance(one, RunStarted) for one in house.wait("13:59"))


def test_a_target_goes_out_of_all_schedules_of_its_subject() -> None:
    """IT-094: the second one goes on without a target, in sight."""
    house = house_with(A, B)
    house.ask("11:31", Define(hourly(A)), WEEKLY)
    house.ask("11:32", Define(hourly()), "shop/all")
    events = house.ask("11:40", RemoveTarget("rack-a"), None)

    assert [(one.schedule, type(one)) for one in events] == [
        (NIGHTLY, ScheduleChanged), (WEEKLY, ScheduleChanged),
    ]  # fmt: skip
    assert (scopes_of(house), scopes_of(house, WEEKLY)) == ((B,), ())
    noon = house.wait("12:00")
    assert {one.schedule for one in noon if isinstance(one, Fired)} == {NIGHTLY, "shop/all"}
    [skipped] = [one for one in noon if isinstance(one, Skipped)]
    assert (skipped.schedule, skipped.reason, skipped.next) == (
        *(WEEKLY, Reason.NO_SCOPE, at("13:00")),
    )


def test_a_schedule_without_a_target_gets_one_again() -> None:
    house = house_with(A)
    house.ask("11:40", RemoveTarget("rack-a"), None)
    house.ask("11:50", EditScopes(ADD, (B,)))

    assert fired(house.wait("12:00")) == ["rack-b"]


def test_a_target_that_nobody_has_changes_nothing() -> None:
    house = house_with(A)
    house.ask("11:31", Define(hourly()), WEEKLY)
    for target in ("rack-b", "shop"):
        [event] = house.ask("11:40", RemoveTarget(target), None)
        assert isinstance(event, CommandUnchanged)
        assert event.schedule == "shop/"


def test_what_waits_for_a_target_that_is_gone_never_begins() -> None:
    house = going()
    events = house.ask("13:10", RemoveTarget("rack-a"), None)

    assert [type(one) for one in events] == [RunEnded, ScheduleChanged]
    assert [run.scope for run in house.runs(RunPhase.WAITING)] == ["rack-b"]


def test_a_fire_by_hand_without_a_target_is_a_fire_of_nothing() -> None:
    """IT-077: it succeeds with no work, and an interval that counts from fires goes on from it."""
    house = House()
    interval = Interval(micros=HOUR, basis=Basis.AFTER_FIRE)
    house.ask("11:30", Define(rule(interval, scopes=(A,))))
    house.ask("11:31", RemoveTarget("rack-a"), None)
    [event] = house.ask("11:45", Trigger())

    assert isinstance(event, Fired)
    assert (event.scopes, event.next) == ((), at("12:45"))
    assert house.schedules[NIGHTLY].cursor.fires == 1


def test_a_fire_of_nothing_leaves_what_counts_from_ends_its_instant() -> None:
    house = House()
    interval = Interval(micros=HOUR, basis=Basis.AFTER_END)
    house.ask("11:30", Define(replace(tracked(interval), scopes=(A,))))
    house.ask("11:31", RemoveTarget("rack-a"), None)
    [event] = house.ask("11:45", Trigger())

    assert isinstance(event, Fired)
    assert (event.scopes, event.next) == ((), at("12:30"))


def test_one_target_that_is_busy_holds_up_no_other() -> None:
    house = House()
    house.ask("11:30", Define(replace(tracked("0 * * * *"), scopes=(A, B))))
    first = house.wait("12:00")[0]
    assert isinstance(first, Fired)
    house.report("12:10", first.scopes[0].run)
    [second] = [one for one in house.wait("13:00") if isinstance(one, Fired)]

    assert [(one.scope, one.outcome) for one in second.scopes] == [
        ("rack-a", Outcome.STARTED), ("rack-b", Outcome.SKIPPED),
    ]  # fmt: skip
