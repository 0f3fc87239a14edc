"""
How many attempts may this runner have, and which are they?

A slot is waited for before an order is read on, taken for its claim before it is known whether that
will be granted, and kept until what was granted is over: so no runner asks for more than it can
begin.
"""

from __future__ import annotations

from collections.abc import Hashable
from threading import Semaphore


class Slots:
    """The places for attempts; waited for in the threads that read orders."""

    def __init__(self, total: int) -> None:
        self.total = total
        self._free = Semaphore(total)
        self._taken: set[Hashable] = set()

    @property
    def used(self) -> int:
        """How many are taken."""
        return len(self._taken)

    def wait(self, within: float) -> bool:
        """Have a place kept free for an order; False: there is none so far."""
        return self._free.acquire(timeout=within)

    def take(self, whose: Hashable) -> None:
        """Take the one that was kept free."""
        self._taken.add(whose)

    def leave(self) -> None:
        """What one was kept free for does not take it."""
        self._free.release()

    def give_back(self, whose: Hashable) -> None:
        """Let another have it; twice is once."""
        if whose in self._taken:
            self._taken.remove(whose)
            self._free.release()
