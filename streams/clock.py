"""
What time is it?

The only file that reads a clock or sleeps; everything else is handed the time. Wall clock instants
are microseconds of UTC, monotonic readings microseconds since some start.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

_BOOTTIME = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Only Linux has it; elsewhere the monotonic clock may go on in a sleep, or not."""


class Clock(Protocol):
    """The two clocks that a process lives by."""

    def wall(self) -> int:
        """Microseconds of UTC; may be stepped by whoever owns the machine."""
        ...

    def monotonic(self) -> int:
        """Microseconds that only ever grow, and stand still while the machine is suspended."""
        ...


class SystemClock:
    """The machine's own clocks."""

    def wall(self) -> int:
        """Read the wall clock."""
        return time.time_ns() // 1_000

    def monotonic(self) -> int:
        """Read the monotonic clock."""
        return time.monotonic_ns() // 1_000


@dataclass(slots=True)
class SteppedClock:
    """A test's clock: stands still until someone moves it."""

    now: int
    elapsed: int = 0

    def wall(self) -> int:
        """Where it was put."""
        return self.now

    def monotonic(self) -> int:
        """What has passed by `pass_by`; a step of the wall clock does not show here."""
        return self.elapsed

    def pass_by(self, micros: int) -> None:
        """Let time pass on both clocks."""
        self.now += micros
        self.elapsed += micros

    def step(self, micros: int) -> None:
        """Put the wall clock forward or back."""
        self.now += micros


@dataclass(frozen=True, slots=True)
class Deadline:
    """Until when a blocking call may take, so that a chain of calls keeps one limit."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """The deadline so many seconds from now."""
        return cls(time.monotonic() + seconds)

    @property
    def left(self) -> float:
        """Seconds until then, never negative."""
        return max(0.0, self.at - time.monotonic())

    @property
    def over(self) -> bool:
        """Nothing is left."""
        return self.left == 0.0


def boottime() -> int:
    """Microseconds that only ever grow, and go on while the machine is suspended."""
    return time.clock_gettime_ns(_BOOTTIME) // 1_000


def pause(seconds: float) -> None:
    """Wait; for back-off between attempts, never for the next due instant."""
    time.sleep(seconds)
