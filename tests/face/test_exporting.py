"""Does an exported file define the same again?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from typer.testing import CliRunner

from horae.cli import exporting
from horae.cli.definition_files import read_files
from horae.cli.main import app
from horae.cli.plain_yaml import PlainLoader
from schemas.definition import CatchUp, CatchUpMode, Cron, Definition, Emit, Interval, Once
from schemas.reading import read_definition

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
KEPT = {
    "a/cron": Definition(
        (Cron("0 1 * * *"), Cron("0 2 * * *")), Emit("t", key=b"\xff", value=b"1e3"), "Asia/Tokyo"
    ),
    "a/interval": Definition(
        (Interval(micros=5_000_000),),
        Emit("t", value=None, headers=(("a", None), ("b", b"no"))),
        catch_up=CatchUp(CatchUpMode.ALL, lookback=None),
        description="a: #b",
    ),
    "b/night": read_definition(
        {"weekly": {"days": "mon", "at": "22:00"}, "deployment": {"do": "sleep", "level": 2}}
    ),
    "b/wake": read_definition(
        {"cron": "@daily", "deployment": "wake", "hold_on_failure": False, "gate": "quiet"}
    ),
    "b/once": Definition((Once(1_796_112_000_000_000),), Emit("t", value=b'{"a": 6:00}')),
}


class Views:
    """What the views would say."""

    def __init__(self) -> None:
        self.rows = {name: SimpleNamespace(schedule=name, rule=rule) for name, rule in KEPT.items()}

    def schedules(self, *_: object, **__: object) -> Any:
        """All, on one page."""
        return SimpleNamespace(rows=tuple(self.rows.values()), following=None)

    def schedule(self, name: str) -> Any:
        """One, if it is there."""
        return self.rows.get(name)

    def versions(self, _: str) -> list[Any]:
        """Nothing was ever there."""
        return []


@pytest.fixture
def _views(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def views() -> Iterator[Views]:
        yield Views()

    monkeypatch.setattr(exporting, "views", views)


@pytest.mark.usefixtures("_views")
@pytest.mark.parametrize("form", ["yaml", "json"])
def test_an_export_read_again_holds_the_same_definitions(form: str, tmp_path: Path) -> None:
    file = tmp_path / f"all.{form}"
    options = ["-o", "json"] if form == "json" else []

    done = CliRunner().invoke(app, ["schedule", "export", *options])
    file.write_text(done.stdout)

    assert done.exit_code == 0
    assert {one.schedule: one.definition for one in read_files([file])} == KEPT


@pytest.mark.usefixtures("_views")
def test_an_export_of_some_holds_those_and_says_which_is_not_there() -> None:
    some = CliRunner().invoke(app, ["schedule", "export", "b/once", "a/cron", "-o", "json"])
    none = CliRunner().invoke(app, ["schedule", "export", "b/once", "c/d"])

    assert [one["schedule"] for one in json.loads(some.stdout)] == ["b/once", "a/cron"]
    assert (none.exit_code, none.stdout) == (1, "")
    assert "c/d: the views know no such schedule" in none.stderr


@given(TEXTS)
@example("1e3")
@example("\xa0")
@example("on")
@example("")
@example("2026-12-01")
@example("\x85 \u2028")
def test_every_text_that_is_written_is_read_as_it_was(text: str) -> None:
    document = [{"schedule": text, "emit": {"value": text}}]

    assert yaml.load(exporting.as_yaml(document), PlainLoader) == document  # noqa: S506 - a safe one
