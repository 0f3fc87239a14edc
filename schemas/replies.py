"""
What is a sender told about its command?

One reply per command in horae.replies, keyed by the command's id, in the partition of its subject.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What became of the command."""

    OTHER = "other"
    ACCEPTED = "accepted"
    UNCHANGED = "unchanged"
    REFUSED = "refused"
    SKIPPED = "skipped"
    """Done as asked, and its occurrence was skipped: `message` says why."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to one command."""

    schedule: str
    command: str
    """The kind of command: define, remove, pause, resume, trigger, hold, settings, clock."""
    verdict: Verdict
    decided_at: int
    partition: int
    offset: int
    version: int | None = None
    incarnation: int | None = None
    next: int | None = None
    """The next nominal instant; None: there is none."""
    occurrence: str | None = None
    """The occurrence that a trigger fired."""
    field: str | None = None
    """Refused: the field at fault."""
    message: str | None = None
