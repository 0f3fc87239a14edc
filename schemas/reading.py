"""
Which command is this record of horae.commands?

The key says of whom and what kind (command_keys.py); the value, JSON or Avro, says the rest. What
cannot be read is Unreadable and goes to horae.rejected; what can be read but not meant is a
FieldFault and gets a refusal as its reply. Definitions are reading_definitions.py, other commands
reading_commands.py.
"""

from __future__ import annotations

from schemas.codec import decode, encode
from schemas.command_json import beat_json, command_json
from schemas.command_keys import (
    MAX_COMMAND_ID_BYTES,
    CommandKey,
    key_of,
    key_of_beat,
    runner_of,
    split_key,
)
from schemas.command_limits import check_beat, check_command
from schemas.commands import NOT_THERE, Beat, Command, Define, Remove, Unacceptable
from schemas.definition_json import definition_json
from schemas.faults import FieldFault, Unreadable, Unwritable
from schemas.fields import Fields, or_null, read_whole
from schemas.json_text import parse_json
from schemas.limits import check_least
from schemas.reading_commands import read_asked
from schemas.reading_commands import read_beat as beat_of
from schemas.reading_definitions import DEFINITION_FIELDS, definition_of, read_definition
from schemas.registry import MAGIC

__all__ = [
    "MAX_COMMAND_ID_BYTES",
    "CommandKey",
    "FieldFault",
    "beat_json",
    "beat_record",
    "command_json",
    "command_record",
    "definition_json",
    "parse_json",
    "read_beat",
    "read_command",
    "read_definition",
    "runner_of",
    "split_key",
]


def read_command(key: bytes | None, value: bytes | None) -> tuple[str, Command]:
    """The schedule's id and the command; raises Unreadable or FieldFault."""
    found = split_key(key)
    if value is None:
        if found.kind != "define":
            raise Unreadable(f"a null value removes a schedule and is no {found.kind}")
        return found.schedule, Remove()
    if value[:1] == b"{":
        return found.schedule, _from_json(found, parse_json(value))
    if value[:2] == MAGIC:
        return found.schedule, _from_avro(found, value)
    # an empty value too: only null removes
    raise Unreadable(f"the value is neither JSON nor Avro: it begins with {value[:8]!r}")


def command_record(schedule: str, command: Command, command_id: str) -> tuple[bytes, bytes | None]:
    """
    Key and value of the record that asks for this.

    `schedule` is a canonical id, of a subject's command `subject/`; raises Unwritable if the
    command is not asked of such.
    """
    if isinstance(command, Unacceptable):
        raise Unwritable("what was not acceptable is not asked for")
    key = key_of(schedule, command, command_id).encode()
    return key, None if isinstance(command, Remove) else encode(command)


def read_beat(value: bytes | None) -> Beat:
    """What a runner says under its own key; raises Unreadable, also for what no beat may hold."""
    if value is None or (value[:2] != MAGIC and value[:1] != b"{"):
        raise Unreadable("a runner's beat is JSON or Avro")
    try:
        found = beat_of(parse_json(value)) if value[:1] == b"{" else decode(value)
        if not isinstance(found, Beat):
            raise Unreadable(f"{type(found).__name__} under the key of a runner")
        return check_beat(found)
    except FieldFault as fault:
        raise Unreadable(str(fault)) from fault


def beat_record(runner: str, beat: Beat) -> tuple[bytes, bytes]:
    """Key and value of a runner's beat, for each partition that it concerns."""
    return key_of_beat(runner), encode(beat)


def _from_avro(key: CommandKey, value: bytes) -> Command:
    found = decode(value)
    if not isinstance(found, key.command):
        raise Unreadable(f"{type(found).__name__} under the key of a {key.kind}")
    check_command(found)
    return found


def _from_json(key: CommandKey, data: object) -> Command:
    if key.command is not Define:
        return read_asked(key.command, data)
    fields = Fields(data, "", (*DEFINITION_FIELDS, "expected_version"))
    return Define(
        definition_of(fields),
        fields.take("expected_version", or_null(_version), None),
    )


def _version(data: object, path: str) -> int:
    return check_least(read_whole(data, path), NOT_THERE, path)
