"""What was ever written is read for ever, by the schema that wrote it."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from fastavro import parse_schema, schemaless_writer

from schemas import codec
from schemas.actions import Exec
from schemas.codec import Message, Recorded, decode, encode, encode_event
from schemas.commands import Define, Pause
from schemas.definition import DAY
from schemas.events import Deferred, Reason
from schemas.faults import Unreadable
from schemas.policies import Filter, FilterKind, Scope
from schemas.registry import FOLDER, KNOWN, Known, header_of, load, plain
from tests.schemas.golden_values import FOLDER as GOLDEN_FOLDER
from tests.schemas.golden_values import GOLDEN


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_bytes_mean_what_they_meant(name: str) -> None:
    """AVR-004: symbols that changed their places would be read as others here."""
    golden = bytes.fromhex((GOLDEN_FOLDER / f"{name}.hex").read_text())

    assert decode(golden) == GOLDEN[name]


@pytest.mark.parametrize("name", GOLDEN)
def test_the_current_version_still_writes_the_golden_bytes(name: str) -> None:
    golden = bytes.fromhex((GOLDEN_FOLDER / f"{name}.hex").read_text())
    message = GOLDEN[name]
    if golden[:10] not in {known.header for known in KNOWN if known.current}:
        pytest.skip("was written by an earlier version")

    found = encode_event(*message) if isinstance(message, Recorded) else encode(message)

    assert found == golden


def test_every_published_version_has_golden_bytes() -> None:
    published = {path.stem for path in (FOLDER / "history").glob("*.avsc")}

    assert published == {".".join(name.split(".")[:2]) for name in GOLDEN}
    assert {path.name for path in GOLDEN_FOLDER.glob("*.hex")} == {f"{name}.hex" for name in GOLDEN}


@pytest.mark.parametrize(
    ("schema", "fingerprint"),
    [
        ("null", "63dd24e7cc258f8a"),
        ("boolean", "9f42fc78a4d4f764"),
        ("string", "8f014872634503c7"),
        ("bytes", "4fc016dac3201965"),
        ("int", "7275d51a3f395c8f"),
        ("long", "d054e14493f41db7"),
        ({"type": "int"}, "7275d51a3f395c8f"),
    ],
)
def test_fingerprints_are_those_of_the_avro_specification(schema: Any, fingerprint: str) -> None:
    assert header_of(schema) == b"\xc3\x01" + bytes.fromhex(fingerprint)[::-1]


def test_no_two_messages_share_a_fingerprint() -> None:
    assert len({known.header for known in KNOWN}) == len(KNOWN)


def _earlier(folder: Path, name: str, change: Any) -> tuple[tuple[Known, ...], Any]:
    """All versions, where the newest of one is a version 2 and the changed one was version 1."""
    copytree(FOLDER, folder, dirs_exist_ok=True)
    old = change(json.loads((FOLDER / f"{name}.avsc").read_text()))
    (folder / "history" / f"{name}.0.avsc").write_text(json.dumps(old))
    return load(folder), parse_schema(plain(old))


def _bytes(schema: Any, record: Any) -> bytes:
    body = BytesIO()
    schemaless_writer(body, schema, record, strict=True)
    return header_of(schema) + body.getvalue()


def _read(versions: tuple[Known, ...], data: bytes) -> Message | Recorded:
    found, end = codec._tables(versions).readers[data[:10]](data, 10)
    assert end == len(data)
    message: Message | Recorded = found
    return message


def _without(*names: str) -> Any:
    def change(schema: Any) -> Any:
        fields = [field for field in schema["fields"] if field["name"] not in names]
        return {**schema, "fields": fields}

    return change


def test_bytes_of_an_earlier_version_get_the_new_fields_defaults(tmp_path: Path) -> None:
    """AVR-001: the missing field is the first one of the present version."""
    versions, schema = _earlier(tmp_path, "Pause", _without("reason"))
    instant = 1_798_761_600_000_000

    assert _read(versions, _bytes(schema, {"until": instant})) == Pause("", instant)


def test_an_event_of_an_earlier_version_is_read_with_its_stamp(tmp_path: Path) -> None:
    versions, schema = _earlier(tmp_path, "Deferred", _without("evidence"))
    recorded = GOLDEN["Deferred.1"]
    assert isinstance(recorded, Recorded)
    event = recorded.event
    assert isinstance(event, Deferred)
    fields = {name: getattr(event, name) for name in Deferred.__slots__ if name != "evidence"}

    found = _read(versions, _bytes(schema, {"stamp": recorded.stamp._asdict(), **fields}))

    assert found == recorded
    assert event.reason is Reason.TARGET_UNAVAILABLE


_POLICIES: dict[str, Any] = {
    "overlap": {"mode": "queue", "limit": 2, "max_wait": DAY}
    | {"across": "subject", "supersedes": True, "full": "newest"},
    "retry": {"most": 1, "backoff": DAY, "longest": DAY},
    "timeout": None,
    "pause_on_failure": 0,
    "scopes": [{"target": "rack-a", "filter": {"kind": "ids", "values": ["n1"]}}],
    "gate": None,
    "manual": "ignore",
    "preset": "infra",
}


def test_a_timing_of_an_earlier_version_stays_the_kind_it_was(tmp_path: Path) -> None:
    """A union's branch is carried over by its name; fields alone would not tell them apart."""
    versions, schema = _earlier(tmp_path, "Define", _without("expected_version"))
    definition = {
        "timings": [
            (
                "horae.Interval",
                {"months": 0, "days": 1, "micros": 0, "anchor": None, "basis": "grid"},
            ),
            ("horae.Once", {"at": 1000}),
        ],
        "action": {
            "topic": "t",
            "key": None,
            "value": b"",
            "headers": [{"name": "a", "value": None}],
            "tracked": {"lease": DAY},
            "work": (
                "horae.Exec",
                {"argv": ["a"], "env": [], "user": None, "folder": "/", "pool": None},
            ),
        },
        "zone": "UTC",
        "dst": "skip",
        "start_at": None,
        "end_at": None,
        "catch_up": {"mode": "none", "lookback": DAY, "grace": 1, "limit": 2}
        | {"on_resume": "all", "on_lifted": None},
        "description": "",
        "exclude": None,
        "window": None,
        "jitter": 0,
        "max_fires": None,
        "start_within": DAY,
        "hold_on_failure": False,
        **_POLICIES,
    }

    found = _read(versions, _bytes(schema, {"definition": definition}))

    assert isinstance(found, Define)
    assert [type(timing).__name__ for timing in found.definition.timings] == ["Interval", "Once"]
    assert found.definition.action.headers == (("a", None),)
    assert found.definition.action.work == Exec(("a",), folder="/")
    assert found.definition.start_within == DAY
    assert found.definition.dst.value == "skip"
    assert found.definition.scopes == (Scope("rack-a", Filter(FilterKind.IDS, ("n1",))),)
    assert found.definition.overlap.across.value == "subject"


@pytest.mark.parametrize("data", [b"", b"\x02", b"\x02\x02\x02", b"\xff" * 12])
def test_bytes_of_an_earlier_version_that_are_spoiled_are_unreadable(
    tmp_path: Path, data: bytes
) -> None:
    versions, schema = _earlier(tmp_path, "Pause", _without("reason"))

    with pytest.raises(Unreadable):
        _read(versions, header_of(schema) + data)


def test_a_version_that_differs_in_its_words_only_is_the_current_one(tmp_path: Path) -> None:
    versions, _ = _earlier(tmp_path, "Pause", lambda schema: {**schema, "doc": "Another."})

    assert [known.current for known in versions if known.name == "Pause"] == [True]
