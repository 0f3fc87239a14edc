"""A schema is one that every Avro library takes, and leaves room for changes."""

from __future__ import annotations

import pytest

from schemas.schema_lint import lint
from tests.schemas.thing import OLD, Change, changed, field

LINTED: dict[str, tuple[Change, str]] = {
    "default null behind another branch (AVR-013)": (
        lambda s: field(s, "note").update(type=["string", "null"]),
        "Thing.note: default null needs null as the first branch",
    ),
    "a default of another type": (
        lambda s: field(s, "count").update(default="1"),
        "Thing.count: default '1' is no int",
    ),
    "a truth value for a number": (
        lambda s: field(s, "count").update(default=True),
        "Thing.count: default True is no int",
    ),
    "a default of the second branch": (
        lambda s: field(s, "note").update(default="x"),
        "Thing.note: default 'x' is no null",
    ),
    "no default symbol": (
        lambda s: field(s, "how")["type"].pop("default"),
        "Thing.how: has no default symbol",
    ),
    "a default symbol that is not other": (
        lambda s: field(s, "how")["type"].update(default="a"),
        "Thing.how: default symbol is a, not other",
    ),
    "a symbol twice": (
        lambda s: field(s, "how")["type"].update(symbols=["other", "other"]),
        "are not different names",
    ),
    "a field twice": (
        lambda s: s["fields"].append({"name": "at", "type": "int"}),
        "Thing.at: is not one field",
    ),
    "a name with a dash": (
        lambda s: field(s, "key")["type"].update(name="a-b"),
        "'a-b' is no name",
    ),
    "a field with a dash": (
        lambda s: field(s, "count").update(name="a-b"),
        "Thing.a-b: is not one field with a legal name",
    ),
    "another name": (lambda s: s.update(name="Other"), "Thing: is called horae.Other"),
    "no record": (lambda s: s.update(type="enum", symbols=["a"]), "Thing: is no record"),
}


@pytest.mark.parametrize(("change", "message"), LINTED.values(), ids=LINTED.keys())
def test_a_schema_that_some_library_refuses_is_found(change: Change, message: str) -> None:
    faults = lint(changed(change), "Thing")

    assert any(message in fault for fault in faults), faults
    assert lint(OLD, "Thing") == []
