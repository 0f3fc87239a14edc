"""Work that no runner could be asked for is refused by the name of its field."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from schemas.actions import Act, Exec, Follow, Fresh, Http, Program, Setting, Verb, Work
from schemas.codec import encode
from schemas.commands import Define
from schemas.definition import MINUTE, SECOND, Cron, Definition, Emit, offering
from schemas.faults import FieldFault
from schemas.limits import check_definition
from schemas.policies import Tracking
from schemas.reading import read_command, read_definition
from schemas.work_limits import (
    MAX_SETTINGS,
    MAX_WORD_BYTES,
    MAX_WORDS,
)

URL = "https://tasks.example/v1"
LONG = "x" * (MAX_WORD_BYTES + 1)


def refused(call: Callable[[], object]) -> FieldFault:
    with pytest.raises(FieldFault) as caught:
        call()
    return caught.value


IN_JSON: dict[str, tuple[dict[str, Any], str, str]] = {
    "no word (AJ-012)": ({"command": []}, "command", "at least one"),
    "a blank word (AJ-012)": ({"command": ["a", " "]}, "command[1]", "must not be blank"),
    "no word in an object (AJ-012)": ({"exec": {"argv": []}}, "exec.argv", "at least one"),
    "a blank program (AJ-012)": ({"fresh": {"argv": [""]}}, "fresh.argv[0]", "must not be blank"),
    "a line": ({"command": "backup --all"}, "command", "no shell takes a line apart"),
    "a line in an object": ({"exec": {"argv": "a b"}}, "exec.argv", "no shell takes a line apart"),
    "a word that is a number": ({"command": ["sleep", 5]}, "command[1]", "not a number"),
    "nothing": ({"command": None}, "command", "must be an object with argv, folder, env"),
    "no argv": ({"command": {"folder": "/a"}}, "command.argv", "is missing"),
    "a misspelt field": ({"command": {"args": ["a"]}}, "command.args", "did you mean argv?"),
    "no near field": ({"request": {"url": "http://a"}}, "request", "allowed: cron,"),
    "tracking": ({"command": {"argv": ["a"], "tracked": True}}, "command.tracked", "no such field"),
    "a user of a fresh one": ({"fresh": {"argv": ["a"], "user": "x"}}, "fresh.user", "no such"),
    "an unknown field of a request": (
        {"http": {"url": URL, "verb": "GET"}},
        "http.verb",
        "no such",
    ),
    "two kinds of work": ({"exec": ["a"], "fresh": ["a"]}, "fresh", "not together with exec"),
    "work beside an emit": (
        {"emit": {"topic": "t"}, "command": ["a"]},
        *("command", "not together with emit"),
    ),
    "a deadline without work": (
        {"emit": {"topic": "t", "tracked": True}, "start_within": "5m"},
        *("start_within", "only with http, command, exec, fresh or deployment"),
    ),
    "a hold without a deployment": (
        {"command": ["a"], "hold_on_failure": True},
        *("hold_on_failure", "only with deployment"),
    ),
    "a hold after an emit": (
        {"emit": {"topic": "t"}, "preset": "deployment", "hold_on_failure": True},
        *("hold_on_failure", "only with deployment"),
    ),
    "a restart": (
        {"deployment": "restart"},
        *("deployment", "must be one of sleep, stop, wake, start, not 'restart'"),
    ),
    "a later version's verb": ({"deployment": "other"}, "deployment", "one of sleep, stop"),
    "scopes of a deployment": (
        {"deployment": "sleep", "scopes": ["llama", "qwen"]},
        *("scopes", "not with deployment"),
    ),
    "no verb": ({"deployment": {"level": 1}}, "deployment.do", "is missing"),
    "a verb of an object": (
        {"deployment": {"do": "restart"}},
        *("deployment.do", "must be one of sleep"),
    ),
    "a verb that is a number": ({"deployment": {"do": 1}}, "deployment.do", "not a number"),
    "a deployment that is true": ({"deployment": True}, "deployment", "with do, level, pool"),
    "a third level": (
        {"deployment": {"do": "sleep", "level": 3}},
        *("deployment.level", "must be 1 or 2, not 3"),
    ),
    "the level of a wake": (
        {"deployment": {"do": "wake", "level": 1}},
        *("deployment.level", "only with sleep, not wake"),
    ),
    "the level as a text": (
        {"deployment": {"do": "sleep", "level": "1"}},
        *("deployment.level", "must be a whole number"),
    ),
    "a deadline of nothing": ({"command": ["a"], "start_within": "0s"}, "start_within", "from 1 s"),
    "an env that is a list": (
        {"command": {"argv": ["a"], "env": ["A=1"]}},
        "command.env",
        "object",
    ),
    "a number in env": (
        {"command": {"argv": ["a"], "env": {"PORT": 80}}},
        *("command.env.PORT", 'must be a text or {"secret": "env:NAME"}, not a number'),
    ),
    "a secret written out": (
        {"command": {"argv": ["a"], "env": {"A": {"value": "x"}}}},
        *("command.env.A.value", "there is no such field"),
    ),
    "a secret from nowhere": (
        {"command": {"argv": ["a"], "env": {"A": {"secret": "hunter2"}}}},
        *("command.env.A.secret", "must be env:NAME or file:/a/full/path"),
    ),
    "a secret in a file nearby": (
        {"command": {"argv": ["a"], "env": {"A": {"secret": "file:../x"}}}},
        *("command.env.A.secret", "must be env:NAME or file:/a/full/path"),
    ),
    "a secret that is no text": (
        {"command": {"argv": ["a"], "env": {"A": {"secret": 5}}}},
        *("command.env.A.secret", "must be a text"),
    ),
    "no url": ({"http": {}}, "http.url", "is missing"),
    "headers as a list": ({"http": {"url": URL, "headers": []}}, "http.headers", "an object"),
    "a body of a number": ({"http": {"url": URL, "body": 5}}, "http.body", "a text, an object or"),
    "an unknown placeholder": (
        {"http": {"url": URL + "/{scop}"}},
        *("http.url", "there is no {scop}; did you mean {scope}?"),
    ),
    "an unknown placeholder in data": (
        {"http": {"url": URL, "body": {"a": ["{rack}"]}}},
        *("http.body", "there is no {rack}"),
    ),
    "JSON as text": ({"http": {"url": URL, "body": '{"a": 1}'}}, "http.body", "{{"),
    "a follow without a url": ({"http": {"url": URL, "follow": {}}}, "http.follow.url", "missing"),
    "no word of success": (
        {"http": {"url": URL, "follow": {"url": URL, "succeeded": []}}},
        *("http.follow.succeeded", "at least one"),
    ),
    "a word of both": (
        {"http": {"url": URL, "follow": {"url": URL, "succeeded": ["OK"], "failed": ["x", "ok"]}}},
        *("http.follow.failed[1]", "is among succeeded too"),
    ),
    "a look without a pause": (
        {"http": {"url": URL, "follow": {"url": URL, "every": "1ms"}}},
        *("http.follow.every", "from 1 s"),
    ),
}


@pytest.mark.parametrize(("written", "field", "message"), IN_JSON.values(), ids=IN_JSON.keys())
def test_what_is_wrong_in_json_is_named(written: dict[str, Any], field: str, message: str) -> None:
    fault = refused(lambda: read_definition({"cron": "@daily", **written}))

    assert fault.field == field
    assert message in fault.message


def _env(*settings: Setting) -> Program:
    return Program(("a",), env=settings)


def _headers(*settings: Setting) -> Http:
    return Http(URL, headers=settings)


def _follow(**fields: Any) -> Http:
    return Http(URL, follow=replace(Follow(URL), **fields))


IN_AVRO: dict[str, tuple[Work, str, str]] = {
    "a later version's verb": (Act(Verb.OTHER), "deployment.do", "one of sleep, stop, wake, start"),
    "no level": (Act(Verb.SLEEP, 0), "deployment.level", "must be 1 or 2, not 0"),
    "the level of a stop": (Act(Verb.STOP, 1), "deployment.level", "only with sleep, not stop"),
    "the pool of no act": (Act(Verb.WAKE, pool="a/b"), "deployment.pool", "not 'a/b'"),
    "no word (AJ-012)": (Program(()), "command.argv", "at least one word"),
    "a blank word (AJ-012)": (Exec(("a", "\t")), "exec.argv[1]", "must not be blank"),
    "a word with NUL": (Fresh(("a\0",)), "fresh.argv[0]", "NUL"),
    "too many words": (Program(("a",) * (MAX_WORDS + 1)), "command.argv", "1,000 words at most"),
    "too long a word": (Program((LONG,)), "command.argv[0]", "32768 bytes at most"),
    "a pool that is no topic": (Exec(("a",), pool="a b"), "exec.pool", "not 'a b'"),
    "an empty pool": (Program(("a",), pool=""), "command.pool", "not empty"),
    "a pool too long": (Http(URL, pool="p" * 201), "http.pool", "1 to 200"),
    "a folder nearby": (Program(("a",), folder="srv"), "command.folder", "full path"),
    "a folder of two lines": (Exec(("a",), folder="/a\nb"), "exec.folder", "full path"),
    "no folder": (Exec(("a",), folder=" "), "exec.folder", "blank"),
    "a user of two words": (Program(("a",), user="a b"), "command.user", "user:group"),
    "a variable without a name": (_env(Setting("")), "command.env", "blank"),
    "a variable with a sign": (_env(Setting("A=B", "x")), "command.env.A=B", "no digit first"),
    "a variable with a digit": (_env(Setting("1A", "x")), "command.env.1A", "no digit first"),
    "a variable twice": (
        _env(Setting("A"), Setting("A", "x")),
        "command.env",
        "'A' is there twice",
    ),
    "a value with NUL": (_env(Setting("A", "\0")), "command.env.A", "NUL"),
    "a value too long": (_env(Setting("A", LONG)), "command.env.A", "32768 bytes at most"),
    "a name too long": (_env(Setting("A" * 401)), "command.env", "400 bytes at most"),
    "a value and a secret": (_env(Setting("A", "x", "env:B")), "command.env.A", "not both"),
    "a secret of no name": (_env(Setting("A", "", "env:")), "command.env.A.secret", "env:NAME"),
    "a blank secret": (_env(Setting("A", "", " ")), "command.env.A.secret", "blank"),
    "too many variables": (
        _env(*(Setting(f"A{i}") for i in range(MAX_SETTINGS + 1))),
        *("command.env", "200 entries at most"),
    ),
    "no url": (Http(""), "http.url", "blank"),
    "another scheme": (Http("file:///etc/passwd"), "http.url", "a url like https://"),
    "a scheme from a template": (Http("{scope}://a"), "http.url", "a url like https://"),
    "no host": (Http("https:///a"), "http.url", "a url like https://"),
    "no port": (Http("https://a:b/"), "http.url", "is no url"),
    "no address": (Http("https://[::1/"), "http.url", "is no url"),
    "a password": (Http("https://u:p@a/"), "http.url", "no user and no password"),
    "a space": (Http("https://a/b c"), "http.url", "no space"),
    "a backslash": (Http("https://a\\@b/"), "http.url", "no backslash"),
    "a task in the request": (Http(URL + "/{task}"), "http.url", "there is no {task}"),
    "an inventory by ftp": (Http(URL, inventory="ftp://a/"), "http.inventory", "a url like"),
    "an unknown method": (Http(URL, "BREW"), "http.method", "one of GET, HEAD, POST"),
    "a header with a space": (_headers(Setting("A B")), "http.headers.A B", "name of a header"),
    "a header of ours": (
        _headers(Setting("Idempotency-Key", "1")),
        *("http.headers.Idempotency-Key", "set by the runner"),
    ),
    "a header of two lines": (_headers(Setting("A", "a\r\nB: c")), "http.headers.A", "no control"),
    "a header with a template": (
        _headers(Setting("A", "{x}")),
        "http.headers.A",
        "there is no {x}",
    ),
    "a header twice": (_headers(Setting("A"), Setting("a")), "http.headers", "'a' is there twice"),
    "a body with NUL": (Http(URL, body="\0"), "http.body", "NUL"),
    "a body with a brace": (Http(URL, body="{"), "http.body", "{{"),
    "a pointer to nothing": (_follow(task="id"), "http.follow.task", "a JSON pointer"),
    "a pointer with a tilde": (_follow(status="/a~2"), "http.follow.status", "a JSON pointer"),
    "no word of failure": (_follow(failed=()), "http.follow.failed", "a list of 1 to 200"),
    "a blank word of success": (_follow(succeeded=(" ",)), "http.follow.succeeded[0]", "blank"),
    "a follow by no url": (_follow(url="x"), "http.follow.url", "a url like"),
    "a look each microsecond": (_follow(every=1), "http.follow.every", "from 1 s"),
}


def defined(action: Emit) -> Definition:
    return Definition((Cron("@daily"),), action)


@pytest.mark.parametrize(("work", "field", "message"), IN_AVRO.values(), ids=IN_AVRO.keys())
def test_what_is_wrong_in_avro_is_named_alike(work: Work, field: str, message: str) -> None:
    value = encode(Define(defined(offering(work))))

    fault = refused(lambda: read_command(b"a/b", value))

    assert fault.field == field
    assert message in fault.message


@pytest.mark.parametrize(
    "action",
    {
        "a topic of its own": replace(offering(Exec(("a",))), topic="t"),
        "the orders of another pool": replace(offering(Exec(("a",))), topic="horae.orders.x"),
        "a key": replace(offering(Exec(("a",))), key=b"k"),
        "a value": replace(offering(Exec(("a",))), value=b"v"),
        "a header": replace(offering(Exec(("a",))), headers=(("a", None),)),
        "no tracking": replace(offering(Exec(("a",))), tracked=None),
        "another lease": replace(offering(Exec(("a",))), tracked=Tracking(MINUTE)),
    }.values(),
)
def test_work_has_no_emit_but_the_offer(action: Emit) -> None:
    fault = refused(lambda: check_definition(defined(action)))

    assert fault.field == "exec"
    assert "horae.orders.default" in fault.message


def test_a_deadline_is_a_length_of_time_in_avro_too() -> None:
    definition = replace(defined(offering(Exec(("a",)))), start_within=SECOND - 1)

    assert refused(lambda: check_definition(definition)).field == "start_within"
