"""
Who may ask for what over HTTP?

A token is a name with some abilities. Its secret is shown once, when it is made; what is kept is a
hash of it, in a file of its own outside of the views, so that a rebuild loses none. How a request
brings its token is horae/api/callers.py.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import Any

from schemas.instants import format_instant, parse_instant

_PREFIX = "horae_"
_SECRET_BYTES = 32
"""256 random bits: nobody guesses them, so a quick hash is as good as a slow one."""
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


class Ability(StrEnum):
    """What a token lets its bearer do; none implies another, but `admin` implies all."""

    READ = "read"
    """Look at everything."""
    WRITE = "write"
    """Create, change, pause and remove schedules and their targets, unless they act on a
    deployment."""
    RUN = "run"
    """Start and stop work: trigger, backfill, cancel, report."""
    ADMIN = "admin"
    """What concerns everybody: holds, calendars, freezes, whole subjects; and deployments, and when
    they sleep and wake."""


class PermissionFault(ValueError):
    """A token cannot be made, kept or found as it was asked."""


@dataclass(frozen=True, slots=True)
class Token:
    """What is kept of a token."""

    name: str
    abilities: frozenset[Ability]
    digest: str
    """SHA-256 of the secret, in hexadecimal."""
    created_at: int

    @property
    def actor(self) -> str:
        """In whose name its bearer asks."""
        return f"token:{self.name}"

    def may(self, ability: Ability) -> bool:
        """Whether it has the ability."""
        return ability in self.abilities or Ability.ADMIN in self.abilities


class Keyring:
    """The tokens in a file; another process may change it at any time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, int, int] | None = None
        self._tokens: dict[str, Token] = {}

    @property
    def is_set_up(self) -> bool:
        """Whether a token was ever made here: once it was, nobody comes in without one."""
        return self._path.exists()

    def tokens(self) -> Mapping[str, Token]:
        """By their names, as the file is now; PermissionFault if it cannot be read."""
        seen = self._look()
        if seen is None:
            return {}
        if seen != self._seen:
            self._tokens = _read(self._path)
            self._seen = seen
        return self._tokens

    def bearer(self, secret: str) -> Token | None:
        """Whose secret this is, in a time that does not tell how near it comes to one."""
        digest = _digest(secret)
        found = None
        for token in self.tokens().values():
            if compare_digest(token.digest, digest):
                found = token
        return found

    def create(self, name: str, abilities: frozenset[Ability], now: int) -> str:
        """Make a token; its secret is given back, and kept nowhere."""
        if not _NAME.fullmatch(name):
            raise PermissionFault(f"{name!r}: a name has 1 to 64 of a-z, 0-9, '.', '_' and '-'")
        if not abilities:
            raise PermissionFault(f"{name}: a token needs an ability: {', '.join(Ability)}")
        with self._locked():
            tokens = dict(self.tokens())
            if name in tokens:
                raise PermissionFault(f"there is a token {name} already; revoke it first")
            secret = _PREFIX + secrets.token_urlsafe(_SECRET_BYTES)
            tokens[name] = Token(name, abilities, _digest(secret), now)
            self._write(tokens)
        return secret

    def revoke(self, name: str) -> None:
        """Let its bearer in no more."""
        with self._locked():
            tokens = dict(self.tokens())
            if tokens.pop(name, None) is None:
                known = ", ".join(tokens) or "none"
                raise PermissionFault(f"there is no token {name}; there are: {known}")
            self._write(tokens)

    def _look(self) -> tuple[int, int, int] | None:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Nobody else changes the file meanwhile."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(self._path.with_suffix(".lock"), os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def _write(self, tokens: Mapping[str, Token]) -> None:
        """All at once or not at all; only its owner may read it."""
        fresh = self._path.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        fresh.touch(mode=0o600)
        document = {"tokens": [_plain(token) for token in tokens.values()]}
        fresh.write_text(json.dumps(document, indent=2) + "\n")
        fresh.replace(self._path)


def _digest(secret: str) -> str:
    return sha256(secret.encode(errors="surrogatepass")).hexdigest()


def _plain(token: Token) -> dict[str, Any]:
    return {
        "name": token.name,
        "abilities": sorted(token.abilities),
        "sha256": token.digest,
        "created_at": format_instant(token.created_at),
    }


def _read(path: Path) -> dict[str, Token]:
    """A file that is damaged lets nobody in: an empty list would be a guess."""
    try:
        found = [
            Token(
                one["name"],
                frozenset(map(Ability, one["abilities"])),
                one["sha256"],
                parse_instant(one["created_at"]),
            )
            for one in json.loads(path.read_text())["tokens"]
        ]
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise PermissionFault(f"{path}: the tokens cannot be read ({fault})") from fault
    return {token.name: token for token in found}
