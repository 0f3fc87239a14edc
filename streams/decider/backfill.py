"""
Which instants of the past run once more, and who may ask for that?

A range, both ends inclusive, by the calendar that is in force now, or instants that are named. Each
becomes a new occurrence beside the calendar, which moves nothing: not what is pending, and not the
number of fires. How the work is done, slice by slice, is backfilling.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.commands import Asked, Backfill, CancelBackfill
from schemas.events import BackfillEnded, BackfillStarted
from schemas.instants import format_instant
from schemas.snapshot import BackfillNote
from streams.calendar.occurrences import NEVER
from streams.decider import gates
from streams.decider.agenda import Agenda, agenda_of
from streams.decider.answers import refuse
from streams.decider.firing import Events
from streams.decider.lateness import newest_of
from streams.decider.resting import held_by
from streams.decider.state import Plan, Schedule, World

MOST_AT_ONCE = 16
"""Backfills of one subject that are under way."""
_NO_CALENDAR = "it counts from its last fire or end: it has no calendar of the past"


@dataclass(frozen=True, slots=True)
class _Fault:
    """Why nothing is run once more."""

    field: str
    message: str


def backfill(state: Schedule, asked: Asked, command: Backfill, world: World, now: int) -> Events:
    """Begin to run these instants once more, or only say which they are."""
    plan = state.plan
    found = _fault(plan, command, world) or _instants(state, command, world, now)
    if isinstance(found, _Fault):
        return refuse(asked, "backfill", found.field, found.message, state)
    if command.newest_first:
        found = found[::-1]
    name = f"{asked.id}.{asked.offset}"
    if command.dry_run:
        return (_ended(plan, name, 0, len(found), f"dry run: {_in_words(found)}"),)
    return (
        BackfillStarted(
            *(plan.id, plan.version, plan.incarnation, name),
            *(found, command.overlap, command.reason),
        ),
    )


def cancel(state: Schedule, asked: Asked, command: CancelBackfill, world: World) -> Events:
    """Let the rest of a backfill not run; what it began goes on."""
    plan, name = state.plan, command.backfill
    for note in _of(plan, world):
        if name in (note.id, note.id.rpartition(".")[0]):
            return (_cancelled(plan, note, command.reason),)
    going = ", ".join(note.id for note in _of(plan, world)) or "none"
    why = f"there is no backfill {name} under way; under way: {going}"
    return refuse(asked, "cancel_backfill", "backfill", why, state)


def withdrawn_backfills(plan: Plan, world: World, why: str) -> tuple[BackfillEnded, ...]:
    """The ends of a schedule's backfills, when it goes."""
    return tuple(_cancelled(plan, note, why) for note in _of(plan, world))


def _of(plan: Plan, world: World) -> tuple[BackfillNote, ...]:
    return tuple(note for note in world.subject.notes.backfills if note.schedule == plan.id)


def _cancelled(plan: Plan, note: BackfillNote, why: str) -> BackfillEnded:
    return _ended(plan, note.id, note.total - len(note.instants), note.total, why)


def _ended(plan: Plan, name: str, done: int, total: int, why: str) -> BackfillEnded:
    return BackfillEnded(
        *(plan.id, plan.version, plan.incarnation, name, done, total),
        cancelled=True,
        reason=why,
    )


def _fault(plan: Plan, command: Backfill, world: World) -> _Fault | None:
    """Why nothing of this schedule can be run once more, whichever instants they are."""
    if plan.rule is None:
        return _Fault("timings", "they cannot be read any more")
    if plan.counts_from_decisions:
        return _Fault("instants" if command.instants else "first", _NO_CALENDAR)
    return None if command.dry_run else _not_now(plan, world)


def _not_now(plan: Plan, world: World) -> _Fault | None:
    """Why nothing may be begun at the moment."""
    held = held_by(plan, world)
    if held is not None:
        return _Fault("hold", held)
    refusal = gates.refuses(plan, world)
    if refusal is not None:
        return _Fault(gates.field_of(plan, world), refusal)
    going = len(world.subject.notes.backfills)
    if going >= MOST_AT_ONCE:
        return _Fault("backfill", f"{going} backfills of {plan.subject} are under way already")
    return None


def _instants(
    state: Schedule, command: Backfill, world: World, now: int
) -> tuple[int, ...] | _Fault:
    """Those that are meant, the oldest first, at most so many of the newest."""
    agenda = agenda_of(state.plan, world)
    over = _over(state, now)
    if command.instants:
        return _named(agenda, command, over)
    first, last = command.first or 0, command.last or 0
    if last > now:
        return _Fault("last", f"{format_instant(last)} is still to come")
    last = min(last, over)
    begin = agenda.next_tick(first - 1).instant
    if begin > last:
        words = f"from {format_instant(first)} to {format_instant(last)}"
        return _Fault("first", f"no instant that is over lies {words}")
    found = [newest_of(agenda, begin, last, command.most)]
    while (following := agenda.next_tick(found[-1]).instant) <= last:
        found.append(following)
    return tuple(found)


def _named(agenda: Agenda, command: Backfill, over: int) -> tuple[int, ...] | _Fault:
    for i, instant in enumerate(command.instants):
        said = format_instant(instant)
        if agenda.next_tick(instant - 1).instant != instant:
            return _Fault(f"instants[{i}]", f"{said} is no instant of its calendar")
        if instant > over:
            return _Fault(f"instants[{i}]", f"{said} is still to come")
    return command.instants[-command.most :]


def _over(state: Schedule, now: int) -> int:
    """Instants up to here are over: what is due, or waits, has its turn still to come."""
    plan, cursor = state
    rests = plan.pause is not None or cursor.nominal == NEVER
    return now if rests else min(now, cursor.nominal - 1)


def _in_words(found: tuple[int, ...]) -> str:
    count = f"{len(found):,} instant" + ("" if len(found) == 1 else "s")
    return f"{count}, {format_instant(min(found))} .. {format_instant(max(found))}"
