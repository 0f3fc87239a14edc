"""Is wrong usage named, with what is allowed, and does it end with 2?"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.face.test_cli import commands
from tests.face.typed import run


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HORAE_BOOTSTRAP", "127.0.0.1:1")
    for name in ("HORAE_POSTGRES_DSN", "HORAE_CONFIG", "HORAE_DATA", "HORAE_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)


WRONG_USAGE = {
    "an instant that is none": (("preview", "@daily", "--after", "soon"), "--after"),
    "no instants at all": (("preview", "@daily", "-n", "0"), "-n"),
    "a treatment of changes that is none": (("preview", "@daily", "--dst", "x"), "--dst"),
    "a status that is none": (("schedule", "list", "--status", "foo"), "'paused'"),
    "a file that is not there": (("schedule", "define", "-f", "no.yaml"), "no.yaml"),
    "an end that is no instant": (
        ("schedule", "pause", "a/b", "--until", "yesterday"),
        "or an instant such as",
    ),
    "a zone to import from that is none": (
        ("import", "crontab", "-", "--zone", "Mars"),
        "--zone: 'Mars' is no zone",
    ),
    "a topic to import to that is none": (
        ("import", "kubernetes", "-", "--topic", "a b"),
        "--topic: a topic's name",
    ),
    "a subject to import under that is none": (
        ("import", "systemd", "-", "--subject", "a/b"),
        "--subject: a subject is what",
    ),
    "a beginning that is none": (("events", "tail", "--from", "yesterday"), "or beginning"),
}


@pytest.mark.parametrize(("arguments", "named"), WRONG_USAGE.values(), ids=WRONG_USAGE.keys())
def test_wrong_usage_is_named_and_ends_with_2(arguments: tuple[str, ...], named: str) -> None:
    code, out, err = run(*arguments)

    assert (code, out) == (2, "")
    assert named in err
    assert "Value error" not in err


SETTINGS = {
    "of a command": (("hold", "all"), "HORAE_REPLY_WITHIN", "soon"),
    "of a processor": (("config",), "HORAE_BATCH_CAP", "0"),
    "of a projector": (("config",), "HORAE_PROJECTOR_PORT", "-1"),
    "a file that is not there": (("hold", "all"), "HORAE_CONFIG", "no.toml"),
}


@pytest.mark.parametrize(("arguments", "name", "value"), SETTINGS.values(), ids=SETTINGS.keys())
def test_a_bad_setting_is_named_and_ends_with_2(
    arguments: tuple[str, ...], name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)

    code, _, err = run(*arguments)

    assert code == 2
    assert name in err
    assert "unexpected" not in err
    assert "Value error" not in err


def test_an_expression_with_h_asks_for_a_schedule() -> None:
    code, _, err = run("preview", "H H * * *")

    assert code == 1
    assert "give --schedule" in err


def test_reading_the_ledger_in_vain_says_nothing_of_sending(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("horae.tail._CALL", 0.3)

    code, _, err = run("events", "tail")

    assert code == 3
    assert "sent" not in err


def test_the_version_is_told() -> None:
    code, out, _ = run("--version")

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert (code, out) == (0, f"horae {project['version']}\n")


def test_every_option_says_in_its_own_word_what_it_takes() -> None:
    shown = [run(*path.split(), "--help")[1] for path in commands()]

    assert [
        line
        for text in shown
        for line in text.splitlines()
        if re.search(r"^ +-.*<(str|int|path)", line)
    ] == []
