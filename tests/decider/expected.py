"""
What is the decider expected to say?

The events of `shop/nightly` with what a test does not care about filled in; times are texts as
stage.py reads them, None stands for never.
"""

from __future__ import annotations

from schemas.definition import Definition
from schemas.events import (
    CommandRefused,
    CommandUnchanged,
    Deferred,
    Fired,
    Outcome,
    Reason,
    ScheduleChanged,
    ScheduleCompleted,
    ScheduleDefined,
    ScheduleEvent,
    SchedulePaused,
    ScheduleRecomputed,
    ScheduleRemoved,
    ScheduleResumed,
    ScopeResult,
    Skipped,
)
from schemas.identity import occurrence_id, run_id
from streams.calendar.occurrences import NEVER
from tests.decider.stage import NIGHTLY, at


def fires(events: list[ScheduleEvent]) -> list[int]:
    """The nominal instants of the fires among these."""
    return [event.nominal for event in events if isinstance(event, Fired)]


def instants(*texts: str) -> list[int]:
    return [at(text) for text in texts]


def _next(text: str | None) -> int:
    return NEVER if text is None else at(text)


def fired(
    nominal: str,
    following: str | None,
    *,
    late: bool = False,
    version: int = 0,
    incarnation: int = 0,
    deferred: tuple[str, int] | None = None,
) -> Fired:
    instant = at(nominal)
    run = run_id(occurrence_id(NIGHTLY, incarnation, instant), "shop")
    return Fired(
        *(NIGHTLY, version, incarnation, instant, instant, instant, 0, None, late),
        (ScopeResult("shop", run, Outcome.STARTED),),
        *(_next(following), _next(following)),
        at(deferred[0]) if deferred else None,
        deferred[1] if deferred else 0,
    )


def triggered(
    now: str, following: str | None, offset: int, *, due_at: str | None = None, version: int = 0
) -> Fired:
    instant, origin = at(now), f"trigger:id-{offset}.{offset}"
    run = run_id(occurrence_id(NIGHTLY, 0, instant, origin), "shop")
    return Fired(
        *(NIGHTLY, version, 0, instant, instant, instant, 0, origin, False),
        (ScopeResult("shop", run, Outcome.STARTED),),
        *(_next(following), _next(due_at or following)),
    )


def skipped(
    first: str,
    last: str,
    count: int,
    following: str | None,
    reason: Reason = Reason.MISSED,
    *,
    evidence: str | None = None,
    deferred: tuple[str, int] | None = None,
) -> Skipped:
    return Skipped(
        *(NIGHTLY, 0, 0, at(first), at(last), count, reason, at(last), 0),
        *(_next(following), _next(following)),
        deferred_at=at(deferred[0]) if deferred else None,
        deferrals=deferred[1] if deferred else 0,
        evidence=evidence,
    )


def deferred(
    nominal: str, until: str, first: str, times: int, evidence: str, version: int = 0
) -> Deferred:
    instant = at(nominal)
    return Deferred(
        *(NIGHTLY, version, 0, instant, instant, Reason.TARGET_UNAVAILABLE),
        *(at(until), at(first), times, evidence, instant),
    )


def defined(
    definition: Definition, begins: str | int, following: str | None, version: int = 0
) -> ScheduleDefined:
    begins_at = begins if isinstance(begins, int) else at(begins)
    return ScheduleDefined(NIGHTLY, version, version, definition, begins_at, _next(following))


def changed(
    definition: Definition,
    begins: str | int,
    following: str | None,
    version: int = 1,
    previous: int = 0,
) -> ScheduleChanged:
    begins_at = begins if isinstance(begins, int) else at(begins)
    return ScheduleChanged(NIGHTLY, version, 0, previous, definition, begins_at, _next(following))


def removed(version: int = 1) -> ScheduleRemoved:
    return ScheduleRemoved(NIGHTLY, version, 0)


def paused(since: str, reason: str = "", until: str | None = None) -> SchedulePaused:
    return SchedulePaused(NIGHTLY, 0, 0, reason, at(since), at(until) if until else None)


def resumed(begins: str | int, following: str | None, reason: str = "") -> ScheduleResumed:
    begins_at = begins if isinstance(begins, int) else at(begins)
    return ScheduleResumed(NIGHTLY, 0, 0, reason, begins_at, _next(following))


def completed(version: int = 0) -> ScheduleCompleted:
    return ScheduleCompleted(NIGHTLY, version, 0)


def recomputed(cause: str, following: str | None, version: int = 0) -> ScheduleRecomputed:
    instant = _next(following)
    return ScheduleRecomputed(NIGHTLY, version, 0, cause, instant, instant)


def unchanged(command: str, following: str | None, version: int = 0) -> CommandUnchanged:
    return CommandUnchanged(NIGHTLY, command, version, 0, _next(following))


def refused(command: str, field_name: str, message: str, version: int | None = 0) -> CommandRefused:
    return CommandRefused(NIGHTLY, command, field_name, message, version)
