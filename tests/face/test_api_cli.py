"""Do tokens come and go on the command line, and does the API start only where it may?"""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner

from horae.cli import roles
from horae.cli.main import app
from horae.permissions import Ability, Keyring
from horae.settings import FaceSettings

NOWHERE = "127.0.0.1:1"


@pytest.fixture(autouse=True)
def tokens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HORAE_API_TOKENS", raising=False)
    monkeypatch.delenv("HORAE_DATA", raising=False)
    monkeypatch.setattr(roles, "begin", lambda: FaceSettings(bootstrap=NOWHERE))
    return tmp_path / ".horae" / "tokens.json"


def run(*words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, list(words))
    return done.exit_code, done.stdout, done.stderr


def test_a_token_is_made_listed_and_revoked(tokens: Path) -> None:
    code, secret, _ = run("token", "create", "ci", "--can", "read", "--can", "run")
    listed = json.loads(run("token", "list", "-o", "json")[1])

    token = Keyring(tokens).bearer(secret.strip())
    assert code == 0
    assert token is not None
    assert token.abilities == {Ability.READ, Ability.RUN}
    assert [(each["token"], each["abilities"]) for each in listed] == [("ci", "read, run")]
    assert secret.strip() not in json.dumps(listed)
    assert run("token", "revoke", "ci")[:2] == (0, "ci is revoked\n")
    assert Keyring(tokens).bearer(secret.strip()) is None
    assert run("token", "list")[1] == "there is no token\n"


def test_what_cannot_be_is_a_sentence(tokens: Path) -> None:
    run("token", "create", "ci", "--can", "read")

    assert "there is a token ci already" in run("token", "create", "ci", "--can", "read")[2]
    assert "there is no token ops; there are: ci" in run("token", "revoke", "ops")[2]
    assert run("token", "create", "other")[0] == 2
    assert run("token", "create", "other", "--can", "everything")[0] == 2
    tokens.write_text("{")
    for words in (("list",), ("revoke", "ci"), ("create", "x", "--can", "read")):
        code, _, said = run("token", *words)
        assert (code, "cannot be read" in said) == (1, True), words


@pytest.mark.parametrize("host", ["192.0.2.1", "::", "example.org"])
def test_on_another_address_than_loopback_it_does_not_start_without_tokens(host: str) -> None:
    code, _, said = run("api", "--host", host)

    assert code == 2
    assert f"{host} is no loopback address, and no token was ever made" in said
    assert "horae token create" in said


def test_a_port_that_is_taken_is_named_with_its_settings() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, _, said = run("api", "--port", str(port))

    assert code == 1
    assert said == (
        f"horae: 127.0.0.1:{port}: Address already in use (HORAE_API_HOST, HORAE_API_PORT)\n"
    )
