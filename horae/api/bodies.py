"""
What does the body of a request say?

It is JSON as the commands in horae.commands are (schemas/reading.py): every field is known, of its
kind and inside its limits, or refused by its name. A body that is too large is not read to its end.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar, cast

from fastapi import Depends, Request

from horae.api.problems import Problem
from schemas.commands import NOT_THERE, Define
from schemas.faults import FieldFault
from schemas.fields import Fields, or_null, read_text, read_whole
from schemas.json_text import parse_json
from schemas.limits import MAX_DEFINITION_BYTES, check_least
from schemas.reading import read_definition
from schemas.reading_commands import read_asked
from schemas.reading_definitions import DEFINITION_FIELDS

MAX_BODY = 8 * MAX_DEFINITION_BYTES
"""JSON may write a byte as six, and base64 as four thirds of one; no definition is longer."""
OF_CREATION = ("schedule", *DEFINITION_FIELDS)

Asked = TypeVar("Asked")


async def _read(request: Request) -> bytes:
    """The bytes of the body; a Problem at once if there are too many."""
    said = request.headers.get("content-length", "")
    if said in ("", "0") and "transfer-encoding" not in request.headers:
        return b""  # also for somebody who has hung up already
    if said.isdecimal() and int(said) > MAX_BODY:
        raise _too_large()
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_BODY:
            raise _too_large()
        parts.append(part)
    return b"".join(parts)


def _parsed(raw: Annotated[bytes, Depends(_read)]) -> object:
    """Plain data; nothing at all is an empty object."""
    return parse_json(raw) if raw.strip() else {}


Body = Annotated[Any, Depends(_parsed)]
"""The body of a request as plain data."""


def read_command(kind: type[Asked], data: object) -> Asked:
    """The command of this kind."""
    return cast("Asked", read_asked(cast("Any", kind), data))


def read_define(data: object) -> Define:
    """A definition, and the version that is expected beside it."""
    fields = Fields(data, "", (*DEFINITION_FIELDS, "expected_version"))
    expected = fields.take("expected_version", or_null(_version), None)
    plain = dict(cast("dict[str, Any]", data))
    plain.pop("expected_version", None)
    return Define(read_definition(plain), expected)


def read_named(data: object) -> tuple[str, dict[str, Any]]:
    """The id of a schedule, and the rest: the fields of its definition."""
    fields = Fields(data, "", OF_CREATION)
    schedule = fields.need("schedule", read_text)
    rest = dict(cast("dict[str, Any]", data))
    del rest["schedule"]
    return schedule, rest


def read_about(data: object) -> tuple[str | None, object]:
    """The subject that a body names beside its command, and the rest of it."""
    if not isinstance(data, dict):
        return None, data
    subject = data.get("subject")
    if subject is not None and not isinstance(subject, str):
        raise FieldFault("subject", "must be a text")
    return subject, {name: value for name, value in data.items() if name != "subject"}


def with_id(data: object, field: str, name: str) -> object:
    """The command as horae.commands has it: there the id of what it is about is in the value."""
    if not isinstance(data, dict):
        return data
    if field in data:
        raise FieldFault(field, "stands in the address already")
    return {**data, field: name}


def takes(*names: str) -> dict[str, Any]:
    """What the description of the interface says of a body with these fields."""
    properties: dict[str, Any] = {name: {} for name in names}
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {"requestBody": {"content": {"application/json": {"schema": schema}}}}


def _version(data: object, path: str) -> int:
    return check_least(read_whole(data, path), NOT_THERE, path)


def _too_large() -> Problem:
    return Problem(413, "too_large", f"a body has {MAX_BODY:,} bytes at most")
