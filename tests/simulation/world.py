"""
Who lives in the simulated world, and what happens when one of them takes a step?

Processors over one log, a time that everybody's clock leans on, and accidents that wait for a step
of somebody's transaction. What is done in which order is play.py, what is there to do acts.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from confluent_kafka import KafkaException

from schemas.codec import encode
from schemas.globals import GlobalRecord
from schemas.topics import COMMANDS, GLOBALS, Part, plan
from streams.calendar.occurrences import NEVER
from streams.calendar.zones import zone_data_number
from streams.faults import AbortBatch, Halt, StartOver
from tests.acceptance.timely import beginnings
from tests.acceptance.wishes import Wishes
from tests.decider.stage import at
from tests.simulation.log import Log
from tests.simulation.processor import BOOTSTRAP, Crash, LeaningClock, Life, Time
from tests.simulation.producer import Producer
from tests.simulation.wire import LOGS
from tests.simulation.workshop import Workshop

# ruff: noqa: S311 - a seed is there to be repeated

SECOND = 1_000_000
SESSION = 6 * SECOND
NAMES = ("p1", "p2", "p3")
SCHEDULES = ("s1/a", "s1/b", "s2/a", "s17/a", "s24/b", "s3/a")
TARGETS = {"jobs-plain": 1, "jobs-wide": 3, "jobs-compacted": 1}


class Act(NamedTuple):
    """Something that is done to the world; the number chooses how."""

    name: str
    number: int


class Accident(NamedTuple):
    """What will happen to somebody at a step of a transaction."""

    step: str
    countdown: int
    happens: Callable[[World, str, Any], None]


@dataclass(slots=True)
class World:
    """Everything that there is."""

    seed: int
    policies: bool = False
    """What is asked for has policies, and somebody reports about the work."""
    cap: int = 0
    """The most runs of a subject at once; 0: no limit."""
    for_runners: bool = False
    """Much of that work is for runners."""
    deployments: bool = False
    """And much of that acts on deployments."""
    time: Time = field(init=False)
    log: Log = field(init=False)
    wishes: Wishes = field(init=False)
    workshop: Workshop = field(init=False)
    exact: bool = True
    """All clocks were right all the time."""
    lives: dict[str, Life] = field(default_factory=dict)
    clocks: dict[str, LeaningClock] = field(default_factory=dict)
    up: set[str] = field(default_factory=lambda: {"p1", "p2"})
    """Those that are meant to run."""
    frozen: set[str] = field(default_factory=set)
    doomed: set[str] = field(default_factory=set)
    """Killed while they were frozen."""
    accidents: dict[str, list[Accident]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    """What should never happen and did."""
    strangers: list[Producer] = field(default_factory=list)
    """Foreign senders with an open transaction."""
    orders: int = 0
    """How many orders beside the calendar were given: their ids."""
    spoiled: int = 0
    """Records that nobody can read, as far as we sent them."""
    _silent: dict[str, int] = field(default_factory=dict)
    """Members of the group that are not heard any more, and since when."""
    _acting: list[str] = field(default_factory=list)
    _acts: Iterator[Act] = field(default_factory=lambda: iter(()))
    _table: Any = None

    def __post_init__(self) -> None:
        rng = Random(self.seed)
        self.time = Time(at("12:00") + rng.randrange(3_600) * SECOND, zone_data_number())
        self.log = Log(lambda: self.time.now, COMMANDS, rng.choice((1, 2, 2, 3)))
        self.log.strike = self._strike
        LOGS[BOOTSTRAP] = self.log
        count = self.log.group.partitions
        for planned in plan(partitions=count, parts=(Part.SCHEDULING, Part.RUNNING)):
            self.log.create(planned.name, planned.partitions, dict(planned.settings))
        self.create_targets()
        self.workshop = Workshop(self.log, ("r1", "r2"))
        self.clocks = {name: LeaningClock(self.time) for name in NAMES}
        for key, record in beginnings(self.time.now):
            self.tell(key, record)
        self.wishes = Wishes(rng, "sim", list(SCHEDULES), tuple(TARGETS))

    def create_targets(self) -> None:
        """Where emits go."""
        for name, count in TARGETS.items():
            policy = "compact" if name.endswith("compacted") else "delete"
            if name not in self.log.topics:
                self.log.create(name, count, {"cleanup.policy": policy})

    # ------------------------------------------------------------------ what is done

    def play(self, acts: Sequence[Act], table: Any) -> None:
        """Do all of it, in its order."""
        self._acts, self._table = iter(acts), table
        while self.act():
            pass

    def act(self) -> bool:
        """Do the next thing there is to do; whether there was one."""
        found = next(self._acts, None)
        if found is None:
            return False
        self._table[found.name].do(self, Random(found.number))
        return True

    def tell(self, key: str, record: GlobalRecord) -> None:
        """Put a record into horae.globals."""
        self.log.append((GLOBALS, 0), key.encode(), encode(record))

    # ------------------------------------------------------------------ time

    def pass_time(self, micros: int) -> None:
        """Let time pass, and the broker notice what was silent or open for too long."""
        self.time.pass_by(micros)
        self.log.expire()
        for member, since in list(self._silent.items()):
            if self.time.now - since > SESSION:
                del self._silent[member]
                self.log.group.leave(member)

    def next_due(self) -> int:
        """When something is due, as far as anybody knows."""
        return min((one.processor.serving.next_due() for one in self.awake()), default=NEVER)

    # ------------------------------------------------------------------ lives

    def awake(self) -> list[Life]:
        """Those that run right now."""
        return [one for name, one in sorted(self.lives.items()) if name not in self.frozen]

    def step_all(self) -> None:
        """Everybody takes a step."""
        for name in NAMES:
            self.step(name)

    def step(self, name: str) -> None:
        """One iteration of one processor, or its start."""
        if name in self.frozen or name not in self.up:
            return
        self._acting.append(name)
        try:
            life = self.lives.get(name)
            if life is None:
                self.lives[name] = Life(name, self.clocks[name], self.cap)
            else:
                life.processor.step()
        except Crash:
            self.lose(name)
        except (AbortBatch, StartOver, KafkaException):
            self._end(name)
        except Halt as fault:
            self.wrong.append(f"{name} halted: {fault}")
            self._end(name)
        finally:
            self._acting.pop()
        self.pass_time(137)

    def lose(self, name: str) -> None:
        """It is gone without a word: its transaction stays open, and the group waits for it."""
        if name in self.frozen:
            self.doomed.add(name)
            return
        life = self.lives.pop(name, None)
        if life is not None:
            self._is_silent(life)

    def stop(self, name: str) -> None:
        """It ends as after a signal."""
        if name not in self.frozen:
            self._acting.append(name)
            self._end(name)
            self._acting.pop()

    def _end(self, name: str) -> None:
        life = self.lives.pop(name, None)
        if life is None:
            return
        try:
            life.close()
        except Crash:
            self._is_silent(life)

    def _is_silent(self, life: Life) -> None:
        if life.consumer.member:
            self._silent[life.consumer.member] = self.time.now

    # ------------------------------------------------------------------ accidents

    def _strike(self, client: Any, step: str) -> None:
        """A client is about to take a step: see whether somebody has waited for that."""
        name = self._acting[-1] if self._acting else ""
        for accident in self.accidents.get(name, ()):
            if accident.step != step:
                continue
            self.accidents[name].remove(accident)
            if accident.countdown:
                left = accident._replace(countdown=accident.countdown - 1)
                self.accidents[name].append(left)
            else:
                accident.happens(self, name, client)
            return

    def freeze(self, name: str, acts: int, *, rejoins: bool) -> None:
        """It stands still in the middle of what it does, while the world goes on for some acts.

        If it rejoins, the client's own thread speaks to the group before the process goes on.
        """
        life = self.lives.get(name)
        if life is None or name in self.frozen:
            return
        member = life.consumer.member
        self.frozen.add(name)
        self._acting.append("")
        self._is_silent(life)
        for _ in range(acts):
            self.act()
            self.step_all()
        self._silent.pop(member, None)
        if rejoins and member:
            self._rejoin(life)
        self._acting.pop()
        self.frozen.discard(name)
        if name in self.doomed:
            self.doomed.discard(name)
            raise Crash

    def stall(self, name: str, acts: int) -> None:
        """It takes long over what it does, and loses its place; its client takes a new one."""
        life = self.lives.get(name)
        if life is None or name in self.frozen or not life.consumer.member:
            return
        self.frozen.add(name)
        self._acting.append("")
        self.log.group.turned += 1  # so that it does not get back what it had
        self.log.group.leave(life.consumer.member)
        for _ in range(acts):
            self._rejoin(life)
            self.act()
        self._acting.pop()
        self.frozen.discard(name)
        if name in self.doomed:
            self.doomed.discard(name)
            raise Crash

    def _rejoin(self, life: Life) -> None:
        for _ in range(3):
            life.consumer.rejoin()
            self.step_all()
