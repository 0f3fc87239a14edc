"""What a newer version stored under a rule that this one does not know is read as the default."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from shutil import copytree
from typing import Any

from fastavro import parse_schema, schemaless_reader, schemaless_writer

from schemas import codec
from schemas.codec import encode
from schemas.commands import Define
from schemas.definition import Cron, Definition, Emit
from schemas.policies import Overlap, OverlapMode, Tracking
from schemas.registry import FOLDER, header_of, load, plain

STORED = Define(
    Definition(
        (Cron("0 * * * *"),), Emit("jobs", tracked=Tracking()), overlap=Overlap(OverlapMode.QUEUE)
    )
)


def add_symbol(schema: Any, name: str, symbol: str) -> None:
    """Let an enum inside a schema have one symbol more."""
    if isinstance(schema, list):
        for one in schema:
            add_symbol(one, name, symbol)
    elif isinstance(schema, dict):
        if schema.get("name") == name and schema.get("type") == "enum":
            schema["symbols"].append(symbol)
        for one in list(schema.values()):
            add_symbol(one, name, symbol)


def test_an_overlap_rule_that_is_not_known_is_skip(tmp_path: Path) -> None:
    """IT-046: what is stored has an unknown value."""
    copytree(FOLDER, tmp_path, dirs_exist_ok=True)
    newer = json.loads((FOLDER / "Define.avsc").read_text())
    known = parse_schema(plain(newer))
    record: Any = schemaless_reader(
        BytesIO(encode(STORED)[10:]), known, None, return_record_name=True
    )
    add_symbol(newer, "OverlapMode", "stagger")
    (tmp_path / "history" / "Define.99.avsc").write_text(json.dumps(newer))
    written = parse_schema(plain(newer))
    record["definition"]["overlap"]["mode"] = "stagger"
    body = BytesIO()
    schemaless_writer(body, written, record, strict=True)
    header = header_of(written)

    read, end = codec._tables(load(tmp_path)).readers[header](header + body.getvalue(), 10)

    assert end == 10 + len(body.getvalue())
    assert isinstance(read, Define)
    assert read.definition.overlap.mode is OverlapMode.SKIP
