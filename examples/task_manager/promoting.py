"""
When is what waits begun?

As soon as a task of its rack has ended: that is told through a buffer with room for 64. A notice
that found no room is lost, so every rack is looked at once at the start and every five minutes too.
Nothing that fails here ends the service: it is logged, and five seconds later the loop begins anew,
by looking at every rack.
"""

from __future__ import annotations

import logging
from collections import deque
from threading import Event, Thread
from typing import Final

from examples.task_manager.desk import Desk
from examples.task_manager.store import StoreFault
from schemas.units import MINUTE, SECOND
from streams.clock import Clock

log = logging.getLogger(__name__)

ROOM: Final = 64
SWEEP: Final = 5 * MINUTE
REST: Final = 5 * SECOND
GLANCE: Final = 0.02
"""Seconds between two looks at the clock."""


class Notices:
    """The racks on which a task has ended, as far as there was room for them."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._racks: deque[str] = deque()

    def tell(self, rack: str) -> None:
        """A task of this rack has ended."""
        if len(self._racks) >= self._room:
            log.warning("no room for the notice that a task on %s has ended", rack)
        else:
            self._racks.append(rack)

    def take(self) -> str | None:
        """The oldest one; None: there is none."""
        return self._racks.popleft() if self._racks else None


class Promoter:
    """The thread that ends tasks when they are over and begins those that waited for it."""

    def __init__(self, desk: Desk, notices: Notices, clock: Clock) -> None:
        self._desk = desk
        self._notices = notices
        self._clock = clock
        self._over = Event()
        self._thread = Thread(target=self._live, name="promoter", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End, and wait for that."""
        self._over.set()
        self._thread.join()

    def _live(self) -> None:
        while not self._over.is_set():
            try:
                self._loop()
            except StoreFault as fault:
                log.error("the store failed, next try in %d s: %s", REST // SECOND, fault)  # noqa: TRY400 - a failing store is no surprise
            except Exception:
                log.exception("the loop broke; it begins anew in %d s", REST // SECOND)
            self._rest(REST)

    def _loop(self) -> None:
        sweep_at = self._clock.monotonic()
        while not self._over.wait(GLANCE):
            self._desk.settle()
            if self._clock.monotonic() >= sweep_at:
                sweep_at = self._clock.monotonic() + SWEEP
                self._desk.promote_all()
            while (rack := self._notices.take()) is not None:
                self._desk.promote(rack)

    def _rest(self, micros: int) -> None:
        until = self._clock.monotonic() + micros
        while self._clock.monotonic() < until and not self._over.wait(GLANCE):
            pass
