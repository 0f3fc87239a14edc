"""Every message comes back from its bytes as it went in, and fastavro writes the same bytes."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from io import BytesIO
from typing import Any

import pytest
from fastavro import schemaless_writer
from hypothesis import given
from hypothesis import strategies as st

from schemas import binary, row_bytes
from schemas.codec import Recorded, decode, decode_as, decode_event, encode, encode_event
from schemas.commands import Pause, ReleaseSubject, Trigger
from schemas.cursor_bytes import CURSOR_BYTES, cursor_due, pack_cursor, unpack_cursor
from schemas.definition import Cron, Definition, Emit
from schemas.events import Fired, GlobalChanged, Outcome, ScopeResult, Stamp
from schemas.faults import Unreadable, Unwritable
from schemas.globals import GlobalSettings
from schemas.registry import KNOWN
from schemas.schedule import ScheduleRow, Status
from schemas.shapes import record_shape
from schemas.snapshot import Cursor, WallTime
from tests.schemas.made import EVENTS, MESSAGES, cursors, made, messages, plain, stamps

CURRENT = {known.name: known for known in KNOWN if known.current}
NOW = 1_796_000_000_123_456
STAMP = Stamp(NOW, 3, None, -1, 7, "schedule:a/b")
FIRED = Fired(
    "a/b", 5, 5, NOW, NOW, NOW, 0, None, False, (ScopeResult("a", "jr_1", Outcome.STARTED),), 1, 2
)
ROW = ScheduleRow(
    1, 1, NOW, NOW, "service:x", Status.ENABLED, Definition((Cron("* * * * *"),), Emit("t"))
)


def by_fastavro(name: str, record: Any) -> bytes:
    body = BytesIO()
    schemaless_writer(body, CURRENT[name].schema, record, strict=True)
    return CURRENT[name].header + body.getvalue()


@pytest.mark.parametrize("cls", MESSAGES)
@given(data=st.data())
def test_a_message_is_read_as_it_was_written(cls: type, data: st.DataObject) -> None:
    message = data.draw(made(cls))

    written = encode(message)

    assert decode(written) == message
    assert written == by_fastavro(cls.__name__, plain(message))


@pytest.mark.parametrize("cls", EVENTS)
@given(data=st.data())
def test_an_event_is_read_with_its_stamp(cls: type, data: st.DataObject) -> None:
    event, stamp = data.draw(made(cls)), data.draw(stamps)

    written = encode_event(event, stamp)

    assert decode_event(written) == Recorded(event, stamp)
    assert type(decode_event(written).event) is cls
    assert written == by_fastavro(cls.__name__, {"stamp": plain(stamp), **plain(event)})


@given(cursor=cursors)
def test_a_cursor_is_read_as_it_was_packed(cursor: Cursor) -> None:
    packed = pack_cursor(cursor)

    assert unpack_cursor(packed) == cursor
    assert cursor_due(packed) == cursor.due
    assert encode(cursor) == packed
    assert decode_as(packed, Cursor) == cursor
    waiting = cursor.waiting and plain(cursor.waiting)
    fields = {"packed": packed[10 : CURSOR_BYTES - 1], "waiting": waiting}
    assert packed == by_fastavro("Cursor", fields)


def test_rows_met_before_are_read_as_well_and_share_their_parts() -> None:
    first, second = (decode_as(encode(replace(ROW, version=v)), ScheduleRow) for v in (2, 3))

    assert (first.version, second.version) == (2, 3)
    assert first.definition == second.definition == ROW.definition
    assert first.definition.timings is second.definition.timings
    assert first.definition.catch_up is second.definition.catch_up


def test_a_memo_that_is_full_starts_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binary, "MEMO_ENTRIES", 2)
    monkeypatch.setattr(row_bytes, "MEMO_ENTRIES", 2)
    for i in range(5):
        cron = (Cron(f"{i} * * * *"),)
        row = replace(ROW, definition=replace(ROW.definition, timings=cron, zone=f"Z/{i}"))
        fired = FIRED._replace(nominal=NOW + i)

        assert decode(encode(row)) == row
        assert decode_event(encode_event(fired, STAMP)).event == fired


def test_a_class_and_a_schema_that_differ_are_found_when_they_are_loaded() -> None:
    with pytest.raises(Unwritable, match="different fields"):
        record_shape(Pause, [{"name": "reason", "type": "string"}], {})
    how = {"type": "enum", "name": "How", "symbols": ["other"]}
    with pytest.raises(Unwritable, match="different symbols"):
        record_shape(ReleaseSubject, [{"name": "reason", "type": how}], {"How": Outcome})
    many = StrEnum("Many", [f"S{i}" for i in range(65)])  # type: ignore[misc]
    how["symbols"] = [member.value for member in many]
    with pytest.raises(Unwritable, match="more symbols"):
        record_shape(ReleaseSubject, [{"name": "reason", "type": how}], {"How": many})


@given(message=messages, cut=st.integers(1, 40))
def test_a_message_that_is_cut_off_is_unreadable(message: Any, cut: int) -> None:
    written = encode(message)

    with pytest.raises(Unreadable):
        decode(written[:-cut])


@given(message=messages, more=st.binary(min_size=1, max_size=3))
def test_bytes_after_the_end_are_unreadable(message: Any, more: bytes) -> None:
    with pytest.raises(Unreadable, match="after the end"):
        decode(encode(message) + more)


@given(cls=st.sampled_from(sorted(CURRENT)), body=st.binary(max_size=60))
def test_no_bytes_do_more_than_to_be_unreadable(cls: str, body: bytes) -> None:
    """KAF-050."""
    with suppress(Unreadable):
        found = decode(CURRENT[cls].header + body)
        assert type(found.event if isinstance(found, Recorded) else found).__name__ == cls


@pytest.mark.parametrize(
    ("data", "why"),
    {
        "nothing": (b"", "begins with nothing"),
        "a text": (b"hello", "begins with 6865"),
        "a wrong magic byte": (b"\xc3\x02" + bytes(8), "begins with c302"),
        "half a header": (b"\xc3\x01\x00", "inside its header"),
        "an unknown schema": (b"\xc3\x01" + bytes(8) + b"x", "fingerprint 0000000000000000"),
        "a number without end": (CURRENT["Pause"].header + b"\xff" * 1000, "more than 64 bits"),
        "65 bits": (CURRENT["Pause"].header + b"\xff" * 9 + b"\x02", "more than 64 bits"),
        "a negative length": (CURRENT["Pause"].header + b"\x01", "over the end"),
        "no UTF-8": (CURRENT["Trigger"].header + b"\x02\xff", "not UTF-8"),
        "no such branch": (CURRENT["Pause"].header + b"\x00\x04", "no branch"),
        "no such symbol": (CURRENT["Reply"].header + b"\x00\x00\x63", "no symbol"),
        "no truth value": (CURRENT["Hold"].header + b"\x02", "no truth value"),
    }.values(),
)
def test_what_is_no_message_is_unreadable_and_says_why(data: bytes, why: str) -> None:
    """KAF-050."""
    with pytest.raises(Unreadable, match=why):
        decode(data)


@pytest.mark.parametrize("length", [0, 63, 64, 127, 128, 20_000, 3_000_000])
def test_texts_and_lists_of_any_length_come_back(length: int) -> None:
    settings = GlobalSettings(("x" * length, *("y",) * (length // 100)), NOW)

    assert decode(encode(settings)) == settings


@pytest.mark.parametrize("bits", range(64))
def test_numbers_of_any_length_come_back(bits: int) -> None:
    for number in ((1 << bits) - 1, -(1 << bits)):
        assert decode(encode(Pause(until=number))) == Pause(until=number)


def test_a_message_of_another_type_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="Pause where Trigger was expected"):
        decode_as(encode(Pause()), Trigger)


def test_arrays_in_sized_blocks_as_other_writers_have_them_are_read() -> None:
    written = b"\x01\x04\x02a\x02\x02b\x00" + b"\x02\x00" + bytes(7)
    settings = CURRENT["GlobalSettings"].header + written

    assert decode(settings).emit_topics == ("a", "b")  # type: ignore[union-attr]


def test_scopes_in_sized_blocks_as_other_writers_have_them_are_read() -> None:
    usual = encode_event(FIRED, STAMP)
    block = usual[usual.index(b"\x02\x02a\x08jr_1") :][1:10]
    sized = usual.replace(b"\x02" + block, b"\x01" + bytes([2 * len(block)]) + block)

    assert sized != usual
    assert decode_event(sized) == Recorded(FIRED, STAMP)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (b"jr_1\x02\x00", b"jr_1\x64\x00", "no symbol"),
        (b"jr_1\x02\x00", b"jr_1\x02\x04", "no branch"),
        (b"jr_1\x02\x00", b"jr_1\x02\x02", "no symbol"),
    ],
)
def test_a_fire_with_spoiled_scopes_is_unreadable(old: bytes, new: bytes, why: str) -> None:
    usual = encode_event(FIRED._replace(next=49), STAMP)  # whose number is no symbol of a reason

    with pytest.raises(Unreadable, match=why):
        decode_event(usual.replace(old + b"\x00", new + b"\x63"))


@pytest.mark.parametrize(
    "wrong",
    {
        "text for a number": Pause(until="soon"),  # type: ignore[arg-type]
        "a truth value for a number": Pause(until=True),
        "a number for text": Pause(reason=7),  # type: ignore[arg-type]
        "nothing for text": Pause(reason=None),  # type: ignore[arg-type]
        "more than 64 bits": Pause(until=1 << 63),
        "less than 64 bits": Pause(until=-(1 << 63) - 1),
        "a lone surrogate": Pause(reason="\ud800"),
        "text for an enum": replace(ROW, status="enabled"),  # type: ignore[arg-type]
        "no record": replace(ROW, definition="x"),  # type: ignore[arg-type]
        "a list": replace(ROW, definition=replace(ROW.definition, timings=[])),  # type: ignore[arg-type]
        "a header of three": replace(
            ROW,
            definition=replace(ROW.definition, action=Emit("t", headers=(("a", b"", b""),))),  # type: ignore[arg-type]
        ),
        "no message": Outcome.STARTED,
        "an event": GlobalChanged("hold", 1, ""),
        "a cursor out of range": Cursor(1 << 63, 0, 0, 0, 0, 0, 0, 0, 0),
    }.values(),
)
def test_what_the_schema_does_not_allow_is_not_written(wrong: Any) -> None:
    """AVR-008, AVR-010."""
    with pytest.raises(Unwritable):
        encode(wrong)


@pytest.mark.parametrize(
    ("event", "stamp"),
    [
        (FIRED._replace(nominal="x"), STAMP),  # type: ignore[arg-type]
        (FIRED._replace(schedule="\ud800"), STAMP),
        (FIRED._replace(late=2), STAMP),  # type: ignore[arg-type]
        (FIRED._replace(version=1 << 64), STAMP),
        (FIRED, STAMP._replace(actor=None)),  # type: ignore[arg-type]
        (GlobalChanged("hold", 1, ""), STAMP._replace(partition=1 << 31)),
        (GlobalChanged("hold", 1, "\ud800"), STAMP),
        (Pause(), STAMP),
    ],
)
def test_an_event_that_its_schema_does_not_allow_is_not_written(event: Any, stamp: Stamp) -> None:
    with pytest.raises(Unwritable):
        encode_event(event, stamp)


_AT_REST = pack_cursor(Cursor(*range(9)))
_WAITING = pack_cursor(Cursor(*range(9))._replace(waiting=WallTime(NOW, 1)))


@pytest.mark.parametrize(
    "data",
    [
        *(b"", bytes(CURSOR_BYTES), encode(Pause()), _AT_REST[:-1], _AT_REST + b"\0"),
        *(_AT_REST[:-1] + b"\2", _AT_REST[:-1] + b"\4" + _WAITING[CURSOR_BYTES:]),
        *(_WAITING[:-1], _WAITING + b"\0", _AT_REST + _WAITING[CURSOR_BYTES:]),
    ],
)
def test_what_is_no_cursor_is_unreadable(data: bytes) -> None:
    with pytest.raises(Unreadable):
        unpack_cursor(data)


def test_instants_keep_their_microseconds() -> None:
    """AVR-007."""
    assert decode(encode(Pause(until=NOW))) == Pause(until=NOW)
