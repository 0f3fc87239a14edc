"""
How does a subject go, with all that is its?

Each of its schedules is removed in the order of their ids, as if somebody had asked for it: what
was due is settled, what has not begun is withdrawn. Then what somebody should know about it is
over, and what is proposed for it withdrawn. What goes on goes on, or is asked to stop.
"""

from __future__ import annotations

from schemas.commands import Asked, RemoveSubject
from schemas.events import InsightResolved, ProposalWithdrawn, ScheduleEvent, SubjectRemoved
from schemas.proposals import ProposalStatus
from schemas.snapshot import RunPhase
from streams.decider.answers import refuse
from streams.decider.evolve_subject import world_after
from streams.decider.giving_out import cancelling
from streams.decider.lifecycle import taken_away
from streams.decider.state import World
from streams.decider.subject import NO_NOTES

Events = tuple[ScheduleEvent, ...]
GONE = "its subject was removed"


def remove_subject(asked: Asked, command: RemoveSubject, world: World, now: int) -> Events:
    """The end of a subject; refused if nothing is known of it that could go."""
    subject, siblings = world.subject, world.siblings
    if not siblings.ids() and subject.notes == NO_NOTES and not subject.active():
        return refuse(asked, "remove", "subject", f"there is no subject {asked.schedule[:-1]}")
    events: Events = ()
    for name in siblings.ids():
        state = siblings.get(name)
        if state is not None:
            gone = taken_away(state, asked, world, now)
            world = world_after(world, gone, now)
            events += gone
    if command.cancel:
        events += _asked_to_stop(command.reason, world)
    return (
        *events,
        *_closed(asked.schedule, world),
        SubjectRemoved(asked.schedule, command.reason),
    )


def _closed(about: str, world: World) -> Events:
    """The ends of what is open about a subject itself; `world` is that without its schedules."""
    notes = world.subject.notes
    told = [InsightResolved(about, one.kind, one.about, GONE) for one in notes.insights]
    withdrawn = [
        ProposalWithdrawn(about, one.id, GONE)
        for one in notes.proposals
        if one.status is ProposalStatus.OPEN
    ]
    return (*told, *withdrawn)


def _asked_to_stop(reason: str, world: World) -> Events:
    reason = reason or GONE
    going = [run for run in world.subject.active() if run.phase is RunPhase.STARTED]
    return tuple(cancelling(run, reason, None) for run in going)
