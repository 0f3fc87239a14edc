"""Is a request sent as it was ordered, and are its ends told apart?"""

from __future__ import annotations

import socket
from threading import Event

import pytest

from schemas.actions import Http, Setting
from schemas.commands import ReportStatus
from schemas.templates import json_template
from streams.runner import asking
from tests.runner.orders import carried_out, order_of, some
from tests.runner.other_side import Asked, Say, Says, odd_server, service


def fine(_: Asked) -> Say:
    return Say(200, {"ok": True})


def test_a_request_says_which_run_it_is_for() -> None:
    with service(fine) as other:
        work = Http(
            other.url + "/racks/{scope}/power?by={schedule}&at={nominal}&n={attempt}",
            headers=(Setting("X-Subject", "{subject}"), Setting("Idempotency-Key", "mine")),
            body=json_template({"run": "{run}", "attempt": "{attempt}", "of": "{components}"}),
        )
        order = order_of(work, filter=some("compute", kind="types"), attempt=2)
        outcome, output = carried_out(order, other.url)

    assert outcome.status is ReportStatus.SUCCESS
    assert (outcome.exit_code, outcome.reference, output) == (200, None, '{"ok": true}')
    (asked,) = other.asked
    assert asked.method == "POST"
    assert asked.path == (
        "/racks/rack-a/power?by=hall-3%2Fnightly%20reset&at=2026-01-16T02%3A00%3A00Z&n=2"
    )
    assert asked.data == {"run": order.run, "attempt": 2, "of": {"types": ["compute"]}}
    told = {name: value for name, value in asked.headers.items() if name.startswith("horae-")}
    assert told == {
        "horae-attempt": "2",
        "horae-components": '{"types":["compute"]}',
        "horae-nominal": "2026-01-16T02:00:00Z",
        "horae-occurrence": "hall-3/nightly reset~5@2026-01-16T02:00:00Z",
        "horae-run": order.run,
        "horae-schedule": "hall-3/nightly reset",
        "horae-scope": "rack-a",
    }
    assert asked.headers["idempotency-key"] == order.run
    assert asked.headers["x-subject"] == "hall-3"
    assert asked.headers["content-type"] == "application/json"
    assert asked.headers["traceparent"].startswith("00-")


def test_the_trace_of_the_one_who_asked_goes_on() -> None:
    trace = f"00-{'a' * 32}-{'b' * 16}-01"
    with service(fine) as other:
        carried_out(order_of(Http(other.url, "GET"), trace=trace), other.url)

    assert other.asked[0].headers["traceparent"] == trace


def test_two_attempts_of_a_run_have_one_key_and_one_trace() -> None:
    with service(fine) as other:
        for attempt in (1, 2):
            carried_out(order_of(Http(other.url), attempt=attempt), other.url)

    first, second = (one.headers for one in other.asked)
    for name in ("idempotency-key", "traceparent", "horae-occurrence"):
        assert first[name] == second[name]
    assert (first["horae-attempt"], second["horae-attempt"]) == ("1", "2")


def test_a_secret_is_sent_and_never_shown() -> None:
    def echo(asked: Asked) -> Say:
        return Say(400, {"you sent": asked.headers["authorization"]})

    with service(echo) as other:
        work = Http(other.url, headers=(Setting("Authorization", "", "env:KEY"),))
        outcome, output = carried_out(order_of(work), other.url, KEY="Bearer s3cr3t")

    assert other.asked[0].headers["authorization"] == "Bearer s3cr3t"
    assert outcome.status is ReportStatus.FAILED
    assert "s3cr3t" not in output + outcome.detail
    assert "***" in output


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_what_is_answered_with_2xx_has_succeeded(status: int) -> None:
    with service(lambda _: Say(status, b"")) as other:
        outcome, _ = carried_out(order_of(Http(other.url)), other.url)

    assert (outcome.status, outcome.exit_code) == (ReportStatus.SUCCESS, status)


@pytest.mark.parametrize("status", [304, 400, 404, 409, 429, 500, 503])
def test_any_other_answer_is_a_failure_with_its_status_and_its_body(status: int) -> None:
    with service(lambda _: Say(status, b"" if status == 304 else b"no, thanks")) as other:
        outcome, output = carried_out(order_of(Http(other.url)), other.url)

    assert (outcome.status, outcome.exit_code) == (ReportStatus.FAILED, status)
    assert output == ("" if status == 304 else "no, thanks")
    assert outcome.detail == f"answered {status}"
    assert len(other.asked) == 1


def test_a_large_answer_is_read_in_part_and_kept_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "MOST_BYTES", 200_000)
    with service(lambda _: Say(500, b"x" * 300_000)) as other:
        outcome, output = carried_out(order_of(Http(other.url)), other.url)

    assert outcome.exit_code == 500
    assert output == "x" * 64 * 1024


def test_nobody_there_is_unavailable_and_nothing_was_sent() -> None:
    with service(fine) as gone:
        url = gone.url
    outcome, output = carried_out(order_of(Http(url)), url)

    assert (outcome.status, outcome.exit_code, output) == (ReportStatus.UNAVAILABLE, None, "")
    assert f"{url} cannot be reached" in outcome.detail


def test_an_answer_that_breaks_off_is_unavailable_and_says_that_the_request_was_sent() -> None:
    def break_off(connection: socket.socket, _: Event) -> None:
        connection.recv(65_536)

    with odd_server(break_off) as url:
        outcome, _ = carried_out(order_of(Http(url)), url)

    assert outcome.status is ReportStatus.UNAVAILABLE
    assert "gave no whole answer" in outcome.detail
    assert "whether it did what was asked is not known" in outcome.detail


def silent(connection: socket.socket, over: Event) -> None:
    connection.recv(65_536)
    over.wait(20)


def dripping(connection: socket.socket, over: Event) -> None:
    connection.recv(65_536)
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while not over.wait(0.02):
        connection.sendall(b"X-More: and more\r\n")


def endless(connection: socket.socket, over: Event) -> None:
    connection.recv(65_536)
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while not over.wait(0.02):
        connection.sendall(b"and more ")


@pytest.mark.parametrize("says", [silent, dripping, endless])
def test_the_time_of_an_attempt_covers_whatever_the_other_side_does(says: Says) -> None:
    with odd_server(says) as url:
        outcome, _ = carried_out(order_of(Http(url)), url, timeout=0.5)

    assert outcome.status is ReportStatus.TIMEOUT
    assert "it is not over after 0.5 s" in outcome.detail
    assert "whether it was done is not known" in outcome.detail


@pytest.mark.parametrize(
    ("work", "why"),
    [
        (Http("{url}/{rack}"), "names {rack}, which is nothing"),
        (Http("{url}/{"), "a template of the action cannot be read"),
        (Http("{url}", body='{{"rack": {scope}'), "the body is no JSON"),
        (Http("{url}", body="power on"), "the body is no JSON"),
        (Http("{url}", headers=(Setting("Host", "other"),)), "no order may set a header 'host'"),
        (Http("{url}", headers=(Setting("a b", "c"),)), "no order may set a header 'a b'"),
        (Http("{url}", headers=(Setting("a", "b\r\nc: d"),)), "the header a holds a line end"),
    ],
)
def test_what_cannot_be_read_any_more_sends_nothing_to_any_target(work: Http, why: str) -> None:
    """IT-030: an operation that cannot be decoded fails for each target, before any request."""
    with service(fine) as other:
        for scope in ("rack-a", "rack-b"):
            work = replaced(work, other.url)
            outcome, _ = carried_out(order_of(work, scope), other.url)

            assert outcome.status is ReportStatus.FAILED
            assert why in outcome.detail

    assert other.asked == []


def replaced(work: Http, url: str) -> Http:
    """With the address of a server that was not there when the row was written."""
    return Http(work.url.replace("{url}", url), work.method, work.headers, work.body, work.follow)


def test_each_target_has_its_own_end_and_no_request_is_sent_twice() -> None:
    """IT-027: all three are refused, each once; IT-028: one that fails stops no other."""
    with service(lambda _: Say(503, {"error": "no"})) as other:
        work = Http(other.url + "/{scope}")
        ends = [carried_out(order_of(work, f"rack-{n}"), other.url)[0] for n in "abc"]

        assert [one.status for one in ends] == [ReportStatus.FAILED] * 3
        assert [one.detail for one in ends] == ["answered 503"] * 3
        assert other.paths() == ["POST /rack-a", "POST /rack-b", "POST /rack-c"]

        other.answers = lambda asked: Say(500 if asked.path == "/rack-b" else 200)
        ends = [carried_out(order_of(work, f"rack-{n}"), other.url)[0] for n in "abc"]

        assert [one.status.value for one in ends] == ["success", "failed", "success"]
