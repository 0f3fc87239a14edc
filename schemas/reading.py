"""
Which command is this record of horae.commands?

The key says of which schedule and what kind; the value, JSON or Avro, says the rest. What cannot be
read is Unreadable and goes to horae.rejected; what can be read but not meant is a FieldFault and
gets a refusal as its reply. Definitions are reading_definitions.py.
"""

from __future__ import annotations

from typing import Any, NamedTuple, assert_never

from schemas.codec import decode, encode
from schemas.commands import Command, Define, Pause, Remove, Resume, Trigger, Unacceptable
from schemas.definition_json import definition_json
from schemas.faults import FieldFault, Unreadable, Unwritable
from schemas.fields import Fields, or_null, read_instant, read_whole
from schemas.identity import IdFault, schedule_id
from schemas.instants import format_instant
from schemas.json_text import parse_json
from schemas.limits import check_command, check_least
from schemas.reading_definitions import (
    DEFINITION_FIELDS,
    definition_of,
    read_definition,
    read_note,
)
from schemas.registry import MAGIC

__all__ = [
    "CommandKey",
    "FieldFault",
    "command_json",
    "command_record",
    "definition_json",
    "parse_json",
    "read_command",
    "read_definition",
    "split_key",
]

_KINDS: dict[str, type[Command]] = {
    "define": Define,
    "pause": Pause,
    "resume": Resume,
    "trigger": Trigger,
}
_ALIASES = {"enable": "resume"}
MAX_COMMAND_ID_BYTES = 256
"""It is the key of the reply, and in the key of the answer that is remembered."""


class CommandKey(NamedTuple):
    """What the key of a command says."""

    schedule: str
    kind: str
    """`define` (also for a removal), `pause`, `resume` or `trigger`."""
    id: str | None
    """The sender's id of a one-shot command; a definition is absolute and has none."""


def split_key(key: bytes | None) -> CommandKey:
    """The parts of a key; raises Unreadable."""
    if key is None:
        raise Unreadable("a command needs a key")
    try:
        schedule, mark, rest = key.decode().partition("#")
        schedule = schedule_id(schedule)
    except UnicodeDecodeError as fault:
        raise Unreadable(f"the key is not UTF-8: {fault}") from fault
    except IdFault as fault:
        raise Unreadable(f"the key names no schedule: {fault}") from fault
    if not mark:
        return CommandKey(schedule, "define", None)
    word, _, command_id = rest.partition(":")
    kind = _ALIASES.get(word, word)
    if kind not in _KINDS or kind == "define":
        raise Unreadable(f"the key has no known kind of command: {word[:40]!r}")
    if len(command_id.encode()) > MAX_COMMAND_ID_BYTES:
        raise Unreadable(f"a command's id has {MAX_COMMAND_ID_BYTES} bytes at most")
    if not command_id or not command_id.isprintable():
        raise Unreadable(f"the key has no id that can be printed after {word}:")
    return CommandKey(schedule, kind, command_id)


def read_command(key: bytes | None, value: bytes | None) -> tuple[str, Command]:
    """The schedule's id and the command; raises Unreadable or FieldFault."""
    found = split_key(key)
    if value is None:
        if found.kind != "define":
            raise Unreadable(f"a null value removes a schedule and is no {found.kind}")
        return found.schedule, Remove()
    if value[:1] == b"{":
        return found.schedule, _from_json(found.kind, parse_json(value))
    if value[:2] == MAGIC:
        return found.schedule, _from_avro(found.kind, value)
    # an empty value too: only null removes
    raise Unreadable(f"the value is neither JSON nor Avro: it begins with {value[:8]!r}")


def command_record(schedule: str, command: Command, command_id: str) -> tuple[bytes, bytes | None]:
    """Key and value of the record that asks for this."""
    match command:
        case Remove():
            return schedule.encode(), None
        case Define():
            return schedule.encode(), encode(command)
        case Pause() | Resume() | Trigger():
            kind = type(command).__name__.lower()
            return f"{schedule}#{kind}:{command_id}".encode(), encode(command)
        case Unacceptable():
            raise Unwritable("what was not acceptable is not asked for")
        case _:
            assert_never(command)


def command_json(command: Define | Pause | Resume | Trigger) -> dict[str, Any]:
    """The JSON form of a command's value."""
    match command:
        case Define():
            found = definition_json(command.definition)
            if command.expected_version is not None:
                found["expected_version"] = command.expected_version
            return found
        case Pause():
            until = {} if command.until is None else {"until": format_instant(command.until)}
            return {"reason": command.reason, **until}
        case Resume() | Trigger():
            return {"reason": command.reason}
        case _:
            assert_never(command)


def _from_avro(kind: str, value: bytes) -> Command:
    found = decode(value)
    if not isinstance(found, Define | Pause | Resume | Trigger) or type(found) is not _KINDS[kind]:
        raise Unreadable(f"{type(found).__name__} under the key of a {kind}")
    check_command(found)
    return found


def _from_json(kind: str, data: object) -> Command:
    if kind == "define":
        fields = Fields(data, "", (*DEFINITION_FIELDS, "expected_version"))
        return Define(
            definition_of(fields),
            fields.take("expected_version", or_null(_version), None),
        )
    if kind == "pause":
        fields = Fields(data, "", ("reason", "until"))
        return Pause(
            fields.take("reason", read_note, ""),
            fields.take("until", or_null(read_instant), None),
        )
    reason = Fields(data, "", ("reason",)).take("reason", read_note, "")
    return Resume(reason) if kind == "resume" else Trigger(reason)


def _version(data: object, path: str) -> int:
    return check_least(read_whole(data, path), 0, path)
