"""
Is this schedule held now, and by whom?

Three holds may lie over it: one over everything, one over its subject, and one over the actions of
its subject alone: its sleep and wake, and what waits for quiet. While one does, nothing of it is
evaluated; its commands are answered. Who sets and lifts the holds of a subject is holding.py; what
was due meanwhile is lateness.py.
"""

from __future__ import annotations

from schemas.actions import Act, Verb
from schemas.definition import Definition
from schemas.snapshot import SubjectHold
from streams.decider.state import Plan, World
from streams.decider.subject import NO_NOTES, Subject

_HELD = (Verb.SLEEP, Verb.WAKE)


def rests(plan: Plan, world: World) -> bool:
    """Whether nothing of this schedule is evaluated now."""
    if world.hold is None and world.subject.notes is NO_NOTES:
        return False  # as nearly always
    return world.held or hold_over(plan, world.subject) is not None


def hold_over(plan: Plan, subject: Subject) -> SubjectHold | None:
    """The hold of its subject under which a schedule is."""
    notes = subject.notes
    if notes.hold is not None:
        return notes.hold
    return notes.actions_hold if is_action(plan.definition) else None


def is_action(definition: Definition) -> bool:
    """Whether a hold over the actions of a subject is over this too.

    Of what is done to a deployment sleep and wake are, and stop and start are not: who cannot let
    it sleep may still stop it. Of all else what waits for quiet is, since that puts its subject to
    rest too; other work of the subject goes on under such a hold.
    """
    work = definition.action.work
    if isinstance(work, Act):
        return work.verb in _HELD
    return definition.gate is not None


def held_by(plan: Plan, world: World) -> str | None:
    """Who holds it and why, in words; None: nobody does."""
    if world.hold is not None and world.held:
        return f"everything is held by {world.hold.actor}: {world.hold.reason}"
    hold = hold_over(plan, world.subject)
    if hold is None:
        return None
    notes = world.subject.notes
    if hold is notes.hold:
        return f"{plan.subject} is held by {hold.actor}: {hold.reason}"
    return f"the actions of {plan.subject} are held by {hold.actor}: {hold.reason}"
