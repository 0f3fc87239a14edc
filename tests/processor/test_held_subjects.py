"""What is held is put aside until the hold is lifted, also over restarts and dropped batches."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import (
    Define,
    HoldSubject,
    ReleaseSubject,
    RemoveSubject,
    Trigger,
)
from schemas.definition import Definition
from schemas.events import Fired, SubjectReleased
from schemas.policies import Gate
from schemas.replies import Verdict
from schemas.topics import SCHEDULES, STATE
from streams.clock import Deadline
from streams.decider.subject import NOBODY
from streams.processor.partitions import Partition, Phase
from streams.processor.takeover import TakeOver, fill
from tests.processor.desk import HOUR, HOURLY, MINUTE, NOON, Desk, desk_with

JITTERED = replace(HOURLY, jitter=1)
"""Due at its instants, but not in the express lane."""
SLEEP = replace(HOURLY, gate=Gate())


def held(definition: Definition = HOURLY, *, actions_only: bool = False) -> Desk:
    """A desk with an hourly schedule whose subject is held."""
    desk = Desk()
    desk.ask("shop/a", Define(definition))
    desk.ask("office/a", Define(definition))
    desk.step()
    desk.ask("shop/", HoldSubject("moves", actions_only=actions_only))
    desk.step()
    return desk


def fired(desk: Desk) -> list[tuple[str, int]]:
    return [(one.schedule, one.nominal) for one in desk.events() if isinstance(one, Fired)]


def restarted(desk: Desk) -> Desk:
    """The same partition, from what was written of it."""
    tables: dict[str, dict[bytes, bytes]] = {STATE: {}, SCHEDULES: {}}
    for topic, _, key, value, _ in desk.log:
        if topic in tables and key is not None:
            tables[topic].pop(key, None)
            if value is not None:
                tables[topic][key] = value
    take_over = TakeOver(0, Deadline.after(1), {}, {}, 0, tables=tables)
    partition = Partition(0, take_over.owner or desk.partition.owner, phase=Phase.FIRING)
    fill(partition, take_over)
    desk.partition = partition
    return desk


@pytest.mark.parametrize("definition", [HOURLY, JITTERED], ids=["plain", "decided"])
def test_nothing_of_a_held_subject_fires_and_others_do(definition: Definition) -> None:
    desk = held(definition)
    desk.pass_time(HOUR)
    desk.pass_time(HOUR)

    assert [name for name, _ in fired(desk)] == ["office/a", "office/a"]


@pytest.mark.parametrize("definition", [HOURLY, JITTERED], ids=["plain", "decided"])
def test_a_hold_of_the_same_batch_counts(definition: Definition) -> None:
    desk = Desk()
    desk.ask("shop/a", Define(definition))
    desk.step()
    desk.ask("shop/", HoldSubject())
    desk.pass_time(HOUR)

    assert fired(desk) == []


def test_what_is_put_aside_costs_nothing_while_the_hold_lasts() -> None:
    desk = held()
    desk.pass_time(HOUR)
    assert list(desk.partition.held) == ["shop"]

    assert desk.pass_time(MINUTE) == []
    assert desk.pass_time(MINUTE) == []


@pytest.mark.parametrize("definition", [HOURLY, JITTERED], ids=["plain", "decided"])
@pytest.mark.parametrize("restart", [False, True], ids=["same life", "restored"])
def test_what_was_put_aside_rings_when_the_hold_is_lifted(
    definition: Definition, restart: bool
) -> None:
    desk = held(definition)
    desk.pass_time(3 * HOUR)
    if restart:
        restarted(desk)
    desk.pass_time(MINUTE)
    assert ("shop/a", NOON + 3 * HOUR) not in fired(desk)
    desk.ask("shop/", ReleaseSubject("on"))
    desk.step()
    desk.pass_time(0)

    assert fired(desk).count(("shop/a", NOON + 3 * HOUR)) == 1
    assert desk.partition.held == {}


@pytest.mark.parametrize("restart", [False, True], ids=["same life", "restored"])
def test_a_hold_that_ends_by_itself_does_so_over_a_restart(restart: bool) -> None:
    desk = desk_with()
    desk.ask("shop/", HoldSubject("moves", NOON + 90 * MINUTE))
    desk.pass_time(HOUR)
    if restart:
        restarted(desk)
    desk.pass_time(30 * MINUTE)
    desk.pass_time(0)

    assert SubjectReleased("shop/", "the hold ended", actions_only=False) in desk.events()
    assert fired(desk) == [("shop/a", NOON + HOUR)]


@pytest.mark.parametrize("release", [False, True], ids=["while held", "when lifted"])
def test_a_batch_that_is_given_up_loses_no_timer(release: bool) -> None:
    desk = held()
    if release:
        desk.pass_time(HOUR)
        desk.ask("shop/", ReleaseSubject())
    else:
        desk.now += HOUR
    due = desk.partition.timers.pop_due(desk.now, 10)
    for entry in due:
        desk.partition.timers.put(entry)
    parked = {name: list(rungs) for name, rungs in desk.partition.held.items()}
    batch, _ = desk.draft()
    batch.close("desk-1")  # and the broker refuses it
    for entry in due:
        desk.partition.timers.put(entry)
    assert desk.partition.held == parked
    desk.step()
    if not release:
        desk.ask("shop/", ReleaseSubject())
        desk.step()
    desk.pass_time(0)

    assert fired(desk).count(("shop/a", NOON + HOUR)) == 1


def test_an_edit_under_a_hold_is_what_rings_when_it_is_lifted() -> None:
    desk = held()
    desk.pass_time(HOUR)
    desk.ask("shop/a", Define(replace(HOURLY, description="edited", zone="Europe/Berlin")))
    desk.step()
    desk.ask("shop/", ReleaseSubject())
    desk.step()
    desk.pass_time(HOUR)

    assert [at for name, at in fired(desk) if name == "shop/a"] == [NOON + 2 * HOUR]


def test_a_hold_over_the_actions_parks_what_has_a_gate_alone() -> None:
    desk = Desk()
    desk.ask("shop/backup", Define(HOURLY))
    desk.ask("shop/sleep", Define(SLEEP))
    desk.ask("shop/", HoldSubject("failed", actions_only=True))
    desk.step()
    desk.pass_time(HOUR)

    assert fired(desk) == [("shop/backup", NOON + HOUR)]
    assert desk.pass_time(MINUTE) == []
    assert [rung[1] for rung in desk.partition.held["shop"]] == ["shop/sleep"]


def test_a_subject_that_is_removed_while_held_leaves_nothing() -> None:
    desk = held()
    desk.pass_time(HOUR)
    desk.ask("shop/", RemoveSubject("sold"))
    desk.step()

    assert desk.partition.held == {}
    assert "shop/a" not in desk.partition.residents
    assert desk.partition.subjects.get("shop") is None
    desk.ask("shop/a", Define(HOURLY))
    desk.step()
    desk.pass_time(HOUR)
    assert ("shop/a", NOON + 2 * HOUR) in fired(desk)


def test_the_replies_say_what_became_of_it() -> None:
    desk = held()
    desk.ask("shop/a", Trigger())
    desk.ask("shop/", HoldSubject("moves"))
    desk.ask("shop/", RemoveSubject())
    desk.ask("shop/", RemoveSubject())
    desk.step()

    refused, unchanged, removed, again = desk.replies()[-4:]
    assert (refused.verdict, refused.field) == (Verdict.REFUSED, "hold")
    assert (unchanged.verdict, unchanged.schedule) == (Verdict.UNCHANGED, "shop/")
    assert (removed.verdict, removed.message) == (Verdict.ACCEPTED, "removed shop/a")
    assert (again.verdict, again.field) == (Verdict.REFUSED, "subject")


def test_the_state_after_a_restart_is_the_one_before() -> None:
    desk = held()
    before = desk.partition.subjects["shop"].subject
    assert restarted(desk).partition.subjects["shop"].subject == before
    assert before is not NOBODY
