"""
What becomes of a proposal to let a deployment sleep?

One at a time is open, and by itself it stays so: schedules come of it only when somebody accepts
it, and then once. Another one takes its place when what was measured says other times; the same
times are not proposed again while their schedules are there, nor soon after somebody wanted none of
it. How a proposal is found is streams/proposals.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from schemas.actions import Act, Verb
from schemas.commands import AcceptProposal, Asked, DismissProposal, Propose, WithdrawProposal
from schemas.definition import DAY, Definition, Weekly, offering
from schemas.events import (
    CommandRefused,
    ProposalAccepted,
    ProposalDismissed,
    ProposalMade,
    ProposalWithdrawn,
    ScheduleDefined,
    ScheduleEvent,
)
from schemas.identity import IdFault, schedule_id, subject_of
from schemas.policies import Preset
from schemas.presets import defaults_for
from schemas.proposals import IdleWindow, ProposalNote, ProposalStatus
from streams.calendar.occurrences import TimingRefused
from streams.calendar.zones import check_zone
from streams.decider import lifecycle
from streams.decider.answers import as_it_was, refuse
from streams.decider.evolve_subject import world_after
from streams.decider.state import World

Events = tuple[ScheduleEvent, ...]
Settling = AcceptProposal | DismissProposal | WithdrawProposal
NOT_AGAIN = 30 * DAY
"""So long what somebody dismissed is not proposed again."""
OTHER_TIMES = "what was measured since says other times"
_OPEN = ProposalStatus.OPEN


def propose(asked: Asked, command: Propose, world: World, now: int) -> Events:
    """Let somebody see it, unless it says nothing new."""
    notes, made = world.subject.notes, command.proposal
    if notes.deployment is None:
        why = f"no deployment {asked.schedule[:-1]} is registered"
        return refuse(asked, "propose", "deployment", why)
    try:
        check_zone(made.zone)
        for schedule in schedules_of(asked, made.id):
            schedule_id(schedule)
    except TimingRefused as refusal:
        return refuse(asked, "propose", refusal.field, refusal.message)
    except IdFault as fault:
        return refuse(asked, "propose", "id", f"no schedules could be made of it: {fault}")
    same = _times(made.windows), made.zone
    alike = [one for one in notes.proposals if (_times(one.windows), one.zone) == same]
    if any(_stands(one, asked, world, now) for one in alike):
        return as_it_was(asked, "propose")
    if any(one.id == made.id for one in notes.proposals):
        return refuse(asked, "propose", "id", f"there was a proposal {made.id} before")
    replaced = [
        ProposalWithdrawn(asked.schedule, one.id, OTHER_TIMES)
        for one in notes.proposals
        if one.status is _OPEN
    ]
    return (*replaced, ProposalMade(asked.schedule, made))


def accept(asked: Asked, command: AcceptProposal, world: World, now: int) -> Events:
    """Make its schedules, in the name of whoever accepts it; a second time changes nothing."""
    known = _found(asked, "accept", command, world)
    if not isinstance(known, ProposalNote):
        return known
    events: Events = ()
    for schedule, verb in zip(schedules_of(asked, known.id), (Verb.SLEEP, Verb.WAKE), strict=True):
        if world.siblings.get(schedule) is not None:
            why = f"there is a schedule {schedule} already"
            return refuse(asked, "accept", "proposal", why)
        one = replace(asked, schedule=schedule)
        found = lifecycle.created(one, definition_of(known, verb), world, now)
        for event in found:
            if isinstance(event, CommandRefused):
                return refuse(asked, "accept", event.field, event.message)
        world = world_after(world, found, now)
        events += found
    names = tuple(event.schedule for event in events if isinstance(event, ScheduleDefined))
    return (ProposalAccepted(asked.schedule, known.id, names, command.reason), *events)


def dismiss(asked: Asked, command: DismissProposal, world: World) -> Events:
    """Nothing comes of it."""
    known = _found(asked, "dismiss", command, world)
    if not isinstance(known, ProposalNote):
        return known
    return (ProposalDismissed(asked.schedule, known.id, command.reason),)


def withdraw(asked: Asked, command: WithdrawProposal, world: World) -> Events:
    """It does not fit what was measured since."""
    known = _found(asked, "withdraw", command, world)
    if not isinstance(known, ProposalNote):
        return known
    return (ProposalWithdrawn(asked.schedule, known.id, command.reason),)


def schedules_of(asked: Asked, proposal: str) -> tuple[str, str]:
    """What the schedules of a proposal are called: that of its sleep, and that of its wake."""
    subject = subject_of(asked.schedule)
    return f"{subject}/sleep-{proposal}", f"{subject}/wake-{proposal}"


def definition_of(known: ProposalNote, verb: Verb) -> Definition:
    """The schedule of a proposal that lets a deployment sleep, or wakes it."""
    if verb is Verb.SLEEP:
        moments = [(one.sleep_day, one.sleep_at) for one in known.windows]
    else:
        moments = [(one.wake_day, one.wake_at) for one in known.windows]
    work = Act(verb)
    usual = defaults_for(Preset.DEPLOYMENT, work)
    return Definition(
        _weekly(moments),
        offering(work),
        zone=known.zone,
        dst=usual.dst,
        catch_up=usual.catch_up,
        description=f"proposed: {known.id}",
        overlap=usual.overlap,
        gate=usual.gate,
        manual=usual.manual,
        preset=Preset.DEPLOYMENT,
        start_within=usual.start_within,
        hold_on_failure=usual.hold_on_failure,
    )


def _weekly(moments: Iterable[tuple[int, int]]) -> tuple[Weekly, ...]:
    """One timing for each time of the day, with all days on which it is."""
    days: dict[int, int] = {}
    for day, second in moments:
        days[second] = days.get(second, 0) | 1 << day
    return tuple(Weekly(days[second], second) for second in sorted(days))


def _times(windows: tuple[IdleWindow, ...]) -> list[tuple[int, ...]]:
    """When to sleep and wake: for how many weeks that was so, grows from week to week."""
    return sorted(window[:4] for window in windows)


def _stands(known: ProposalNote, asked: Asked, world: World, now: int) -> bool:
    """Whether the same times need not be proposed once more."""
    match known.status:
        case ProposalStatus.OPEN:
            return True
        case ProposalStatus.ACCEPTED:
            made = schedules_of(asked, known.id)
            return all(world.siblings.get(schedule) is not None for schedule in made)
        case ProposalStatus.DISMISSED:
            return now - known.since <= NOT_AGAIN
        case ProposalStatus.WITHDRAWN:
            return False


_SETTLED = {
    "accept": ProposalStatus.ACCEPTED,
    "dismiss": ProposalStatus.DISMISSED,
    "withdraw": ProposalStatus.WITHDRAWN,
}


def _found(asked: Asked, word: str, command: Settling, world: World) -> ProposalNote | Events:
    """The open proposal that is meant; or what is answered if it is none."""
    named = command.proposal
    known = next((one for one in world.subject.notes.proposals if one.id == named), None)
    if known is None:
        return refuse(asked, word, "proposal", f"there is no proposal {named} of this subject")
    if known.status is _SETTLED[word]:
        return as_it_was(asked, word)
    if known.status is not _OPEN:
        return refuse(asked, word, "proposal", f"proposal {named} is {known.status} already")
    return known
