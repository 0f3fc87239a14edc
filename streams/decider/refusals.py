"""
Which definition makes no sense, and what is wrong with it?

Asked when one is defined, of all that cannot be seen from the definition alone: whether its timing
ever comes, whether its calendars are there and exclude what they say, whether it has fired as often
as it may, where it may write to. What can is limits.py in schemas.
"""

from __future__ import annotations

from dataclasses import replace

from schemas.definition import Basis, Definition, Exclude, Interval
from schemas.instants import format_instant
from streams.calendar.exclusions import check_calendar
from streams.calendar.occurrences import NEVER, TimingRefused, rule_for
from streams.calendar.windows import check_window
from streams.decider import gates
from streams.decider.agenda import agenda_of
from streams.decider.state import Plan, Schedule, World

Fault = tuple[str, str]
"""The field, and what is wrong with it."""


def fault(
    state: Schedule | None, schedule: str, definition: Definition, world: World
) -> Fault | None:
    """The field of a definition that makes no sense, and what is wrong with it."""
    is_emit = definition.action.work is None
    forbidden = gates.forbids(definition.action.topic, world) if is_emit else None
    if forbidden is not None:
        return "emit.topic", forbidden
    try:
        rule_for(definition.timings, definition.zone, definition.dst, schedule)
        if definition.window is not None:
            check_window(definition.window)
    except TimingRefused as refusal:
        return refusal.field, refusal.message
    return (
        _of_basis(definition)
        or _of_calendars(state, definition, world)
        or _of_max_fires(state, definition)
    )


def why_never(plan: Plan, begins_at: int) -> Fault:
    """The field because of which no instant is left."""
    definition = plan.definition
    if definition.exclude is not None:
        free = replace(plan, definition=replace(definition, exclude=None))
        if agenda_of(free, World()).restarted(begins_at).next_tick(begins_at).instant != NEVER:
            return "exclude", f"every instant after {format_instant(begins_at)} is excluded"
    if definition.end_at is not None:
        return "end_at", f"no instant is left up to {format_instant(definition.end_at)}"
    if plan.rule is not None and plan.rule.once:
        return "once", "the instant lies in the past, further than catch_up looks back"
    return "timings", f"no instant lies after {format_instant(begins_at)}"


def _of_basis(definition: Definition) -> Fault | None:
    """An interval that counts from decisions has one instant at a time, and none beside it."""
    for timing in definition.timings:
        if not isinstance(timing, Interval) or timing.basis is Basis.GRID:
            continue
        if timing.basis is Basis.AFTER_END and definition.action.tracked is None:
            return "interval.basis", "after_end needs emit.tracked: nobody reports an end"
        if len(definition.timings) > 1:
            return "interval.basis", f"an interval {timing.basis} has no other timing beside it"
        if timing.anchor is not None:
            last = "fire" if timing.basis is Basis.AFTER_FIRE else "end"
            return "interval.anchor", f"an interval {timing.basis} counts from its last {last}"
    return None


def _of_calendars(state: Schedule | None, definition: Definition, world: World) -> Fault | None:
    """Names that an edit finds in the former definition are not asked about again.

    Their calendars may have been removed, or spoilt, since.
    """
    before = None if state is None else state.plan.definition.exclude
    for name in _calendars(definition.exclude):
        if name in _calendars(before):
            continue
        calendar = world.calendars.get(name)
        if calendar is None:
            known = ", ".join(sorted(world.calendars)) or "none"
            return "exclude.calendars", f"there is no calendar {name!r}; known: {known}"
        try:
            check_calendar(name, calendar, world.calendars)
        except TimingRefused as refusal:
            wrong = f"{refusal.field}: {refusal.message}"
            return "exclude.calendars", f"calendar {name!r} excludes nothing as it is: {wrong}"
    return None


def _calendars(exclude: Exclude | None) -> tuple[str, ...]:
    return () if exclude is None else exclude.calendars


def _of_max_fires(state: Schedule | None, definition: Definition) -> Fault | None:
    """A schedule that has fired as often is not completed by an edit; a completed one stays so."""
    limit = definition.max_fires
    if state is None or limit is None or state.cursor.fires < limit:
        return None
    plan, cursor = state
    if plan.completed and plan.definition.max_fires == limit:
        return None
    return "max_fires", f"{plan.id} has fired {cursor.fires} times already"
