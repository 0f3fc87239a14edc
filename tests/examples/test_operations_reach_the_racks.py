"""Does a schedule have each of its racks operated, whatever becomes of the others?"""

from __future__ import annotations

from typing import Any

from schemas.events import Fired, RunEnded, RunNoted
from schemas.run_events import RunStatus
from schemas.units import HOUR, MINUTE, SECOND
from tests.examples.halls import Hall, hall, operation
from tests.examples.task_managers import await_that


def status_of(here: Hall, *names: str) -> list[RunStatus]:
    ends = here.ends()
    return [ends[name].status for name in names]


def test_an_operation_goes_to_each_rack_and_ends_when_its_task_does() -> None:
    """IT-036: the description is made of the schedule's name and the time of the fire."""
    with hall("rack-a", "rack-b") as here:
        scopes = ["rack-a", {"target": "rack-b", "types": ["compute"]}]
        here.define("hall-3/nightly reset", operation(here.manager), scopes=scopes)
        here.carry_out(here.desk.pass_time(5 * MINUTE))

        names = ["hall-3/nightly reset rack-a", "hall-3/nightly reset rack-b"]
        assert status_of(here, *names) == [RunStatus.SUCCESS] * 2
        for name, rack, parts in zip(names, ("rack-a", "rack-b"), (4, 2), strict=True):
            [task] = here.tasks(rack)
            assert task["status"] == "completed"
            assert task["description"] == "nightly reset 2026-01-16T02:00:00Z"
            assert len(task["components"]) == parts
            result = here.ends()[name].result
            assert result is not None
            assert (result.exit_code, result.reference) == (202, task["id"])
            assert f"task {task['id']}: completed" in result.output


def test_one_schedule_that_fails_stops_none_that_is_due_with_it() -> None:
    """IT-023: the third of five fails with an error; the fourth and the fifth are handled."""
    racks = [f"rack-{number}" for number in range(1, 6)]
    with hall(*racks[:2], *racks[3:]) as here:
        for rack in racks:
            here.define(f"hall-3/{rack}", operation(here.manager), scopes=[rack])
        here.carry_out(here.desk.pass_time(5 * MINUTE))

        assert len(here.events(Fired)) == 5
        assert status_of(here, *(f"hall-3/{rack} {rack}" for rack in racks)) == [
            *[RunStatus.SUCCESS] * 2,
            RunStatus.FAILED,
            *[RunStatus.SUCCESS] * 2,
        ]
        failed = here.ends()["hall-3/rack-3 rack-3"]
        assert failed.detail == "answered 404"
        assert failed.result is not None
        assert "there is no rack rack-3" in failed.result.output


def test_what_all_targets_refuse_is_not_asked_again() -> None:
    """IT-027: three targets, three refusals: kept as failures, and the occurrence is spent."""
    with hall("rack-z") as here:
        names = ["rack-a", "rack-b", "rack-c"]
        here.define("hall-3/reset", operation(here.manager), scopes=names)
        here.carry_out(here.desk.pass_time(5 * MINUTE))

        assert len(here.events(Fired)) == 1
        assert (
            status_of(here, *(f"hall-3/reset {rack}" for rack in names)) == [RunStatus.FAILED] * 3
        )
        assert here.begin(here.desk.pass_time(23 * HOUR)) == []
        assert [rack for rack in names if here.tasks(rack)] == []
        assert len(here.begin(here.desk.pass_time(HOUR))) == 3
        here.end(3)


def test_the_task_of_one_target_is_kept_if_another_fails() -> None:
    """IT-028: the first's task id is recorded, and the fire as a whole was one."""
    with hall("rack-a") as here:
        here.define("hall-3/reset", operation(here.manager), scopes=["rack-a", "rack-b"])
        here.carry_out(here.desk.pass_time(5 * MINUTE))

        good, bad = here.ends()["hall-3/reset rack-a"], here.ends()["hall-3/reset rack-b"]
        assert good.result is not None
        assert bad.result is not None
        assert good.result.reference == here.tasks("rack-a")[0]["id"]
        assert bad.result.reference is None
        assert (good.status, bad.status) == (RunStatus.SUCCESS, RunStatus.FAILED)
        assert len(here.events(Fired)) == 1


def test_a_fire_by_hand_that_fails_is_told_and_moves_the_interval_on() -> None:
    """IT-029: whoever fired finds the failure under its command; next has moved all the same."""
    with hall("rack-z") as here:
        here.define("hall-3/reset", operation(here.manager), interval="6h", scopes=["rack-a"])
        here.desk.pass_time(HOUR)
        here.carry_out(here.trigger("hall-3/reset"))

        [end] = here.events(RunEnded)
        assert isinstance(end, RunEnded)
        assert end.status is RunStatus.FAILED
        assert end.origin is not None
        assert end.origin.startswith("trigger:by-hand.")
        assert end.detail == "answered 404"
        assert here.begin(here.desk.pass_time(6 * HOUR - SECOND)) == []
        assert len(here.begin(here.desk.pass_time(SECOND))) == 1


def test_an_empty_list_of_tasks_fails_its_target() -> None:
    """IT-031: it is passed over; the only one, so nothing was begun."""
    with hall("rack-a") as here:
        scopes = [{"target": "rack-a", "types": ["pump"]}]
        here.define("hall-3/reset", operation(here.manager), scopes=scopes)
        here.carry_out(here.desk.pass_time(5 * MINUTE))

        end = here.ends()["hall-3/reset rack-a"]
        assert end.status is RunStatus.FAILED
        assert end.detail == "the answer names no task: an empty list at '/task_ids'"
        assert here.tasks("rack-a") == []


def test_a_report_that_is_written_again_changes_nothing_else() -> None:
    """IT-032: the write of a task id is tried again; the second time it changes nothing."""
    with hall("rack-a") as here:
        here.define("hall-3/reset", operation(here.manager), scopes=["rack-a"])
        here.begin(here.desk.pass_time(5 * MINUTE))
        [report] = here.end(1)
        before = here.events(RunEnded)

        here.put(report)
        here.put(report)
        here.desk.step()

        assert here.events(RunEnded) == before
        assert len(before) == 1
        after = [one for one in here.events(RunNoted) if isinstance(one, RunNoted)]
        assert all(one.ignored for one in after)


def test_components_that_moved_fail_their_target_alone() -> None:
    """IT-033: no task for a target whose component is in another rack now; the others fire."""
    with hall("rack-a", "rack-b") as here:
        looked_up: dict[str, Any] = {
            **operation(here.manager),
            "inventory": f"{here.manager.url}/components?of={{components}}",
        }
        scopes = [
            {"target": "rack-a", "ids": ["switch/rack-a-switch-1"]},
            {"target": "rack-b", "ids": ["rack-b-switch-1"]},
        ]
        here.define("hall-3/reset", looked_up, scopes=scopes)
        moved = here.manager.client.put(
            "/components/switch/rack-a-switch-1", json={"scope": "rack-b"}
        )
        assert moved.status_code == 200
        here.carry_out(here.desk.pass_time(5 * MINUTE))

        end = here.ends()["hall-3/reset rack-a"]
        assert end.status is RunStatus.FAILED
        assert end.detail == "its components lie in rack-b now, and not in rack-a"
        assert here.tasks("rack-a") == []
        [task] = here.tasks("rack-b")
        assert task["components"] == ["rack-b-switch-1"]


def test_a_fire_by_hand_asks_though_the_last_task_goes_on_and_a_conflict_is_told() -> None:
    """IT-078: manual runs ignore overlap; the service refuses on conflict, and that is told."""
    with hall("rack-a", seconds=600) as here:
        refuse = operation(here.manager, "bring_up", on_conflict="refuse")
        here.define("hall-3/reset", refuse, scopes=["rack-a"])
        here.begin(here.desk.pass_time(5 * MINUTE))
        await_that(lambda: len(here.tasks("rack-a")) == 1)

        here.carry_out(here.trigger("hall-3/reset"))

        [end] = [one for one in here.events(RunEnded) if isinstance(one, RunEnded)]
        assert end.origin is not None
        assert (end.status, end.detail) == (RunStatus.FAILED, "answered 409")
        assert end.result is not None
        assert "rack-a has another task that conflicts with it" in end.result.output
        assert [one["status"] for one in here.tasks("rack-a")] == ["running"]
