"""A command that no runner could start is refused by its field, and nothing of it is kept."""

from __future__ import annotations

import json
from typing import Any

import pytest

from schemas.replies import Verdict
from schemas.topics import SCHEDULES
from tests.processor.desk import Desk

JOB = {"cron": "30 2 * * *", "command": ["backup", "--all"]}


def asked(desk: Desk, schedule: str, definition: dict[str, Any]) -> None:
    desk.put(schedule.encode(), json.dumps(definition).encode())
    desk.step()


@pytest.mark.parametrize(
    ("changed", "field"),
    {
        "an empty command": ({"command": []}, "command"),
        "a blank word in the command": ({"command": ["backup", " "]}, "command[1]"),
        "a bad cron": ({"cron": "61 * * * *"}, "cron"),
        "an unknown policy for overlap": ({"overlap": "sometimes"}, "overlap"),
        "an emit into our own topics": (
            {"command": None, "emit": {"topic": "horae.orders.default", "tracked": True}},
            "emit.topic",
        ),
    }.values(),
)
def test_a_job_that_cannot_be_is_refused_and_not_kept(changed: dict[str, Any], field: str) -> None:
    """AJ-012: how it is answered over HTTP is asked of the interface."""
    desk = Desk()
    asked(desk, "shop/good", JOB)
    wrong = {name: value for name, value in {**JOB, **changed}.items() if value is not None}

    asked(desk, "shop/bad", wrong)

    good, bad = desk.replies()
    assert (good.verdict, bad.verdict) == (Verdict.ACCEPTED, Verdict.REFUSED)
    assert bad.field == field
    assert {one.key for one in desk.log if one.topic == SCHEDULES} == {b"shop/good"}
