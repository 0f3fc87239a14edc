"""
How does a schedule play out, with nothing but the decider?

One schedule, its world and the events so far: commands and rings are played at the times a test
names, on the first of June 2026 in UTC unless it says otherwise. How a test writes down what it
expects is expected.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from schemas.commands import Asked, Command
from schemas.definition import CatchUp, Cron, Definition, Emit, Interval, Once, Timing
from schemas.events import ScheduleEvent, Stamp
from schemas.globals import GlobalRecord, GlobalSettings, Hold
from schemas.instants import parse_instant
from streams.decider.decide import decide
from streams.decider.evolve import evolve
from streams.decider.firing import due
from streams.decider.recompute import recomputed
from streams.decider.state import Schedule, Target, World
from streams.decider.worldview import fold

NIGHTLY = "shop/nightly"
SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
DEFAULT = CatchUp()
EMIT = Emit("jobs", b"k", b"go")
OPEN = World(settings=GlobalSettings(("jobs*",), 0))


class Ring(NamedTuple):
    """Let the timer ring as often as something is due."""


class Breaks(NamedTuple):
    """The target refuses from now on, with these words; None: it is in order again."""

    why: str | None


class Holds(NamedTuple):
    """Everything is held, or let go."""

    held: bool


class Tells(NamedTuple):
    """A record of horae.globals comes into force."""

    key: str
    record: GlobalRecord


class Upgrades(NamedTuple):
    """Other zone data are installed."""

    zone_data: int


Move = Command | Ring | Breaks | Holds | Tells | Upgrades
Step = tuple[str, Move]
RING = Ring()


def at(text: str) -> int:
    """`10:17`, `10:17:30.5`, `06-02T10:17` or a whole instant, as microseconds."""
    day, _, clock = text.rstrip("Z").rpartition("T")
    day = {0: "2026-06-01", 5: f"2026-{day}"}.get(len(day), day)
    return parse_instant(f"{day}T{clock}{':00' if clock.count(':') == 1 else ''}Z")


def rule(
    *timings: Timing | str, catch_up: CatchUp = DEFAULT, emit: Emit = EMIT, **more: object
) -> Definition:
    """A definition; texts are cron expressions."""
    read = tuple(Cron(one) if isinstance(one, str) else one for one in timings)
    return replace(Definition(read, emit, catch_up=catch_up), **more)  # type: ignore[arg-type]


def every(micros: int, anchor: int | None = None) -> Interval:
    return Interval(micros=micros, anchor=anchor)


def once(text: str) -> Once:
    return Once(at(text))


@dataclass
class Stage:
    """One schedule and its world."""

    world: World = OPEN
    state: Schedule | None = None
    offset: int = 0
    sequence: int = 0
    history: list[tuple[ScheduleEvent, Stamp]] = field(default_factory=list)

    def play(self, move: Move, now: int, appended_at: int | None = None) -> list[ScheduleEvent]:
        """What is decided."""
        match move:
            case Ring():
                return self.ring(now)
            case Breaks(why):
                targets = {"jobs": Target(fault=why)}
                self.world = replace(self.world, targets=targets if why else {})
                return []
            case Holds(held):
                return self.play(Tells("hold", Hold(held, "works", "user:eve", now)), now)
            case Tells(key, record):
                self.world = fold(self.world, record, self.world.globals_offset + 1, key)
                return []
            case Upgrades(zone_data):
                self.world = replace(self.world, zone_data=zone_data)
                return []
            case _:
                return self.ask(move, now, appended_at)

    def ask(
        self, command: Command, now: int, appended_at: int | None = None
    ) -> list[ScheduleEvent]:
        """Decide a command; its offset, counted from 0, is the version it makes."""
        offset = self.offset
        self.offset += 1
        appended = now if appended_at is None else appended_at
        asked = Asked(
            NIGHTLY, command, f"id-{offset}", 0, offset, offset, appended, actor="user:ann"
        )
        events = decide(self.state, asked, self.world, now)
        self._take(events, now, "user:ann", offset)
        return list(events)

    def ring(self, now: int) -> list[ScheduleEvent]:
        """Look at the schedule until nothing is due any more."""
        found: list[ScheduleEvent] = []
        while events := self.look(now):
            found += events
        return found

    def look(self, now: int) -> list[ScheduleEvent]:
        """Look at the schedule once."""
        if self.state is None:
            return []
        events = due(self.state, self.world, now)
        self._take(events, now, f"schedule:{NIGHTLY}", None)
        return list(events)

    def recheck(self, now: int) -> list[ScheduleEvent]:
        """Ask, although nothing rang, whether the pending instant is still the same."""
        assert self.state is not None
        event = recomputed(self.state, self.world, now)
        found = () if event is None else (event,)
        self._take(found, now, f"schedule:{NIGHTLY}", None)
        return list(found)

    def wait(self, until: int) -> list[ScheduleEvent]:
        """Let every timer ring on time up to `until`."""
        found: list[ScheduleEvent] = []
        while self.state is not None and self.state.cursor.due <= until and not self.world.held:
            events = self.look(self.state.cursor.due)
            if not events:
                break
            found += events
        return found

    @property
    def cursor_next(self) -> int:
        assert self.state is not None
        return self.state.cursor.nominal

    def _take(
        self, events: tuple[ScheduleEvent, ...], now: int, actor: str, offset: int | None
    ) -> None:
        for event in events:
            stamp = Stamp(now, 0, offset, self.world.globals_offset, self.sequence, actor)
            self.sequence += 1
            self.history.append((event, stamp))
            self.state = evolve(self.state, event, stamp, self.world.zone_data)


def played(*steps: Step) -> Stage:
    """A stage on which this has happened."""
    stage = Stage()
    for when, move in steps:
        stage.play(move, at(when))
    return stage


class Case(NamedTuple):
    """Given what happened, when this is played at that time, then these are the events."""

    given: list[Step]
    when: Step
    then: list[ScheduleEvent]
    appended: str | None = None
    """When the command was sent; None: when it is decided."""

    def outcome(self) -> list[ScheduleEvent]:
        """What is decided."""
        stage = played(*self.given)
        when, move = self.when
        return stage.play(move, at(when), None if self.appended is None else at(self.appended))
