"""
Which schedules does a file define?

YAML or JSON, one definition or several: a mapping with `schedule` and the fields of a definition, a
list of such mappings, or several YAML documents. What the fields mean is schemas/reading.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from horae.cli.endings import Said
from horae.cli.inputs import STDIN, input_bytes
from schemas.definition import Definition
from schemas.faults import FieldFault, MessageFault
from schemas.identity import IdFault, schedule_id
from schemas.reading import parse_json, read_definition

_SUFFIXES = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class Defined:
    """One definition and where it stands."""

    schedule: str
    definition: Definition
    place: str


def read_files(paths: list[Path]) -> list[Defined]:
    """All definitions of all files and folders; a sentence names file, place and field at fault."""
    found: list[Defined] = []
    places: dict[str, str] = {}
    for path in paths:
        for defined in _read_path(path):
            if defined.schedule in places:
                raise Said(
                    f"{defined.schedule} is defined twice: "
                    f"{places[defined.schedule]} and {defined.place}"
                )
            places[defined.schedule] = defined.place
            found.append(defined)
    return found


def _read_path(path: Path) -> Iterator[Defined]:
    if path.is_dir():
        for inner in sorted(path.iterdir()):
            if inner.suffix in _SUFFIXES:
                yield from _read_path(inner)
        return
    name, found = documents(path)
    for number, mapping in enumerate(_mappings(found), start=1):
        yield _read_one(mapping, f"{name}, definition {number}")


def documents(path: Path) -> tuple[str, list[Any]]:
    """What a file is called, and the YAML or JSON documents in it; a sentence if it has none."""
    name = "standard input" if path == STDIN else str(path)
    try:
        text = input_bytes(path).decode()
    except UnicodeDecodeError as fault:
        raise Said(f"{name}: it is not UTF-8 ({fault.reason} at byte {fault.start})") from fault
    if not name.endswith(".json"):
        return name, _yaml_documents(text, name)
    try:
        return name, [parse_json(text.encode())]
    except MessageFault as fault:
        raise Said(f"{name}: {fault}") from fault


def _mappings(found: list[Any]) -> Iterator[Any]:
    for document in found:
        if isinstance(document, list):
            yield from document
        elif document is not None:
            yield document


def _yaml_documents(text: str, name: str) -> list[Any]:
    import yaml

    from horae.cli.plain_yaml import PlainLoader

    try:
        # The loader is a safe one: it builds nothing but texts, numbers, lists and mappings.
        return list(yaml.load_all(text, PlainLoader))
    except (yaml.YAMLError, RecursionError) as fault:
        raise Said(f"{name}: {_said(fault)}") from fault


def _read_one(mapping: Any, place: str) -> Defined:
    if not isinstance(mapping, Mapping):
        raise Said(f"{place}: wanted is a mapping with `schedule` and a definition's fields")
    fields = dict(mapping)
    schedule = fields.pop("schedule", None)
    if not isinstance(schedule, str):
        raise Said(f"{place}: schedule: wanted is an id such as billing/nightly")
    try:
        return Defined(schedule_id(schedule), read_definition(fields), place)
    except IdFault as fault:
        raise Said(f"{place}: schedule: {fault}") from fault
    except FieldFault as fault:
        raise Said(f"{place} ({schedule}): {fault}") from fault


def _said(fault: Exception) -> str:
    if isinstance(fault, RecursionError):
        return "it is nested too deeply"
    return " ".join(str(fault).split())
