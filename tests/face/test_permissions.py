"""Is a token known by its secret alone, kept as a hash, and gone when it is revoked?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from horae.permissions import Ability, Keyring, PermissionFault

NOON = 1_780_000_000_000_000


@pytest.fixture
def keyring(tmp_path: Path) -> Keyring:
    return Keyring(tmp_path / "data" / "tokens.json")


def test_a_bearer_is_known_by_the_secret(keyring: Keyring) -> None:
    secret = keyring.create("ci", frozenset({Ability.READ, Ability.WRITE}), NOON)
    other = keyring.create("ops", frozenset({Ability.ADMIN}), NOON)

    ci, ops = keyring.bearer(secret), keyring.bearer(other)
    assert ci is not None
    assert ops is not None
    assert (ci.actor, ops.actor) == ("token:ci", "token:ops")
    assert [ability for ability in Ability if ci.may(ability)] == ["read", "write"]
    assert all(ops.may(ability) for ability in Ability)


@pytest.mark.parametrize("wrong", ["", "horae_", "ci", "\ud800", "é"])
def test_anything_else_is_nobodys(keyring: Keyring, wrong: str) -> None:
    secret = keyring.create("ci", frozenset({Ability.READ}), NOON)

    assert keyring.bearer(wrong) is None
    assert keyring.bearer(secret[:-1]) is None
    assert keyring.bearer(secret + "x") is None


def test_the_file_holds_no_secret_and_only_its_owner_reads_it(
    keyring: Keyring, tmp_path: Path
) -> None:
    secret = keyring.create("ci", frozenset({Ability.READ}), NOON)

    path = tmp_path / "data" / "tokens.json"
    assert secret not in path.read_text()
    assert path.stat().st_mode & 0o077 == 0


def test_another_process_sees_at_once_what_was_made_and_revoked(
    keyring: Keyring, tmp_path: Path
) -> None:
    server = Keyring(tmp_path / "data" / "tokens.json")
    assert not server.is_set_up

    secret = keyring.create("ci", frozenset({Ability.READ}), NOON)
    assert server.is_set_up
    assert server.bearer(secret) is not None

    keyring.revoke("ci")
    assert server.bearer(secret) is None
    assert server.is_set_up, "whoever revokes the last token does not open the door"


def test_a_name_is_there_once_and_has_an_ability(keyring: Keyring) -> None:
    keyring.create("ci", frozenset({Ability.READ}), NOON)

    for name, abilities, why in (
        ("ci", {Ability.RUN}, "there is a token ci already"),
        ("Not A Name", {Ability.RUN}, "a name has 1 to 64"),
        ("x" * 65, {Ability.RUN}, "a name has 1 to 64"),
        ("none", set(), "needs an ability"),
    ):
        with pytest.raises(PermissionFault, match=why):
            keyring.create(name, frozenset(abilities), NOON)
    with pytest.raises(PermissionFault, match="there is no token ops; there are: ci"):
        keyring.revoke("ops")
    assert list(keyring.tokens()) == ["ci"]


@pytest.mark.parametrize(
    "text", ["", "[]", '{"tokens": [{"name": "ci"}]}', json.dumps({"tokens": [1]})]
)
def test_a_damaged_file_lets_nobody_in(keyring: Keyring, tmp_path: Path, text: str) -> None:
    secret = keyring.create("ci", frozenset({Ability.READ}), NOON)
    (tmp_path / "data" / "tokens.json").write_text(text)

    with pytest.raises(PermissionFault, match="cannot be read"):
        keyring.bearer(secret)
