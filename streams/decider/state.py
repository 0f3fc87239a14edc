"""
What must be known to decide about one schedule?

`Schedule` is the fold of its events: the `Plan`, which commands change, and the cursor, which fires
change. `World` is what surrounds it at that moment: what holds for everyone, and what is known of
its subject. All frozen; evolve.py alone makes the next state from the last one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from schemas.definition import SECOND, Basis, Definition, Interval
from schemas.globals import Calendar, ClockAccepted, Freeze, GlobalSettings, Hold
from schemas.identity import subject_of
from schemas.made_often import made_often
from schemas.schedule import PauseNote, Status
from schemas.snapshot import Cursor, PastHold, RunnerNote
from streams.calendar.occurrences import NEVER, Rule
from streams.decider.subject import NOBODY, Subject

NO_WALL = -NEVER
"""The wall time in the cursor of a schedule that has handled none."""


def grid_origin(created_at: int) -> int:
    """Where an interval without an anchor counts from: the creation, in whole seconds."""
    return created_at // SECOND * SECOND


@dataclass(frozen=True, slots=True)
class Plan:
    """What a schedule is, until the next command about it."""

    id: str
    version: int
    incarnation: int
    created_at: int
    changed_at: int
    actor: str
    definition: Definition
    rule: Rule | None
    """The compiled timing, shared by all schedules that have the same; None if it cannot be read
    any more (a zone that the installed data do not know): such a schedule has no next instant."""
    pause: PauseNote | None = None
    completed: bool = False
    skips: tuple[int, ...] = ()
    """Nominal instants that were asked to be skipped, in order."""

    # What follows from these is asked several times at each look, and found once.
    subject: str = field(init=False, repr=False, compare=False)
    """Whom it concerns; also the one scope of its runs."""
    origin: int = field(init=False, repr=False, compare=False)
    """Where an interval without an anchor counts from."""
    counts_from_decisions: bool = field(init=False, repr=False, compare=False)
    """Whether it has one instant at a time, so long after a decision about it."""
    counts_from_ends: bool = field(init=False, repr=False, compare=False)
    """Whether that decision is the one that its work is over."""

    def __post_init__(self) -> None:
        """Find what follows."""
        fixed = self.rule is not None and self.rule.fixed
        basis = Basis.GRID if fixed else _basis(self.definition)
        found = object.__setattr__  # of a frozen one it is the only way
        found(self, "subject", subject_of(self.id))
        found(self, "origin", grid_origin(self.created_at))
        found(self, "counts_from_decisions", basis is not Basis.GRID)
        found(self, "counts_from_ends", basis is Basis.AFTER_END)

    @property
    def status(self) -> Status:
        """Whether its instants are occurrences, for the public table."""
        if self.completed:
            return Status.COMPLETED
        return Status.PAUSED if self.pause else Status.ENABLED


def _basis(definition: Definition) -> Basis:
    timings = definition.timings
    only = timings[0] if len(timings) == 1 else None
    return only.basis if isinstance(only, Interval) else Basis.GRID


class Schedule(NamedTuple):
    """The state of one schedule."""

    plan: Plan
    cursor: Cursor


@dataclass(frozen=True, slots=True)
class Target:
    """What is known of a topic that emits go to."""

    fault: str | None = None
    """Why nothing can be written to it now; None: it can."""
    max_bytes: int = 1_000_000
    """The largest record it takes, overhead included."""
    needs_key: bool = False
    """It is compacted: a record without a key would be refused."""


class CalendarChange(NamedTuple):
    """Since when a calendar is what it is."""

    version: int
    """The offset of its record in horae.globals."""
    at: int
    """By the clock of whoever changed it; 0: that is not known."""


class Siblings(Protocol):
    """The schedules of a subject."""

    def ids(self) -> tuple[str, ...]:
        """Their ids, in order."""

    def get(self, schedule: str) -> Schedule | None:
        """One of them."""


class NoSiblings:
    """None are known."""

    def ids(self) -> tuple[str, ...]:
        """None."""
        return ()

    def get(self, schedule: str) -> Schedule | None:  # noqa: ARG002 - whatever is asked
        """None."""
        return None


ALONE: Siblings = NoSiblings()


@made_often
@dataclass(frozen=True, slots=True)
class World:
    """What holds for everyone, as of one offset of horae.globals, and for one subject."""

    globals_offset: int = -1
    hold: Hold | None = None
    settings: GlobalSettings | None = None
    clock: ClockAccepted | None = None
    targets: Mapping[str, Target] = field(default_factory=dict)
    """By topic; one that is not in here was not looked up and is taken to be in order."""
    zone_data: int = 0
    """The release of the installed zone data."""
    calendars: Mapping[str, Calendar] = field(default_factory=dict)
    """The shared calendars by name, without those that were removed."""
    freezes: Mapping[str, Freeze] = field(default_factory=dict)
    """By name, without those that were lifted; one may be over or still to come."""
    calendar_changes: Mapping[str, CalendarChange] = field(default_factory=dict)
    """The last change of each calendar there ever was, also of a removed one."""
    past_hold: PastHold | None = None
    """The last hold over everything that was lifted."""
    subject: Subject = NOBODY
    """What is known of the subject that is decided about."""
    siblings: Siblings = ALONE
    """All schedules of that subject; handed in where a command is decided."""
    runners: Mapping[str, RunnerNote] = field(default_factory=dict)
    """What the partition knows of those that ask for something; handed in where they do."""

    def around(self, subject: Subject, siblings: Siblings) -> World:
        """The same world, around this subject; made for each look, so without `replace`."""
        return World(
            self.globals_offset, self.hold, self.settings, self.clock, self.targets,
            self.zone_data, self.calendars, self.freezes, self.calendar_changes, self.past_hold,
            subject, siblings, self.runners,
        )  # fmt: skip

    @property
    def held(self) -> bool:
        """Nothing is evaluated anywhere while this is true."""
        return self.hold is not None and self.hold.held

    @property
    def rests(self) -> bool:
        """Nothing of the subject is evaluated while this is true."""
        return self.held or self.subject.held
