"""
What holds for everyone?

Absolute values in the one partition of horae.globals, each under a fixed key, folded by every
processor in its order: a hold over everything, the limits published from the environment, and an
operator's word that the clock is right.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hold:
    """While `held`, nothing is evaluated anywhere. Key `hold`."""

    held: bool
    reason: str
    actor: str
    at: int
    command_id: str | None = None


@dataclass(frozen=True, slots=True)
class GlobalSettings:
    """Limits for decisions, from the environment of partition 0's owner. Key `settings`."""

    emit_topics: tuple[str, ...]
    """Patterns of topics that an emit may write to (`*` stands for any run of characters)."""
    at: int
    partitions: int = 0
    """How many the inbox had when this was first published; 0: that was not noted yet."""


@dataclass(frozen=True, slots=True)
class ClockAccepted:
    """An operator accepts the difference between our clocks and the broker's. Key `clock`."""

    actor: str
    reason: str
    at: int
    """By the operator's clock; processors fire on until a new difference shows itself."""
    command_id: str | None = None


GlobalRecord = Hold | GlobalSettings | ClockAccepted
