"""
What does a definition look like as JSON?

For SQL and for eyes: the record's own names, a `kind` where there is a choice, instants and
durations as microseconds, bytes as text where they are text. Reading one back is done from the
message itself, which is kept beside it.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import asdict
from typing import Any

from projections.tracking import work_of
from schemas.definition import Definition


def definition_document(definition: Definition) -> dict[str, Any]:
    """The definition as a document."""
    document = plain_document(definition)
    document["timings"] = [
        {"kind": type(timing).__name__.lower(), **part}
        for timing, part in zip(definition.timings, document["timings"], strict=True)
    ]
    action = document["action"]
    if definition.action.work is not None:
        action["work"] = {"kind": work_of(definition.action), **action["work"]}
    document["action"] = {"kind": type(definition.action).__name__.lower(), **action}
    return document


def plain_document(record: Any) -> dict[str, Any]:
    """A message, or a part of one, as a document."""
    document: dict[str, Any] = _plain(asdict(record))
    return document


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, bytes):
        return _readable(value)
    return value


def _readable(value: bytes) -> Any:
    """Text if it is some that a JSON column can hold, else base64."""
    try:
        text = value.decode()
    except UnicodeDecodeError:
        text = "\0"
    return {"base64": b64encode(value).decode()} if "\0" in text else text
