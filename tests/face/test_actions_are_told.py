"""What a fire does is told in a line, and no value of a header or a variable stands in it."""

from __future__ import annotations

from typing import Any

import pytest

from horae.action_words import action_words
from horae.conflicts import Conflict, find_conflicts
from schemas.definition import Definition
from schemas.reading import read_definition

URL = "https://tasks.example/v1/{scope}/power"


def defined(**fields: Any) -> Definition:
    return read_definition({"cron": "@daily", **fields})


@pytest.mark.parametrize(
    ("action", "words"),
    {
        "a record": ({"emit": {"topic": "t"}}, "a record into t"),
        "a record with a key": (
            {"emit": {"topic": "t", "key": "k"}},
            "a record into t with the key k",
        ),
        "a request": (
            {"http": {"url": URL, "headers": {"Authorization": "Bearer geheim"}}},
            f"POST {URL}, by a runner of pool default",
        ),
        "a request that is followed": (
            {
                "http": {
                    "url": URL,
                    "method": "PUT",
                    "pool": "racks",
                    "follow": {"url": "https://tasks.example/tasks/{task}", "every": "5s"},
                }
            },
            (
                f"PUT {URL}, then GET https://tasks.example/tasks/{{task}} every 5 seconds until "
                "it is done, by a runner of pool racks"
            ),
        ),
        "a program": (
            {"command": {"argv": ["echo", "$HOME; rm x"], "env": {"KEY": "geheim"}, "pool": "db"}},
            "echo '$HOME; rm x', by a runner of pool db",
        ),
        "in the container": (
            {"exec": ["php", "artisan"]},
            "php artisan in the container of its app, by a runner of the node of its app",
        ),
        "in one of its own": (
            {"fresh": {"argv": ["true"], "pool": "node-1"}},
            "true in a container of its own, by a runner of pool node-1",
        ),
        "a sleep": (
            {"deployment": {"do": "sleep", "level": 2, "pool": "gpu"}},
            "puts it to sleep (level 2), by a runner of pool gpu",
        ),
        "a wake": ({"deployment": "wake"}, "wakes it, by a runner of the pool of the deployment"),
        "a stop": ({"deployment": "stop"}, "stops it, by a runner of the pool of the deployment"),
        "a start": (
            {"deployment": "start"},
            "starts it, by a runner of the pool of the deployment",
        ),
    }.values(),
)
def test_an_action_is_told_in_a_line(action: dict[str, Any], words: str) -> None:
    found = action_words(defined(**action).action)

    assert found == words
    assert "geheim" not in found


POWER = {"http": {"url": URL, "body": {"do": "off"}}}


@pytest.mark.parametrize(
    ("mine", "theirs", "conflict"),
    {
        "the same request": (POWER, {"http": {**POWER["http"], "pool": "other"}}, True),
        "another body": (POWER, {"http": {"url": URL, "body": {"do": "on"}}}, False),
        "another method": (POWER, {"http": {**POWER["http"], "method": "PUT"}}, False),
        "the same program": ({"command": ["a", "b"]}, {"command": {"argv": ["a", "b"]}}, True),
        "other arguments": ({"command": ["a", "b"]}, {"command": ["a"]}, False),
        "elsewhere": ({"command": ["a"]}, {"exec": ["a"]}, False),
        "a record": ({"command": ["a"]}, {"emit": {"topic": "horae.x"}}, False),
    }.values(),
)
def test_the_same_work_for_a_shared_target_is_a_conflict(
    mine: dict[str, Any], theirs: dict[str, Any], conflict: bool
) -> None:
    first, second = (defined(scopes=["rack-a"], **action) for action in (mine, theirs))

    found = find_conflicts({"hall/new": first}, [("hall/old", second)])

    assert found == ([Conflict("hall/new", "hall/old", ("rack-a",))] if conflict else [])


@pytest.mark.parametrize(("theirs", "conflict"), [("wake", True), ("start", False)])
def test_the_same_act_upon_a_deployment_is_a_conflict(theirs: str, conflict: bool) -> None:
    mine = defined(deployment={"do": "wake", "pool": "a"})

    found = find_conflicts({"chat/new": mine}, [("chat/old", defined(deployment=theirs))])

    assert found == ([Conflict("chat/new", "chat/old", ("chat",))] if conflict else [])
