"""
What can the loop of a runner be told?

Orders and control from the broker, and what became of an attempt from the thread that carried it
out: all of it goes into one queue, which the loop alone reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from schemas.orders import Control, Order
from streams.runner.claims import Claim
from streams.runner.letters import Span
from streams.runner.output import Kept
from streams.runner.work import Outcome

MOST = 1_000
"""News between two looks at everything else."""


@dataclass(frozen=True, slots=True)
class Offered:
    """An order; a slot is kept free for it."""

    order: Order


@dataclass(frozen=True, slots=True)
class Told:
    """What the processor says to this runner."""

    what: Control


@dataclass(frozen=True, slots=True)
class Ended:
    """An attempt is over."""

    claim: Claim
    outcome: Outcome
    kept: Kept
    span: Span


@dataclass(frozen=True, slots=True)
class NotBegun:
    """What was granted could not begin in time."""

    claim: Claim


News = Offered | Told | Ended | NotBegun


class Inbox:
    """The queue."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[News] = SimpleQueue()

    def put(self, news: News) -> None:
        """From any thread."""
        self._queue.put(news)

    def wait(self, within: float) -> Iterator[News]:
        """What there is; for the first of it up to so many seconds."""
        try:
            yield self._queue.get(timeout=within)
            for _ in range(MOST):
                yield self._queue.get_nowait()
        except Empty:
            return
