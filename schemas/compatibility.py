"""
May records of this schema be read with that one?

Compares two versions of one schema, as plain JSON, in both directions: what is written today is
read tomorrow, and what is written tomorrow by those who read today. One thing only new readers can
read: a record that is a new branch of a union, such as a new kind of timing; old readers refuse
it whole and never take it for something else. Logical types count, since milliseconds read as
microseconds are another time. Which versions there are is evolution.py; what one schema alone must
look like is schema_lint.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def breaks(old: Any, new: Any) -> list[str]:
    """What keeps either from being read with the other, each with the path of its field."""
    return list(_Pair(_names(old), _names(new)).compare(old, new, _name(new)))


class _Pair:
    """Two versions with the records, enums and fixed that each has named so far."""

    def __init__(self, old_names: dict[str, Any], new_names: dict[str, Any]) -> None:
        self._old_names = old_names
        self._new_names = new_names
        self._met: set[str] = set()

    def compare(self, old: Any, new: Any, path: str) -> Iterator[str]:
        old, new = _resolved(old, self._old_names), _resolved(new, self._new_names)
        if isinstance(old, list) and isinstance(new, list):
            yield from self._unions(old, new, path, grows=True)
        elif isinstance(old, list) or isinstance(new, list):
            yield from self._unions(_branches(old), _branches(new), path, grows=False)
        elif _kind(old) != _kind(new):
            yield f"{path}: {_kind(old)} became {_kind(new)}"
        else:
            yield from self._same_kind(old, new, path)

    def _same_kind(self, old: Any, new: Any, path: str) -> Iterator[str]:
        if _logical(old) != _logical(new):
            yield f"{path}: logical type {_logical(old)} became {_logical(new)}"
        kind = _kind(new)
        if kind in {"record", "enum", "fixed"} and _name(old) != _name(new):
            yield f"{path}: {_name(old)} became {_name(new)}"
        elif kind == "record":
            yield from self._records(old, new, path)
        elif kind == "enum":
            yield from _enums(old, new, path)
        elif kind == "fixed" and old["size"] != new["size"]:
            yield f"{path}: {old['size']} bytes became {new['size']}"
        elif kind == "array":
            yield from self.compare(old["items"], new["items"], f"{path}[]")
        elif kind == "map":
            yield from self.compare(old["values"], new["values"], f"{path}{{}}")

    def _records(self, old: Any, new: Any, path: str) -> Iterator[str]:
        if _name(new) in self._met:
            return
        self._met.add(_name(new))
        old_fields = {field["name"]: field for field in old["fields"]}
        new_fields = {field["name"]: field for field in new["fields"]}
        for name, field in new_fields.items():
            if name in old_fields:
                yield from self.compare(old_fields[name]["type"], field["type"], f"{path}.{name}")
            elif "default" not in field:
                yield f"{path}.{name}: is new and has no default for old records"
        for name in old_fields.keys() - new_fields.keys():
            if "default" not in old_fields[name]:
                yield f"{path}.{name}: is gone and had no default for old readers"

    def _unions(self, old: list[Any], new: list[Any], path: str, *, grows: bool) -> Iterator[str]:
        old_by_name = {_name(_resolved(branch, self._old_names)): branch for branch in old}
        new_by_name = {_name(_resolved(branch, self._new_names)): branch for branch in new}
        for name in old_by_name.keys() - new_by_name.keys():
            yield f"{path}: {name} is gone from the union, old records have it"
        for name, branch in new_by_name.items():
            if name in old_by_name:
                yield from self.compare(old_by_name[name], branch, path)
            elif not grows or _kind(_resolved(branch, self._new_names)) != "record":
                yield f"{path}: {name} is new in the union, old readers do not know it"


def _enums(old: Any, new: Any, path: str) -> Iterator[str]:
    kept = new["symbols"][: len(old["symbols"])]
    if kept != old["symbols"]:
        yield f"{path}: symbols {old['symbols']} became {kept}; they keep their place"
    if len(new["symbols"]) > len(old["symbols"]) and "default" not in old:
        yield f"{path}: has new symbols, but old readers have no default for them"
    if old.get("default") != new.get("default"):
        yield f"{path}: default symbol {old.get('default')} became {new.get('default')}"


def _names(schema: Any) -> dict[str, Any]:
    """The named types in a schema; a later mention is only their name."""
    found: dict[str, Any] = {}
    if isinstance(schema, list):
        for branch in schema:
            found |= _names(branch)
    elif isinstance(schema, dict):
        if "name" in schema and schema["type"] in {"record", "enum", "fixed"}:
            found[_name(schema)] = schema
        inner = [schema["type"], schema.get("items"), schema.get("values")]
        for part in [*inner, *(field["type"] for field in schema.get("fields", ()))]:
            found |= _names(part)
    return found


def _resolved(schema: Any, names: dict[str, Any]) -> Any:
    if isinstance(schema, str):
        return names.get(schema.rpartition(".")[2], schema)
    if isinstance(schema, dict) and isinstance(schema["type"], dict | list):
        return schema["type"]
    return schema


def _branches(schema: Any) -> list[Any]:
    return schema if isinstance(schema, list) else [schema]


def _kind(schema: Any) -> str:
    kind: str = schema["type"] if isinstance(schema, dict) else schema
    return kind


def _name(schema: Any) -> str:
    named = schema.get("name", schema["type"]) if isinstance(schema, dict) else schema
    return str(named).rpartition(".")[2]


def _logical(schema: Any) -> str | None:
    found: str | None = schema.get("logicalType") if isinstance(schema, dict) else None
    return found
