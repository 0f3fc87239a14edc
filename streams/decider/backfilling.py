"""
How does a backfill go on?

In slices, one each time the subject's timer rings. Each instant fires
under the definition that is in force, with its own origin, or is skipped in a freeze; it asks no
window and no gate, like a fire by hand. One that may not begin beside a run that goes on waits for
its end, and nothing of a backfill is skipped because of it; only `allow`, `latest` and `replace`
say something else. Who asks for a backfill is backfill.py.
"""

from __future__ import annotations

from typing import NamedTuple

from schemas.definition import MINUTE
from schemas.events import (
    BackfillEnded,
    BackfillProgressed,
    Outcome,
    Reason,
    ScheduleEvent,
)
from schemas.instants import format_instant
from schemas.policies import OverlapMode
from schemas.snapshot import BackfillNote
from streams.calendar.occurrences import NEVER
from streams.decider import acts, gates, quiet
from streams.decider.by_hand import beside, left_out
from streams.decider.evolve_subject import world_after
from streams.decider.freezes import frozen
from streams.decider.giving_out import GivenOut, Occasion, give_out, targets
from streams.decider.resting import held_by
from streams.decider.state import Plan, Schedule, World

Events = tuple[ScheduleEvent, ...]
SLICE = 100
"""Pieces of work that are begun at one ring: a batch is bounded, and others have their turn."""
TARGET_AGAIN = MINUTE
"""After so long a target that takes nothing is tried again."""


class Wait(NamedTuple):
    """Why a backfill does not go on now, and when it does; NEVER: when something has ended."""

    why: str
    again_at: int = NEVER


def work(world: World, now: int) -> Events:
    """What becomes of the next instants of the subject's backfills, the oldest backfill first."""
    events: Events = ()
    room = SLICE
    for note in world.subject.notes.backfills:
        state = world.siblings.get(note.schedule)
        if room <= 0 or state is None or (note.again_at or 0) > now:
            continue
        found, room = _go_on(state, note, world, now, room)
        world = world_after(world, found, now)
        events += found
    return events


def _go_on(
    state: Schedule, note: BackfillNote, world: World, now: int, room: int
) -> tuple[Events, int]:
    """One slice of one backfill, and how much room it leaves for others."""
    events: Events = ()
    done = note.total - len(note.instants)
    waits: Wait | None = None
    for instant in note.instants:
        if room <= 0:
            break
        found = _run(state, note, instant, world, now)
        if isinstance(found, Wait):
            waits = found
            break
        events += found
        world = world_after(world, found, now)
        done += 1
        room -= max(len(targets(state.plan)), 1)
    return (*events, _told(state.plan, note, done, waits)), room


def _told(
    plan: Plan, note: BackfillNote, done: int, waits: Wait | None
) -> BackfillProgressed | BackfillEnded:
    about = (plan.id, plan.version, plan.incarnation, note.id, done, note.total)
    if done == note.total:
        return BackfillEnded(*about, cancelled=False, reason="")
    if waits is None:
        return BackfillProgressed(*about)
    return BackfillProgressed(*about, waits.again_at, waits.why)


def _run(
    state: Schedule, note: BackfillNote, instant: int, world: World, now: int
) -> Events | Wait:
    """One instant: it fires, is skipped, or waits for its turn."""
    plan, cursor = state
    held = held_by(plan, world)
    if held is not None:
        return Wait(held)
    origin = f"{format_instant(instant)}+{note.id}"
    occasion = Occasion(instant, now, origin, _overlap(plan, note))
    why = frozen(world, plan.subject, now)
    if why is not None:
        return (left_out(state, occasion, Reason.FREEZE, why),)
    needless = acts.needless(plan, world)
    if needless is not None:
        return (left_out(state, occasion, *needless),)
    given = give_out(plan, world, occasion, now)
    if any(one.outcome is Outcome.SKIPPED for one in given.scopes):
        return Wait(given.evidence or "another run goes on")
    refusal = gates.refuses(plan, world) or quiet.in_use(plan.definition, world.subject.notes)
    if refusal is not None:
        return Wait(refusal, now + TARGET_AGAIN)
    return _given(state, occasion, given, (cursor.nominal, cursor.due))


def _given(
    state: Schedule, occasion: Occasion, given: GivenOut, goes_on: tuple[int, int]
) -> Events:
    nobody = given.nobody
    if nobody is not None:
        return (left_out(state, occasion, nobody, given.evidence),)
    return (beside(state, occasion, given, goes_on)._replace(late=True), *given.events)


def _overlap(plan: Plan, note: BackfillNote) -> OverlapMode:
    """By which rule it is asked whether an instant may begin: what may not, waits."""
    if note.overlap is None:
        own = plan.definition.overlap.mode
        return own if own is OverlapMode.ALLOW else OverlapMode.SKIP
    return OverlapMode.SKIP if note.overlap is OverlapMode.QUEUE else note.overlap
