"""What a person asks of a runner is the work that was meant, and comes back as it was."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from schemas.actions import Act, Exec, Follow, Fresh, Http, Program, Setting, Verb, Work
from schemas.codec import encode
from schemas.commands import Define
from schemas.definition import HOUR, MINUTE, SECOND, Definition, Emit, offering
from schemas.limits import check_definition
from schemas.policies import ALONE, NO_RETRY, Manual, Overlap, OverlapMode, Retry, Tracking
from schemas.reading import (
    definition_json,
    parse_json,
    read_command,
    read_definition,
)
from schemas.topics import orders_topic
from schemas.works_json import work_json
from tests.schemas.drawn_works import works

URL = "https://tasks.example/v1/power"
REFERENCE = "env:API_TOKEN"


def read(**fields: Any) -> Definition:
    return read_definition({"cron": "@daily", **fields})


def work_of(written: dict[str, Any]) -> Work:
    work = read(**written).action.work
    assert work is not None
    return work


WRITTEN: dict[str, tuple[dict[str, Any], Work]] = {
    "a list of words": ({"command": ["backup", "--all"]}, Program(("backup", "--all"))),
    "a program with all there is": (
        {
            "command": {
                "argv": ["backup", "--to", "a b"],
                "folder": "/srv",
                "env": {"LANG": "de_DE", "TOKEN": {"secret": REFERENCE}, "EMPTY": ""},
                "user": "1000:users",
                "pool": "db",
            }
        },
        Program(
            ("backup", "--to", "a b"),
            "/srv",
            (Setting("LANG", "de_DE"), Setting("TOKEN", "", REFERENCE), Setting("EMPTY")),
            "1000:users",
            "db",
        ),
    ),
    "in the running container": ({"exec": ["php", "artisan"]}, Exec(("php", "artisan"))),
    "as somebody in the container": (
        {"exec": {"argv": ["a"], "user": "www", "folder": "/app", "pool": "node-1"}},
        Exec(("a",), (), "www", "/app", "node-1"),
    ),
    "in a container of its own": ({"fresh": ["a"]}, Fresh(("a",))),
    "with a file": (
        {"fresh": {"argv": ["a"], "env": {"KEY": {"secret": "file:/run/secrets/k"}}}},
        Fresh(("a",), (Setting("KEY", "", "file:/run/secrets/k"),)),
    ),
    "a request": ({"http": {"url": URL}}, Http(URL)),
    "a request with all there is": (
        {
            "http": {
                "url": URL + "/{scope}",
                "method": "put",
                "headers": {"Authorization": {"secret": REFERENCE}, "X-Run": "{run}"},
                "body": {"rack": "{scope}", "try": "{attempt}"},
                "follow": {
                    "url": URL + "/{task}",
                    "task": "/data/0/id",
                    "status": "",
                    "succeeded": ["ok"],
                    "failed": ["bad"],
                    "every": "10s",
                },
                "inventory": URL + "/{scope}/parts",
                "pool": "racks",
            }
        },
        Http(
            URL + "/{scope}",
            "PUT",
            (Setting("Authorization", "", REFERENCE), Setting("X-Run", "{run}")),
            '{{"rack":{scope},"try":{attempt}}}',
            Follow(URL + "/{task}", "/data/0/id", "", ("ok",), ("bad",), 10 * SECOND),
            URL + "/{scope}/parts",
            "racks",
        ),
    ),
    "a sleep": ({"deployment": "sleep"}, Act(Verb.SLEEP)),
    "a stop": ({"deployment": "stop"}, Act(Verb.STOP)),
    "a wake": ({"deployment": {"do": "wake", "pool": "gpu"}}, Act(Verb.WAKE, None, "gpu")),
    "a start": ({"deployment": {"do": "start"}}, Act(Verb.START)),
    "a deep sleep": ({"deployment": {"do": "sleep", "level": 2}}, Act(Verb.SLEEP, 2)),
    "a body of text": ({"http": {"url": URL, "body": "{run}"}}, Http(URL, body="{run}")),
    "a body that is a list": ({"http": {"url": URL, "body": [1]}}, Http(URL, body="[1]")),
}


@pytest.mark.parametrize(("written", "work"), WRITTEN.values(), ids=WRITTEN.keys())
def test_each_kind_of_work_is_read(written: dict[str, Any], work: Work) -> None:
    assert work_of(written) == work


@pytest.mark.parametrize(
    "argv", [["sh-like", "-c", "a; b"], ["echo", "$HOME; rm x"], ["a", "*", "`x`", "'", '"', "\n|"]]
)
@pytest.mark.parametrize("word", ["command", "exec", "fresh"])
def test_arguments_stay_as_they_are_for_no_shell_reads_them(word: str, argv: list[str]) -> None:
    """AJ-018."""
    work = work_of({word: argv})

    assert not isinstance(work, Http | Act)
    assert work.argv == tuple(argv)


@pytest.mark.parametrize(
    ("written", "topic"),
    [
        ({"http": {"url": URL}}, "horae.orders.default"),
        ({"http": {"url": URL, "pool": "racks"}}, "horae.orders.racks"),
        ({"command": {"argv": ["a"], "pool": "db.1"}}, "horae.orders.db.1"),
        ({"exec": ["a"]}, "horae.orders.default"),
        ({"exec": {"argv": ["a"], "pool": "node-1"}}, "horae.orders.node-1"),
        ({"fresh": ["a"]}, "horae.orders.default"),
        ({"deployment": "sleep"}, "horae.orders.default"),
        ({"deployment": {"do": "sleep", "pool": "gpu"}}, "horae.orders.gpu"),
    ],
)
def test_work_is_an_emit_into_the_orders_of_its_pool(written: dict[str, Any], topic: str) -> None:
    action = read(**written).action

    assert action == Emit(topic, tracked=Tracking(30 * SECOND), work=action.work)


def test_work_has_every_policy_without_a_word_about_tracking() -> None:
    found = read_definition(
        {
            "interval": {"every": "1h", "basis": "after_end"},
            "command": ["a"],
            "overlap": {"mode": "queue", "limit": 2},
            "retry": {"max": 3},
            "timeout": "10m",
            "pause_on_failure": 2,
            "start_within": "5m",
        }
    )

    assert found.overlap == Overlap(OverlapMode.QUEUE, 2)
    assert (found.retry, found.timeout) == (Retry(3), 10 * MINUTE)
    assert (found.pause_on_failure, found.start_within) == (2, 5 * MINUTE)


@pytest.mark.parametrize(
    ("preset", "written", "overlap", "manual", "start_within"),
    [
        ("none", {"command": ["a"]}, ALONE, Manual.OBEY, HOUR),
        ("app", {"exec": ["a"]}, Overlap(OverlapMode.ALLOW), Manual.OBEY, HOUR),
        ("app", {"fresh": ["a"]}, Overlap(OverlapMode.ALLOW), Manual.OBEY, HOUR),
        ("infra", {"http": {"url": URL}}, ALONE, Manual.IGNORE, HOUR),
    ],
)
def test_presets_hold_for_work_too(
    preset: str, written: dict[str, Any], overlap: Overlap, manual: Manual, start_within: int
) -> None:
    found = read(preset=preset, **written)

    assert (found.overlap, found.manual, found.start_within) == (overlap, manual, start_within)
    assert (found.retry, found.timeout) == (NO_RETRY, None)
    assert definition_json(found).keys() == (
        {"cron", "preset", *written} - ({"preset"} if preset == "none" else set())
    )


def test_a_deployment_is_begun_within_a_quarter_of_an_hour() -> None:
    assert read(preset="deployment", http={"url": URL}).start_within == 15 * MINUTE
    assert read(preset="deployment", emit={"topic": "t"}).start_within == HOUR


@given(work=works)
def test_work_comes_back_from_its_json(work: Work) -> None:
    written = json.dumps({"cron": "@daily", **work_json(work)})

    assert read_definition(parse_json(written.encode())).action == offering(work)


@given(work=works)
def test_work_that_is_read_may_come_as_avro_too(work: Work) -> None:
    definition = replace(read(command=["a"]), action=offering(work))

    check_definition(definition)

    assert read_command(b"a/b", encode(Define(definition))) == ("a/b", Define(definition))


def test_what_is_written_is_what_a_person_would_write() -> None:
    for written, _ in list(WRITTEN.values())[:6]:
        assert definition_json(read(**written)) == {"cron": "@daily", **written}
    assert work_json(Http(URL)) == {"http": {"url": URL}}
    assert work_json(Http(URL, follow=Follow(URL))) == {
        "http": {"url": URL, "follow": {"url": URL}}
    }


@pytest.mark.parametrize("action", [Emit("t"), offering(Exec(("a",), pool="db"))])
def test_the_topic_of_an_action_says_whether_it_is_for_runners(action: Emit) -> None:
    assert (action.topic == orders_topic("db")) is (action.work is not None)
