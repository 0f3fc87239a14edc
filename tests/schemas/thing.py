"""A made-up schema with one field of each kind, to be changed."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

Change = Callable[[Any], object]

MICROS = {"type": "long", "logicalType": "timestamp-micros"}
OLD: dict[str, Any] = {
    "type": "record",
    "name": "Thing",
    "namespace": "horae",
    "fields": [
        {"name": "at", "type": MICROS},
        {"name": "count", "type": "int"},
        {"name": "note", "type": ["null", "string"], "default": None},
        {
            "name": "how",
            "type": {"type": "enum", "name": "How", "symbols": ["other", "a"], "default": "other"},
        },
        {"name": "key", "type": {"type": "fixed", "name": "Key", "size": 4}},
        {
            "name": "parts",
            "type": {
                "type": "array",
                "items": {
                    "type": "record",
                    "name": "Part",
                    "fields": [{"name": "size", "type": "long"}],
                },
            },
        },
        {"name": "again", "type": ["null", "Part"]},
        {"name": "labels", "type": {"type": "map", "values": "string"}},
    ],
}


def field(schema: Any, name: str) -> Any:
    return next(one for one in schema["fields"] if one["name"] == name)


def changed(change: Change) -> Any:
    schema = deepcopy(OLD)
    change(schema)
    return schema
