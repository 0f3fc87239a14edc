"""Who does the same to a shared target is told before a schedule is defined."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from horae.cli.conflicting import conflicts, show_conflicts
from horae.cli.output import Form
from horae.conflicts import Conflict, find_conflicts
from schemas.definition import SECOND, Definition, Emit, Interval
from schemas.policies import Filter, FilterKind, Scope


def doing(what: str, *targets: str | Scope, topic: str = "racks") -> Definition:
    scopes = tuple(one if isinstance(one, Scope) else Scope(one) for one in targets)
    return Definition(
        timings=(Interval(micros=60 * SECOND, anchor=0),),
        action=Emit(topic, key=what.encode()),
        scopes=scopes or None,
    )


OFF_A = doing("power-off", "rack-a")
CASES: dict[str, tuple[dict[str, Definition], list[tuple[str, Definition]], list[Conflict]]] = {
    "IT-095: the same operation on a shared rack is told, another rack or operation is not": (
        {"hall/new": OFF_A},
        [
            ("hall/same", doing("power-off", "rack-a")),
            ("hall/elsewhere", doing("power-off", "rack-b")),
            ("hall/firmware", doing("firmware", "rack-a")),
        ],
        [Conflict("hall/new", "hall/same", ("rack-a",))],
    ),
    "IT-095: which components are meant is not compared": (
        {"hall/new": doing("off", Scope("rack-a", Filter(FilterKind.TYPES, ("compute",))))},
        [("hall/b", doing("off", Scope("rack-a", Filter(FilterKind.IDS, ("c9",)))))],
        [Conflict("hall/new", "hall/b", ("rack-a",))],
    ),
    "another topic is another operation": (
        {"hall/new": OFF_A},
        [("hall/b", doing("power-off", "rack-a", topic="others"))],
        [],
    ),
    "only the shared targets are named, in the order of the proposed one": (
        {"hall/new": doing("off", "c", "a", "b")},
        [("hall/b", doing("off", "b", "c", "d"))],
        [Conflict("hall/new", "hall/b", ("c", "b"))],
    ),
    "without targets it is the subject, which may be another's target": (
        {"hall/new": doing("off")},
        [("hall/b", doing("off")), ("town/c", doing("off", "hall")), ("town/d", doing("off"))],
        [Conflict("hall/new", "hall/b", ("hall",)), Conflict("hall/new", "town/c", ("hall",))],
    ),
    "a changed schedule is not in conflict with what it was": (
        {"hall/new": OFF_A},
        [("hall/new", OFF_A)],
        [],
    ),
    "two proposed ones are held against each other, once": (
        {"hall/b": OFF_A, "hall/a": OFF_A},
        [],
        [Conflict("hall/b", "hall/a", ("rack-a",))],
    ),
    "what is in the file counts as it stands there, not as it was": (
        {"hall/a": OFF_A, "hall/b": doing("power-off", "rack-b")},
        [("hall/b", OFF_A)],
        [],
    ),
    "without a target nothing is shared": (
        {"hall/a": Definition(OFF_A.timings, OFF_A.action, scopes=())},
        [("hall/b", Definition(OFF_A.timings, OFF_A.action, scopes=()))],
        [],
    ),
}


@pytest.mark.parametrize(("proposed", "enabled", "told"), CASES.values(), ids=CASES.keys())
def test_conflicts(
    proposed: dict[str, Definition],
    enabled: list[tuple[str, Definition]],
    told: list[Conflict],
) -> None:
    assert find_conflicts(proposed, enabled) == told


@dataclass
class Row:
    schedule: str
    rule: Definition
    status: str


@dataclass
class Page:
    rows: tuple[Row, ...]
    following: str | None


@dataclass
class Views:
    """Views with a page for each row."""

    rows: list[Row]
    asked: list[str | None] = field(default_factory=list)

    def __enter__(self) -> Views:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def schedules(self, which: Any, *, after: str | None, limit: int) -> Page:
        self.asked.append(which.status)
        found = [row for row in self.rows if row.status == which.status]
        at = int(after or 0)
        end = at + min(limit, 1)
        return Page(tuple(found[at:end]), str(end) if end < len(found) else None)


def test_paused_ones_are_no_conflict_and_nothing_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """IT-095: only enabled ones are asked about, of all pages, and the command ends well."""
    file = tmp_path / "new.yaml"
    file.write_text(
        "schedule: hall/new\ninterval: 1m\nscopes: [rack-a]\n"
        "emit: {topic: racks, key: power-off, value: go}\n"
    )
    reads = Views(
        [
            Row("hall/first", doing("firmware", "rack-a"), "enabled"),
            Row("hall/paused", OFF_A, "paused"),
            Row("hall/same", OFF_A, "enabled"),
        ]
    )
    monkeypatch.setattr("horae.cli.conflicting.views", lambda: reads)

    conflicts([file], Form.JSON)

    assert json.loads(capsys.readouterr().out) == [
        {"schedule": "hall/new", "other": "hall/same", "targets": ["rack-a"]}
    ]
    assert reads.asked == ["enabled", "enabled"]


@pytest.mark.parametrize(
    ("found", "line"),
    [
        ([Conflict("hall/new", "hall/same", ("a", "b"))], "hall/new   hall/same          a, b"),
        ([], "no enabled schedule does the same to a target of these"),
    ],
    ids=["a line for each", "a sentence where there is none"],
)
def test_conflicts_are_shown(
    found: list[Conflict], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    show_conflicts(found, Form.TABLE)

    assert line in capsys.readouterr().out
