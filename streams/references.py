"""
What is the value that a message only refers to?

`env:<name>` is a variable of the process's own environment, `file:<path>` a file on its machine, of
which one line end at the end is left out. The value is never in Kafka. Who may refer to what is
asked first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from streams.addresses import not_in, pattern

MOST_BYTES = 64 * 1024
"""Of one value."""


class NoSuchValue(Exception):
    """What is referred to cannot be had; the text names the reference, never a value."""


def objection_to(reference: str, patterns: Iterable[str], setting: str) -> str | None:
    """Why a reference is not followed; `setting` is the variable that the patterns come from."""
    kind, _, name = reference.partition(":")
    if kind not in ("env", "file") or not name or "\0" in name:
        return f"a secret is env:<name> or file:<path>: {reference!r}"
    path = PurePosixPath(name)
    if kind == "file" and (not path.is_absolute() or ".." in path.parts):
        return f"the file of a secret is a full path without ..: {reference!r}"
    fits = any(pattern(one).fullmatch(reference) for one in patterns)
    return None if fits else not_in(setting, reference)


def value_of(reference: str, environ: Mapping[str, str]) -> str:
    """Look it up; raises NoSuchValue."""
    kind, _, name = reference.partition(":")
    value = _variable(name, environ) if kind == "env" else _file(name)
    if "\0" in value:
        raise NoSuchValue(f"the secret {reference} holds a NUL byte")
    return value


def _variable(name: str, environ: Mapping[str, str]) -> str:
    try:
        return environ[name]
    except KeyError:
        raise NoSuchValue(f"the secret env:{name} is not set where this runs") from None


def _file(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            found = file.read(MOST_BYTES + 1)
        text = found.decode()
    except UnicodeDecodeError:
        raise NoSuchValue(f"the secret file:{path} is not UTF-8") from None
    except OSError as fault:
        raise NoSuchValue(f"the secret file:{path} cannot be read: {fault.strerror}") from fault
    if len(found) > MOST_BYTES:
        raise NoSuchValue(f"the secret file:{path} has more than {MOST_BYTES} bytes")
    return text.removesuffix("\n").removesuffix("\r")
