"""
Is it said, in words a person understands, why a schedule ran or did not?

Histories as the decider writes them, of one subject with and without policies, and sentences about
one instant. That the command line reads a real ledger is test_accounts_on_broker.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from horae.explaining import Explained, explain
from horae.past import Past, Place
from horae.reasons_told import sentences
from schemas.codec import Recorded
from schemas.commands import (
    Backfill,
    Define,
    HoldSubject,
    Pause,
    ReleaseSubject,
    Remove,
    ReportStatus,
    Resume,
    Skip,
    Trigger,
)
from schemas.definition import CatchUp, Exclude
from schemas.events import Event, GlobalChanged, Stamp
from schemas.globals import Calendar
from schemas.policies import Overlap, OverlapMode, Scope
from streams.account.worlds import GlobalNote
from streams.decider.state import Plan
from tests.account.telling import Telling
from tests.decider.house import House, tracked
from tests.decider.stage import DAY, NIGHTLY, RING, Breaks, Holds, Move, Tells, at, rule

HALF_HOURS = "*/30 * * * *"


@dataclass
class Remembered:
    """A past that a test made up, in one partition."""

    history: Sequence[tuple[Event, Stamp]]
    notes: Sequence[GlobalNote] = ()
    rows: dict[str, Plan] = field(default_factory=dict)
    places: tuple[Place, ...] = (Place(0, 0, 1),)

    def of(self, _subjects: object) -> tuple[Place, ...]:
        return self.places

    def events(self, _place: Place) -> Iterator[Recorded]:
        yield from (Recorded(event, stamp) for event, stamp in self.history)

    def globals(self) -> list[GlobalNote]:
        return list(self.notes)

    def plans(self, _wanted: Callable[[str], bool]) -> dict[str, Plan]:
        return self.rows


def explained(past: Remembered, when: str, now: str) -> Explained:
    return explain(cast("Past", past), NIGHTLY, at(when), at(now))


def stage(*steps: tuple[str, Move]) -> Remembered:
    """Played by the decider, every half hour unless a step says otherwise."""
    found = Telling()
    for when, move in steps:
        found.play(move, at(when))
    return Remembered(found.history, found.told)


def said(past: Remembered, when: str, now: str = "15:00") -> str:
    return "\n".join(sentences(explained(past, when, now)))


DEFINED = ("11:50", Define(rule(HALF_HOURS)))
AFTERNOON = Calendar(crons=("* 13 * * *",))

ROWS: dict[str, tuple[Remembered, str, list[str]]] = {
    "it fired in time": (
        stage(DEFINED, ("12:00", RING)),
        "12:00",
        [
            ("Version 0 was in force, since 2026-06-01T11:50:00Z by user:ann (the command at "
            "offset 0 of partition 0): Every 30 minutes every day, UTC."),
            "It is one of its instants.",
            "It fired at 2026-06-01T12:00:00Z by its timer, 0.0 ms after it was due.",
        ],
    ),
    "it fired as a catch-up": (
        stage(DEFINED, ("12:20", RING)),
        "12:00",
        ["It fired at 2026-06-01T12:20:00Z by its timer, as a catch-up, 1200.0 s after it was"],
    ),
    "it was missed among others": (
        stage(DEFINED, ("14:20", RING)),
        "12:30",
        [
            ("It was skipped at 2026-06-01T14:20:00Z by its timer with 3 others, "
            "from 2026-06-01T12:00:00Z to 2026-06-01T13:30:00Z: missed."),
        ],
    ),
    "it waited": (
        stage(
            DEFINED,
            ("11:55", Breaks("gone")),
            ("12:00", RING),
            ("12:05", Breaks(None)),
            ("12:05", RING),
        ),
        "12:00",
        [
            ("At 2026-06-01T12:00:00Z it was deferred until 2026-06-01T12:00:01Z: "
            "target_unavailable (gone)."),
            "it had waited since 2026-06-01T12:00:00Z, deferred once.",
        ],
    ),
    "it is excluded": (
        stage(
            ("11:00", Tells("calendar/feasts", AFTERNOON)),
            ("11:50", Define(rule(HALF_HOURS, exclude=Exclude(("feasts",))))),
            ("12:00", RING),
            ("12:30", RING),
            ("14:00", RING),
        ),
        "13:00",
        [
            "It is none of its instants: it is excluded by calendar feasts.",
            ("The nearest ones are 2026-06-01T12:30:00Z, which fired and 2026-06-01T14:00:00Z, "
            "which fired."),
        ],
    ),
    "what excluded it is gone since": (
        stage(
            ("11:00", Tells("calendar/feasts", AFTERNOON)),
            ("11:50", Define(rule(HALF_HOURS, exclude=Exclude(("feasts",))))),
            ("12:00", RING),
            ("12:30", RING),
            ("13:45", Tells("calendar/feasts", Calendar(at=at("13:45")))),
            ("14:00", RING),
        ),
        "13:00",
        ["It is none of its instants: it is excluded by calendar feasts."],
    ),
    "it lies before the bounds": (
        stage(("11:50", Define(rule(HALF_HOURS, start_at=at("13:00"))))),
        "12:00",
        ["It is none of its instants: it lies before start_at, 2026-06-01T13:00:00Z."],
    ),
    "it lies after the bounds": (
        stage(("11:50", Define(rule(HALF_HOURS, end_at=at("12:30")))), ("12:00", RING)),
        "14:00",
        ["It is none of its instants: it lies after end_at, 2026-06-01T12:30:00Z."],
    ),
    "there was none before it was made": (
        stage(DEFINED),
        "11:30",
        ["There was no such schedule then: it was created at 2026-06-01T11:50:00Z by user:ann"],
    ),
    "it was removed before": (
        stage(DEFINED, ("12:10", Remove())),
        "12:30",
        ["The schedule was removed at 2026-06-01T12:10:00Z by user:ann"],
    ),
    "another version was in force later": (
        stage(DEFINED, ("12:00", RING), ("12:10", Define(rule("15 * * * *")))),
        "12:00",
        ["Version 0 was in force, since 2026-06-01T11:50:00Z", "It fired at"],
    ),
    "it was completed": (
        stage(("11:50", Define(rule(HALF_HOURS, max_fires=1))), ("12:00", RING)),
        "12:30",
        ["It was completed at 2026-06-01T12:00:00Z: no instant was left."],
    ),
    "it was paused": (
        stage(DEFINED, ("12:10", Pause("lunch")), ("13:10", Resume())),
        "12:30",
        [
            ("It was paused from 2026-06-01T12:10:00Z until 2026-06-01T13:10:00Z, by user:ann: "
            "lunch."),
            "So it was no occurrence: what falls into a pause is passed over.",
        ],
    ),
    "it was fired by hand": (
        stage(DEFINED, ("12:10", Trigger())),
        "12:10:20",
        [
            "It is none of its instants: its rule has no such instant.",
            "By hand it fired at 2026-06-01T12:10:00Z by user:ann",
        ],
    ),
    "it is still to come": (
        stage(DEFINED, ("12:00", RING)), "15:30", ["It is still to come."]
    ),
    "it should have run": (
        stage(DEFINED, ("12:00", RING)),
        "12:30",
        [
            ("What does not fit: it was due and has no end: nobody has decided about it. "
            "Nothing in the ledger explains this."),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_it_is_said(row: tuple[Remembered, str, list[str]]) -> None:
    past, when, wanted = row

    found = said(past, when)

    assert [one for one in wanted if one not in found] == [], found


def test_a_hold_over_everything_is_named_by_the_ledger() -> None:
    past = stage(DEFINED, ("12:10", Holds(held=True)))
    stamp = Stamp(at("12:10"), 0, None, 1, 1, "system")
    held = GlobalChanged("hold", 1, "everything is held: works")
    past.history = [*past.history, (held, stamp)]

    assert (
        "Everything was held from 2026-06-01T12:10:00Z and still is, by system: works." in
        said(past, "12:30")
    )  # fmt: skip

    lifted = GlobalChanged("hold", 2, "the hold is lifted: done")
    later = stamp._replace(decided_at=at("12:50"), sequence=2)
    past.history = [*past.history, (lifted, later)]

    assert "until 2026-06-01T12:50:00Z" in said(past, "12:30")
    assert "Everything was held" not in said(past, "13:00")


def test_what_the_ledger_has_lost_is_told() -> None:
    past = stage(DEFINED, ("12:00", RING), ("12:30", RING))
    past.history = past.history[1:]

    assert said(past, "12:30").startswith(
        "The ledger begins at 2026-06-01T12:00:00Z: what was before is not known.\n"
        "Its definition is older than the ledger."
    )


# ---------------------------------------------------------------------- with policies


def house(**more: Any) -> House:
    found = House()
    found.ask("11:50", Define(tracked(HALF_HOURS, lease=DAY, **more)))
    return found


def told(found: House, when: str, now: str = "15:00") -> str:
    return said(Remembered(found.history), when, now)


def test_the_runs_of_each_target_and_their_ends_are_told() -> None:
    found = house(scopes=(Scope("rack-a"), Scope("rack-b")))
    found.wait("12:00")
    first, second = found.going()
    found.report("12:05", first.id)
    found.report("12:06", second.id, ReportStatus.FAILED)

    words = told(found, "12:00")

    assert f"Scope rack-a: run {first.id} started." in words
    assert f"Run {first.id} (rack-a): ended success at 2026-06-01T12:05:00Z." in words
    assert f"Run {second.id} (rack-b): ended failed at 2026-06-01T12:06:00Z." in words


def test_what_waits_behind_another_run_is_told() -> None:
    found = house(overlap=Overlap(OverlapMode.QUEUE))
    found.wait("12:30")
    (first,) = found.going()
    found.report("12:40", first.id)

    words = told(found, "12:30")

    assert "waiting" in words
    assert "began (attempt 1) at 2026-06-01T12:40:00Z." in words


def test_what_overlaps_is_told() -> None:
    found = house()
    found.wait("12:30")

    assert "overlap" in told(found, "12:30")


def test_what_was_asked_to_be_skipped_is_told() -> None:
    found = house()
    found.ask("11:55", Skip(None, at("12:00"), "stocktaking"))
    found.wait("12:00")

    words = told(found, "12:00")

    assert "it was asked to be skipped by user:ann (the command at offset 1" in words
    assert "stocktaking" in words
    assert ": requested" in words


def test_a_hold_over_its_subject_is_told() -> None:
    found = house()
    found.wait("12:00")
    found.ask("12:10", HoldSubject("works", None), None)
    held = told(found, "12:30", "12:45")
    found.ask("12:50", ReleaseSubject("done"), None)
    found.wait("12:50")

    assert (
        "Its subject was held from 2026-06-01T12:10:00Z and still is, by user:ann: works." in held
    )
    assert "It has no end yet: nothing is decided while the hold lasts." in held
    assert "until 2026-06-01T12:50:00Z, by user:ann: works." in told(found, "12:30")


def test_what_was_run_once_more_is_told() -> None:
    found = house(catch_up=CatchUp())
    found.wait("12:00")
    found.report("12:05", found.going()[0].id)
    found.ask(
        "12:10",
        Backfill(at("12:00"), at("12:00"), (), newest_first=False, overlap=None, dry_run=False,
                 reason="again"),
    )  # fmt: skip
    found.wait("12:15")

    words = told(found, "12:00")

    assert "it was asked to run once more by user:ann" in words
    assert "By a backfill it fired at 2026-06-01T12:10:00Z" in words
