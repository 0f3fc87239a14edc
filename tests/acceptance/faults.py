"""
What can happen to the programs while they work?

Faults in an order drawn from a seed: kill -9 of a processor, of the projector, of the broker or the
database, a freeze for longer than the session. Each victim comes back after a while; another may
fall meanwhile. A program that ends by itself is started again, as its supervisor would, and noted.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from horae.local.postgres import Postgres
from tests.acceptance.stack import PROJECTOR, SESSION
from tests.acceptance.stage import Stage

PROCESSORS = ("one", "two")
KINDS = ("kill", "freeze", "broker", "projector", "database")
WEIGHTS = (34, 30, 14, 14, 8)


class Fault(NamedTuple):
    """One blow: what happens to whom, for how long, and how long before the next."""

    kind: str
    victim: str
    lasts: float
    then: float


def drawn(rng: Random) -> Iterator[Fault]:
    """Faults without end; the first ones are one of each kind."""
    first = list(KINDS)
    rng.shuffle(first)
    while True:
        kind = first.pop() if first else rng.choices(KINDS, WEIGHTS)[0]
        victim = rng.choice(PROCESSORS) if kind in {"kill", "freeze"} else kind
        lasts = rng.uniform(0, 3)
        if kind == "freeze":
            lasts = SESSION + rng.uniform(0.3, 2)
        if kind == "broker":
            lasts = rng.uniform(0, 1.5)
        yield Fault(kind, victim, lasts, rng.uniform(0.2, 3))


@dataclass(slots=True)
class Torment:
    """The faults so far, and who is to come back when."""

    stack: Stage
    rng: Random
    blows: Callable[[Random], Iterator[Fault]] = drawn
    watched: tuple[str, ...] = (*PROCESSORS, PROJECTOR)
    """Who is started again if it ends by itself."""
    database: Postgres | None = None
    log: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    _began: float = field(default_factory=time.monotonic)
    _away: dict[str, tuple[float, Callable[[], None]]] = field(default_factory=dict)

    def go_on(self, until: Callable[[int, float], bool]) -> None:
        """Strike until told that it is enough: asked with the number of faults and the seconds."""
        began = time.monotonic()
        for number, fault in enumerate(self.blows(self.rng)):
            if until(number, time.monotonic() - began):
                return
            self._wait(lambda fault=fault: fault.victim not in self._away, 60)  # type: ignore[misc]
            self._strike(fault)
            self._pass(fault.then)

    def heal(self) -> None:
        """Everybody comes back."""
        self._wait(lambda: not self._away, 90)
        self._look_after()

    # ------------------------------------------------------------------ one fault

    def _strike(self, fault: Fault) -> None:
        victim = fault.victim
        stack = self.stack
        self._note(f"{fault.kind} {victim} for {fault.lasts:.1f} s")
        self.counts[fault.kind] += 1
        if fault.kind == "freeze":
            stack.freeze(victim)
            back = lambda: stack.thaw(victim)  # noqa: E731
        elif fault.kind == "broker":
            stack.broker.kill()
            back = stack.broker.start
        elif fault.kind == "database" and self.database is not None:
            self.database.kill()
            back = self.database.start
        else:
            stack.kill(victim)
            back = stack.programs[victim].start
        self._away[victim] = time.monotonic() + fault.lasts, back

    def _pass(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        self._wait(lambda: time.monotonic() >= end, seconds + 60)

    def _wait(self, condition: Callable[[], bool], within: float) -> None:
        deadline = time.monotonic() + within
        while not condition():
            assert time.monotonic() < deadline, "a victim did not come back"
            self._bring_back()
            self._look_after()
            time.sleep(0.05)

    def _bring_back(self) -> None:
        now = time.monotonic()
        for victim in [name for name, (at, _) in self._away.items() if at <= now]:
            back = self._away[victim][1]
            back()
            del self._away[victim]
            self._note(f"{victim} is back")

    def _look_after(self) -> None:
        for name in self.watched:
            program = self.stack.programs[name]
            child = program.child
            if name not in self._away and child is not None and child.ended is not None:
                self.counts["ended by itself"] += 1
                self._note(f"{name} ended by itself with {child.ended}")
                program.start()

    def _note(self, what: str) -> None:
        clock = time.strftime("%H:%M:%S", time.gmtime())
        self.log.append(f"{clock}Z +{time.monotonic() - self._began:6.1f} s  {what}")
