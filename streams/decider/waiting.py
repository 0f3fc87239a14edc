"""
What waits, for what, and for how long?

An occurrence waits for the next opening of its schedule's window, for a quiet moment of its subject
(quiet.py), or for a target that does not take it now: it is deferred, again if need be, and skipped
when it has waited too long. Each kind of waiting has its own limit, counted from when the kind
before it was over; lateness is never asked about what waits.
"""

from __future__ import annotations

from typing import NamedTuple

from schemas.definition import HOUR, MINUTE, SECOND, Window
from schemas.events import Deferred, Reason, Skipped
from schemas.instants import format_instant
from schemas.snapshot import MOST_DEFERRALS
from streams.calendar.jitter import delay
from streams.calendar.occurrences import NEVER
from streams.calendar.windows import Opening, opening
from streams.decider.agenda import agenda_of
from streams.decider.lateness import oldest, skipped
from streams.decider.limits import lookback_of
from streams.decider.state import Schedule, World

FIRST_RETRY = SECOND
LONGEST_RETRY = MINUTE
UNBOUNDED_RETRIES = 24 * HOUR
"""How long a target is waited for when the lookback has no limit."""


class Wait(NamedTuple):
    """What an occurrence waits for, and until when."""

    due: int
    until: int
    reason: Reason
    evidence: str


def for_window(state: Schedule, world: World, now: int, due: int) -> Deferred | Skipped | None:
    """Put off what does not lie in an opening of the window; None: it may start.

    What counts is the moment at which it was to be looked at, if that was not long ago: whoever is
    due in the last second of an opening does not wait until tomorrow. What waited starts a little
    after the opening, by a hash, so that not all that share a window start in the same second.
    """
    definition = state.plan.definition
    window = definition.window
    if window is None:
        return None
    moment = _moment(state, now)
    found = opening(window, definition.zone, moment)
    if found is None:
        return expired(state, world, now, "its window does not open within eight weeks")
    if found.begins <= moment:
        return None
    until = _start_in(found, state, window)
    opens = format_instant(found.begins)
    if until - due > window.max_wait:
        return expired(state, world, now, f"its window opens at {opens}, too late for it")
    why = f"its window opens at {opens}"
    return deferred(state, world, now, Wait(due, until, Reason.WINDOW, why))


def let_in_at(state: Schedule, now: int, due: int) -> int:
    """Since when its window has let start what may start now: when it was due, or opened."""
    definition = state.plan.definition
    window = definition.window
    found = None if window is None else opening(window, definition.zone, _moment(state, now))
    if window is None or found is None or found.begins <= due:
        return due
    return _start_in(found, state, window)


def for_target(
    state: Schedule, world: World, now: int, due: int, refusal: str
) -> Deferred | Skipped:
    """Try again later what its target does not take now."""
    cursor = state.cursor
    ends_at = _given_up_at(state, world, now, due)
    if now >= ends_at:
        return skipped(state, world, now, cursor.nominal, Reason.TARGET_UNAVAILABLE, refusal)
    wait = min(FIRST_RETRY << min(cursor.deferrals, 6), LONGEST_RETRY)
    until = max(min(now + wait, ends_at), now + FIRST_RETRY)
    return deferred(state, world, now, Wait(due, until, Reason.TARGET_UNAVAILABLE, refusal))


def _moment(state: Schedule, now: int) -> int:
    """When it was to be looked at, if that was not long ago."""
    due = state.cursor.due
    return due if now - due <= state.plan.definition.catch_up.grace else now


def _start_in(found: Opening, state: Schedule, window: Window) -> int:
    """When that starts which waits for an opening."""
    room = min(window.spread, found.ends - found.begins)
    return found.begins + delay(state.plan.id, state.cursor.nominal, room, NEVER)


def _given_up_at(state: Schedule, world: World, now: int, due: int) -> int:
    """How long a target is waited for: the lookback, or as long as all else may be waited for."""
    definition, cursor = state.plan.definition, state.cursor
    lookback = lookback_of(definition.catch_up, world)
    window, gate = definition.window, definition.gate
    if lookback is None:
        return (cursor.deferred_at or now) + UNBOUNDED_RETRIES
    others = (window.max_wait if window else 0) + (gate.max_wait if gate else 0)
    return due + max(lookback, others)


def deferred(state: Schedule, world: World, now: int, wait: Wait) -> Deferred:
    """It is looked at again when that wait is over, as what it is now."""
    plan, cursor = state
    tick = oldest(agenda_of(plan, world, cursor), cursor)
    due, until, reason, evidence = wait
    return Deferred(
        *(plan.id, plan.version, plan.incarnation, tick.instant, due, reason, until),
        deferred_at=cursor.deferred_at or now,
        deferrals=min(cursor.deferrals + 1, MOST_DEFERRALS),
        evidence=evidence,
        wall=tick.wall,
        second_pass=tick.second_pass,
    )


def expired(state: Schedule, world: World, now: int, evidence: str) -> Skipped:
    """It has waited too long."""
    return skipped(state, world, now, state.cursor.nominal, Reason.DEFERRAL_EXPIRED, evidence)
