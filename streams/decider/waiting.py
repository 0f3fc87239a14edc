"""
What waits, for what, and for how long?

An occurrence waits for the next opening of its schedule's window, or for a target that does not
take it now: it is deferred, again if need be, and skipped when it has waited too long. Each kind of
waiting has its own limit; lateness is never asked about what waits.
"""

from __future__ import annotations

from schemas.definition import HOUR, MINUTE, SECOND
from schemas.events import Deferred, Reason, Skipped
from schemas.instants import format_instant
from streams.calendar.jitter import delay
from streams.calendar.occurrences import NEVER
from streams.calendar.windows import opening
from streams.decider.lateness import skipped
from streams.decider.state import Schedule, World

FIRST_RETRY = SECOND
LONGEST_RETRY = MINUTE
UNBOUNDED_RETRIES = 24 * HOUR
"""How long a target is waited for when the lookback has no limit."""


def for_window(state: Schedule, world: World, now: int, due: int) -> Deferred | Skipped | None:
    """Put off what does not lie in an opening of the window; None: it may start.

    What counts is the moment at which it was to be looked at, if that was not long ago: whoever is
    due in the last second of an opening does not wait until tomorrow. What waited starts a little
    after the opening, by a hash, so that not all that share a window start in the same second.
    """
    definition, cursor = state.plan.definition, state.cursor
    window = definition.window
    if window is None:
        return None
    moment = cursor.due if now - cursor.due <= definition.catch_up.grace else now
    found = opening(window, definition.zone, moment)
    if found is None:
        return _expired(state, world, now, "its window does not open within eight weeks")
    if found.begins <= moment:
        return None
    room = min(window.spread, found.ends - found.begins)
    until = found.begins + delay(state.plan.id, cursor.nominal, room, NEVER)
    if until - due > window.max_wait:
        opens = format_instant(found.begins)
        return _expired(state, world, now, f"its window opens at {opens}, too late for it")
    opens = format_instant(found.begins)
    return _deferred(state, now, due, until, Reason.WINDOW, f"its window opens at {opens}")


def for_target(
    state: Schedule, world: World, now: int, due: int, refusal: str
) -> Deferred | Skipped:
    """Try again later what its target does not take now."""
    cursor = state.cursor
    ends_at = _given_up_at(state, now, due)
    if now >= ends_at:
        return skipped(state, world, now, cursor.nominal, Reason.TARGET_UNAVAILABLE, refusal)
    wait = min(FIRST_RETRY << min(cursor.deferrals, 6), LONGEST_RETRY)
    until = max(min(now + wait, ends_at), now + FIRST_RETRY)
    return _deferred(state, now, due, until, Reason.TARGET_UNAVAILABLE, refusal)


def _given_up_at(state: Schedule, now: int, due: int) -> int:
    """How long a target is waited for: the lookback, or as long as a window may take to open."""
    definition, cursor = state.plan.definition, state.cursor
    lookback, window = definition.catch_up.lookback, definition.window
    if lookback is None:
        return (cursor.deferred_at or now) + UNBOUNDED_RETRIES
    return due + (lookback if window is None else max(lookback, window.max_wait))


def _deferred(
    state: Schedule, now: int, due: int, until: int, reason: Reason, evidence: str
) -> Deferred:
    plan, cursor = state
    return Deferred(
        *(plan.id, plan.version, plan.incarnation, cursor.nominal, due, reason, until),
        deferred_at=cursor.deferred_at or now,
        deferrals=cursor.deferrals + 1,
        evidence=evidence,
    )


def _expired(state: Schedule, world: World, now: int, evidence: str) -> Skipped:
    return skipped(state, world, now, state.cursor.nominal, Reason.DEFERRAL_EXPIRED, evidence)
