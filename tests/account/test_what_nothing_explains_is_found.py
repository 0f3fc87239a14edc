"""
Does the account find what is wrong with a ledger?

Ledgers made by hand from what the decider wrote: events taken away, doubled, moved, made up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from schemas.events import (
    BackfillEnded,
    BackfillStarted,
    Event,
    Fired,
    Reason,
    Skipped,
    Stamp,
)
from schemas.globals import Freeze, Hold
from schemas.instants import format_instant
from streams.account.classing import Finding, Span, Verdict, summed
from streams.account.walking import Walk
from streams.account.worlds import GlobalNote, Worlds
from tests.account.ledgers import Kept, account, changed, ledger, whys
from tests.account.telling import numbered
from tests.decider.stage import NIGHTLY, at


def decided(index: int, when: str) -> list[Kept]:
    events = ledger()
    event, stamp = events[index]
    events[index] = event, stamp._replace(decided_at=at(when))
    return events


class Row(NamedTuple):
    """A ledger, and the beginning of what is found in it."""

    events: Callable[[], list[Kept]]
    why: str
    notes: tuple[GlobalNote, ...] = ()


def without(index: int) -> list[Kept]:
    events = ledger()
    return numbered(events[:index] + events[index + 1 :])


def doubled(index: int) -> list[Kept]:
    events = ledger()
    return numbered(events[: index + 1] + events[index:])


HELD = GlobalNote(0, "hold", Hold(True, "works", "user:eve", at("12:20")))
FROZEN = GlobalNote(0, "freeze/x", Freeze(("shop",), at("12:20"), at("12:40"), "audit"))


def under(note_offset: int, index: int) -> list[Kept]:
    events = ledger()
    event, stamp = events[index]
    events[index] = event, stamp._replace(globals_offset=note_offset)
    return events


ROWS = {
    "nothing but a gap tells that a trigger is missing": Row(
        lambda: [*ledger()[:5], *ledger()[6:]], "sequence 6 follows 4: 1 of its events"
    ),
    "the sequence goes back": Row(lambda: [*ledger()[:3], *ledger()[2:]], "it had its end already"),
    "an instant without an end": Row(lambda: without(2), "the next instant was"),
    "the last fire is missing": Row(lambda: without(8), "it was due and has no end"),
    "two ends of one occurrence": Row(lambda: doubled(3), "it had its end already"),
    "two fires of one trigger": Row(lambda: doubled(5), "trigger:id-1.1 has two ends"),
    "a fire under another version": Row(lambda: changed(2, version=7), "it was decided under"),
    "a fire under another incarnation": Row(
        lambda: changed(2, incarnation=7), "it was decided under"
    ),
    "an instant that the calendar does not have": Row(
        lambda: changed(2, nominal=at("12:31"), due=at("12:31")), "the next instant was"
    ),
    "due at another time": Row(lambda: changed(2, due=at("12:29")), "it is said to be due at"),
    "fired too early": Row(lambda: decided(2, "12:29"), "it fired before it was due"),
    "fired under a hold": Row(
        lambda: under(0, 2), "it fired although everything was held", (HELD,)
    ),
    "fired in a freeze": Row(lambda: under(0, 2), "it fired in a freeze", (FROZEN,)),
    "an edit of another version": Row(
        lambda: changed(0, version=9), "it was decided under version 0"
    ),
    "resumed twice": Row(lambda: doubled(7), "it was resumed although it was not paused"),
    "defined twice": Row(lambda: doubled(0), "it was defined although it was there"),
    "an event without a schedule": Row(
        lambda: numbered(ledger()[1:]), "an event about a schedule that is not there"
    ),
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_it_is_found(row: Row) -> None:
    assert account(ledger()).findings == []

    found = account(row.events(), row.notes)

    assert any(why.startswith(row.why) for why in whys(found)), whys(found)
    assert summed(found.tallies).of(Verdict.UNEXPLAINED) >= 1


def skipped(first: str, last: str, count: int, reason: Reason) -> list[Kept]:
    """The ledger up to the first fire, and then a range that was skipped at 14:40."""
    events = ledger()[:2]
    fired, stamp = events[1]
    assert isinstance(fired, Fired)
    event = Skipped(
        *(NIGHTLY, fired.version, fired.incarnation, at(first), at(last), count, reason),
        *(at(last), 0, at("15:00"), at("15:00")),
    )
    return [*events, (event, stamp._replace(sequence=2, decided_at=at("14:40")))]


def test_a_range_says_how_many_it_holds() -> None:
    assert whys(account(skipped("12:30", "14:30", 5, Reason.MISSED))) == []
    assert whys(account(skipped("12:30", "14:30", 4, Reason.MISSED))) == [
        "4 instants are said to be skipped, the calendar has 5"
    ]


def test_missed_is_only_what_was_late() -> None:
    events = skipped("12:30", "12:30", 1, Reason.MISSED)
    event, stamp = events[2]
    events[2] = event, stamp._replace(decided_at=at("12:30:30"))

    assert whys(account(events, now=at("12:40"))) == ["it is said to be missed, and was not late"]


# ---------------------------------------------------------------------- backfills


def backfill(*events: Event, since: int = 9) -> list[Kept]:
    stamp = Stamp(at("14:35"), 0, 6, -1, 0, "user:ann")
    made = [(event, stamp._replace(sequence=since + number)) for number, event in enumerate(events)]
    return [*ledger(), *made]


def once_more(when: str) -> Fired:
    fired = ledger()[1][0]
    assert isinstance(fired, Fired)
    origin = f"{format_instant(at(when))}+b.6"
    return fired._replace(nominal=at(when), due=at(when), origin=origin, next=at("15:00"))


STARTED = BackfillStarted(NIGHTLY, 0, 0, "b.6", (at("12:00"), at("12:30")), None, "again")
ENDED = BackfillEnded(NIGHTLY, 0, 0, "b.6", 2, 2, False, "")


def test_what_a_backfill_runs_comes_on_top() -> None:
    found = account(backfill(STARTED, once_more("12:00"), once_more("12:30"), ENDED))

    assert whys(found) == []
    assert summed(found.tallies).of(Verdict.BY_HAND) == 3


def test_a_backfill_runs_what_was_asked_for_and_each_once() -> None:
    other = account(backfill(STARTED, once_more("13:00")))
    twice = account(backfill(STARTED, *[once_more("12:00"), once_more("12:30")] * 2))
    after = account(backfill(STARTED, ENDED, once_more("12:00")))

    assert "was not asked for" in whys(other)[0]
    assert [("had its end already" in why) for why in whys(twice)] == [True, True]
    assert "belongs to no backfill" in whys(after)[0]


def test_very_many_findings_are_counted() -> None:
    walk = Walk(0, Worlds(), Span(at("00:00"), at("15:00"), at("14:40")))
    event, stamp = ledger()[1]
    for number in range(1_500):
        walk.take(event, stamp._replace(sequence=number))

    found = walk.finish()

    assert len(found.findings) == 1_000
    assert summed(found.tallies).of(Verdict.UNEXPLAINED) == 1_500
    assert isinstance(found.findings[0], Finding)
