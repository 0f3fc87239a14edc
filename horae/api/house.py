"""
What does every request need, and how does it look at the views?

One house an app: the desk for orders, the views, the tokens, the clock. It remembers for a moment
which versions its own replies told of, so that who reads after writing here sees what was written.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import NamedTuple, Protocol, TypeVar

from horae.api.desk import Desk
from horae.api.numbers import Numbers
from horae.api.problems import Problem, not_there
from horae.client.orders import Order
from horae.permissions import Keyring
from projections.counting import CountedReads
from projections.shown import ScheduleShown
from schemas.commands import Define, Remove
from schemas.replies import Reply, Verdict
from streams.clock import Clock, Deadline, pause

_BEHIND = 3.0
"""Seconds that a read waits for the views to see what was written here before."""
_REMEMBERED = 10_000_000
"""Microseconds for which that is remembered: views that are further behind stay so."""
_MOST = 10_000
_LOOK = 0.02
T = TypeVar("T")


class Views(Protocol):
    """Where the views are read."""

    def lend(self) -> AbstractContextManager[CountedReads]:
        """The views for the length of the block."""
        ...


class NoViews:
    """The views of a house without a database."""

    @contextmanager
    def lend(self) -> Iterator[CountedReads]:
        """There are none."""
        raise Problem(503, "no_views", "no database is named: set HORAE_POSTGRES_DSN")
        yield


class _Note(NamedTuple):
    """What a reply told of a schedule."""

    version: int | None
    """None: it was removed."""
    at: int


@dataclass(slots=True)
class Told:
    """What replies told of schedules in the last seconds."""

    clock: Clock
    _notes: OrderedDict[str, _Note] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def note(self, order: Order, reply: Reply) -> None:
        """Remember the version that the order made."""
        if reply.verdict is not Verdict.ACCEPTED or not isinstance(order.command, Define | Remove):
            return
        version = reply.version if isinstance(order.command, Define) else None
        now = self.clock.monotonic()
        with self._lock:
            self._notes[reply.schedule] = _Note(version, now)
            self._notes.move_to_end(reply.schedule)
            while self._notes and self._is_old(next(iter(self._notes.values())), now):
                self._notes.popitem(last=False)

    def is_behind(self, schedule: str, row: ScheduleShown | None) -> bool:
        """Whether the views cannot have seen what was told."""
        with self._lock:
            note = self._notes.get(schedule)
        if note is None or self._is_old(note, self.clock.monotonic()):
            return False
        if note.version is None:
            return row is not None
        return row is None or row.version < note.version

    def forget(self, schedule: str) -> None:
        """Wait for it no more."""
        with self._lock:
            self._notes.pop(schedule, None)

    def _is_old(self, note: _Note, now: int) -> bool:
        return now - note.at > _REMEMBERED or len(self._notes) > _MOST


@dataclass(frozen=True, slots=True)
class House:
    """What all requests share."""

    desk: Desk
    views: Views
    keyring: Keyring
    clock: Clock
    told: Told
    numbers: Numbers
    is_open: bool
    """Whether who has no token is let in while none was ever made: only on loopback."""
    pools: tuple[str, ...] = ("*",)
    """Patterns of the pools that have runners."""
    canary_topic: str = "canary"

    def ask(self, order: Order) -> Reply:
        """Hand in an order."""
        reply = self.desk.ask(order)
        self.noted(order, reply)
        return reply

    def noted(self, order: Order, reply: Reply) -> None:
        """Count a reply, and remember what it tells."""
        self.numbers.replied(reply)
        self.told.note(order, reply)

    def find(self, schedule: str) -> ScheduleShown | None:
        """A schedule as the views have it, once they have seen what was written here."""
        row = self.until(
            lambda views: views.schedule(schedule),
            lambda found: not self.told.is_behind(schedule, found),
        )
        if self.told.is_behind(schedule, row):
            self.told.forget(schedule)
        return row

    def until(
        self, read: Callable[[CountedReads], T], seen: Callable[[T], bool], within: float = _BEHIND
    ) -> T:
        """What the views say once that is `seen`, or what they say after so many seconds."""
        deadline = Deadline.after(within)
        while True:
            with self.views.lend() as views:
                found = read(views)
            if deadline.over or seen(found):
                return found
            pause(_LOOK)

    def need_app(self, subject: str) -> None:
        """Nothing, if it was said what the containers of the subject are made of."""
        with self.views.lend() as views:
            found = views.subject(subject)
        if found is None or found.app is None:
            raise not_there(f"app {subject}")

    def need(self, schedule: str) -> ScheduleShown:
        """A schedule that is there; else the Problem that says so."""
        row = self.find(schedule)
        if row is None:
            raise not_there(f"schedule {schedule}")
        return row
