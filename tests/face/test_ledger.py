"""How do events look to a person, and to a program?"""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from horae.ledger import event_json, event_line, lateness_words
from schemas.codec import Recorded
from schemas.definition import Definition, Emit, Once
from schemas.events import (
    CommandRefused,
    CommandUnchanged,
    Deferred,
    Event,
    Fired,
    GlobalChanged,
    Outcome,
    Reason,
    ScheduleCompleted,
    ScheduleDefined,
    SchedulePaused,
    ScheduleRecomputed,
    ScheduleRemoved,
    ScheduleResumed,
    ScopeResult,
    Skipped,
    Stamp,
)

NEVER = 2**63 - 1
NOON = 1_798_804_800_000_000  # 2027-01-01T12:00:00Z
HOUR = 3_600_000_000
MINUTE = 60_000_000
STAMP = Stamp(NOON + 12_500, 3, None, -1, 7, "system")
SCOPES = (ScopeResult("a", "jr_1", Outcome.STARTED),)
ONCE = Definition((Once(NOON),), Emit("t", value=b"x"))
FIRED = Fired("a/b", 4, 2, NOON, NOON, NOON + HOUR, 0, None, late=False, scopes=SCOPES,
              next=NEVER, next_due=NEVER)  # fmt: skip
SKIPPED = Skipped(
    "a/b", 4, 2, NOON, NOON + MINUTE, 2, Reason.MISSED, NOON + MINUTE, 0, NEVER, NEVER
)

LINES: dict[str, tuple[Event, str]] = {
    "a fire by the calendar": (
        FIRED,
        "Fired a/b 2027-01-01T13:00:00 local (2027-01-01T12:00:00Z), 12.5 ms after it was due",
    ),
    "a fire by hand, late": (
        FIRED._replace(origin="trigger:x.9", late=True, wall=NOON),
        "Fired a/b 2027-01-01T12:00:00Z by trigger:x.9 as a catch-up, 12.5 ms after it was due",
    ),
    "a run of missed ones": (
        SKIPPED,
        "Skipped a/b 2027-01-01T12:00:00Z to 2027-01-01T12:01:00Z, 2 instants: missed",
    ),
    "a deferral": (
        Deferred("a/b", 4, 2, NOON, NOON, Reason.TARGET_UNAVAILABLE, NOON + MINUTE, NOON, 1),
        "Deferred a/b 2027-01-01T12:00:00Z until 2027-01-01T12:01:00Z: target_unavailable",
    ),
    "a deferral with its evidence": (
        Deferred(
            "a/b",
            4,
            2,
            NOON,
            NOON,
            Reason.TARGET_UNAVAILABLE,
            NOON + MINUTE,
            NOON,
            1,
            "no x",
        ),
        "Deferred a/b 2027-01-01T12:00:00Z until 2027-01-01T12:01:00Z: target_unavailable (no x)",
    ),
    "a skip with its evidence": (
        replace(SKIPPED, count=1, evidence="topic 'x' does not exist"),
        "Skipped a/b 2027-01-01T12:01:00Z: missed (topic 'x' does not exist)",
    ),
    "a definition": (
        ScheduleDefined("a/b", 4, 4, ONCE, NOON, NEVER),
        "ScheduleDefined a/b version 4, next never",
    ),
    "a pause": (
        SchedulePaused("a/b", 4, 4, "move", NOON, NOON + MINUTE),
        "SchedulePaused a/b move until 2027-01-01T12:01:00Z",
    ),
    "the end of a pause": (
        ScheduleResumed("a/b", 4, 4, "", NOON, NOON + MINUTE),
        "ScheduleResumed a/b next 2027-01-01T12:01:00Z",
    ),
    "other zone data": (
        ScheduleRecomputed("a/b", 4, 4, "zone data 2026c", NOON + MINUTE, NOON + MINUTE),
        "ScheduleRecomputed a/b zone data 2026c, next 2027-01-01T12:01:00Z",
    ),
    "a removal": (ScheduleRemoved("a/b", 4, 4), "ScheduleRemoved a/b"),
    "the last instant is over": (ScheduleCompleted("a/b", 4, 4), "ScheduleCompleted a/b"),
    "a refusal": (
        CommandRefused("a/b", "define", "zone", "there is no such zone"),
        "CommandRefused a/b define: zone: there is no such zone",
    ),
    "nothing new": (
        CommandUnchanged("a/b", "define", 4, 4, NOON),
        "CommandUnchanged a/b define, version 4",
    ),
    "nothing new of a subject": (
        CommandUnchanged("a/", "release", 0, 0, NOON),
        "CommandUnchanged a/ release",
    ),
    "a hold": (GlobalChanged("hold", 3, "held"), "GlobalChanged everywhere hold: held"),
}


@pytest.mark.parametrize(("event", "line"), LINES.values(), ids=LINES.keys())
def test_an_event_is_one_line(event: Event, line: str) -> None:
    shown = " ".join(event_line(Recorded(event, STAMP)).split())

    assert shown == f"2027-01-01T12:00:00.012500Z {line}"


@pytest.mark.parametrize("event", [event for event, _ in LINES.values()], ids=LINES.keys())
def test_an_event_is_plain_data(event: Event) -> None:
    found = json.loads(json.dumps(event_json(Recorded(event, STAMP)), allow_nan=False))

    assert found["event"] == type(event).__name__
    assert found["stamp"]["decided_at"] == "2027-01-01T12:00:00.012500Z"


def test_a_fire_as_data_says_all_a_program_needs() -> None:
    found = event_json(Recorded(FIRED, STAMP))

    assert found["occurrence"] == "a/b~2@2027-01-01T12:00:00Z"
    assert found["nominal"] == "2027-01-01T12:00:00Z"
    assert found["wall"] == "2027-01-01T13:00:00"
    assert found["lateness_seconds"] == 0.0125
    assert found["next"] is None
    assert found["scopes"] == [{"scope": "a", "run": "jr_1", "outcome": "started", "reason": None}]


def test_lateness_of_more_than_a_second_is_told_in_seconds() -> None:
    assert [lateness_words(each) for each in (12_500, 999_000, 90_000_000)] == [
        "12.5 ms",
        "999.0 ms",
        "90.0 s",
    ]


def test_a_definition_as_data_is_what_a_file_would_hold() -> None:
    found = event_json(Recorded(LINES["a definition"][0], STAMP))

    assert found["definition"]["once"] == "2027-01-01T12:00:00Z"
    assert found["definition"]["emit"] == {"topic": "t", "value": "x"}
