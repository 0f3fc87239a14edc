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
from schemas.snapshot import Activity, SubjectHold
from schemas.subject_events import InsightKind
from streams.decider import insights
from streams.decider.answers import as_it_was, refuse
from streams.decider.evolve_subject import world_after
from streams.decider.promotion import promoted
from streams.decider.state import World
from streams.decider.subject import Subject

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
    subject = world.subject
    holds = subject.notes.hold, subject.notes.actions_hold
    events = _lifted(asked.schedule, command.reason, subject, *holds)
    if not events:
        return as_it_was(asked, "release")
    return (*events, *promoted(world_after(world, events, now), now))


def ended(schedule: str, subject: Subject, now: int) -> Events:
    """The ends of holds whose time is over; `schedule` is the subject and a slash."""
    notes = subject.notes
    holds = _if_over(notes.hold, now), _if_over(notes.actions_hold, now)
    return _lifted(schedule, "the hold ended", subject, *holds)


def see(asked: Asked, command: ReportActivity, world: World, now: int) -> Events:
    """Take in what a sampler saw; an older sample than the last one says nothing new.

    A request that was seen once was seen, also if a sampler that began anew does not know it. So is
    one that ended since the last sample, although nobody saw it in flight.
    """
    fault = _fault(command, max(asked.appended_at, now))
    if fault is not None:
        return refuse(asked, "activity", *fault)
    before = world.subject.notes.activity
    seen = _newest(before, command)
    if before is not None and (seen == before or seen.sampled_at < before.sampled_at):
        return as_it_was(asked, "activity")
    numbers = (seen.last_request, seen.in_flight, seen.waiting, seen.sampled_at)
    return (ActivityNoted(asked.schedule, *numbers, seen.served, seen.rate, seen.usual),)


def _lifted(
    schedule: str,
    reason: str,
    subject: Subject,
    over_all: SubjectHold | None,
    over_actions: SubjectHold | None,
) -> Events:
    found: list[ScheduleEvent] = []
    if over_all is not None:
        found.append(SubjectReleased(schedule, reason, actions_only=False))
    if over_actions is not None:
        found.append(SubjectReleased(schedule, reason, actions_only=True))
        found += insights.resolved_of_kind(subject, InsightKind.HELD, reason or "it was released")
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
    served, known = seen.served, None
    if before is not None:
        served = before.served if served is None else served
        known = before.last_request
        if _has_served(before, seen):
            known = seen.sampled_at
    lasts = [one for one in (known, seen.last_request) if one is not None]
    return Activity(
        *(max(lasts, default=None), seen.in_flight, seen.waiting, seen.sampled_at),
        *(served, seen.rate, seen.usual),
    )


def _has_served(before: Activity, seen: ReportActivity) -> bool:
    """Whether a request ended since the last sample; 0 is said by a server that began anew."""
    if seen.sampled_at < before.sampled_at or before.served is None:
        return False
    return seen.served not in (None, 0, before.served)
