"""
Does `horae backfill` ask for what was typed, and show what became of it?

A client that only writes down takes the place of the real one, and a chosen past that of the
ledger.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from horae import following, once_more, past, tail
from horae.cli import asking, backfilled
from horae.client import Order
from horae.following import Followed
from horae.once_more import Chosen
from schemas.commands import Backfill, CancelBackfill
from schemas.instants import format_instant, parse_instant
from schemas.policies import OverlapMode
from schemas.replies import Reply, Verdict
from tests.face.typed import run

NOON = parse_instant("2027-01-01T12:00:00Z")
HOUR = 3_600_000_000
RANGE = ("--from", format_instant(NOON), "--to", format_instant(NOON + HOUR))
ALL = ("backfill", "a/b", *RANGE, "--only", "all")


class Noting:
    """Writes down what it is asked to send."""

    def __init__(self) -> None:
        self.orders: list[Order] = []
        self.verdict = Verdict.ACCEPTED

    def ask(self, order: Order) -> Reply:
        self.orders.append(order)
        said = "2 instants" if self.verdict is Verdict.ACCEPTED else "no instant lies there"
        return Reply("a/b", "backfill", self.verdict, NOON, 3, 77, 5, 5, message=said)


class Shut:
    """Something that is opened and not looked into."""

    def __init__(self, *_: object) -> None:
        pass

    def __enter__(self) -> object:
        return self

    def __exit__(self, *_: object) -> None:
        pass


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Noting:
    found = Noting()

    @contextmanager
    def alone() -> Iterator[Noting]:
        yield found

    for module in (asking, backfilled):
        monkeypatch.setattr(module, "asking", alone)
    monkeypatch.setattr(past, "Past", Shut)
    monkeypatch.setattr(tail, "Tail", Shut)
    return found


def choosing(monkeypatch: pytest.MonkeyPatch, found: Chosen) -> list[Any]:
    """Let this be what the ledger tells; what it was asked."""
    asked: list[Any] = []

    def find(_: object, *about: Any, failed: bool) -> Chosen:
        asked.append((*about, failed))
        return found

    monkeypatch.setattr(once_more, "find", find)
    return asked


@pytest.mark.parametrize("words", [("backfill",), ("backfill", "start")])
def test_all_of_a_range_is_one_order(client: Noting, words: tuple[str, ...]) -> None:
    more = ("--newest-first", "--max", "7", "--overlap", "allow", "-r", "lost", "--id", "mine")
    code, out, _ = run(*words, "a/b", *RANGE, "--only", "all", *more)

    assert code == 0
    wanted = Backfill(
        *(NOON, NOON + HOUR), (), newest_first=True, most=7, overlap=OverlapMode.ALLOW,
        reason="lost",
    )  # fmt: skip
    assert client.orders == [Order("a/b", wanted, "mine")]
    assert "2 instants" in out


def test_a_length_of_time_counts_back_from_now(client: Noting) -> None:
    run("backfill", "b", "--from", "2h", "--only", "all")

    command = client.orders[0].command
    assert isinstance(command, Backfill)
    assert command.first is not None
    assert command.last is not None
    assert 0 <= command.last - command.first - 2 * HOUR < 60_000_000
    assert client.orders[0].schedule == "b/b"


def test_what_is_missing_is_named(client: Noting, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = choosing(monkeypatch, Chosen([NOON, NOON + HOUR], 1_000))
    code, _, _ = run("backfill", "a/b", *RANGE, "--dry-run")

    assert code == 0
    assert asked == [("a/b", (NOON, NOON + HOUR), 1_000, False)]
    assert [order.command for order in client.orders] == [
        Backfill(None, None, (NOON, NOON + HOUR), dry_run=True)
    ]


def test_what_failed_elsewhere_or_before_is_told(
    client: Noting, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = choosing(monkeypatch, Chosen([NOON, NOON + HOUR], 1, 3))
    code, _, err = run("backfill", "a/b", *RANGE, "--only", "failed", "--max", "1")

    assert (code, asked[0][-1]) == (0, True)
    assert "1 older ones are left out" in err
    assert "3 others failed at instants that the calendar does not have now" in err
    assert [order.command for order in client.orders] == [Backfill(instants=(NOON + HOUR,), most=1)]


@pytest.mark.parametrize("watch", [False, True])
def test_what_was_asked_for_under_an_id_is_not_looked_for_again(
    client: Noting,
    monkeypatch: pytest.MonkeyPatch,
    watch: bool,
) -> None:
    """By now something else is missing: it would be another order under the same id."""
    asked = choosing(monkeypatch, Chosen([NOON], 1_000))
    watching(monkeypatch, cancelled=False)
    begun = [Followed("mine.7", 1, 3)]
    monkeypatch.setattr(following, "begun_before", lambda *_: begun)
    more = ("--watch",) if watch else ()
    code, out, _ = run("backfill", "a/b", *RANGE, "--id", "mine", *more)

    assert (code, asked, client.orders) == (0, [], [])
    count = "2 of 2" if watch else "1 of 3"
    assert out == f"backfill mine.7: {count} instants had their turn\n"


@pytest.mark.parametrize("newest_first", [False, True])
def test_many_are_asked_for_in_several_orders(
    client: Noting, monkeypatch: pytest.MonkeyPatch, newest_first: bool
) -> None:
    many = [NOON + i * HOUR for i in range(2_500)]
    choosing(monkeypatch, Chosen(many, 16_000))
    monkeypatch.setattr(following, "begun_before", lambda *_: [])
    more = ("--newest-first",) if newest_first else ()
    run("backfill", "a/b", *RANGE, "--max", "16000", "--id", "mine", *more)

    found = [one.command.instants for one in client.orders if isinstance(one.command, Backfill)]
    parts = [tuple(many[:1_000]), tuple(many[1_000:2_000]), tuple(many[2_000:])]
    assert found == (parts[::-1] if newest_first else parts)
    assert [order.id for order in client.orders] == ["mine-1", "mine-2", "mine-3"]


def test_if_nothing_is_missing_nothing_is_asked(
    client: Noting, monkeypatch: pytest.MonkeyPatch
) -> None:
    choosing(monkeypatch, Chosen([], 1_000))

    assert run("backfill", "a/b", *RANGE)[:2] == (
        *(0, "a/b: nothing is missing there that could run once more\n"),
    )
    assert json.loads(run("backfill", "a/b", *RANGE, "-o", "json")[1]) == {
        "schedule": "a/b", "replies": [], "backfills": [],
    }  # fmt: skip
    assert client.orders == []


def test_of_a_schedule_that_is_not_there_nothing_is_asked(
    client: Noting, monkeypatch: pytest.MonkeyPatch
) -> None:
    choosing(monkeypatch, Chosen([], 1_000, is_known=False))

    assert run("backfill", "a/b", *RANGE)[::2] == (1, "horae: there is no schedule a/b\n")
    assert client.orders == []


def watching(monkeypatch: pytest.MonkeyPatch, *, cancelled: bool) -> list[str]:
    """Let whatever is followed end; who was looked for in the past."""
    looked: list[str] = []

    def follow(_: object, found: list[Followed], __: object) -> None:
        for one in found:
            one.done, one.total, one.ended, one.cancelled = 2, 2, True, cancelled

    def look_back(_: object, schedule: str, __: object) -> None:
        looked.append(schedule)

    monkeypatch.setattr(following, "follow", follow)
    monkeypatch.setattr(following, "look_back", look_back)
    return looked


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize("cancelled", [False, True])
def test_who_watches_is_told_how_it_ended(monkeypatch: pytest.MonkeyPatch, cancelled: bool) -> None:
    looked = watching(monkeypatch, cancelled=cancelled)
    code, out, _ = run(*ALL, "--watch", "--id", "mine", "-o", "json")

    assert code == int(cancelled)
    assert looked == ["a/b"]
    assert json.loads(out)["backfills"] == [
        {"id": "mine.77", "done": 2, "total": 2, "cancelled": cancelled, "reason": None}
    ]


def test_a_new_one_is_not_looked_for_in_the_past(
    client: Noting, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = watching(monkeypatch, cancelled=False)
    code, out, _ = run(*ALL, "--watch")

    assert (code, looked) == (0, [])
    assert out.splitlines()[-1] == (
        f"backfill {client.orders[0].id}.77: 2 of 2 instants had their turn"
    )


def test_a_refusal_ends_with_1_and_is_not_followed(
    client: Noting, monkeypatch: pytest.MonkeyPatch
) -> None:
    watching(monkeypatch, cancelled=False)
    client.verdict = Verdict.REFUSED
    code, out, err = run(*ALL, "--watch")

    assert (code, out) == (1, "")
    assert "no instant lies there" in err


WRONG = {
    "a range backwards": (("--from", "1d", "--to", "2d"), "--to: must not be earlier"),
    "too many of all": (("--from", "1d", "--only", "all", "--max", "1001"), "--max: with --only"),
    "no beginning": ((), "--from"),
    "a beginning that is none": (("--from", "soon"), "--from"),
}


@pytest.mark.parametrize(("options", "named"), WRONG.values(), ids=WRONG.keys())
def test_wrong_usage_is_named(client: Noting, options: tuple[str, ...], named: str) -> None:
    code, out, err = run("backfill", "a/b", *options)

    assert (code, out, client.orders) == (2, "", [])
    assert named in err


def test_a_cancel_is_an_order_too(client: Noting) -> None:
    code, _, _ = run("backfill", "cancel", "b", "mine", "-r", "enough")

    assert code == 0
    assert [(one.schedule, one.command) for one in client.orders] == [
        ("b/b", CancelBackfill("mine", "enough"))
    ]
