"""
What can be asked of the scheduler?

One frozen record for each order that a service or an operator may put into horae.commands, and what
came with it (`Asked`). Commands are named as orders; what became of one is in events.py, the answer
to its sender in replies.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.definition import Definition


@dataclass(frozen=True, slots=True)
class Define:
    """Create the schedule, or change it to this definition."""

    definition: Definition
    expected_version: int | None = None
    """Refused unless the schedule has exactly this version."""


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove the schedule; what already fired stays fired. A null value under its key says so."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Let no instant of the schedule be an occurrence until it is resumed."""

    reason: str = ""
    until: int | None = None
    """The instant (microseconds of UTC) at which it resumes by itself."""


@dataclass(frozen=True, slots=True)
class Resume:
    """End the pause (`enable` is the same)."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Trigger:
    """Fire once, now, whatever the calendar says."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Unacceptable:
    """A command that could be read but not meant: its sender is told `message` about `field`."""

    kind: str
    field: str
    message: str


Command = Define | Remove | Pause | Resume | Trigger | Unacceptable


@dataclass(frozen=True, slots=True)
class Asked:
    """One command as the log holds it: who asked what of which schedule, and where it stands."""

    schedule: str
    command: Command
    id: str
    """The sender's id for it, or `<partition>.<offset>`: the key of its reply."""
    partition: int
    offset: int
    version: int
    """The partition's base + offset: what a change made by this command is numbered with."""
    appended_at: int
    """The broker's clock when it was appended, microseconds of UTC."""
    actor: str = "service:unknown"
    trace: str | None = None
    once: str | None = None
    """One-shot commands: under which its answer is remembered for 24 hours."""
    digest: bytes = b""
    """A hash of key and value: the same id with another payload is a conflict."""
