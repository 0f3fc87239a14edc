"""
What became of each part of a file that was imported?

The records that every importer fills and the command line shows: what was mapped to which schedule
and how, what was refused and why, and what a reader should know beside that. Nothing that a file
says is left out without a word here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

Check = Callable[[Mapping[str, Any]], str | None]
"""Why a definition is not one that Horae accepts; None: it is."""


class How(NamedTuple):
    """A setting of the other scheduler, and what it became here."""

    setting: str
    became: str


@dataclass(frozen=True, slots=True)
class Mapped:
    """A part of a file and its schedule."""

    number: int
    text: str
    schedule: str
    definition: Mapping[str, Any]
    how: tuple[How, ...] = ()
    pause: str | None = None
    """The reason of the pause that follows the definition; None: there is none."""
    app: Mapping[str, Any] | None = None
    """What the containers of its subject are made of; None: nothing is said of that."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A part that becomes no schedule, and why."""

    number: int
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Remark:
    """What a reader of the report should know about a part that was taken or passed over."""

    number: int
    text: str


@dataclass(slots=True)
class Report:
    """What became of each part of one file."""

    path: Path
    form: str | None = None
    """Which of several forms the file was read in, where there are some."""
    unit: str = "line"
    """What the numbers count: lines or documents."""
    mapped: list[Mapped] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
