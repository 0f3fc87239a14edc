"""
Does each command say clearly what it did or could not do, and end with the right code?

Without broker and database; with them in test_cli_on_broker.py.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from horae.cli import endings
from horae.cli.config import masked
from horae.cli.main import app
from horae.cli.times import both_times
from streams.calendar.preview import answer
from tests.face.typed import run

NOWHERE = "127.0.0.1:1"


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No stack of this machine, no settings of whoever runs the tests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HORAE_BOOTSTRAP", NOWHERE)
    for name in ("HORAE_POSTGRES_DSN", "HORAE_CONFIG", "HORAE_DATA", "HORAE_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)


def commands() -> dict[str, Any]:
    found: dict[str, Any] = {}

    def walk(command: Any, path: str) -> None:
        if hasattr(command, "commands"):
            for name, inner in command.commands.items():
                walk(inner, f"{path} {name}".strip())
        else:
            found[path] = command

    walk(get_command(app), "")
    return found


@pytest.mark.parametrize("path", commands())
def test_every_command_has_help_with_an_example_and_the_exit_codes(path: str) -> None:
    code, out, _ = run(*path.split(), "--help")

    said = " ".join(out.split())
    assert code == 0
    assert "Example:" in said
    assert f"horae {path}" in said
    assert "Exit codes: 0 done" in said


def test_the_commands_of_the_first_slice_are_there() -> None:
    assert {
        *("up", "processor", "projector", "rebuild", "config", "preview"),
        *("topics plan", "topics apply", "topics check"),
        *("schedule define", "schedule list", "schedule describe", "schedule remove"),
        *("schedule pause", "schedule resume", "schedule trigger"),
        *("events tail", "hold all", "hold lift", "clock accept", "import crontab"),
    } <= set(commands())


def test_wrong_usage_ends_with_2() -> None:
    assert run("nonsense")[0] == 2
    assert run("schedule", "pause")[0] == 2
    assert run("schedule", "pause", "a#b")[0] == 2
    assert run("schedule", "pause", "a/b", "--until", "soon")[0] == 2


UNREACHABLE = {
    "a command": ("schedule", "trigger", "a/b"),
    "a hold": ("hold", "all"),
    "topics": ("topics", "check"),
    "the ledger": ("events", "tail"),
    "the views": ("schedule", "list"),
}


@pytest.mark.parametrize("arguments", UNREACHABLE.values(), ids=UNREACHABLE.keys())
def test_what_cannot_be_reached_is_one_sentence_and_3(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HORAE_REPLY_WITHIN", "0.3")
    monkeypatch.setattr("horae.tail._CALL", 0.3)
    monkeypatch.setattr("streams.topics_check._CALL", 0.3)

    code, out, err = run(*arguments)

    assert (code, out) == (3, "")
    assert err.startswith("horae: ")
    assert len(err.splitlines()) == 1


def test_a_database_that_is_away_is_named_without_its_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HORAE_POSTGRES_DSN", "postgresql://ann:secret@127.0.0.1:1/horae")

    code, _, err = run("schedule", "list")

    assert code == 3
    assert "ann:***@127.0.0.1:1" in err
    assert "secret" not in err


def test_what_nobody_expected_is_one_sentence_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("horae.cli.config._roles", fail)

    code, _, err = run("config")

    assert code == 1
    assert err == "horae: unexpected ZeroDivisionError: oh (HORAE_TRACEBACK=1 shows where)\n"


def test_a_preview_shows_zone_and_utc() -> None:
    code, out, _ = run(
        "preview", "30 2 * * *", "--zone", "Europe/Berlin", "--after", "2026-10-24T01:00:00Z", "-n2"
    )

    assert code == 0
    assert "2026-10-25T02:30:00+02:00" in out
    assert "2026-10-25T00:30:00Z" in out
    assert "2026-10-26T02:30:00+01:00" in out


def test_a_preview_as_json() -> None:
    code, out, _ = run(
        "preview", "0 12 * * *", "--after", "2026-01-01T00:00:00Z", "-n", "1", "-o", "json"
    )

    assert code == 0
    assert json.loads(out)["instants"] == ["2026-01-01T12:00:00Z"]


def test_an_expression_that_is_none_is_refused_by_name() -> None:
    code, _, err = run("preview", "61 * * * *")

    assert code == 1
    assert "cron" in err


def test_every_line_gets_its_answer() -> None:
    good = {"expr": "0 0 * * *", "zone": "Europe/Berlin", "after": "2026-03-28T00:00:00Z", "n": 2}
    lines = [json.dumps(good), "", "no json", "[1]", '{"expr": "* *"}', "[" * 5_000]

    code, out, _ = run("preview", "--jsonl", stdin="\n".join(lines))

    first, *others = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert first == answer(good)
    assert [list(each) for each in others] == [["error"]] * 4


def test_secrets_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HORAE_POSTGRES_DSN", "postgresql://ann:secret@db/horae")

    code, out, _ = run("config", "-o", "json")

    rows = {row["variable"]: row for row in json.loads(out)}
    assert code == 0
    assert "secret" not in out
    assert rows["HORAE_POSTGRES_DSN"]["value"] == "postgresql://ann:***@db/horae"
    assert rows["HORAE_POSTGRES_DSN"]["from"] == "environment"
    assert rows["HORAE_ACTOR"]["from"] == "default"
    assert {row["role"] for row in rows.values()} == {
        *("all", "processor", "projector", "runner", "api"),
        *("sampler", "traffic", "proposals"),
    }


ADDRESSES = {
    "postgresql://a:b@c:d@h/d": "postgresql://a:***@h/d",
    "postgresql://a:b/c?d@h/d": "postgresql://a:***@h/d",
    "postgresql://h/d?user=a&password=b@c&sslpassword=d": (
        "postgresql://h/d?user=a&password=***&sslpassword=***"
    ),
    "postgresql://a:b@h/d?sslPassword=c&sslmode=require": (
        "postgresql://a:***@h/d?sslPassword=***&sslmode=require"
    ),
    "postgresql://h/d?sslmode=require": "postgresql://h/d?sslmode=require",
    "host=h sslpassword = c password=d": "host=h sslpassword = *** password=***",
}


@pytest.mark.parametrize("dsn", ADDRESSES)
def test_no_password_of_an_address_is_shown(dsn: str) -> None:
    assert masked(dsn) == ADDRESSES[dsn]


def test_passwords_are_masked_in_both_forms_of_an_address() -> None:
    assert masked("postgresql://a:b:c@h/d") == "postgresql://a:***@h/d"
    assert masked("host=h password='a b' user=u") == "host=h password=*** user=u"
    assert masked("whatever") == "***"


def test_a_dry_run_of_an_import_needs_no_broker(tmp_path: Path) -> None:
    file = tmp_path / "jobs"
    file.write_text("0 1 * * * backup\n@reboot start\n")

    code, out, _ = run("import", "crontab", str(file), "--dry-run", "--zone", "Asia/Tokyo")

    assert code == 1
    assert "1 mapped, 1 refused" in out
    assert "line 1: cron-jobs/backup-" in out
    assert "line 2: refused: @reboot names no time" in out


def test_a_file_that_is_not_there_is_one_sentence() -> None:
    code, _, err = run("schedule", "define", "-f", "nowhere.yaml")

    assert code == 2
    assert err == "horae: nowhere.yaml: No such file or directory\n"


def test_times_are_shown_in_the_zone_and_in_utc() -> None:
    assert both_times(0, "Asia/Tokyo") == (
        "1970-01-01T09:00:00+09:00 Asia/Tokyo (1970-01-01T00:00:00Z)"
    )
    assert both_times(0, "UTC") == "1970-01-01T00:00:00Z"
    assert both_times(None, "UTC") == "-"


def test_faults_that_are_known_by_name_are_there() -> None:
    for name in endings._UNREACHABLE | endings._EXPLAIN_THEMSELVES | endings._USAGE:
        module, _, kind = name.rpartition(".")
        assert issubclass(getattr(importlib.import_module(module), kind), Exception)


HEAVY = ("confluent_kafka", "psycopg", "pydantic_settings", "fastavro", "yaml", "streams.processor")


@pytest.mark.parametrize("arguments", [["--help"], ["preview", "--jsonl"]], ids=" ".join)
def test_help_and_previews_load_nothing_heavy(arguments: list[str]) -> None:
    script = (
        "import sys\nfrom horae.cli.main import app\n"
        f"try:\n    app({arguments!r})\nexcept SystemExit:\n    pass\n"
        f"sys.stderr.write(','.join(m for m in {HEAVY!r} if m in sys.modules))\n"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", script],
        input='{"expr": "0 0 * * *", "after": "2026-01-01T00:00:00Z"}',
        capture_output=True,
        text=True,
        cwd=root,
        check=True,
    )
    assert done.stderr == ""
