"""
Is the pending instant still the one that the calendar gives?

It was computed when the one before it was decided. Since then other zone data may have been
installed, or a shared calendar may have changed: then it is computed anew, before anything is
decided about it. What was over before the change stays as it was: excluded days do not become
occurrences afterwards, and a wall time that had its turn has no second one.
"""

from __future__ import annotations

from schemas.events import ScheduleRecomputed
from schemas.snapshot import Cursor
from streams.decider.agenda import Agenda, agenda_of, last_turn
from streams.decider.evolve import advance
from streams.decider.state import Schedule, World

OTHER_ZONE_DATA = "zone data "
"""How the cause begins when other zone data are installed; their release follows."""


def recomputed(state: Schedule, world: World, now: int) -> ScheduleRecomputed | None:
    """The event that gives a schedule another pending instant; None if it keeps the one it has.

    An occurrence that was deferred keeps its instant: its end is still to come. While a schedule is
    paused it has none, and its resumption looks at the calendar as it is then.
    """
    plan, cursor = state
    if plan.rule is None or plan.pause is not None or plan.completed or cursor.deferrals:
        return None
    zone_changed = cursor.zone_data != world.zone_data
    if not zone_changed and plan.definition.exclude is None:
        return None  # as nearly always
    calendars = calendars_of(state, world)
    if not zone_changed and not calendars:
        return None
    agenda = agenda_of(plan, world, cursor)
    since = cursor.mark
    if calendars:
        since = max(since, min(cursor.nominal - 1, now, _changed_at(calendars, world, now)))
    following = agenda.unhandled(since, last_turn(cursor)).instant
    due_at = _due_at(agenda, cursor, following, now)
    if (following, due_at) == (cursor.nominal, cursor.due):
        return None
    cause = release_cause(world.zone_data) if zone_changed else _latest(calendars, world)
    return ScheduleRecomputed(plan.id, plan.version, plan.incarnation, cause, following, due_at)


def _due_at(agenda: Agenda, cursor: Cursor, following: int, now: int) -> int:
    """When it is due: jitter ends before the next instant, which may be another one now.

    An instant that stays is not made late by that: it is due now at the earliest.
    """
    due_at = agenda.due_at(following)
    return max(due_at, min(cursor.due, now)) if following == cursor.nominal else due_at


def brought_up_to_date(
    state: Schedule, world: World, now: int
) -> tuple[tuple[ScheduleRecomputed, ...], Schedule]:
    """The state as the calendar has it now, and the event that makes it so, if there is one."""
    anew = recomputed(state, world, now)
    if anew is None:
        return (), state
    return (anew,), advance(state, anew, now, world.zone_data)


def calendars_of(state: Schedule, world: World) -> frozenset[str]:
    """The calendars that a schedule's exclusions depend on, as far as there ever was one."""
    exclude = state.plan.definition.exclude
    return depended_on(exclude.calendars, world) if exclude is not None else frozenset()


def depended_on(names: tuple[str, ...], world: World) -> frozenset[str]:
    """These calendars and those they are based on, without names that nobody ever used."""
    found: set[str] = set()
    left = [name for name in names if name in world.calendar_changes]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            calendar = world.calendars.get(name)
            base = calendar.base if calendar is not None else ()
            left += [one for one in base if one in world.calendar_changes]
    return frozenset(found)


def _changed_at(calendars: frozenset[str], world: World, now: int) -> int:
    """When the last of these changed, `now` if that is not known: the past stays as it was."""
    return max(world.calendar_changes[name].at for name in calendars) or now


def _latest(calendars: frozenset[str], world: World) -> str:
    version, name = max((world.calendar_changes[name].version, name) for name in calendars)
    return f"calendar {name}@{version}"


def release_cause(zone_data: int) -> str:
    """What is recorded as the cause when that release came into use (zones.zone_data_number)."""
    year, letter = divmod(zone_data, 32)
    return f"{OTHER_ZONE_DATA}{2000 + year}{chr(ord('a') + letter - 1) if letter else ''}"
