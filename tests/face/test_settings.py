"""Are settings taken from where they were said most deliberately?"""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from horae.settings import (
    STACK_FILE,
    BadSettings,
    forget_stack,
    load_settings,
    read_stack,
    write_stack,
)


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("BOOTSTRAP", "POSTGRES_DSN", "CONFIG", "DATA", "ACTOR", "REPLY_WITHIN"):
        monkeypatch.delenv(f"HORAE_{name}", raising=False)


@pytest.fixture
def stack() -> Path:
    data = Path(".horae")
    data.mkdir()
    write_stack(data, "127.0.0.1:2", "postgresql://local/horae")
    return data


def _dsn() -> str | None:
    dsn = load_settings().postgres_dsn
    return None if dsn is None else dsn.get_secret_value()


def test_without_a_word_the_defaults_hold() -> None:
    assert load_settings().bootstrap == "127.0.0.1:19092"
    assert load_settings().actor.startswith("user:")
    assert _dsn() is None


@pytest.mark.usefixtures("stack")
def test_a_running_stack_is_found() -> None:
    assert load_settings().bootstrap == "127.0.0.1:2"
    assert _dsn() == "postgresql://local/horae"


def test_a_stack_in_another_folder_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_stack(tmp_path, "127.0.0.1:4", "postgresql://other/horae")
    monkeypatch.setenv("HORAE_DATA", str(tmp_path))

    assert load_settings().bootstrap == "127.0.0.1:4"


@pytest.mark.usefixtures("stack")
def test_the_environment_is_stronger_and_stacks_are_not_mixed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HORAE_BOOTSTRAP", "kafka:9092")

    assert load_settings().bootstrap == "kafka:9092"
    assert _dsn() is None


def test_a_file_is_read_and_the_environment_is_stronger(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("horae.toml").write_text('bootstrap = "a:1"\nreply_within = 3.5\n')
    monkeypatch.setenv("HORAE_BOOTSTRAP", "b:2")

    assert (load_settings().bootstrap, load_settings().reply_within) == ("b:2", 3.5)


def test_a_file_that_cannot_be_read_is_named() -> None:
    Path("horae.toml").write_text("bootstrap = ")

    with pytest.raises(BadSettings, match=r"horae\.toml"):
        load_settings()


def test_a_misspelt_setting_in_a_file_is_named() -> None:
    Path("horae.toml").write_text('bootstrp = "a:1"\n')

    with pytest.raises(BadSettings, match=r"horae\.toml: bootstrp: there is no such"):
        load_settings()


def test_only_its_owner_may_read_the_password(stack: Path) -> None:
    write_stack(stack, "127.0.0.1:3", "postgresql://again/horae")

    assert stat.S_IMODE((stack / STACK_FILE).stat().st_mode) == 0o600
    assert read_stack(stack)["bootstrap"] == "127.0.0.1:3"


def test_a_stack_that_has_ended_is_forgotten(stack: Path) -> None:
    forget_stack(stack)
    forget_stack(stack)

    assert read_stack(stack) == {}


def test_a_spoilt_file_of_a_stack_is_no_stack(stack: Path) -> None:
    (stack / STACK_FILE).write_text("[1")

    assert read_stack(stack) == {}
