"""
What is known of an instant, as a program gets it?

Plain data for the command line and the interface over HTTP; instants are text in UTC. What is known
is explaining.py, how it is said to a person reasons_told.py.
"""

from __future__ import annotations

from typing import Any

from horae.explaining import Explained
from horae.ledger import event_json
from horae.reasons_told import zone_of
from schemas.codec import Recorded
from schemas.definition_json import definition_json
from schemas.instants import format_instant
from streams.account.history import Chapter, Kept, Rest


def explained_json(found: Explained, words: list[str]) -> dict[str, Any]:
    """All of it; `words` are the sentences that a person is told."""
    history, placed = found.history, found.placed
    chapter = history.in_force()
    kept = [*history.deferrals, *history.ends, *history.by_hand, *history.runs]
    return {
        "schedule": history.schedule,
        "instant": _utc(history.instant),
        "zone": zone_of(found),
        "verdicts": [
            {"verdict": one.verdict.value, "reason": one.reason or None} for one in found.classes
        ],
        "sentences": words,
        "definition": None if chapter is None else _chapter_json(chapter),
        "is_instant": placed is not None and placed.why_not is None,
        "why_not": None if placed is None else placed.why_not,
        "before": None if placed is None else _utc(placed.before),
        "after": None if placed is None else _utc(placed.after),
        "paused": _rest_json(history.paused()),
        "subject_held": _rest_json(history.held()),
        "everything_held": _rest_json(found.everything),
        "events": [_event_json(one) for one in kept],
        "unexplained": [one.why for one in found.findings if not one.excuse],
        "ledger_begins": None if found.begin is None else _utc(found.begin.at),
    }


def _chapter_json(chapter: Chapter) -> dict[str, Any]:
    return {
        "version": chapter.version,
        "incarnation": chapter.incarnation,
        "since": _utc(chapter.since.decided_at),
        "actor": chapter.since.actor,
        "offset": chapter.since.offset,
        "until": None if chapter.until is None else _utc(chapter.until.decided_at),
        "removed": chapter.is_removed,
        "definition": definition_json(chapter.definition),
    }


def _rest_json(rest: Rest | None) -> dict[str, Any] | None:
    if rest is None:
        return None
    return {
        "since": _utc(rest.since),
        "until": _utc(rest.ends_at if rest.ends_at is not None else rest.until),
        "actor": rest.by.actor,
        "reason": rest.reason,
    }


def _event_json(kept: Kept) -> dict[str, Any]:
    return event_json(Recorded(kept.event, kept.stamp))


def _utc(micros: int | None) -> str | None:
    return None if micros is None else format_instant(micros)
