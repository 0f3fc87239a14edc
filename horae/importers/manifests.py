"""
Which objects stand in a file of Kubernetes manifests?

Cuts a file into documents, so that one that is no YAML spoils no other, reads them as Kubernetes
does, and opens lists. What an object means is kubernetes.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

_BETWEEN = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_MOST_NODES = 200_000
_DEEPEST = 100


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object, or why there is none."""

    number: int
    """Of the document it stands in, from 1."""
    place: str
    """Where in the document: nothing, or `items[2]`."""
    content: Mapping[str, Any]
    fault: str | None = None


class _NotPlain(ValueError):
    """A value that is no JSON, or too much of it."""


class ManifestLoader(yaml.SafeLoader):
    """YAML 1.1 as Kubernetes reads it: `yes` is true, but 12:30 is no number and no day a date."""


_RESOLVED = {
    "bool": (
        r"yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF",
        "yYnNtTfFoO",
    ),
    "int": (r"[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0[0-7_]*|[1-9][0-9_]*)", "-+0123456789"),
    "float": (
        r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?",
        "-+.0123456789",
    ),
    "null": (r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    "merge": (r"<<", "<"),
}

ManifestLoader.yaml_implicit_resolvers = {}
for _name, (_pattern, _first) in _RESOLVED.items():
    ManifestLoader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_name}", re.compile(f"(?:{_pattern})$"), list(_first)
    )


def read_manifests(data: bytes) -> Iterator[Manifest]:
    """The objects of a file in their order; documents that hold nothing are passed over."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        yield _bad(1, f"the file is not UTF-8 ({fault.reason} at byte {fault.start})")
        return
    for number, document in enumerate(_documents(text), start=1):
        try:
            for content in yaml.load_all(document, ManifestLoader):
                plain = _Plain().plain(content)
                if plain is not None:
                    yield from _opened(number, "", plain)
        except (yaml.YAMLError, _NotPlain, RecursionError, ValueError) as fault:
            yield _bad(number, f"it is no YAML that can be read: {_one_line(fault)}")


def _documents(text: str) -> list[str]:
    """The texts between lines of `---`; what stands before the first one counts if it says much."""
    first, *others = _BETWEEN.split(text)
    said = any(line.strip() and not line.lstrip().startswith("#") for line in first.splitlines())
    return [first, *others] if said or not others else others


def _opened(number: int, place: str, content: Any) -> Iterator[Manifest]:
    """The object, or those of a list."""
    if not isinstance(content, dict):
        yield _bad(number, "it is no object, but " + type(content).__name__, place)
        return
    kind, items = content.get("kind"), content.get("items")
    if not isinstance(kind, str) or not kind.endswith("List") or "items" not in content:
        yield Manifest(number, place, content)
        return
    if items is not None and not isinstance(items, list):
        yield _bad(number, "items: must be a list", place)
        return
    # The items of a CronJobList need not say again what they are.
    same = {} if kind == "List" else {"kind": kind.removesuffix("List")}
    if same and "apiVersion" in content:
        same["apiVersion"] = content["apiVersion"]
    for index, item in enumerate(items or ()):
        inner = f"{place}.items[{index}]" if place else f"items[{index}]"
        yield from _opened(number, inner, same | item if isinstance(item, dict) else item)


class _Plain:
    """Makes JSON of what was read, and stops where aliases make far too much of it."""

    def __init__(self) -> None:
        self._left = _MOST_NODES

    def plain(self, value: Any, depth: int = 0) -> Any:
        """The value with texts as the names of all fields; raises _NotPlain."""
        self._left -= 1
        if self._left < 0 or depth > _DEEPEST:
            raise _NotPlain("it is too large or nested too deeply")
        if isinstance(value, dict):
            return {_name_of(key): self.plain(each, depth + 1) for key, each in value.items()}
        if isinstance(value, list):
            return [self.plain(each, depth + 1) for each in value]
        if value is None or isinstance(value, str | int | float):
            return value
        raise _NotPlain(f"a {type(value).__name__} is no value of JSON")


def _name_of(key: Any) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, str | int | float):
        return str(key)
    raise _NotPlain(f"{key!r} is no name of a field")


def _bad(number: int, why: str, place: str = "") -> Manifest:
    return Manifest(number, place, {}, why)


def _one_line(fault: Exception) -> str:
    return (
        "it is nested too deeply"
        if isinstance(fault, RecursionError)
        else " ".join(str(fault).split())
    )
