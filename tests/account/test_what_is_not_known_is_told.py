"""
Does the account say what it cannot know, instead of taking it for wrong?

Ledgers that begin late or were compacted, other zone data, calendars that are forgotten.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import Define
from schemas.definition import Basis, Exclude, Interval
from schemas.events import Fired, ScheduleRecomputed
from schemas.globals import Calendar
from schemas.schedule import PauseNote
from streams.account.classing import Verdict, summed
from streams.account.worlds import GlobalNote
from streams.decider.evolve import compiled
from streams.decider.recompute import OTHER_ZONE_DATA
from streams.decider.state import Plan
from tests.account.ledgers import Kept, account, changed, ledger, whys
from tests.account.telling import Telling, numbered
from tests.decider.stage import DAY, NIGHTLY, RING, Breaks, Tells, at, rule


def test_a_ledger_that_begins_late_is_no_fault() -> None:
    found = account(ledger()[3:])

    assert found.begin is not None
    assert (found.begin.sequence, found.begin.at) == (3, at("13:00"))
    assert whys(found) == []


def test_a_definition_older_than_the_ledger_is_known_by_its_row() -> None:
    stage = Telling()
    stage.play(Define(rule("*/30 * * * *")), at("11:50"))
    assert stage.state is not None
    rows = {NIGHTLY: stage.state.plan}

    whole = account(ledger()[3:], rows=rows)
    lost = account(numbered([*ledger()[2:3], *ledger()[4:]], since=2), rows=rows)
    silent = account(ledger()[3:4], rows={**rows, "shop/other": replace(rows[NIGHTLY], id="x/y")})

    assert (whys(whole), summed(whole.tallies).of(Verdict.ON_TIME)) == ([], 3)
    assert "the next instant was 2026-06-01T13:00:00Z" in whys(lost)
    assert any(one.schedule == "shop/other" for one in silent.findings)


def test_what_compaction_took_is_summed_up_by_a_later_event() -> None:
    stage = Telling()
    stage.play(Define(rule("*/30 * * * *")), at("11:50"))
    stage.play(Breaks("gone"), at("11:55"))
    for when in ("12:00", "12:00:01", "12:00:03"):
        stage.play(RING, at(when))
    stage.play(Breaks(None), at("12:05"))
    stage.play(RING, at("12:05"))
    events: list[Kept] = [stage.history[0], stage.history[-1]]

    old = account(events, now=at("12:20"), kept=0)
    young = account(events, now=at("12:20"))

    assert (whys(old), old.superseded) == ([], 3)
    assert whys(young) == ["sequence 4 follows 0: 3 of its events are not there"]


def test_what_was_decided_under_other_zone_data_is_told_as_such() -> None:
    events = changed(2, due=at("12:29"))
    event = ScheduleRecomputed(NIGHTLY, 0, 0, f"{OTHER_ZONE_DATA}1999a", at("15:00"), at("15:00"))
    events.append((event, events[-1][1]._replace(sequence=9)))

    found = account(events)

    assert [one.excuse for one in found.findings] == [
        "decided before zone data 1999a came into use"
    ]
    assert summed(found.tallies).of(Verdict.UNTOLD) == 1
    assert summed(found.tallies).of(Verdict.UNEXPLAINED) == 0


def test_a_calendar_that_was_compacted_is_told_as_forgotten() -> None:
    """The first version is gone; the second one was written more than a week ago."""
    stage = Telling()
    stage.play(Tells("calendar/feast", Calendar(weekdays=64)), at("11:00"))
    stage.play(Define(rule("*/30 * * * *", exclude=Exclude(("feast",)))), at("11:50"))
    stage.play(RING, at("12:00"))
    fired, stamp = stage.history[1]
    assert isinstance(fired, Fired)
    events: list[Kept] = [stage.history[0], (fired._replace(nominal=at("12:07")), stamp)]
    note = GlobalNote(9, "calendar/feast", Calendar(at=at("13:00")))

    late = account(events, (note,), now=at("14:40") + 8 * DAY)
    soon = account(events, (note,))

    assert {one.excuse for one in late.findings if one.at == at("12:07")} == {
        "what its calendars said then is forgotten"
    }
    assert all(not one.excuse for one in soon.findings)


def row() -> Plan:
    stage = Telling()
    stage.play(Define(rule("*/30 * * * *")), at("11:50"))
    assert stage.state is not None
    return stage.state.plan


@pytest.mark.parametrize(
    ("first", "counts"),
    [
        pytest.param(4, {"on time": 2, "by hand": 1, "paused": 1}, id="a fire"),
        pytest.param(6, {"on time": 1, "paused": 1}, id="a pause"),
        pytest.param(7, {"on time": 1}, id="a resumption"),
    ],
)
def test_the_first_event_that_is_left_is_enough(first: int, counts: dict[str, int]) -> None:
    found = account(ledger()[first:], rows={NIGHTLY: row()})

    total = summed(found.tallies)
    assert whys(found) == []
    assert {each.value: total.of(each) for each in Verdict if total.of(each)} == counts


def test_a_row_that_changed_later_is_no_help() -> None:
    plan = replace(row(), changed_at=at("14:35"))

    found = account(ledger()[4:], rows={NIGHTLY: plan})

    assert (whys(found), summed(found.tallies).counts) == ([], {})


def test_a_schedule_that_rests_since_before_the_ledger_begins_is_not_missed() -> None:
    paused = replace(row(), id="shop/paused", pause=PauseNote("why", "user:ann", at("11:00")))
    over = replace(row(), id="shop/over", completed=True)
    daily = rule(Interval(micros=DAY, basis=Basis.AFTER_FIRE))
    compiled_rule = compiled(daily, "shop/free")
    free = replace(row(), id="shop/free", definition=daily, rule=compiled_rule)

    found = account(ledger()[4:], rows={one.id: one for one in (paused, over, free)})

    assert whys(found) == []
    assert {tally.schedule: tally.of(Verdict.PAUSED) for tally in found.tallies} == {
        "shop/over": 0,
        "shop/paused": 2,
    }
