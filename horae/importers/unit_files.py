"""
Which settings stand in a unit file of systemd?

Sections, settings that may stand there several times, comments and lines that go on in the next
one. Also what `systemctl cat` prints: several files, each behind a comment with its path, drop-ins
behind the unit they belong to. What the settings mean is systemd.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import NamedTuple

_PATH = re.compile(r"# (/\S*/systemd/\S+)")
_NEVER_MIND = ("#", ";")


class Setting(NamedTuple):
    """One `Name=value`."""

    number: int
    section: str
    name: str
    value: str


@dataclass(slots=True)
class Unit:
    """The settings of one unit, its drop-ins included, in the order in which they count."""

    name: str
    settings: list[Setting] = field(default_factory=list)
    faults: list[tuple[int, str]] = field(default_factory=list)
    """Lines that are no settings, and why."""

    def of(self, section: str) -> list[Setting]:
        """The settings of a section."""
        return [each for each in self.settings if each.section == section]


def read_units(data: bytes, name: str) -> list[Unit]:
    """The units of a file, or of several in a row that say where they come from."""
    unit, section, units = Unit(name), "", list[Unit]()
    for number, line in _lines(data):
        path = _PATH.fullmatch(line)
        if path is not None:
            section = ""
            # A drop-in goes on with the unit before it.
            if not path[1].endswith(".conf"):
                unit = Unit(PurePath(path[1]).name)
        elif line and not line.startswith(_NEVER_MIND):
            section = _take(unit, section, number, line)
            if unit not in units:
                units.append(unit)
    return units or [unit]


def _take(unit: Unit, section: str, number: int, line: str) -> str:
    """Note what a line says; the section that the next one is in."""
    if line.startswith("[") and line.endswith("]"):
        return line[1:-1]
    name, mark, value = line.partition("=")
    if not mark or not section:
        why = "it is no Name=value" if not mark else "it stands before any section"
        unit.faults.append((number, f"{why}: {line}"))
    else:
        unit.settings.append(Setting(number, section, name.strip(), value.strip()))
    return section


def _lines(data: bytes) -> Iterator[tuple[int, str]]:
    """The lines with those joined that end in a backslash, each with the number of its first."""
    begun, parts = 0, list[str]()
    for number, raw in enumerate(data.decode("utf-8-sig", "replace").splitlines(), start=1):
        line = raw.strip()
        if parts and line.startswith(_NEVER_MIND):
            continue
        begun = begun if parts else number
        goes_on = line.endswith("\\") and not line.startswith(_NEVER_MIND)
        parts.append(line.removesuffix("\\").strip() if goes_on else line)
        if not goes_on:
            yield begun, " ".join(parts)
            parts = []
    if parts:
        yield begun, " ".join(parts)
