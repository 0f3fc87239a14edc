"""
Is this one of a definition's instants, and if not, why not?

Asks the calendar of one version about one instant, and names its neighbours. What became of an
instant is history.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.instants import format_instant
from streams.account.expected import has
from streams.account.history import Chapter
from streams.calendar.exclusions import closed_by
from streams.calendar.occurrences import NEVER, Rule, Tick
from streams.calendar.wall_time import wall_of
from streams.calendar.zones import zone_clock
from streams.decider.agenda import agenda_of
from streams.decider.evolve import compiled
from streams.decider.state import Plan, World


@dataclass(frozen=True, slots=True)
class Placed:
    """Where an instant lies in the calendar of a definition."""

    why_not: str | None
    """None: it is one of its instants."""
    due: int
    before: int | None
    """The nearest one before it; None: there is none."""
    after: int | None
    is_certain: bool = True
    """False: each instant counts from the decision before it, and no calendar knows them."""
    is_excluded: bool = False


def place(schedule: str, chapter: Chapter, instant: int, world: World) -> Placed:
    """Ask the calendar as it was under that world."""
    plan = plan_of_chapter(schedule, chapter)
    if plan.rule is None:
        return Placed("its timing cannot be read any more", instant, None, None)
    if plan.counts_from_decisions:
        why = "each of its instants counts from the decision about the one before it"
        return Placed(why, instant, None, None, is_certain=False)
    agenda = agenda_of(plan, world)
    before = _or_none(agenda.newest_tick(chapter.begins_at, instant - 1))
    after = _or_none(agenda.next_tick(max(instant, chapter.begins_at)))
    closed = None
    if has(agenda, instant) and instant > chapter.begins_at:
        why_not = None
    else:
        closed = _closed_by(plan, plan.rule, instant, world)
        why_not = closed or _why_not(plan, plan.rule, chapter, instant)
    due = agenda.due_at(instant) if why_not is None else instant
    return Placed(why_not, due, before, after, is_excluded=closed is not None)


def plan_of_chapter(schedule: str, chapter: Chapter) -> Plan:
    """The definition, compiled."""
    definition, since = chapter.definition, chapter.since
    return Plan(
        id=schedule,
        version=chapter.version,
        incarnation=chapter.incarnation,
        created_at=chapter.created_at,
        changed_at=since.decided_at,
        actor=since.actor,
        definition=definition,
        rule=compiled(definition, schedule),
    )


def _or_none(tick: Tick) -> int | None:
    return None if tick.instant == NEVER else tick.instant


def _closed_by(plan: Plan, rule: Rule, instant: int, world: World) -> str | None:
    """What excludes it, if the rule has it."""
    exclude = plan.definition.exclude
    tick = rule.previous(instant, plan.origin)
    if exclude is None or tick.instant != instant:
        return None
    walls = (tick.wall, wall_of(zone_clock(rule.zone), instant))
    closed = closed_by(exclude, world.calendars)
    names = [name for name in map(closed.why, walls) if name is not None]
    if not names:
        return None
    return "it is excluded by " + (
        "the schedule's own dates" if names[0] == "date" else f"calendar {names[0]}"
    )


def _why_not(plan: Plan, rule: Rule, chapter: Chapter, instant: int) -> str:
    definition = plan.definition
    if rule.previous(instant, plan.origin).instant != instant:
        return "its rule has no such instant"
    if definition.start_at is not None and instant < definition.start_at:
        return f"it lies before start_at, {format_instant(definition.start_at)}"
    if definition.end_at is not None and instant > definition.end_at:
        return f"it lies after end_at, {format_instant(definition.end_at)}"
    if instant <= chapter.begins_at:
        since = format_instant(chapter.begins_at)
        return f"it lies before the beginning of version {chapter.version}, {since}"
    return "its calendar has no such instant"
