"""
What does each line of a crontab say?

Rows of text and what is read from it; the schedules made of it are test_crontab.py.
"""

from __future__ import annotations

import pytest

from horae.importers.crontab_lines import (
    Entry,
    Form,
    Line,
    Setting,
    Unread,
    read_lines,
    split_at_percent,
)

USER = {
    "blank lines and comments say nothing": ("\n  \t\n# a\n   # b\n", []),
    "an entry has five fields and a command": (
        "30 2 * * 1-5 /bin/backup --all",
        [
            Entry(
                1, "30 2 * * 1-5 /bin/backup --all", "30 2 * * 1-5", None, "/bin/backup --all", None
            )
        ],
    ),
    "any run of blanks and tabs separates": (
        "0\t 2 *\t* *   x  y",
        [Entry(1, "0\t 2 *\t* *   x  y", "0 2 * * *", None, "x  y", None)],
    ),
    "a word with @ stands for the five fields": (
        "@daily x",
        [Entry(1, "@daily x", "@daily", None, "x", None)],
    ),
    "a setting": ("MAILTO=root", [Setting(1, "MAILTO", "root")]),
    "blanks around the equals sign are not part of a setting": (
        "  SHELL =  /bin/bash  ",
        [Setting(1, "SHELL", "/bin/bash")],
    ),
    "quotes keep blanks in a setting": ("A = ' b '", [Setting(1, "A", " b ")]),
    "a quoted name": ('"A B"=c', [Setting(1, "A B", "c")]),
    "an empty setting": ('MAILTO=""', [Setting(1, "MAILTO", "")]),
    "a setting may hold an equals sign": ("A=b=c", [Setting(1, "A", "b=c")]),
    "an assignment inside a command is no setting": (
        "* * * * * A=b x",
        [Entry(1, "* * * * * A=b x", "* * * * *", None, "A=b x", None)],
    ),
    "a windows line end is no part of the command": (
        "* * * * * x\r\n",
        [Entry(1, "* * * * * x", "* * * * *", None, "x", None)],
    ),
    "a leading minus is taken as: do not log": (
        "-0 1 * * * x",
        [Entry(1, "-0 1 * * * x", "0 1 * * *", None, "x", None, quiet=True)],
    ),
    "a last line without line end is read": (
        "\n@hourly x",
        [Entry(2, "@hourly x", "@hourly", None, "x", None)],
    ),
}

SYSTEM = {
    "the sixth column is the user": (
        "0 1 * * * www-data x y",
        [Entry(1, "0 1 * * * www-data x y", "0 1 * * *", "www-data", "x y", None)],
    ),
    "so it is behind a word": (
        "@weekly root x",
        [Entry(1, "@weekly root x", "@weekly", "root", "x", None)],
    ),
}


@pytest.mark.parametrize(("text", "lines"), USER.values(), ids=USER.keys())
def test_user_form(text: str, lines: list[Line]) -> None:
    assert list(read_lines(text.encode(), Form.USER)) == lines


@pytest.mark.parametrize(("text", "lines"), SYSTEM.values(), ids=SYSTEM.keys())
def test_system_form(text: str, lines: list[Line]) -> None:
    assert list(read_lines(text.encode(), Form.SYSTEM)) == lines


UNREAD = {
    "too few fields": (b"* * * * x", Form.USER, "five time fields"),
    "a word alone": (b"@daily", Form.USER, "nothing follows"),
    "no user": (b"* * * * * x", Form.SYSTEM, "a user and a command"),
    "no command": (b"* * * * * %x", Form.USER, "no command"),
    "not UTF-8": (b"* * * * * \xff", Form.USER, "UTF-8"),
    "a NUL": (b"* * * * * a\0b", Form.USER, "NUL"),
}


@pytest.mark.parametrize(("data", "form", "why"), UNREAD.values(), ids=UNREAD.keys())
def test_a_line_that_cannot_be_read_says_why(data: bytes, form: Form, why: str) -> None:
    [line] = read_lines(data, form)

    assert isinstance(line, Unread)
    assert why in line.why


PERCENTS = {
    "without a percent sign there is no input": ("a b", ("a b", None)),
    "the first one ends the command": ("mail%hello", ("mail", "hello\n")),
    "the others are newlines": ("cat%a%b", ("cat", "a\nb\n")),
    "a last newline is not doubled": ("cat%a%", ("cat", "a\n")),
    "nothing behind it is an empty input": ("cat%", ("cat", "")),
    "one behind a backslash is a percent sign": (r"date +\%F", ("date +%F", None)),
    "also in the input": (r"cat%100\%", ("cat", "100%\n")),
    "a backslash hides the next one": (r"a\\%b", (r"a\\", "b\n")),
    "other backslashes stay": (r"a\n b", (r"a\n b", None)),
}


@pytest.mark.parametrize(("text", "parts"), PERCENTS.values(), ids=PERCENTS.keys())
def test_percent_signs(text: str, parts: tuple[str, str | None]) -> None:
    assert split_at_percent(text) == parts
