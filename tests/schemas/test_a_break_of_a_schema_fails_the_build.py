"""Every way to make old or new records unreadable is found before it is built."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from fastavro import parse_schema, schemaless_reader, schemaless_writer
from fastavro.read import SchemaResolutionError

from schemas.compatibility import breaks
from schemas.evolution import check, main, publish
from schemas.registry import FOLDER, plain
from tests.schemas.thing import OLD, Change, changed, field


def a_record(name: str) -> Any:
    return {"type": "record", "name": name, "fields": [{"name": "size", "type": "long"}]}


BREAKS: dict[str, tuple[Change, str]] = {
    "a new field without default (AVR-002)": (
        lambda s: s["fields"].insert(1, {"name": "x", "type": "int"}),
        "Thing.x: is new and has no default",
    ),
    "a field that is gone": (lambda s: s["fields"].pop(0), "Thing.at: is gone"),
    "a field of another type": (
        lambda s: field(s, "count").update(type="string"),
        "Thing.count: int became string",
    ),
    "a wider number": (
        lambda s: field(s, "count").update(type="long"),
        "Thing.count: int became long",
    ),
    "milliseconds for microseconds (AVR-009)": (
        lambda s: field(s, "at").update(type={"type": "long", "logicalType": "timestamp-millis"}),
        "Thing.at: logical type timestamp-micros became timestamp-millis",
    ),
    "a logical type that is gone (AVR-009)": (
        lambda s: field(s, "at").update(type="long"),
        "Thing.at: logical type timestamp-micros became None",
    ),
    "symbols sorted anew (AVR-004)": (
        lambda s: field(s, "how")["type"].update(symbols=["a", "other"]),
        "Thing.how: symbols",
    ),
    "a symbol in the middle (AVR-004)": (
        lambda s: field(s, "how")["type"].update(symbols=["other", "b", "a"]),
        "they keep their place",
    ),
    "a symbol that is gone": (
        lambda s: field(s, "how")["type"].update(symbols=["other"]),
        "they keep their place",
    ),
    "another default symbol": (
        lambda s: field(s, "how")["type"].update(default="a"),
        "default symbol other became a",
    ),
    "a renamed enum": (
        lambda s: field(s, "how")["type"].update(name="Why"),
        "Thing.how: How became Why",
    ),
    "another size": (
        lambda s: field(s, "key")["type"].update(size=5),
        "Thing.key: 4 bytes became 5",
    ),
    "null that is gone": (
        lambda s: field(s, "note").update(type="string"),
        "Thing.note: null is gone from the union",
    ),
    "null that is new": (
        lambda s: field(s, "count").update(type=["null", "int"]),
        "Thing.count: null is new in the union",
    ),
    "a new branch": (
        lambda s: field(s, "note")["type"].append("long"),
        "Thing.note: long is new in the union",
    ),
    "a record beside what was no union": (
        lambda s: field(s, "key").update(type=[field(s, "key")["type"], a_record("Lock")]),
        "Thing.key: Lock is new in the union",
    ),
    "a record that is gone from a union": (
        lambda s: field(s, "again").update(type=["null"]),
        "Thing.again: Part is gone from the union",
    ),
    "a change inside a list": (
        lambda s: field(s, "parts")["type"]["items"]["fields"][0].update(type="int"),
        "Thing.parts[].size: long became int",
    ),
    "a change inside a map": (
        lambda s: field(s, "labels")["type"].update(values="bytes"),
        "Thing.labels{}: string became bytes",
    ),
    "a type behind another name": (
        lambda s: field(s, "again").update(type=["null", "Key"]),
        "Thing.again: Part is gone from the union",
    ),
}


@pytest.mark.parametrize(("change", "message"), BREAKS.values(), ids=BREAKS.keys())
def test_a_break_is_found(change: Change, message: str) -> None:
    new = changed(change)

    assert any(message in fault for fault in breaks(OLD, new))


HARMLESS: dict[str, Change] = {
    "nothing": lambda _: None,
    "other words": lambda s: s.update(doc="Another."),
    "a new field with a default": lambda s: s["fields"].insert(
        0, {"name": "x", "type": "int", "default": 0}
    ),
    "a field with a default that is gone": lambda s: s["fields"].remove(field(s, "note")),
    "a symbol at the end": lambda s: field(s, "how")["type"]["symbols"].append("b"),
    "a record at the end of a union": lambda s: field(s, "again")["type"].append(a_record("Whole")),
    "a type in its long form": lambda s: field(s, "count").update(type={"type": {"type": "int"}}),
}


@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS.keys())
def test_what_breaks_nothing_is_allowed(change: Change) -> None:
    assert breaks(OLD, changed(change)) == []


def test_a_new_record_in_a_union_is_read_by_new_readers_only() -> None:
    """ADR 0021: old records are read for ever; old readers refuse the new branch as a whole."""
    newer = changed(lambda s: field(s, "again")["type"].append(a_record("Whole")))
    part = {"size": 7}
    old_record: dict[str, Any] = {
        "at": 1,
        "count": 2,
        "note": None,
        "how": "a",
        "key": b"1234",
        "parts": [part],
    }
    old_record |= {"again": part, "labels": {}}

    assert converted({**old_record, "again": ("horae.Part", part)}, OLD, newer) == old_record
    assert converted({**old_record, "again": ("horae.Part", part)}, newer, OLD) == old_record
    with pytest.raises(SchemaResolutionError):
        converted({**old_record, "again": ("horae.Whole", part)}, newer, OLD)


def converted(record: Any, written: Any, read: Any) -> Any:
    """What a reader with one schema makes of a record that was written with another."""
    writer, reader = parse_schema(plain(written)), parse_schema(plain(read))
    data = BytesIO()
    schemaless_writer(data, writer, record, strict=True)
    data.seek(0)
    return schemaless_reader(data, writer, reader)


def test_a_symbol_at_the_end_needs_a_default_in_old_readers() -> None:
    old = changed(lambda s: field(s, "how")["type"].pop("default"))
    new = changed(lambda s: field(s, "how")["type"]["symbols"].append("b"))

    assert "Thing.how: has new symbols, but old readers have no default for them" in breaks(
        old, new
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of our schemas and their history."""
    return Path(copytree(FOLDER, tmp_path / "avro"))


def rewrite(path: Path, change: Change) -> None:
    schema = json.loads(path.read_text())
    change(schema)
    path.write_text(json.dumps(schema))


def add_field(schema: Any) -> None:
    schema["fields"].append({"name": "more", "type": "int", "default": 0})


def test_our_schemas_are_fine(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 0
    assert capsys.readouterr().out == "every version of every schema can be read\n"


def test_a_published_version_may_not_change(folder: Path) -> None:
    rewrite(folder / "history" / "Pause.1.avsc", add_field)

    assert "Pause.1.avsc: was published and must not change" in check(folder)


def test_a_published_version_may_not_go(folder: Path) -> None:
    (folder / "history" / "Pause.1.avsc").unlink()

    assert "Pause.1.avsc: was published and is gone" in check(folder)


def test_a_published_message_may_not_go(folder: Path) -> None:
    (folder / "Pause.avsc").unlink()

    assert "Pause: was published and has no current schema" in check(folder)


def test_nothing_gets_into_the_history_by_hand(folder: Path) -> None:
    (folder / "history" / "Pause.2.avsc").write_text((folder / "Pause.avsc").read_text())

    assert any("Pause.2.avsc: is in the history but" in fault for fault in check(folder))


def test_a_change_is_checked_against_every_version_and_then_published(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rewrite(folder / "Pause.avsc", add_field)
    assert check(folder) == ["Pause: is not published yet: python -m schemas.evolution publish"]
    assert main(["publish"], folder) == 0
    assert capsys.readouterr().out == "Pause.2.avsc\n"
    assert check(folder) == []
    assert publish(folder) == []
    assert main(["publish"], folder) == 0
    assert capsys.readouterr().out == "nothing is new\n"

    rewrite(folder / "Pause.avsc", lambda s: s["fields"][-1].pop("default"))
    rewrite(folder / "Pause.avsc", lambda s: s["fields"][-1].update(type="long"))
    faults = check(folder)

    assert "Pause.more: is new and has no default for old records (against version 1)" in faults
    assert "Pause.more: int became long (against version 2)" in faults
    assert main(["publish"], folder) == 1
    assert not (folder / "history" / "Pause.3.avsc").exists()


def test_a_first_version_is_published_into_an_empty_history(tmp_path: Path) -> None:
    (tmp_path / "Thing.avsc").write_text(json.dumps(OLD))

    assert publish(tmp_path) == ["Thing.1.avsc"]
    assert check(tmp_path) == []


def test_what_several_messages_hold_is_the_same_in_all(folder: Path) -> None:
    rewrite(folder / "Define.avsc", lambda s: add_field(field(s, "definition")["type"]))

    assert "ScheduleChanged: its Definition differs from the one in Define" in check(folder)


def test_fastavro_has_a_word_too(folder: Path) -> None:
    """AVR-013."""
    rewrite(folder / "Pause.avsc", lambda s: field(s, "reason").update(type="nowhere"))

    assert any("Pause: fastavro refuses it" in fault for fault in check(folder))


def test_other_words_show_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["polish"]) == 1
    assert "usage" in capsys.readouterr().out
