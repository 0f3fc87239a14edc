"""
Is this subject quiet enough for what is due now?

A gate lets an occurrence start only if the last request is old enough, nothing is in flight or
waiting, and a fresh sample says so; else it is deferred and looked at again, and given up at last.
What is being started is left alone just so, gate or not. What was told to be at rest need not be
seen: no sampler sees into a stopped server, and the runner looks at the deployment itself.
What a sampler saw comes through the inbox (holding.see), so it is ordered among all else, and the
numbers that were looked at are the evidence in the event: the live ones decide, and where they are
far from what is usual, that is said too.
Windows and targets are waiting.py; what a runner finds busy is busy.py.
"""

from __future__ import annotations

from typing import NamedTuple

from schemas.actions import Act
from schemas.definition import Definition
from schemas.deployments import DeploymentState
from schemas.durations import format_duration
from schemas.events import Deferred, Reason, Skipped
from schemas.instants import format_instant
from schemas.policies import Gate
from schemas.snapshot import Activity, SubjectNotes
from streams.decider.acts import WAKING
from streams.decider.limits import gate_of
from streams.decider.state import Schedule, World
from streams.decider.waiting import Wait, deferred, expired, let_in_at

ABNORMAL = 10
"""Traffic that is so many times what is usual, or the tenth of it, is told of."""
ABNORMAL_BY = 10_000
"""And differs by so much: thousandths of a request a minute."""


class Look(NamedTuple):
    """What is seen of a subject at one moment."""

    busy: str | None
    """Why it is not quiet; None: it is."""
    evidence: str
    """That, and the numbers."""


_AT_REST = frozenset({DeploymentState.ASLEEP, DeploymentState.STOPPED})
_UNASKED = Look(None, "nobody asks")


def for_quiet(state: Schedule, world: World, now: int, due: int) -> Deferred | Skipped | None:
    """Put off what comes while its subject is busy; None: it may start.

    The limit counts from the due instant, or, if it waited for its window, from that opening on.
    Of a look that came long after the limit, as after an outage, it does not matter what it sees.
    """
    plan, cursor = state
    definition, notes = plan.definition, world.subject.notes
    gate = gate_of(definition)
    if gate is None or (definition.gate is None and in_use(definition, notes) is None):
        return None
    found = look_at(definition, notes, now)
    ends_at = let_in_at(state, now, due) + gate.max_wait
    if cursor.deferrals and now - ends_at > definition.catch_up.grace:
        evidence = f"it waited until {format_instant(ends_at)}; {found.evidence}"
        return expired(state, world, now, evidence)
    if found.busy is None:
        return None
    if now >= ends_at:
        return expired(state, world, now, found.evidence)
    until = min(next_look(cursor.due, gate.look, now), ends_at)
    return deferred(state, world, now, Wait(due, until, Reason.BUSY, found.evidence))


def seen(definition: Definition, world: World, now: int) -> str | None:
    """The evidence of a start that asked for quiet; None: it did not."""
    if definition.gate is None:
        return None
    return look_at(definition, world.subject.notes, now).evidence


def look_at(definition: Definition, notes: SubjectNotes, now: int) -> Look:
    """Whether the subject is quiet enough for this, and left alone by others."""
    found = _UNASKED
    if definition.gate is not None:
        rests = at_rest(definition, notes)
        found = look(definition.gate, notes.activity, now, rests)
    used = None if found.busy is not None else in_use(definition, notes)
    return found if used is None else Look(used, used)


def in_use(definition: Definition, notes: SubjectNotes) -> str | None:
    """Why it is not put to rest whatever its traffic: it is being started."""
    work, standing = definition.action.work, notes.standing
    if standing is None or standing.state is not DeploymentState.STARTING:
        return None
    if not isinstance(work, Act) or work.verb in WAKING:
        return None
    return "somebody is starting it"


def at_rest(definition: Definition, notes: SubjectNotes) -> str | None:
    """What was told of a deployment that nobody need see to put it to rest; None: nothing such."""
    standing = notes.standing
    if standing is None or standing.state not in _AT_REST:
        return None
    return standing.state.value if isinstance(definition.action.work, Act) else None


def look(gate: Gate, activity: Activity | None, now: int, rests: str | None = None) -> Look:
    """What a gate sees at this moment; `rests` is the state of what need not be seen."""
    quiet = "quiet" if rests is None else f"told to be {rests}"
    if activity is None:
        never = "no sample was ever taken"
        return Look("no sample", never) if rests is None else Look(None, f"{quiet}; {never}")
    busy = _busy(gate, activity, now, rests)
    return Look(busy, f"{busy or quiet}; {_numbers(activity)}{_abnormal(activity)}")


def _busy(gate: Gate, activity: Activity, now: int, rests: str | None) -> str | None:
    if abs(now - activity.sampled_at) > gate.fresh:
        if rests is None:
            return f"no sample within {format_duration(micros=gate.fresh)}"
    elif activity.in_flight > 0 or activity.waiting > 0:
        return f"{activity.in_flight} in flight, {activity.waiting} waiting"
    last = activity.last_request
    if last is not None and now - last < gate.quiet:
        return f"a request within {format_duration(micros=gate.quiet)}"
    return None


def _numbers(activity: Activity) -> str:
    """The sample in words that hold every number of it."""
    last = activity.last_request
    return (
        f"last request {'never' if last is None else format_instant(last)}, "
        f"{activity.in_flight} in flight, {activity.waiting} waiting, "
        f"sampled {format_instant(activity.sampled_at)}"
    )


def _abnormal(activity: Activity) -> str:
    """That what is usual at this hour says nothing of it, with both numbers."""
    rate, usual = activity.rate, activity.usual
    if rate is None or usual is None or abs(rate - usual) < ABNORMAL_BY:
        return ""
    if max(rate, usual) < ABNORMAL * min(rate, usual):
        return ""
    are = "is" if usual == 1_000 else "are"
    return f"; abnormal traffic: {_a_minute(rate)} where {_number(usual)} {are} usual"


def _a_minute(rate: int) -> str:
    return f"{_number(rate)} {'request' if rate == 1_000 else 'requests'} a minute"


def _number(thousandths: int) -> str:
    whole, rest = divmod(thousandths, 1_000)
    return f"{whole}.{rest:03}".rstrip("0").rstrip(".")


def next_look(looked_at: int, every: int, now: int) -> int:
    """A step further than the last look was to be, so that looks do not drift."""
    return (looked_at if now - looked_at < every else now) + every
