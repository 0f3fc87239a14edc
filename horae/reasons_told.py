"""
How is it said why a schedule ran, or did not?

Plain sentences in the order in which a person asks: what was in force, whether it was an instant
at all, what became of it, what its runs did, and what caused it. What is said is explaining.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from horae.explaining import Explained
from horae.ledger import lateness_words
from horae.runs_told import run_told
from schemas.events import (
    BackfillStarted,
    Deferred,
    Fired,
    Outcome,
    RunNoted,
    Skipped,
    SkipsChanged,
    Stamp,
)
from schemas.instants import LAST, format_instant
from schemas.run_events import OfRun
from streams.account.classing import Verdict
from streams.account.history import Chapter, Kept, Rest, span_of
from streams.calendar.explain import explain as rule_words
from streams.calendar.wall_time import wall_of
from streams.calendar.zones import zone_clock

_MOST_RUNS = 100


def sentences(found: Explained) -> list[str]:
    """All that is to be said, a sentence each."""
    return [
        *_in_force(found),
        *_is_instant(found),
        *_rests(found),
        *_became(found),
        *_by_hand(found),
        *_runs(found),
        *_wrong(found),
    ]


def both(instant: int, zone: str) -> str:
    """An instant as the zone's clocks show it, and in UTC."""
    if instant > LAST:
        return "never"
    if zone == "UTC":
        return format_instant(instant)
    wall = format_instant(wall_of(zone_clock(zone), instant)).removesuffix("Z")
    return f"{wall} {zone} ({format_instant(instant)})"


def cause(stamp: Stamp) -> str:
    """Who or what brought it about."""
    if stamp.offset is None:
        return "by its timer"
    return f"by {stamp.actor} (the command at offset {stamp.offset} of partition {stamp.partition})"


def zone_of(found: Explained) -> str:
    """The zone that the answer speaks of."""
    chapter = found.history.in_force() or next(iter(found.history.chapters), None)
    return "UTC" if chapter is None else chapter.definition.zone


# ---------------------------------------------------------------------- what was in force


def _in_force(found: Explained) -> Iterator[str]:
    history, zone = found.history, zone_of(found)
    chapter = history.in_force()
    if found.begin is not None:
        begins = format_instant(found.begin.at)
        yield f"The ledger begins at {begins}: what was before is not known."
    if chapter is None:
        if history.chapters:
            first = history.chapters[0].since
            created = both(first.decided_at, zone)
            yield f"There was no such schedule then: it was created at {created} {cause(first)}."
        elif not found.is_known:
            yield "The ledger knows no such schedule."
        else:
            yield "Its definition is older than the ledger."
        return
    yield _chapter(chapter, found.history.instant)
    ended = chapter.until
    if ended is not None and ended.decided_at <= history.instant:
        what = "The schedule was removed" if chapter.is_removed else "That version was replaced"
        yield f"{what} at {both(ended.decided_at, zone)} {cause(ended)}."
    done = chapter.completed
    if done is not None and done.decided_at <= history.instant:
        yield f"It was completed at {both(done.decided_at, zone)}: no instant was left."


def _chapter(chapter: Chapter, instant: int) -> str:
    definition, since = chapter.definition, chapter.since
    when = both(since.decided_at, definition.zone)
    words = rule_words(definition, instant).rstrip(".")
    return f"Version {chapter.version} was in force, since {when} {cause(since)}: {words}."


def _is_instant(found: Explained) -> Iterator[str]:
    placed, zone = found.placed, zone_of(found)
    if placed is None or (found.history.ends and placed.why_not is not None):
        return
    if placed.why_not is None:
        later = f", due at {both(placed.due, zone)}" if placed.due != found.history.instant else ""
        yield f"It is one of its instants{later}."
        return
    if placed.is_certain:
        yield f"It is none of its instants: {placed.why_not}."
        near = [_neighbour(found, name, zone) for name in ("before", "after")]
        yield f"The nearest ones are {' and '.join(near)}."
    else:
        yield f"Its instants are on no calendar: {placed.why_not}."


def _neighbour(found: Explained, side: str, zone: str) -> str:
    instant: int | None = getattr(found.placed, side)
    if instant is None:
        return f"none {side} it"
    kept: Kept | None = getattr(found.history, side)
    what = ""
    if kept is not None and isinstance(kept.event, Fired | Skipped):
        first, last = span_of(kept.event)
        if first <= instant <= last:
            what = ", which fired" if isinstance(kept.event, Fired) else ", which was skipped"
    return f"{both(instant, zone)}{what}"


def _rests(found: Explained) -> Iterator[str]:
    history, zone = found.history, zone_of(found)
    for name, rest in (
        ("It was paused", history.paused()),
        ("Its subject was held", history.held()),
        ("Everything was held", found.everything),
    ):
        if rest is not None:
            yield _rest(name, rest, zone)


def _rest(name: str, rest: Rest, zone: str) -> str:
    since = both(rest.since, zone)
    until = "and still is"
    if rest.ends_at is not None:
        until = f"until {both(rest.ends_at, zone)}"
    elif rest.until is not None:
        until = f"until {both(rest.until, zone)} at the latest"
    return f"{name} from {since} {until}, by {rest.by.actor}: {rest.reason or 'no reason given'}."


# ---------------------------------------------------------------------- what became of it


def _became(found: Explained) -> Iterator[str]:
    history, zone = found.history, zone_of(found)
    for kept in history.requests:
        yield _request(kept, zone)
    for kept in history.deferrals:
        if isinstance(kept.event, Deferred):
            yield _deferred(kept.event, kept.stamp, zone)
    for kept in history.ends:
        yield _end(kept, zone)
    if not history.ends:
        yield from (_OPEN[one.verdict] for one in found.classes if one.verdict in _OPEN)


_OPEN = {
    Verdict.PENDING: "It is still to come.",
    Verdict.DEFERRED: "It still waits.",
    Verdict.HELD: "It has no end yet: nothing is decided while the hold lasts.",
    Verdict.PAUSED: "So it was no occurrence: what falls into a pause is passed over.",
    Verdict.OUTSIDE: "So it was no occurrence: it lies outside of the definition's bounds, "
    "or the definition was being replaced.",
}


def _request(kept: Kept, zone: str) -> str:
    when = both(kept.stamp.decided_at, zone)
    if isinstance(kept.event, BackfillStarted):
        return f"At {when} it was asked to run once more {cause(kept.stamp)}: backfill."
    reason = kept.event.reason if isinstance(kept.event, SkipsChanged) else ""
    return (
        f"At {when} it was asked to be skipped {cause(kept.stamp)}: {reason or 'no reason given'}."
    )


def _deferred(event: Deferred, stamp: Stamp, zone: str) -> str:
    evidence = f" ({event.evidence})" if event.evidence else ""
    when, until = both(stamp.decided_at, zone), both(event.until, zone)
    return f"At {when} it was deferred until {until}: {event.reason.value}{evidence}."


def _end(kept: Kept, zone: str) -> str:
    event, stamp = kept.event, kept.stamp
    when = both(stamp.decided_at, zone)
    if isinstance(event, Fired):
        late = lateness_words(stamp.decided_at - event.due)
        how = (
            f"as a catch-up, {late} after it was due" if event.late else f"{late} after it was due"
        )
        waited = _waited(event, zone)
        return f"It fired at {when} {cause(stamp)}, {how}{waited}."
    if not isinstance(event, Skipped):
        return f"It ended at {when}."
    evidence = f" ({event.evidence})" if event.evidence else ""
    among = ""
    if event.count > 1:
        first, last = both(event.first, zone), both(event.last, zone)
        among = f" with {event.count - 1} others, from {first} to {last}"
    return (
        f"It was skipped at {when} {cause(stamp)}{among}: "
        f"{event.reason.value}{evidence}{_waited(event, zone)}."
    )


def _waited(event: Fired | Skipped, zone: str) -> str:
    if not event.deferrals or event.deferred_at is None:
        return ""
    times = "once" if event.deferrals == 1 else f"{event.deferrals} times"
    return f"; it had waited since {both(event.deferred_at, zone)}, deferred {times}"


def _by_hand(found: Explained) -> Iterator[str]:
    zone = zone_of(found)
    for kept in found.history.by_hand:
        event, when = kept.event, both(kept.stamp.decided_at, zone)
        origin = str(getattr(event, "origin", ""))
        what = "By hand" if origin.startswith("trigger:") else "By a backfill"
        became = "it fired" if isinstance(event, Fired) else "it was skipped"
        why = f": {event.reason.value}" if isinstance(event, Skipped) else ""
        yield f"{what} {became} at {when} {cause(kept.stamp)}{why} ({origin})."


# ---------------------------------------------------------------------- runs


def _runs(found: Explained) -> Iterator[str]:
    history, zone = found.history, zone_of(found)
    chapter = history.in_force()
    is_tracked = bool(history.runs) or _is_tracked(chapter)
    by_runner = chapter is not None and chapter.definition.action.work is not None
    for kept in (*history.ends, *history.by_hand):
        if isinstance(kept.event, Fired):
            for scope, run, outcome, reason in kept.event.scopes:
                why = f" ({reason.value})" if reason is not None else ""
                if outcome is not Outcome.STARTED or len(kept.event.scopes) > 1 or is_tracked:
                    begun = by_runner and outcome is Outcome.STARTED
                    became = "offered to the runners" if begun else outcome.value
                    yield f"Scope {scope}: run {run} {became}{why}."
    for kept in history.runs[:_MOST_RUNS]:
        if isinstance(kept.event, OfRun) and not isinstance(kept.event, RunNoted):
            at = both(kept.stamp.decided_at, zone)
            told = run_told(kept.event, lambda instant: both(instant, zone), by_runner=by_runner)
            yield f"Run {kept.event.run} ({kept.event.scope}): {told} at {at}."


def _is_tracked(chapter: Chapter | None) -> bool:
    """Whether a run stays open after its record, so that somebody may ask for its name."""
    return chapter is not None and chapter.definition.action.tracked is not None


def _wrong(found: Explained) -> Iterator[str]:
    for one in found.findings:
        excuse = f" It was {one.excuse}." if one.excuse else " Nothing in the ledger explains this."
        yield f"What does not fit: {one.why}.{excuse}"
