"""
What if a call into the client does not come back in the time it was given?

When the broker goes away at the wrong moment, the client forgets the limit it was told and waits
for as long as the broker is gone, and with it whoever asked: no signal is heard meanwhile. So such
calls are made by a thread of their own, which can be left behind. What to do then is
transaction.py.
"""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from streams.faults import StartOver

LENIENCY = 2.0
"""Seconds that a call may take over its time: most that are late come back by themselves."""


class Hand:
    """Makes one call at a time."""

    def __init__(self, name: str) -> None:
        self._asked: SimpleQueue[tuple[Callable[..., Any], tuple[Any, ...]] | None] = SimpleQueue()
        self._answers: SimpleQueue[BaseException | None] = SimpleQueue()
        self._stuck: str | None = None
        """The call that did not come back; there is no other one after it."""
        Thread(target=self._work, name=name, daemon=True).start()

    def ask(self, call: Callable[..., Any], *given: Any, within: float) -> None:
        """Call it and raise what it raises; StartOver if it does not come back."""
        if self._stuck is None:
            self._asked.put((call, given))
            try:
                fault = self._answers.get(timeout=within + LENIENCY)
            except Empty:
                self._stuck = call.__name__
            else:
                if fault is not None:
                    raise fault
                return
        raise StartOver(f"{self._stuck} does not come back, though its time is over")

    def close(self) -> None:
        """End the thread, once it is back."""
        self._asked.put(None)

    def _work(self) -> None:
        while (asked := self._asked.get()) is not None:
            call, given = asked
            del asked
            try:
                call(*given)
            except BaseException as fault:  # noqa: BLE001 - whoever asked raises it again
                self._answers.put(fault)
            else:
                self._answers.put(None)
            del call, given  # a producer that nobody else holds ends with its last call
