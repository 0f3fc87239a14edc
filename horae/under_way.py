"""
What goes on in a subject at this moment?

Its open runs and what is known of it as a whole, as its processor keeps them in horae.state, and
how the latter is told to programs. What became of what is over stands in the ledger.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

from horae.deployment_shown import requests_a_minute
from schemas.codec import decode_as
from schemas.deployments_json import deployment_json
from schemas.identity import subject_of
from schemas.instants import format_instant
from schemas.snapshot import Run, RunPhase, Standing, SubjectHold, SubjectNotes
from streams.processor.keys import RUNS, subject_key


class State(Protocol):
    """Who knows the records of horae.state."""

    def state(self, subject: str) -> Iterable[tuple[bytes, bytes | None]]:
        """Those of the subject's partition, oldest first; None: it is gone."""


class UnderWay(NamedTuple):
    """What goes on, and what is known beside."""

    runs: tuple[Run, ...]
    """Those that are not over, in the order in which they were due."""
    notes: SubjectNotes


def find_under_way(past: State, subject: str) -> UnderWay:
    """What goes on in a subject; nothing does in one that is not there."""
    runs: dict[bytes, Run] = {}
    notes = SubjectNotes()
    for key, value in past.state(subject):
        if key == subject_key(subject):
            notes = SubjectNotes() if value is None else decode_as(value, SubjectNotes)
        elif key.startswith(RUNS):
            runs.pop(key, None)
            run = None if value is None else decode_as(value, Run)
            if run is not None and _goes_on(run, subject):
                runs[key] = run
    return UnderWay(tuple(sorted(runs.values(), key=_turn)), notes)


def _goes_on(run: Run, subject: str) -> bool:
    return subject_of(run.schedule) == subject and run.phase is not RunPhase.ENDED


def _turn(run: Run) -> tuple[int, str, str, str]:
    return run.due, run.schedule, run.scope, run.id


def failures_in_a_row(notes: SubjectNotes) -> dict[str, int]:
    """How many runs of each schedule failed one after the other, which may pause it."""
    return {one.schedule: one.times for one in notes.failures if one.times}


def unsuccessful_in_a_row(notes: SubjectNotes) -> dict[str, int]:
    """The same with those that could not be carried out, or whose runner was lost."""
    return {one.schedule: one.unsuccessful for one in notes.failures if one.unsuccessful}


def known_json(notes: SubjectNotes) -> dict[str, Any]:
    """Its holds, activity and state, and what did not succeed, for a program."""
    seen = notes.activity
    return {
        "held": _hold_json(notes.hold),
        "actions_held": _hold_json(notes.actions_hold),
        "activity": None
        if seen is None
        else {
            "last_request": _instant(seen.last_request),
            "in_flight": seen.in_flight,
            "waiting": seen.waiting,
            "sampled_at": _instant(seen.sampled_at),
            "served": seen.served,
            "rate": requests_a_minute(seen.rate),
            "usual": requests_a_minute(seen.usual),
        },
        "deployment": None if notes.deployment is None else deployment_json(notes.deployment),
        "state": None if notes.standing is None else _standing_json(notes.standing),
        "failures_in_a_row": failures_in_a_row(notes),
        "unsuccessful_in_a_row": unsuccessful_in_a_row(notes),
    }


def _hold_json(hold: SubjectHold | None) -> dict[str, Any] | None:
    if hold is None:
        return None
    return {
        "since": _instant(hold.since),
        "until": _instant(hold.until),
        "actor": hold.actor,
        "reason": hold.reason,
    }


def _standing_json(standing: Standing) -> dict[str, Any]:
    return {
        "state": standing.state.value,
        "actor": standing.actor,
        "since": _instant(standing.since),
        "stopped_by": standing.stopped_by,
    }


def _instant(micros: int | None) -> str | None:
    return None if micros is None else format_instant(micros)
