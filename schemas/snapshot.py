"""
What does the processor keep in horae.state to start from?

`p|<schedule>` its cursor, `o|<partition>` the owner's record, `c|<command id>` the answer to a
command, for 24 hours, `r|<run>` a run, until 24 hours after its end, `u|<subject>` what is known of
a subject as a whole. Internal: no one else reads it. The definitions are in schedule.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from schemas.actions import App
from schemas.deployments import Deployment, DeploymentState
from schemas.policies import OverlapMode
from schemas.proposals import ProposalNote
from schemas.run_events import RunStatus
from schemas.subject_events import InsightKind

MOST_DEFERRALS = (1 << 16) - 1
"""A cursor counts no further."""


class WallTime(NamedTuple):
    """A local time; the second pass is that after a clock was put back."""

    wall: int
    second_pass: int


class Cursor(NamedTuple):
    """How far a schedule has come: all that a fire changes."""

    mark: int
    """The last settled nominal instant: nothing at or before it is looked at again."""
    wall: int
    """The wall time of the mark: a wall time handled once stays handled when zone data change."""
    nominal: int
    """The oldest instant that is not settled; NEVER if there is none."""
    due: int
    """When it is looked at: its due instant, or the end of a deferral or pause."""
    deferred_at: int
    """When it was first deferred, 0 if it was not."""
    fires: int
    deferrals: int
    zone_data: int
    """The release of the zone data that `nominal` was computed with (zones.release_number)."""
    second_pass: int
    waiting: WallTime | None = None
    """What `nominal` stood for when it was deferred first; None: it is not deferred, or was by a
    release that did not note it."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Written by every transaction for exactly the partitions whose offsets it sends."""

    instance: str
    """The owner's transactional id, which is also its client id in the group."""
    next_offset: int
    """The next command to decide."""
    topic_id: str
    """The inbox's topic id: another one is another log."""
    base: int
    """Added to an offset to make a version: grows when another inbox is adopted."""
    next_sequence: int
    """The sequence number of the next event."""
    globals_offset: int
    """Partition 0: the last record of horae.globals that got its reply and its ledger event."""
    written_at: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What a one-shot command was answered, so that its second copy gets the same."""

    answered_at: int
    digest: bytes
    """Of the command's key and value: the same id with another payload is a conflict."""
    reply: bytes
    """The encoded reply."""


class RunPhase(StrEnum):
    """How far a run has come."""

    WAITING = "waiting"
    """For its turn; it has not begun."""
    STARTED = "started"
    RETRYING = "retrying"
    """An attempt ended badly; the next begins after the backoff."""
    CANCELLING = "cancelling"
    """It was asked to stop, and has not said yet that it has."""
    ENDED = "ended"
    OFFERED = "offered"
    """An attempt was given out to the runners, and none has it."""


class Run(NamedTuple):
    """The work of one occurrence for one scope.

    A named tuple like Fired: it is made anew for each thing that is said of it.
    """

    id: str
    schedule: str
    version: int
    incarnation: int
    scope: str
    nominal: int
    due: int
    origin: str | None
    phase: RunPhase
    since: int
    """When it came into this phase; ended: when that was."""
    attempt: int = 1
    started_at: int | None = None
    """When its first attempt began."""
    overlap: OverlapMode | None = None
    """By which rule it waits, if not by its schedule's."""
    behind: str | None = None
    """Waiting: the run whose end it waits for, if that is a certain one."""
    until: int | None = None
    """Waiting: when it is dropped; retrying: when the next attempt begins; offered: when it is
    offered again."""
    lease_until: int | None = None
    """Without a report until then it is interrupted."""
    attempt_until: int | None = None
    """When its present attempt has taken too long."""
    status: RunStatus | None = None
    """How it ended."""
    issue: int = 0
    """How often its present attempt was offered; 0: it is not for runners."""
    runner: str | None = None
    """Who has its present attempt."""
    boot: int | None = None
    start_until: int | None = None
    """Offered: when it is given up."""

    @property
    def named(self) -> tuple[str, int, int, str, str, int, str | None]:
        """What every event about it says first: whose it is, which one, and of which occurrence."""
        run, schedule, version, incarnation, scope, nominal, _, origin = self[:8]
        return schedule, version, incarnation, run, scope, nominal, origin


class FailureCount(NamedTuple):
    """How many runs of a schedule failed, one after the other."""

    schedule: str
    times: int
    unsuccessful: int = 0
    """How many did not succeed in a row, for whatever reason that is no choice of somebody's."""


@dataclass(frozen=True, slots=True)
class SubjectHold:
    """Who holds a subject, since when and why."""

    reason: str
    actor: str
    since: int
    until: int | None = None


@dataclass(frozen=True, slots=True)
class PastHold:
    """The last hold that was lifted."""

    since: int
    until: int


@dataclass(frozen=True, slots=True)
class Activity:
    """What a sampler saw of a subject last."""

    last_request: int | None
    in_flight: int
    waiting: int
    sampled_at: int
    served: int | None = None
    rate: int | None = None
    usual: int | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of a deployment, as it was told last."""

    state: DeploymentState
    actor: str | None
    """Who brought it there."""
    since: int
    stopped_by: str | None = None
    """Who stopped it last; None: nobody knows, or nobody did."""


@dataclass(frozen=True, slots=True)
class BackfillNote:
    """A backfill under way."""

    id: str
    schedule: str
    instants: tuple[int, ...]
    """Those still to run, in their order."""
    total: int
    overlap: OverlapMode | None
    actor: str
    again_at: int | None = None
    """When it goes on; NEVER: when a run of the subject ends or a hold is lifted."""


class Insight(NamedTuple):
    """Something that is so and should not stay so; open once for each cause."""

    kind: InsightKind
    about: str
    """The schedule, or whatever it is about."""
    message: str
    since: int


class RunnerNote(NamedTuple):
    """What a partition knows of a runner."""

    id: str
    boot: int
    heard_at: int
    """When its last beat was decided, microseconds of UTC."""
    leaving: bool = False
    slots: int = 0
    pools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SubjectNotes:
    """What is known of a subject beside its schedules and runs."""

    hold: SubjectHold | None = None
    actions_hold: SubjectHold | None = None
    """Over its sleep and wake alone."""
    activity: Activity | None = None
    failures: tuple[FailureCount, ...] = ()
    """By schedule; those without a failure are left out."""
    backfills: tuple[BackfillNote, ...] = ()
    past_hold: PastHold | None = None
    app: App | None = None
    """What its containers are made of."""
    insights: tuple[Insight, ...] = ()
    """Those that are open."""
    deployment: Deployment | None = None
    standing: Standing | None = None
    proposals: tuple[ProposalNote, ...] = ()
    """The open one, and those that were settled lately."""
