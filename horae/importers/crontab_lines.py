"""
What does one line of a crontab say?

Reads the two forms (a user's own table, and the system's with a user column) the way cron itself
does: blank lines, comments, settings, entries; `%` as the end of the command and as a newline of
what it reads. Which schedule becomes of an entry is crontab.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

_SETTING = re.compile(r"""(?P<name>"[^"]+"|'[^']+'|[A-Za-z_][^\s="']*)\s*=\s*(?P<value>.*)""")
_BLANKS = re.compile(r"[ \t]+")
_TIME_FIELDS = 5


class Form(StrEnum):
    """Whether entries name the user they run as."""

    USER = "user"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Setting:
    """A line `NAME=value`: holds for all lines below it."""

    number: int
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A line with a time and a command."""

    number: int
    text: str
    when: str
    """The five fields, or the word with `@`, as written; blanks made single."""
    user: str | None
    command: str
    stdin: str | None
    quiet: bool = False
    """It began with `-`: some crons take that as "do not log"."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A line that is none of these, and why."""

    number: int
    text: str
    why: str


Line = Setting | Entry | Unread


def read_lines(data: bytes, form: Form) -> Iterator[Line]:
    """What a file says, line by line; blank lines and comments say nothing."""
    for number, raw in enumerate(data.split(b"\n"), start=1):
        try:
            text = raw.decode().strip(" \t\r")
        except UnicodeDecodeError:
            yield Unread(number, raw.decode(errors="replace"), "it is not UTF-8")
            continue
        if text and not text.startswith("#"):
            yield _read_line(number, text, form)


def _read_line(number: int, text: str, form: Form) -> Line:
    if "\0" in text:
        return Unread(number, text.replace("\0", "\N{REPLACEMENT CHARACTER}"), "it holds a NUL")
    setting = _SETTING.fullmatch(text)
    if setting:
        return Setting(number, _unquote(setting["name"]), _unquote(setting["value"].strip()))
    return _read_entry(number, text, form)


def _read_entry(number: int, text: str, form: Form) -> Entry | Unread:
    quiet = text.startswith("-")
    wanted = 1 if text.startswith("@") else _TIME_FIELDS
    parts = _BLANKS.split(text.removeprefix("-"), maxsplit=wanted)
    if len(parts) <= wanted:
        return Unread(number, text, _too_short(wanted))
    when, rest, user = " ".join(parts[:wanted]), parts[wanted], None
    if form is Form.SYSTEM:
        user, *behind = _BLANKS.split(rest, maxsplit=1)
        if not behind:
            return Unread(
                number, text, f"only {user!r} follows the time: a user and a command must"
            )
        rest = behind[0]
    command, stdin = split_at_percent(rest)
    if not command.strip():
        return Unread(number, text, "there is no command")
    return Entry(number, text, when, user, command.strip(" \t"), stdin, quiet)


def _too_short(wanted: int) -> str:
    if wanted == 1:
        return "nothing follows the @ word"
    return "an entry is five time fields and a command; this has fewer parts"


def _unquote(text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text


def split_at_percent(text: str) -> tuple[str, str | None]:
    r"""
    The command, and what it reads on its standard input (None: nothing was said about that).

    The first bare `%` ends the command, the others are newlines; `\%` is a percent sign. A
    backslash before anything else stays, and hides the backslash after it, as in cron.
    """
    pieces = _bare_percents(text)
    command = pieces[0]
    if len(pieces) == 1:
        return command, None
    stdin = "\n".join(pieces[1:])
    return command, stdin if not stdin or stdin.endswith("\n") else stdin + "\n"


def _bare_percents(text: str) -> list[str]:
    pieces, piece, escaped = [], "", False
    for char in text:
        if char == "%" and not escaped:
            pieces.append(piece)
            piece = ""
        elif char == "%":
            piece = piece[:-1] + char
        else:
            piece += char
        escaped = char == "\\" and not escaped
    return [*pieces, piece]
