"""
What is kept of a record that could not be read?

Its bytes, where it came from and why, in horae.rejected for 30 days.
"""

from __future__ import annotations

from dataclasses import dataclass

KEPT_BYTES = 64 * 1024
"""The most that is kept of a value; `size` says how long it was."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """One record that could not be read."""

    topic: str
    partition: int
    offset: int
    error: str
    key: bytes | None
    value: bytes | None
    size: int
    appended_at: int
    rejected_at: int
