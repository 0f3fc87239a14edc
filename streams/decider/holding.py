"""
How is a subject held, let go, and seen?

A hold lies over all of a subject, or over its actions alone; both may lie over it at once, and one
release lifts both. It ends by itself if it was set until a certain time. What a hold means for a
schedule is resting.py; what was due meanwhile is lateness.py; how a subject goes is removing.py.
"""

from __future__ import annotations

from schemas.commands import Asked, HoldSubject, ReleaseSubject, ReportActivity
from schemas.definition import MINUTE
from schemas.events import ActivityNoted, ScheduleEvent, SubjectHeld, SubjectReleased
from schemas.instants import format_instant
from schemas.snapshot import Activity, SubjectHold, SubjectNotes
from streams.decider.answers import as_it_was, refuse
from streams.decider.evolve_subject import world_after
from streams.decider.promotion import promoted
from streams.decider.state import World

Events = tuple[ScheduleEvent, ...]
CLOCKS_APART = MINUTE
"""A sample may be so much ahead of our clock; one of a later time would outlive all true ones."""


def hold(asked: Asked, command: HoldSubject, world: World, now: int) -> Events:
    """Evaluate nothing of the subject from here on."""
    until = command.until
    if until is not None and until <= now:
        message = f"{format_instant(until)} is not in the future"
        return refuse(asked, "hold", "until", message)
    notes = world.subject.notes
    before = notes.actions_hold if command.actions_only else notes.hold
    if before is not None and (before.reason, before.until) == (command.reason, until):
        return as_it_was(asked, "hold")
    since = now if before is None else before.since
    return (SubjectHeld(asked.schedule, command.reason, since, until, command.actions_only),)


def release(asked: Asked, command: ReleaseSubject, world: World, now: int) -> Events:
    """Lift whatever hold lies over the subject; who waited for it may begin."""
    notes = world.subject.notes
    events = _lifted(asked.schedule, command.reason, notes.hold, notes.actions_hold)
    if not events:
        return as_it_was(asked, "release")
    return (*events, *promoted(world_after(world, events, now), now))


def ended(schedule: str, notes: SubjectNotes, now: int) -> Events:
    """The ends of holds whose time is over; `schedule` is the subject and a slash."""
    return _lifted(
        *(schedule, "the hold ended"),
        *(_if_over(notes.hold, now), _if_over(notes.actions_hold, now)),
    )


def see(asked: Asked, command: ReportActivity, world: World, now: int) -> Events:
    """Take in what a sampler saw; an older sample than the last one says nothing new.

    A request that was seen once was seen, also if a sampler that began anew does not know it.
    """
    fault = _fault(command, max(asked.appended_at, now))
    if fault is not None:
        return refuse(asked, "activity", *fault)
    before = world.subject.notes.activity
    seen = _newest(before, command)
    if before is not None and (seen == before or seen.sampled_at < before.sampled_at):
        return as_it_was(asked, "activity")
    numbers = (seen.last_request, seen.in_flight, seen.waiting, seen.sampled_at)
    return (ActivityNoted(asked.schedule, *numbers),)


def _lifted(
    schedule: str, reason: str, over_all: SubjectHold | None, over_actions: SubjectHold | None
) -> Events:
    found: list[ScheduleEvent] = []
    if over_all is not None:
        found.append(SubjectReleased(schedule, reason, actions_only=False))
    if over_actions is not None:
        found.append(SubjectReleased(schedule, reason, actions_only=True))
    return tuple(found)


def _if_over(hold: SubjectHold | None, now: int) -> SubjectHold | None:
    over = hold is not None and hold.until is not None and hold.until <= now
    return hold if over else None


def _fault(seen: ReportActivity, now: int) -> tuple[str, str] | None:
    if seen.sampled_at > now + CLOCKS_APART:
        return "sampled_at", f"{format_instant(seen.sampled_at)} lies in the future"
    if seen.last_request is not None and seen.last_request > seen.sampled_at:
        return "last_request", "must not be later than sampled_at"
    return None


def _newest(before: Activity | None, seen: ReportActivity) -> Activity:
    last = seen.last_request
    known = None if before is None else before.last_request
    if known is not None:
        last = known if last is None else max(known, last)
    return Activity(last, seen.in_flight, seen.waiting, seen.sampled_at)
