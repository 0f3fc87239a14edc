"""
Is it said, in words a person understands, why a schedule ran or did not?

Histories as the decider writes them, and sentences about one instant. With policies it is
test_explaining_policies.py; that a real ledger is read is test_accounts_on_broker.py.
"""

from __future__ import annotations

import pytest

from schemas.commands import (
    Define,
    Pause,
    Remove,
    Resume,
    Trigger,
)
from schemas.definition import Basis, Exclude, Interval
from schemas.events import GlobalChanged, Stamp
from schemas.globals import Calendar
from tests.account.telling import Telling
from tests.decider.stage import DAY, RING, Breaks, Holds, Move, Tells, at, rule
from tests.face.remembered import Remembered, said

HALF_HOURS = "*/30 * * * *"
TOMORROW = at("12:00") // DAY + 1


def stage(*steps: tuple[str, Move]) -> Remembered:
    """Played by the decider, every half hour unless a step says otherwise."""
    found = Telling()
    for when, move in steps:
        found.play(move, at(when))
    return Remembered(found.history, found.told)


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
    "its own dates exclude it": (
        stage(("11:50", Define(rule(HALF_HOURS, exclude=Exclude(dates=(TOMORROW,)))))),
        "06-02T12:00",
        ["It is none of its instants: it is excluded by the schedule's own dates."],
    ),
    "it counts from decisions": (
        stage(("11:50", Define(rule(Interval(micros=DAY, basis=Basis.AFTER_FIRE))))),
        "12:30",
        ["Its instants are on no calendar: each of its instants counts from the decision about"],
    ),
    "its version begins later": (
        stage(DEFINED, ("12:10", Define(rule("0 * * * *")))),
        "12:00",
        ["Version 0 was in force", "It was skipped at 2026-06-01T12:10:00Z", "withdrawn"],
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
