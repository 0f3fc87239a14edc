"""
When does a single instant occur?

Once.
"""

from __future__ import annotations

from collections.abc import Iterator

from streams.calendar.ticks import NO_TICK, Tick


class OnceTicks:
    """One instant."""

    __slots__ = ("_tick", "fixed")

    def __init__(self, at: int) -> None:
        self._tick = Tick(at, at, 0)
        self.fixed = True

    def after(self, after: int, origin: int) -> Tick:  # noqa: ARG002 - an instant has no origin
        """The instant, if it is strictly later than `after`."""
        return self._tick if self._tick.instant > after else NO_TICK

    def until(self, until: int, origin: int) -> Tick:  # noqa: ARG002
        """The instant, if it is not later than `until`."""
        return self._tick if self._tick.instant <= until else NO_TICK

    def count(self, after: int, up_to: int, origin: int) -> int:  # noqa: ARG002
        """1 if the instant is in (after, up_to]."""
        return int(after < self._tick.instant <= up_to)

    def forward(self, after: int, origin: int) -> Iterator[Tick]:  # noqa: ARG002
        """The instant, if it is strictly later than `after`."""
        if self._tick.instant > after:
            yield self._tick

    def backward(self, until: int, origin: int) -> Iterator[Tick]:  # noqa: ARG002
        """The instant, if it is not later than `until`."""
        if self._tick.instant <= until:
            yield self._tick

    def instants(self, after: int, up_to: int, origin: int) -> Iterator[int]:  # noqa: ARG002
        """The instant, if it is in (after, up_to]."""
        if after < self._tick.instant <= up_to:
            yield self._tick.instant
