"""
Rule 9: does a record that cannot be read hold up its partition?

It goes to horae.rejected with its bytes, its origin and the error, and the partition goes on; one
in the wrong partition is copied to the right one, once. What is unknown in our own tables is worse:
that partition stops, loudly, and no other.
"""

from __future__ import annotations

import pytest

from schemas.codec import encode, pack_cursor
from schemas.commands import Define, Trigger
from schemas.events import ScheduleDefined
from schemas.faults import Unreadable
from schemas.identity import partition_of
from schemas.reading import command_record
from schemas.rejected import KEPT_BYTES
from schemas.replies import Verdict
from schemas.snapshot import Cursor, Owner
from schemas.topics import COMMANDS, SCHEDULES, STATE
from streams.clock import Deadline
from streams.processor.partitions import Partition
from streams.processor.takeover import TakeOver, fill
from tests.processor.cluster import Cluster
from tests.processor.desk import NOON
from tests.processor.lives import (
    Life,
    far_ahead,
    living,
    now,
    once,
    step_for,
    step_until,
    until_firing,
)

pytestmark = pytest.mark.broker

AVRO = encode(Define(far_ahead("out")))
UNREADABLE: dict[str, tuple[bytes | None, bytes | None]] = {
    "the bytes hello": (b"{s}/a", b"hello"),
    "a wrong magic": (b"{s}/a", b"\xc3\x02" + AVRO[2:]),
    "an unknown schema": (b"{s}/a", AVRO[:2] + b"\0" * 8 + AVRO[10:]),
    "another message": (b"{s}/a", encode(Trigger())),
    "truncated Avro": (b"{s}/a", AVRO[:-3]),
    "a null key": (None, AVRO),
    "an empty value": (b"{s}/a", b""),
    "an empty key": (b"", AVRO),
    "a key that is no text": (b"\xff\xfe/a", AVRO),
    "an unknown kind": (b"{s}/a#dance:1", AVRO),
    "a megabyte": (b"{s}/a", b"x" * 1_000_000),
    "JSON with an end missing": (b"{s}/a", b'{"once": '),
}


@pytest.mark.case("KAF-033", "KAF-050")
def test_what_cannot_be_read_is_kept_and_the_partition_goes_on(cluster: Cluster) -> None:
    out = cluster.target()
    subject = cluster.subject(0)
    with living(cluster) as life:
        until_firing(cluster, life)
        cluster.define(f"{subject}/a", far_ahead(out))
        # our own inbox refuses a null key; one that somebody set up otherwise does not
        cluster.alter(COMMANDS, "cleanup.policy", "delete")
        sent = {}
        for key, value in UNREADABLE.values():
            whole = key and key.replace(b"{s}", subject.encode())
            sent[cluster.send(whole, value, partition=0)] = whole, value
        cluster.define(f"{subject}/b", once(out, now()))
        step_until(lambda: cluster.read(out), life)
        assert life.processor.serving.schedules() == 2, "the schedule is left as it was"
        assert life.firing == {0, 1}
        assert life.metrics.rejects._value.get() == len(sent)

    found = {one.offset: one for one in cluster.rejected()}
    assert set(found) == set(sent)
    for offset, (key, value) in sent.items():
        kept = found[offset]
        assert (kept.topic, kept.partition, kept.key) == (COMMANDS, 0, key)
        assert kept.value == (value or b"")[:KEPT_BYTES]
        assert kept.size == len(value or b"")
        assert kept.error
    assert len(cluster.events(ScheduleDefined)) == 2


def test_a_command_in_the_wrong_partition_is_copied_once_decided_and_answered(
    cluster: Cluster,
) -> None:
    out = cluster.target()
    schedule = f"{cluster.subject(0)}/a"
    key, value = command_record(schedule, Define(once(out, now())), "me")
    headers: list[tuple[str, str | bytes | None]]
    headers = [("horae-id", "me"), ("horae-actor", "user:ann"), ("mine", b"\xff")]
    with living(cluster) as life:
        until_firing(cluster, life)
        offset = cluster.send(key, value, partition=1, headers=headers)
        step_until(lambda: cluster.read(out), life)
        step_for(0.2, life)

    [copy] = [one for one in cluster.read(COMMANDS) if one.partition == 0]
    assert copy.headers["horae-forwarded"] == f"1.{offset}".encode()
    assert copy.headers["mine"] == b"\xff"
    [reply] = cluster.replies()["me"]
    assert (reply.verdict, reply.partition) == (Verdict.ACCEPTED, 0)
    [defined] = cluster.events(ScheduleDefined)
    assert defined.event.version == copy.offset  # type: ignore[union-attr]
    assert defined.stamp.actor == "user:ann"
    assert len(cluster.read(out)) == 1


def test_a_copy_that_is_still_misplaced_is_rejected_and_never_goes_round(
    cluster: Cluster,
) -> None:
    schedule = f"{cluster.subject(0)}/a"
    key, value = command_record(schedule, Define(far_ahead(cluster.target())), "me")
    with living(cluster) as life:
        until_firing(cluster, life)
        cluster.send(key, value, partition=1, headers=[("horae-forwarded", b"0.7")])
        step_until(cluster.rejected, life)
        step_for(0.2, life)

    [kept] = cluster.rejected()
    assert "belongs into partition 0" in kept.error
    assert len(cluster.read(COMMANDS)) == 1


def test_a_misplaced_record_that_no_copy_could_hold_is_rejected(cluster: Cluster) -> None:
    schedule = f"{cluster.subject(0)}/a"
    with living(cluster) as life:
        until_firing(cluster, life)
        cluster.send(schedule.encode(), b"{" + b" " * 1_048_000, partition=1)
        cluster.define(f"{cluster.subject(1)}/b", far_ahead(cluster.target()))
        step_until(lambda: cluster.events(ScheduleDefined), life, within=5)

    [kept] = cluster.rejected()
    assert "too large" in kept.error
    assert life.aborts("AbortBatch") == 0


@pytest.mark.parametrize(
    ("topic", "key", "value"),
    [
        (STATE, b"z|later", b"a kind of a newer version"),
        (STATE, b"", b"no key"),
        (STATE, b"o|0", b"no owner"),
        (STATE, b"p|\xff", b"no text"),
        (SCHEDULES, b"\xff/a", b"no text"),
    ],
)
def test_what_our_own_tables_may_not_hold_is_noticed(topic: str, key: bytes, value: bytes) -> None:
    take_over = TakeOver(0, Deadline.after(1), {}, {}, 1)
    take_over.tables[topic][key] = value

    with pytest.raises((Unreadable, UnicodeDecodeError)):
        fill(Partition(0, take_over.owner or Owner("", 0, "topic", 0, 0, -1, 0)), take_over)


_CURSOR = pack_cursor(Cursor(0, 0, NOON, NOON, 0, 0, 0, 0, 0))


@pytest.mark.parametrize(
    "cursor",
    [b"", _CURSOR[:41], _CURSOR[:57], _CURSOR + b"\0", bytes(10) + _CURSOR[10:]],
    ids=["nothing", "cut off early", "cut off late", "too long", "of a later release"],
)
def test_a_cursor_that_cannot_be_read_is_noticed_before_anything_is_made_of_it(
    cursor: bytes,
) -> None:
    """Its parts are read where they lie, and a fire writes over it."""
    take_over = TakeOver(0, Deadline.after(1), {}, {}, 1)
    take_over.tables[SCHEDULES][b"s0/a"] = b"a row"
    take_over.tables[STATE][b"p|s0/a"] = cursor

    with pytest.raises(Unreadable):
        fill(Partition(0, Owner("", 0, "topic", 0, 0, -1, 0)), take_over)


@pytest.mark.case("KAF-054")
@pytest.mark.parametrize(
    ("topic", "key", "value"),
    [
        (STATE, b"z|later", b"a kind of a newer version"),
        (SCHEDULES, b"s0/a", b"no cursor for this row"),
    ],
    ids=["unknown kind", "half a schedule"],
)
def test_what_is_unknown_in_our_own_tables_stops_that_partition_and_no_other(
    cluster: Cluster, topic: str, key: bytes, value: bytes | None
) -> None:
    out = cluster.target()
    for number in range(2):
        cluster.define(f"{cluster.subject(number)}/x", far_ahead(out))
    with living(cluster) as life:
        until_firing(cluster, life)
        step_until(lambda: life.processor.serving.schedules() == 2, life)
    cluster.send(key, value, topic=topic, partition=0)
    with living(cluster) as life:
        step_until(lambda: _is_split(life), life)
        cluster.define(f"{cluster.subject(1)}/b", once(out, now()))
        step_until(lambda: cluster.read(out), life)
        wrong = life.processor.reporter.health()
        assert life.processor.serving.schedules() == 2, "all of the other partition is there"

    assert set(wrong) == {"partition 0"}
    assert "partition 0" in wrong["partition 0"]


def test_a_row_that_cannot_be_read_stops_its_partition_when_it_is_due(cluster: Cluster) -> None:
    """Rows are not decoded before they are needed: that keeps a restore short."""
    out = cluster.target()
    spoiled = f"{cluster.subject(0)}/a"
    with living(cluster) as life:
        until_firing(cluster, life)
        cluster.define(spoiled, once(out, now() + 1_500_000))
        cluster.define(f"{cluster.subject(1)}/b", once(out, now() + 4_000_000, value=b"b"))
        step_until(lambda: life.processor.serving.schedules() == 2, life)
    cluster.send(spoiled.encode(), b"no row", topic=SCHEDULES, partition=0)
    with living(cluster) as life:
        step_until(lambda: life.processor.serving.stopped, life)
        step_until(lambda: cluster.read(out), life)
        assert set(life.processor.serving.stopped) == {0}

    assert [one.value for one in cluster.read(out)] == [b"b"]


@pytest.mark.case("KAF-025")
def test_a_key_is_hashed_as_the_java_client_does() -> None:
    numbers = {"job-1": 2, "job-2": 0, "job-3": 0, "nightly-report": 3, "schedule:42": 1}

    assert {key: partition_of(key, 6) for key in numbers} == numbers


def _is_split(life: Life) -> bool:
    return life.firing == {1} and set(life.processor.serving.stopped) == {0}
