"""
What is known of a schedule whose definition is older than the ledger?

Retention may have taken the event that defined it; the public table still has its row. With the
first event that is left, or with none at all, the account goes on from there.
"""

from __future__ import annotations

from dataclasses import replace

from schemas.events import Event, Fired, SchedulePaused, ScheduleResumed, Skipped, Stamp
from schemas.schedule import PauseNote
from schemas.snapshot import Cursor
from streams.calendar.occurrences import NEVER
from streams.decider.agenda import agenda_of
from streams.decider.state import NO_WALL, Plan, Schedule, World


def adopted(plan: Plan, event: Event, stamp: Stamp, zone_data: int) -> Schedule | None:
    """The schedule after the first event of it that is left; None: that one tells too little.

    A row that was changed later is no help: what was in force before it is gone.
    """
    if plan.changed_at > stamp.decided_at:
        return None
    match event:
        case Fired(origin=None):
            cursor = _cursor(event.nominal, event.wall, event.next, event.next_due, zone_data)
        case Skipped(origin=None):
            cursor = _cursor(event.last, event.wall, event.next, event.next_due, zone_data)
        case ScheduleResumed():
            due = event.next_due or event.next
            cursor = _cursor(event.begins_at, NO_WALL, event.next, due, zone_data)
        case SchedulePaused():
            note = PauseNote(event.reason, stamp.actor, event.since, event.until)
            cursor = _cursor(stamp.decided_at, NO_WALL, NEVER, NEVER, zone_data)
            return Schedule(_uncounted(replace(plan, pause=note)), cursor)
        case _:
            return None
    return Schedule(_uncounted(replace(plan, pause=None, completed=False)), cursor)


def untouched(plan: Plan, since: int, world: World) -> Schedule | None:
    """A schedule of which the ledger, which begins then, has no event; None: nothing is known."""
    if plan.changed_at > since or plan.counts_from_decisions:
        return None
    empty = _cursor(since, NO_WALL, NEVER, NEVER, world.zone_data)
    if plan.pause is not None or plan.completed:
        return Schedule(plan, empty)
    plan = _uncounted(plan)
    agenda = agenda_of(plan, world, empty)
    following = agenda.next_tick(since).instant
    due = agenda.due_at(following)
    return Schedule(plan, empty._replace(nominal=following, due=due))


def _uncounted(plan: Plan) -> Plan:
    """How often it has fired is not known, so there is no last fire to be expected."""
    return replace(plan, definition=replace(plan.definition, max_fires=None))


def _cursor(mark: int, wall: int, nominal: int, due: int, zone_data: int) -> Cursor:
    return Cursor(mark, wall, nominal, due, 0, 0, 0, zone_data, 0)
