"""
How is a command written as JSON?

The inverse of reading_commands.py: what is read back is the same command. Values that are at their
default are left out.
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, assert_never

from schemas.commands import (
    Beat,
    Command,
    Define,
    DefineApp,
    DefineDeployment,
    EditScopes,
    Propose,
    Remove,
    ReportState,
    Unacceptable,
)
from schemas.definition_json import definition_json
from schemas.deployments_json import deployment_json, proposal_json, state_json
from schemas.faults import Unwritable
from schemas.instants import format_instant
from schemas.policies_json import scopes_json
from schemas.run_events import Result
from schemas.works_json import app_json

_INSTANTS = (
    "until",
    "instant",
    "first",
    "last",
    "sampled_at",
    "last_request",
    "started_at",
    "ended_at",
)
_NAMES = {"most": "max"}


def command_json(command: Command) -> dict[str, Any]:
    """The JSON form of a command's value."""
    match command:
        case Define():
            found = definition_json(command.definition)
            if command.expected_version is not None:
                found["expected_version"] = command.expected_version
            return found
        case Remove() | Unacceptable():
            raise Unwritable(f"{type(command).__name__} has no JSON")
        case DefineDeployment() | ReportState() | Propose():
            return _of_deployment(command)
        case EditScopes():
            found = {"edit": command.edit.value, "scopes": scopes_json(command.scopes)}
            return found | ({"reason": command.reason} if command.reason else {})
        case DefineApp():
            return app_json(command.app)
        case _:
            return _plain(command)


def beat_json(beat: Beat) -> dict[str, Any]:
    """The JSON form of what a runner says of itself."""
    found = _plain(beat)
    if beat.runs:
        found["runs"] = [one._asdict() for one in beat.runs]
    return found


def _of_deployment(command: DefineDeployment | ReportState | Propose) -> dict[str, Any]:
    match command:
        case DefineDeployment():
            return deployment_json(command.deployment)
        case ReportState():
            return state_json(command)
        case Propose():
            return proposal_json(command.proposal)
        case _:
            assert_never(command)


def _plain(command: Any) -> dict[str, Any]:
    """By the names of its fields, which are those of the JSON but for one."""
    found = {}
    for field in fields(command):
        value = getattr(command, field.name)
        if field.default is not MISSING and value == field.default:
            continue
        found[_NAMES.get(field.name, field.name)] = _value(field.name, value)
    return found


def _value(name: str, value: Any) -> Any:
    if isinstance(value, Result):
        return _plain(value)
    if name == "pools":
        return list(value)
    if name == "instants":
        return [format_instant(instant) for instant in value]
    return format_instant(value) if name in _INSTANTS else value
