"""
Is this schema one that every Avro library takes, and that leaves room for changes?

Looks at one schema alone, as plain JSON. That fastavro accepts it too is asked by evolution.py; it
takes some of what is refused here and other libraries refuse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FITS: dict[str, tuple[type, ...]] = {
    "null": (type(None),),
    "boolean": (bool,),
    "int": (int,),
    "long": (int,),
    "float": (int, float),
    "double": (int, float),
    "string": (str,),
    "bytes": (str,),
    "fixed": (str,),
    "enum": (str,),
    "array": (list,),
    "map": (dict,),
    "record": (dict,),
}


def lint(schema: Any, name: str) -> list[str]:
    """What is wrong with the schema of the message of this name."""
    return list(_lint_message(schema, name))


def _lint_message(schema: Any, name: str) -> Iterator[str]:
    if not isinstance(schema, dict) or schema.get("type") != "record":
        yield f"{name}: is no record"
        return
    if (schema.get("namespace"), schema.get("name")) != ("horae", name):
        yield f"{name}: is called {schema.get('namespace')}.{schema.get('name')}"
    yield from _lint(schema, name)


def _lint(schema: Any, path: str) -> Iterator[str]:
    if isinstance(schema, list):
        for branch in schema:
            yield from _lint(branch, path)
    elif isinstance(schema, dict):
        if "name" in schema and not _NAME.fullmatch(schema["name"]):
            yield f"{path}: {schema['name']!r} is no name"
        if schema["type"] == "enum":
            yield from _lint_enum(schema, path)
        elif schema["type"] == "record":
            yield from _lint_record(schema, path)
        else:
            for part in (schema["type"], schema.get("items"), schema.get("values")):
                yield from _lint(part, path)


def _lint_enum(schema: Any, path: str) -> Iterator[str]:
    symbols = schema["symbols"]
    if len(set(symbols)) != len(symbols) or not all(map(_NAME.fullmatch, symbols)):
        yield f"{path}: symbols {symbols} are not different names"
    if schema.get("default") not in symbols:
        yield f"{path}: has no default symbol, so old readers cannot take new ones"
    elif "other" in symbols and schema["default"] != "other":
        yield f"{path}: default symbol is {schema['default']}, not other"


def _lint_record(schema: Any, path: str) -> Iterator[str]:
    names = [field["name"] for field in schema["fields"]]
    for field in schema["fields"]:
        where = f"{path}.{field['name']}"
        if names.count(field["name"]) > 1 or not _NAME.fullmatch(field["name"]):
            yield f"{where}: is not one field with a legal name"
        if "default" in field:
            yield from _lint_default(field["type"], field["default"], where)
        yield from _lint(field["type"], where)


def _lint_default(schema: Any, default: Any, path: str) -> Iterator[str]:
    if isinstance(schema, list):  # a default is of the first branch
        if default is None and schema[0] != "null":
            yield f"{path}: default null needs null as the first branch"
            return
        schema = schema[0]
    kind = schema["type"] if isinstance(schema, dict) else schema
    fits = _FITS.get(kind)
    if fits is not None and (
        not isinstance(default, fits) or (isinstance(default, bool) and bool not in fits)
    ):
        yield f"{path}: default {default!r} is no {kind}"
