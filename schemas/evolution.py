"""
May the schemas stay as they are now?

`python -m schemas.evolution check` compares each current schema with every version of it that was
ever published, makes sure that no published file was touched, and lints; `publish` adds what is new
to the history. A published version stays readable for ever, so the build fails rather than one
record. Rules for two versions are compatibility.py, for one schema schema_lint.py.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from fastavro import parse_schema
from fastavro.schema import SchemaParseException, UnknownType

from schemas.compatibility import breaks
from schemas.registry import FOLDER
from schemas.schema_lint import lint

_SUMS = "SHA256SUMS"
_NAMED = ("record", "enum", "fixed")


@dataclass(frozen=True, slots=True)
class Version:
    """One published version of a message's schema."""

    name: str
    number: int
    path: Path

    def read(self) -> Any:
        """The schema as plain JSON."""
        return json.loads(self.path.read_text())


def check(folder: Path = FOLDER) -> list[str]:
    """Everything that must not be so; empty: the schemas are fine."""
    unpublished = (
        f"{path.stem}: is not published yet: python -m schemas.evolution publish"
        for path in _unpublished(folder)
    )
    return [*problems(folder), *unpublished]


def problems(folder: Path = FOLDER) -> list[str]:
    """What must not get into the history in the first place."""
    return [*_check_published(folder), *_check_current(folder), *_check_shared(folder)]


def publish(folder: Path = FOLDER) -> list[str]:
    """Add each current schema that changed to the history; gives the files' names."""
    history = folder / "history"
    history.mkdir(exist_ok=True)
    added = []
    for path in _unpublished(folder):
        target = history / f"{path.stem}.{len(_versions(folder, path.stem)) + 1}.avsc"
        target.write_bytes(path.read_bytes())
        added.append(target.name)
    if added:
        sums = _read_sums(folder) | {name: _sum(history / name) for name in added}
        lines = [f"{digest}  {name}\n" for name, digest in sorted(sums.items())]
        (history / _SUMS).write_text("".join(lines))
    return added


def main(arguments: list[str], folder: Path = FOLDER) -> int:
    """Run one of the two commands."""
    match arguments:
        case ["check"]:
            faults = check(folder)
            lines = faults or ["every version of every schema can be read"]
        case ["publish"]:
            faults = problems(folder)
            lines = faults or publish(folder) or ["nothing is new"]
        case _:
            faults = lines = ["usage: python -m schemas.evolution check | publish"]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 1 if faults else 0


def _check_published(folder: Path) -> Iterator[str]:
    sums = _read_sums(folder)
    files = {path.name: path for path in sorted((folder / "history").glob("*.avsc"))}
    for name, digest in sums.items():
        if name not in files:
            yield f"{name}: was published and is gone"
        elif _sum(files[name]) != digest:
            yield f"{name}: was published and must not change"
    for name in files.keys() - sums.keys():
        yield f"{name}: is in the history but was not published by `publish`"


def _check_current(folder: Path) -> Iterator[str]:
    names = {path.stem for path in _current(folder)}
    published = {path.name.partition(".")[0] for path in (folder / "history").glob("*.avsc")}
    for name in sorted(published - names):
        yield f"{name}: was published and has no current schema"
    for path in _current(folder):
        yield from _check_one(path, _versions(folder, path.stem))


def _check_one(path: Path, versions: list[Version]) -> Iterator[str]:
    schema = json.loads(path.read_text())
    yield from lint(schema, path.stem)
    try:
        parse_schema(schema)
    except (SchemaParseException, UnknownType, KeyError, TypeError, ValueError) as fault:
        yield f"{path.stem}: fastavro refuses it: {fault}"
    for version in versions:
        for found in breaks(version.read(), schema):
            yield f"{found} (against version {version.number})"


def _check_shared(folder: Path) -> Iterator[str]:
    """A record that several messages hold, such as Definition, is the same in all of them."""
    met: dict[str, tuple[str, Any]] = {}
    for path in _current(folder):
        for name, schema in _named(json.loads(path.read_text())):
            first, known = met.setdefault(name, (path.stem, schema))
            if known != schema:
                yield f"{path.stem}: its {name} differs from the one in {first}"


def _named(schema: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(schema, list):
        for part in schema:
            yield from _named(part)
    elif isinstance(schema, dict):
        if schema.get("type") in _NAMED:
            yield schema["name"], {key: _outline(part) for key, part in schema.items()}
        for part in schema.values():
            yield from _named(part)


def _outline(schema: Any) -> Any:
    """The schema with the names of the parts that have one: where each is spelt out differs."""
    if isinstance(schema, list):
        return [_outline(part) for part in schema]
    if isinstance(schema, dict):
        if schema.get("type") in _NAMED:
            return schema["name"]
        return {key: _outline(part) for key, part in schema.items()}
    return schema


def _current(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.avsc"))


def _unpublished(folder: Path) -> list[Path]:
    """The current schemas that are not the newest version in the history."""
    newest = {path: _versions(folder, path.stem)[-1:] for path in _current(folder)}
    return [
        path
        for path, versions in newest.items()
        if [version.path.read_bytes() for version in versions] != [path.read_bytes()]
    ]


def _versions(folder: Path, name: str) -> list[Version]:
    """The published versions of one message, oldest first."""
    paths = (folder / "history").glob(f"{name}.*.avsc")
    found = [Version(name, int(path.name.split(".")[1]), path) for path in paths]
    return sorted(found, key=lambda version: version.number)


def _read_sums(folder: Path) -> dict[str, str]:
    path = folder / "history" / _SUMS
    if not path.exists():
        return {}
    pairs = (line.split("  ", 1) for line in path.read_text().splitlines())
    return {name: digest for digest, name in pairs}


def _sum(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
