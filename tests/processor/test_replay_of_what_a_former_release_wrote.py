"""A ledger of a former release is decided again by all that its records noted, and no more."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

from fastavro import schemaless_writer

from schemas.codec import encode_event
from schemas.commands import Define
from schemas.events import Deferred
from schemas.registry import KNOWN
from streams.decider.state import Target
from streams.processor.recorded import Kept, Mismatch, kept
from streams.processor.replay import replay_partition
from tests.processor.desk import HOUR, HOURLY, Desk
from tests.schemas.made import plain


def put_off() -> tuple[Desk, list[Kept]]:
    """An occurrence that is deferred, in the records of that day."""
    desk = Desk()
    desk.ask("shop/a", Define(HOURLY))
    desk.step()
    desk.targets["jobs"] = Target(fault="no leader")
    desk.pass_time(HOUR)
    return desk, desk.ledger()


def without_wall(record: Kept) -> Kept:
    """The same in the bytes of the version that did not note wall times."""
    written = [one for one in KNOWN if one.name == "Deferred" and not one.current][-1]
    fields = {"stamp": plain(record.stamp), **plain(record.event)}
    body = BytesIO()
    schemaless_writer(body, written.schema, fields)
    return kept(record.key, written.header + body.getvalue())


def differences(desk: Desk, ledger: list[Kept]) -> list[Mismatch]:
    return replay_partition(ledger, dict(enumerate(desk.inbox)), desk.told, desk.partitions)


def test_what_it_did_not_note_is_no_difference() -> None:
    desk, (defined, deferred) = put_off()
    old = without_wall(deferred)

    assert isinstance(old.event, Deferred)
    assert old.event.wall is None
    assert differences(desk, [defined, old]) == []


def test_what_it_did_note_is_compared() -> None:
    desk, (defined, deferred) = put_off()
    assert isinstance(deferred.event, Deferred)
    other = replace(deferred.event, until=deferred.event.until + 1)

    (found,) = differences(desk, [defined, without_wall(deferred._replace(event=other))])

    assert found.fault.startswith("Deferred: until was")
    assert "wall" not in found.fault


def test_a_wall_time_that_is_noted_is_compared() -> None:
    desk, (defined, deferred) = put_off()
    assert isinstance(deferred.event, Deferred)
    other = replace(deferred.event, wall=0)
    wrong = Kept(deferred.key, encode_event(other, deferred.stamp), other, deferred.stamp)

    (found,) = differences(desk, [defined, wrong])

    assert found.fault.startswith("Deferred: wall was 0, is")
