"""The state of a deployment is told with who brought it there, or refused by its field."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from schemas.commands import ReportState
from schemas.deployments import (
    DeploymentState,
)
from schemas.faults import FieldFault
from schemas.reading import command_json, read_command


def refused(call: Callable[[], object]) -> FieldFault:
    with pytest.raises(FieldFault) as caught:
        call()
    return caught.value


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ({"state": "asleep"}, ReportState(DeploymentState.ASLEEP)),
        (
            {"state": "stopped", "actor": "user:42", "detail": "by hand"},
            ReportState(DeploymentState.STOPPED, "user:42", "by hand"),
        ),
    ],
)
def test_a_state_is_told(written: dict[str, Any], meant: ReportState) -> None:
    value = json.dumps(written).encode()

    assert read_command(b"llama/#state:1", value) == ("llama/", meant)
    assert command_json(meant) == written


@pytest.mark.parametrize(
    ("written", "field", "message"),
    [
        ({}, "state", "is missing"),
        ({"state": "dead"}, "state", "one of unknown, running, asleep, stopped, starting"),
        ({"state": "asleep", "actor": " "}, "actor", "must not be empty"),
        ({"state": "asleep", "actor": "a" * 513}, "actor", "512 bytes at most"),
        ({"state": "asleep", "detail": "a" * 4_097}, "detail", "4096 bytes at most"),
        ({"state": "asleep", "by": "me"}, "by", "no such field"),
    ],
)
def test_a_state_that_is_none_is_refused(written: dict[str, Any], field: str, message: str) -> None:
    value = json.dumps(written).encode()

    fault = refused(lambda: read_command(b"llama/#state:1", value))

    assert fault.field == field
    assert message in fault.message
