"""Skips, targets and backfills are in the log: over restarts, copies and replays they stay so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.codec import decode_as
from schemas.commands import (
    Backfill,
    CancelBackfill,
    Define,
    EditScopes,
    RemoveTarget,
    ReportRun,
    ReportStatus,
    ScopeEdit,
    Skip,
    Trigger,
    Unskip,
)
from schemas.definition import Cron
from schemas.events import BackfillEnded, Fired, Reason, Skipped
from schemas.globals import GlobalSettings
from schemas.policies import Filter, FilterKind, OverlapMode, Scope, Tracking
from schemas.replies import Verdict
from schemas.schedule import ScheduleRow
from streams.decider.backfilling import SLICE
from streams.processor.batch import MOST_SLICES
from streams.processor.replay import replay_partition
from tests.processor.desk import HOUR, HOURLY, MINUTE, NOON, SECOND, Desk, Written, desk_with

TRACKED = replace(HOURLY, action=replace(HOURLY.action, tracked=Tracking()))
COMPUTE = Scope("rack-b", Filter(FilterKind.TYPES, ("compute", "switch")))
RACKS = replace(HOURLY, scopes=(Scope("rack-a"), COMPUTE))
SIX = Backfill(NOON - 6 * HOUR, NOON - HOUR)


def sent(written: list[Written]) -> list[Written]:
    """What went to the target."""
    return [one for one in written if one.topic == "jobs"]


def headers(one: Written, name: str) -> str | None:
    found = [value for key, value in one.headers or () if key == name]
    return found[0].decode() if found and isinstance(found[0], bytes) else None


def desk_of(definition: object = HOURLY) -> Desk:
    desk = Desk()
    desk.ask("shop/a", Define(definition))  # type: ignore[arg-type]
    desk.step()
    return desk


def plain(desk: Desk) -> bool:
    return desk.partition.residents["shop/a"].plainly("shop/a") is not None


def undecided(desk: Desk) -> list[object]:
    """What is decided otherwise when it is decided again."""
    return [*replay_partition(desk.ledger(), dict(enumerate(desk.inbox)), desk.told, 1)]


@pytest.mark.parametrize("restart", [False, True], ids=["going on", "after a restart"])
def test_what_was_asked_to_be_skipped_is_not_fired_plainly(restart: bool) -> None:
    desk = desk_of()
    assert plain(desk)
    desk.ask("shop/a", Skip(1))
    desk.step()
    if restart:
        desk.restart()
    assert not plain(desk)
    row = decode_as(desk.partition.residents["shop/a"].row, ScheduleRow)
    assert row.skips == (NOON + HOUR,)

    assert sent(desk.pass_time(HOUR)) == []
    assert len(sent(desk.pass_time(HOUR))) == 1
    [skipped] = [one for one in desk.events() if isinstance(one, Skipped)]
    assert (skipped.first, skipped.reason) == (NOON + HOUR, Reason.REQUESTED)
    assert undecided(desk) == []


def test_after_the_undo_it_fires_plainly_again() -> None:
    desk = desk_of()
    desk.ask("shop/a", Skip(1))
    desk.ask("shop/a", Unskip())
    desk.step()

    assert plain(desk)
    assert len(sent(desk.pass_time(HOUR))) == 1


def test_a_reply_names_only_what_is_still_to_be_skipped() -> None:
    desk = desk_of()
    desk.ask("shop/a", Skip(1))
    desk.pass_time(HOUR)
    desk.ask("shop/a", Skip(1))
    desk.step()

    assert desk.replies()[-1].message == "to be skipped: 2026-11-29T14:00:00Z"


def test_each_target_gets_a_record_of_its_own() -> None:
    desk = desk_of(RACKS)
    assert not plain(desk)
    found = sent(desk.pass_time(HOUR))

    assert [headers(one, "horae-scope") for one in found] == ["rack-a", "rack-b"]
    assert [headers(one, "horae-components") for one in found] == [
        *(None, '{"types": ["compute", "switch"]}'),
    ]
    assert len({headers(one, "horae-run") for one in found}) == 2
    assert len({headers(one, "horae-occurrence") for one in found}) == 1


def test_an_edit_of_the_targets_counts_from_the_next_fire_on() -> None:
    desk = desk_of()
    assert headers(sent(desk.pass_time(HOUR))[0], "horae-scope") is None
    desk.ask("shop/a", EditScopes(ScopeEdit.UPDATE, (COMPUTE,)))
    desk.step()
    assert desk.replies()[-1].message == "added 1: rack-b; removed 1: shop; now 1: rack-b"
    desk.restart()
    assert [headers(one, "horae-scope") for one in sent(desk.pass_time(HOUR))] == ["rack-b"]
    desk.ask("shop/", RemoveTarget("rack-b"))
    desk.step()
    assert desk.replies()[-1].message == "changed shop/a"
    assert sent(desk.pass_time(HOUR)) == []

    reasons = [one.reason for one in desk.events() if isinstance(one, Skipped)]
    assert reasons == [Reason.NO_SCOPE]
    assert undecided(desk) == []


def test_a_target_that_nobody_has_is_answered_unchanged() -> None:
    desk = desk_of(RACKS)
    desk.ask("shop/", RemoveTarget("rack-z"))
    desk.step()

    assert desk.replies()[-1].verdict is Verdict.UNCHANGED
    assert desk.replies()[-1].message == "no schedule was concerned"


def test_the_same_backfill_twice_is_one_and_tells_how_far_it_is() -> None:
    """ANC-04: all six run once, under the backfill's own policy; a copy is told 4 of 6."""
    desk = desk_of(TRACKED)
    desk.tell("settings", GlobalSettings(("jobs*",), desk.now, max_concurrent=4))
    six = replace(SIX, overlap=OverlapMode.ALLOW)
    desk.ask("shop/a", six, "again")
    found = sent([*desk.step(), *desk.pass_time(SECOND)])
    assert len(found) == 4
    desk.restart()
    desk.ask("shop/a", six, "again")
    assert sent(desk.step()) == []
    first, second = (one for one in desk.replies() if one.command == "backfill")
    assert first.message == "6 instants, as again.1"
    assert second == replace(first, message="4 of 6 instants had their turn, as again.1")

    for one in found:
        desk.ask("shop/", ReportRun(headers(one, "horae-run") or "", ReportStatus.SUCCESS))
    found += sent([*desk.step(), *desk.pass_time(SECOND)])
    desk.ask("shop/a", six, "again")
    assert sent(desk.step()) == []
    assert desk.replies()[-1] == first
    assert [headers(one, "horae-nominal") for one in found] == [
        f"2026-11-29T{hour:02}:00:00Z" for hour in range(6, 12)
    ]
    assert len([one for one in desk.events() if isinstance(one, BackfillEnded)]) == 1
    assert undecided(desk) == []


def test_another_payload_under_that_id_is_a_conflict() -> None:
    desk = desk_of()
    desk.ask("shop/a", SIX, "again")
    desk.ask("shop/a", replace(SIX, newest_first=True), "again")
    desk.step()

    assert (desk.replies()[-1].verdict, desk.replies()[-1].field) == (Verdict.REFUSED, "id")


@pytest.mark.parametrize("lost", [False, True], ids=["kept", "a batch is lost"])
def test_a_restart_in_the_middle_runs_each_instant_once(lost: bool) -> None:
    desk = desk_of(replace(HOURLY, timings=(Cron("* * * * *"),)))
    desk.ask("shop/a", Backfill(NOON - 5 * HOUR, NOON - 1, most=250))
    found = [*sent(desk.step()), *sent(desk.step())]
    assert len(found) == SLICE
    if lost:
        desk.draft()
    desk.restart()
    for _ in range(4):
        found += sent(desk.step())

    nominals = [headers(one, "horae-nominal") for one in found]
    assert len(nominals) == len(set(nominals)) == 250
    assert nominals == sorted(nominals, key=str)
    assert desk.partition.subjects == {}
    assert undecided(desk) == []


def test_what_is_due_comes_before_a_backfill() -> None:
    desk = desk_with("shop/a", "shop/b", "office/c")
    desk.ask("shop/a", SIX)
    desk.step(limit=0)
    desk.now += HOUR
    fires = []
    for _ in range(4):
        desk.step(limit=1)
    fires = [(one.schedule, one.origin) for one in desk.events() if isinstance(one, Fired)]

    assert [name for name, origin in fires if origin is None] == ["office/c", "shop/a", "shop/b"]
    assert fires[3][1] == "2026-11-29T06:00:00Z+id-3.3"


def test_a_dry_run_is_answered_and_leaves_nothing_to_do() -> None:
    desk = desk_of()
    desk.ask("shop/a", replace(SIX, dry_run=True))
    desk.step()

    reply = desk.replies()[-1]
    assert (reply.verdict, reply.message) == (
        Verdict.ACCEPTED,
        "dry run: 6 instants, 2026-11-29T06:00:00Z .. 2026-11-29T11:00:00Z",
    )
    assert desk.pass_time(MINUTE) == []
    assert undecided(desk) == []


def test_a_cancelled_one_is_told_how_far_it_came() -> None:
    desk = desk_of(TRACKED)
    desk.ask("shop/a", SIX, "b")
    desk.step()
    desk.step()
    desk.ask("shop/a", CancelBackfill("b"))
    desk.step()

    assert desk.replies()[-1].message == "1 of 6 instants had their turn"
    assert undecided(desk) == []


def test_a_fire_by_hand_between_them_is_one_of_its_own() -> None:
    desk = desk_of()
    desk.ask("shop/a", SIX, "b")
    desk.ask("shop/a", Trigger())
    desk.step()
    desk.step()

    origins = [one.origin for one in desk.events() if isinstance(one, Fired)]
    assert len(set(origins)) == 7
    assert undecided(desk) == []


def test_of_many_backfills_a_batch_takes_no_more_than_so_many() -> None:
    """Whoever has no turn in a batch has it in the next, and a batch never grows without end."""
    names = [f"s{i:02}/a" for i in range(50)]
    desk = desk_with(*names)
    for name in names:
        desk.ask(name, SIX)
    desk.step()
    counts = [len(sent(desk.step())) // 6 for _ in range(3)]

    assert counts == [MOST_SLICES, MOST_SLICES, 10]
    assert desk.partition.subjects == {}
    assert undecided(desk) == []


def test_a_backfill_is_due_since_its_last_slice() -> None:
    """What is overdue is measured by the oldest timer."""
    desk = desk_of(replace(HOURLY, timings=(Cron("* * * * *"),)))
    desk.ask("shop/a", Backfill(NOON - 5 * HOUR, NOON - 1, most=250))
    for _ in range(3):
        desk.now += SECOND
        desk.step()
        due = min(desk.partition.timers.next_due(), desk.now)
        assert due == desk.now
