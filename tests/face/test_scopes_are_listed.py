"""
Are the targets of a schedule listed as they are meant?

The views are replaced by one row; that they are read from Postgres is tests/read_models.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from horae.cli import scopes
from horae.cli.main import app
from schemas.definition import Cron, Definition, Emit
from schemas.policies import Filter, FilterKind, Scope

RACKS = (Scope("rack-a"), Scope("rack-b", Filter(FilterKind.TYPES, ("compute", "switch"))))


def run(
    monkeypatch: pytest.MonkeyPatch, found: tuple[Scope, ...] | None, *arguments: str
) -> tuple[int, str, str]:
    rule = Definition((Cron("@daily"),), Emit("t"), scopes=found)
    rows = {"hall/firmware": SimpleNamespace(rule=rule)}

    @contextmanager
    def views() -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(schedule=rows.get, versions=lambda *_: ())

    monkeypatch.setattr(scopes, "views", views)
    result = CliRunner().invoke(app, ["schedule", "scopes", "list", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_targets_are_listed_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = run(monkeypatch, RACKS, "hall/firmware")

    assert code == 0
    assert [line.rstrip().split(maxsplit=1) for line in out.splitlines()[2:]] == [
        ["rack-a", "all of it"],
        ["rack-b", "types: compute, switch"],
    ]


def test_a_program_gets_what_a_definition_would_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = run(monkeypatch, RACKS, "hall/firmware", "-o", "json")

    assert code == 0
    assert json.loads(out) == {
        "schedule": "hall/firmware",
        "scopes": ["rack-a", {"target": "rack-b", "types": ["compute", "switch"]}],
    }


def test_where_nothing_is_said_the_target_is_the_subject(monkeypatch: pytest.MonkeyPatch) -> None:
    _, out, _ = run(monkeypatch, None, "hall/firmware")

    assert out.splitlines()[2].split() == ["hall", "all", "of", "it"]


def test_a_schedule_whose_targets_are_gone_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = run(monkeypatch, (), "hall/firmware")

    assert (code, out) == (0, "it has no target left, and nothing of it runs\n")


def test_a_schedule_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, err = run(monkeypatch, (), "hall/power")

    assert (code, out) == (1, "")
    assert "hall/power: the views know no such schedule" in err
