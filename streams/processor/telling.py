"""
What is said of a command beside its verdict?

One short sentence for what an answer's fields do not tell: which run stands in the way, how many
instants a backfill has, what an edit of scopes changed. Read off the events alone. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemas.commands import (
    Asked,
    Backfill,
    CancelBackfill,
    CancelRun,
    EditScopes,
    RemoveSubject,
    RemoveTarget,
    ReportRun,
    Skip,
    Unskip,
)
from schemas.events import (
    BackfillEnded,
    BackfillStarted,
    Fired,
    Outcome,
    RunCancelling,
    RunEnded,
    RunRetries,
    ScheduleChanged,
    ScheduleEvent,
    ScheduleRemoved,
    ScopeResult,
    Skipped,
    SkipsChanged,
)
from schemas.identity import subject_of
from schemas.instants import format_instant
from schemas.policies import Scope
from schemas.snapshot import BackfillNote
from streams.decider.requested import still_ahead
from streams.decider.state import Schedule

_NAMED = 5
"""So many of a list are named, the others are counted."""


def told(asked: Asked, events: Sequence[ScheduleEvent], before: Schedule | None) -> str | None:
    """The sentence; None if there is nothing to add."""
    match asked.command:
        case ReportRun(run=run) | CancelRun(run=run):
            return _of_run(run, events)
        case Skip() | Unskip():
            return _of_skips(events, before)
        case Backfill() | CancelBackfill() as command:
            return _of_backfill(command, events)
        case EditScopes():
            return _of_scopes(events, before)
        case RemoveTarget() | RemoveSubject():
            return _of_schedules(events)
        case _:
            return None


def why_skipped(event: Skipped) -> str:
    """Why a fire by hand did not happen, as its evidence says it."""
    return event.evidence or event.reason.value


def of_fire(event: Fired, *, tracked: bool) -> str | None:
    """The runs of a fire that somebody reports about; of others only what has not started yet."""
    found = event.scopes
    if not tracked:
        found = tuple(one for one in found if one.outcome is not Outcome.STARTED)
    elif [one.scope for one in found] == [subject_of(event.schedule)]:
        return f"run {_run_words(found[0])}"
    return _listed("", [_scope_words(one, tracked=tracked) for one in found]) or None


def _scope_words(result: ScopeResult, *, tracked: bool) -> str:
    if tracked and result.outcome is not Outcome.SKIPPED:
        return f"{result.scope} {_run_words(result)}"
    why = f" ({result.reason})" if result.reason is not None else ""
    return f"{result.scope} {result.outcome}{why}"


def _run_words(result: ScopeResult) -> str:
    return result.run if result.outcome is Outcome.STARTED else f"{result.run} {result.outcome}"


def _of_run(run: str, events: Sequence[ScheduleEvent]) -> str | None:
    said = None
    for event in events:
        match event:
            case RunRetries() if event.run == run:
                said = f"attempt {event.attempt + 1} follows at {format_instant(event.again_at)}"
            case RunCancelling() if event.run == run:
                said = "asked to stop"
            case RunEnded() if event.run == run:
                why = "" if event.reason is None else f" ({event.reason})"
                said = f"ended {event.status}{why}"
            case _:
                pass
    return said


def _of_skips(events: Sequence[ScheduleEvent], before: Schedule | None) -> str | None:
    old = set(still_ahead(before)) if before is not None else set()
    for event in events:
        if isinstance(event, SkipsChanged):
            new = set(event.skips)
            more = _listed("to be skipped: ", map(format_instant, sorted(new - old)))
            fewer = _listed("no longer to be skipped: ", map(format_instant, sorted(old - new)))
            return "; ".join(filter(None, (more, fewer))) or None
    return None


def under_way(backfills: Sequence[BackfillNote], name: str) -> str | None:
    """How far a backfill has come; None if it is not under way."""
    for note in backfills:
        if note.id == name:
            done = note.total - len(note.instants)
            return f"{done} of {_counted(note.total, 'instant')} had their turn, as {name}"
    return None


def _of_backfill(command: Backfill | CancelBackfill, events: Sequence[ScheduleEvent]) -> str | None:
    for event in events:
        match event:
            case BackfillStarted():
                return f"{_counted(len(event.instants), 'instant')}, as {event.id}"
            case BackfillEnded() if isinstance(command, Backfill):  # a dry run
                return event.reason
            case BackfillEnded():
                return f"{event.done} of {_counted(event.total, 'instant')} had their turn"
            case _:
                pass
    return None


def _of_scopes(events: Sequence[ScheduleEvent], before: Schedule | None) -> str | None:
    for event in events:
        if isinstance(event, ScheduleChanged) and before is not None:
            old = _by_target(before.plan.id, before.plan.definition.scopes)
            new = _by_target(event.schedule, event.definition.scopes)
            parts = (
                _numbered("added", [name for name in new if name not in old]),
                _numbered(
                    "changed", [name for name in new if old.get(name, new[name]) != new[name]]
                ),
                _numbered("removed", [name for name in old if name not in new]),
                _numbered("now", list(new)),
            )
            return "; ".join(filter(None, parts)) or None
    return None


def _by_target(schedule: str, scopes: tuple[Scope, ...] | None) -> dict[str, Scope]:
    """Where nothing is said, the one target is the subject."""
    if scopes is None:
        scopes = (Scope(subject_of(schedule)),)
    return {scope.target: scope for scope in scopes}


def _of_schedules(events: Sequence[ScheduleEvent]) -> str:
    changed = [event.schedule for event in events if isinstance(event, ScheduleChanged)]
    removed = [event.schedule for event in events if isinstance(event, ScheduleRemoved)]
    parts = (_listed("changed ", changed), _listed("removed ", removed))
    return "; ".join(filter(None, parts)) or "no schedule was concerned"


def _listed(before: str, names: Sequence[str] | map[str]) -> str:
    """The first of them, and how many others there are; nothing of none."""
    found = list(names)
    if not found:
        return ""
    more = len(found) - _NAMED
    return before + ", ".join(found[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _numbered(what: str, names: Sequence[str]) -> str:
    """How many, and the first of them; nothing of none."""
    return _listed(f"{what} {len(names):,}: ", names)


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}" + ("" if number == 1 else "s")
