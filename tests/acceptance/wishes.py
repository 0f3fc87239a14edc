"""
What might services ask for, in any order and at any time?

Made-up definitions and orders over a set of schedules, all drawn from one seed: what is chosen
depends on nothing that happens meanwhile, only instants are counted from the clock. Sending them
is senders.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import NamedTuple

from schemas.commands import Command, Define, Pause, Remove, Resume, Trigger
from schemas.definition import (
    SECOND,
    CatchUp,
    CatchUpMode,
    Cron,
    Definition,
    Dst,
    Emit,
    Interval,
    Once,
    Timing,
)
from tests.acceptance.timely import timely

ZONES = ("UTC", "UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Chatham")
CATCH_UPS = (
    *[CatchUp()] * 6,
    CatchUp(CatchUpMode.NONE, grace=2 * SECOND),
    CatchUp(CatchUpMode.LATEST, lookback=20 * SECOND, grace=SECOND),
    CatchUp(CatchUpMode.LATEST, lookback=None, grace=3 * SECOND),
    CatchUp(CatchUpMode.ALL, lookback=60 * SECOND, grace=SECOND, limit=4),
    CatchUp(CatchUpMode.ALL, grace=0),
)
KEYS = (None, b"", b"k", "schlüssel".encode(), b"\x00\xff\xfe")
VALUES = (None, b"", b"go", b'{"kind":"backup"}', "größe".encode(), b"\x00\x01\xff", b"x" * 5_000)
HEADERS: tuple[tuple[tuple[str, bytes | None], ...], ...] = (
    *[()] * 3,
    (("kind", b"backup"),),
    (("n", None), ("n", b"\x00\xff"), ("n", b"")),
    (("horae-run", b"forged"), ("traceparent", b"forged"), ("mine", b"1")),
)


class Wish(NamedTuple):
    """One order, and how it is to be sent."""

    schedule: str
    command: Command
    id: str
    json: bool
    """As JSON, the way a program without our schemas would."""
    named: bool
    """With its id in a header; a definition without one is answered under its place."""
    home: bool
    """Into the subject's partition, not where some other hash puts the key."""


@dataclass(slots=True)
class Wishes:
    """What one sender asks for."""

    rng: Random
    tag: str
    names: list[str]
    topics: tuple[str, ...]
    there: dict[str, Definition] = field(default_factory=dict)
    """What the sender believes to be there."""
    _number: int = 0
    _last: list[Wish] = field(default_factory=list)

    def all_defined(self, now: int) -> Iterator[Wish]:
        """Ask for every schedule once."""
        for name in self.names:
            yield self._wish(name, self._new(name, now))

    def some(self, most: int, now: int) -> list[Wish]:
        """A few orders about any of them."""
        return [self._one(now) for _ in range(self.rng.randint(1, most))]

    def _one(self, now: int) -> Wish:
        kind = self.rng.random()
        if self._last and kind < 0.04:
            return self._again()
        name = self.rng.choice(self.names)
        wish = self._wish(name, self._order(name, now))
        if isinstance(wish.command, Pause | Resume | Trigger):
            self._last = [*self._last[-20:], wish]
        return wish

    def _again(self) -> Wish:
        """The very same one-shot order once more, now and then with another payload."""
        wish = self.rng.choice(self._last)
        command = wish.command
        if isinstance(command, Pause | Resume | Trigger) and self.rng.random() < 0.2:
            return wish._replace(command=replace(command, reason="another"))
        return wish

    def _wish(self, name: str, command: Command) -> Wish:
        self._number += 1
        return Wish(
            name,
            command,
            f"{self.tag}-{self._number}",
            json=self.rng.random() < 0.5,
            named=self.rng.random() < 0.7,
            home=self.rng.random() < 0.75,
        )

    def _order(self, name: str, now: int) -> Command:
        known = self.there.get(name)
        if known is None and self.rng.random() < 0.9:
            return self._new(name, now)
        if self.rng.random() < 0.45:
            return self._edit(name, known, now)
        orders: tuple[Command, ...] = (
            Pause(self.rng.choice(("", "lunch", "größer"))),
            Pause("a while", now + self.rng.randint(1, 25) * SECOND),
            Resume(self.rng.choice(("", "on"))),
            Trigger("by hand"),
            Remove(),
        )
        [order] = self.rng.choices(orders, (10, 10, 14, 14, 8))
        if isinstance(order, Remove):
            self.there.pop(name, None)
        return order

    def _edit(self, name: str, known: Definition | None, now: int) -> Define:
        [kind] = self.rng.choices(
            ("timing", "more", "payload", "nothing", "stale"), (18, 8, 12, 5, 2)
        )
        if kind == "stale":
            return Define(self._definition(now), expected_version=3)
        if known is None or kind == "timing":
            return self._new(name, now)
        if kind == "more":
            return self._keep(name, timely(self.rng, known, now))
        if kind == "nothing":
            return Define(known)
        return self._keep(name, replace(known, action=self._emit()))

    def _new(self, name: str, now: int) -> Define:
        return self._keep(name, self._definition(now))

    def _keep(self, name: str, definition: Definition) -> Define:
        self.there[name] = definition
        return Define(definition)

    # ------------------------------------------------------------------ definitions

    def _definition(self, now: int) -> Definition:
        rng = self.rng
        chance = rng.random()
        plain = Definition(
            timings=tuple(self._timings(now)),
            action=self._emit(),
            zone=rng.choice(ZONES),
            dst=rng.choice(list(Dst)) if chance < 0.3 else Dst.SHIFT,
            start_at=now + rng.randint(-5, 20) * SECOND if chance < 0.05 else None,
            end_at=now + rng.randint(10, 90) * SECOND if 0.03 < chance < 0.08 else None,
            catch_up=rng.choice(CATCH_UPS),
            description=f"drawn by {self.tag}",
        )
        return timely(rng, plain, now)

    def _timings(self, now: int) -> list[Timing]:
        rng = self.rng
        many = 1 if rng.random() < 0.9 else 2
        return [self._timing(now) for _ in range(many)]

    def _timing(self, now: int) -> Timing:
        rng = self.rng
        [kind] = rng.choices(("minute", "second", "interval", "once"), (40, 22, 25, 13))
        match kind:
            case "minute":
                return Cron(rng.choice(("* * * * *", "* * * * *", "*/2 * * * *", "H/2 * * * *")))
            case "second":
                step = rng.choice((6, 10, 15, 20, 30))
                listed = f"{rng.randint(0, 29)},{rng.randint(30, 59)} * * * * *"
                return Cron(
                    rng.choice((f"*/{step} * * * * *", f"{rng.randint(0, 9)}/20 * * * * *", listed))
                )
            case "interval":
                micros = rng.randint(6, 60) * SECOND + rng.choice((0, 0, 250_000))
                return Interval(micros=micros, anchor=rng.choice((None, 0, 7 * SECOND)))
            case _:
                return Once((now + rng.randint(-3_000, 60_000) * 1_000) // 1_000 * 1_000)

    def _emit(self) -> Emit:
        rng = self.rng
        topic = rng.choice(self.topics)
        key = rng.choice(KEYS)
        if topic.endswith("compacted"):
            key = key or b"compacted"
        return Emit(topic, key, rng.choice(VALUES), rng.choice(HEADERS))
