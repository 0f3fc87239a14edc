"""
Can one record that nobody foresaw end a process, or hold up its partition for ever?

It is parked with the reason, and the others go on. What cannot be read for a reason that is known
is test_intake.py.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from schemas.commands import Asked
from schemas.definition import SECOND, Definition, Emit, Interval
from schemas.topics import EVENTS, MAX_MESSAGE_BYTES, REPLIES
from streams.faults import Indigestible
from streams.processor import batch as batches
from streams.processor.batch import Batch
from streams.processor.draft import Draft
from streams.processor.express import Express
from streams.processor.inbox import _record
from streams.processor.intake import Heard, InboxRecord, Misplaced, Spoiled, take_in
from streams.processor.partitions import Rung
from streams.processor.suspects import MOST_RECORDS, Suspects, told
from streams.processor.transaction import producer_options
from streams.settings import ProcessorSettings
from tests.processor.cluster import Cluster
from tests.processor.lives import living, now, once, step_until, until_firing

NOT_UTF_8 = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")


class Odd:
    """A record as the client gives it, whose headers perhaps it cannot give."""

    def __init__(self, fault: Exception | None) -> None:
        self.fault = fault

    def partition(self) -> int:
        return 0

    def offset(self) -> int:
        return 7

    def timestamp(self) -> tuple[int, int]:
        return 1, 5

    def key(self) -> bytes:
        return b"shop/a"

    def value(self) -> None:
        return None

    def headers(self) -> None:
        if self.fault is not None:
            raise self.fault


@pytest.mark.parametrize("fault", [NOT_UTF_8, SystemError("returned with an exception set")])
def test_a_header_whose_name_is_no_text_spoils_its_record(fault: Exception) -> None:
    found = take_in(_record(Odd(fault)), 1, 0)

    assert isinstance(found, Spoiled)
    assert "header" in found.error
    kept = found.rejected(9)
    assert (kept.offset, kept.key, kept.appended_at) == (7, b"shop/a", 5_000)


def test_one_without_headers_is_a_command() -> None:
    assert isinstance(take_in(_record(Odd(None)), 1, 0), Asked)


# ---------------------------------------------------------------------- which one is it


def records(first: int, count: int) -> list[InboxRecord]:
    return [InboxRecord(0, first + n, 0, b"shop/a", None) for n in range(count)]


@pytest.mark.parametrize("guilty", [0, 1, 500, 998, 999])
def test_the_one_record_that_no_batch_can_hold_is_found_by_halves(guilty: int) -> None:
    suspects, here, dropped, parked = Suspects(), 0, 0, []
    while here < 1_000:
        read = [suspects.marked(one) for one in records(here, min(suspects.most, 1_000 - here))]
        if any(one.offset == guilty and not one.fault for one in read):
            assert suspects.suspect(read, Indigestible("too large")) is None
            dropped += 1
            continue
        parked += [one.offset for one in read if one.fault]
        here = read[-1].offset + 1
        suspects.passed({0: here}.get)

    assert parked == [guilty]
    assert dropped <= 11
    assert suspects.most == MOST_RECORDS


def test_one_that_is_known_is_marked_at_once() -> None:
    suspects, read = Suspects(), records(0, 10)
    suspects.suspect(read, Indigestible("KeyError: 'x'", (0, 3)))

    assert [one.offset for one in map(suspects.marked, read) if one.fault] == [3]
    assert suspects.most == MOST_RECORDS


def test_a_partition_stops_for_what_cannot_even_be_parked_and_where_no_record_is_to_blame() -> None:
    suspects, fault = Suspects(), Indigestible("too large", (1, 3))

    assert suspects.suspect([], fault) is None
    assert suspects.suspect([], fault) == 1
    assert suspects.suspect([], Indigestible("too large", partition=2)) == 2


def test_what_a_fault_says_can_be_written_whatever_it_is() -> None:
    assert told(KeyError("\ud800")).encode()


def test_the_client_lets_pass_what_our_topics_take() -> None:
    options = producer_options(ProcessorSettings(), "p")

    assert options["message.max.bytes"] > MAX_MESSAGE_BYTES


# ---------------------------------------------------------------------- on a broker


@pytest.mark.broker
@pytest.mark.parametrize("topic", [EVENTS, REPLIES])
def test_what_one_of_our_topics_finds_too_large_is_parked_and_the_rest_is_answered(
    cluster: Cluster, topic: str
) -> None:
    out = cluster.target()
    with living(cluster) as life:
        until_firing(cluster, life)
        cluster.alter(topic, "max.message.bytes", "1000")
        before = [cluster.subject(0, n) + "/ok" for n in range(3)]
        for schedule in before:
            cluster.define(schedule, once(out, now()), schedule)
        offset = cluster.send(
            f"{cluster.subject(0)}/bad#pause:1".encode(), b'{"%b": 1}' % (b"r" * 3_000), partition=0
        )
        cluster.define(f"{cluster.subject(0)}/last", once(out, now()), "last")
        step_until(lambda: len(cluster.read(out)) == 4, life)
        assert life.firing == {0, 1}

    assert set(cluster.replies()) == {*before, "last"}
    [kept] = cluster.rejected()
    assert kept.offset == offset
    assert topic in kept.error


@pytest.mark.broker
def test_a_record_on_which_the_code_fails_is_parked_and_leaves_no_trace(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = cluster.target()

    def fails(
        record: InboxRecord, partitions: int, base: int
    ) -> Asked | Heard | Misplaced | Spoiled:
        if record.fault is None and (record.key or b"").endswith(b"/bad"):
            raise RuntimeError("nobody thought of this")
        return take_in(record, partitions, base)

    monkeypatch.setattr(batches, "take_in", fails)
    with living(cluster) as life:
        until_firing(cluster, life)
        cluster.define(f"{cluster.subject(0)}/first", once(out, now()))
        offset = cluster.define(f"{cluster.subject(0)}/bad", once(out, now()))
        cluster.define(f"{cluster.subject(0)}/last", once(out, now()))
        step_until(lambda: len(cluster.read(out)) == 2, life)
        assert life.firing == {0, 1}

    [kept] = cluster.rejected()
    assert (kept.offset, kept.error) == (offset, "RuntimeError: nobody thought of this")
    cluster.require_each_once(out)


@pytest.mark.broker
@pytest.mark.parametrize(
    ("way", "fires", "definition"),
    [
        (Batch, "_let_decide", lambda out: once(out, now() + SECOND // 2)),
        (Express, "_fire", lambda out: Definition((Interval(micros=SECOND),), Emit(out))),
    ],
    ids=["by the decider", "plainly"],
)
def test_a_timer_on_which_the_code_fails_stops_its_partition_and_no_other(
    cluster: Cluster,
    monkeypatch: pytest.MonkeyPatch,
    way: type,
    fires: str,
    definition: Callable[[str], Definition],
) -> None:
    out = cluster.target()
    bad, right = f"{cluster.subject(0)}/bad", getattr(way, fires)

    def fails(self: object, draft: Draft, rung: Rung, *rest: object) -> object:
        if rung[1] == bad:
            raise RuntimeError("nobody thought of this")
        return right(self, draft, rung, *rest)

    monkeypatch.setattr(way, fires, fails)
    with living(cluster) as life:
        until_firing(cluster, life)
        cluster.define(bad, definition(out))
        cluster.define(f"{cluster.subject(1)}/good", once(out, now() + SECOND // 2))
        step_until(lambda: cluster.read(out) and life.processor.serving.stopped, life)
        assert life.firing == {1}
        assert "nobody thought of this" in life.processor.reporter.health()["partition 0"]
