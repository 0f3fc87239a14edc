"""
How does a command show what it found?

As a table for people or as JSON for programs (`-o`), with every instant in the schedule's zone and
in UTC. What there is to show is each command's own affair.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

_FEW = 100
"""So many rows are laid out as a table at most before that takes too long."""
_BETWEEN = "   "
"""What a table puts between two columns."""


class Form(StrEnum):
    """Tables for people, JSON for programs."""

    TABLE = "table"
    JSON = "json"


Output = Annotated[
    Form, typer.Option("-o", "--output", help="A table for people or JSON for programs.")
]


def say(text: str) -> None:
    """A line of the answer."""
    typer.echo(text)


def note(text: str) -> None:
    """A line beside the answer, kept out of what a program reads."""
    typer.echo(text, err=True)


def show_json(document: Any) -> None:
    """One JSON document."""
    say(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False))


def show_json_line(document: Any) -> None:
    """One JSON document on one line, at once: for answers without an end."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n")
    sys.stdout.flush()


def console() -> Console:
    """Where tables go: a terminal with its width, or a pipe that cuts nothing off."""
    from rich.console import Console

    found = Console(highlight=False, markup=False, emoji=False)
    return (
        found
        if found.is_terminal
        else Console(highlight=False, markup=False, emoji=False, width=10_000, soft_wrap=True)
    )


def show_table(columns: Sequence[str], rows: Sequence[Sequence[str]], empty: str) -> None:
    """A table, or one sentence if there is nothing in it."""
    if not rows:
        say(empty)
        return
    where, cells = console(), [[printable(cell) for cell in row] for row in rows]
    # Laying out takes most of a second for a thousand rows; where nothing has to be folded the head
    # shows how wide the columns are, and the rest is lines.
    if len(cells) > _FEW and (widths := _fitting([columns, *cells], where.width)):
        _print_table(where, columns, cells[:1], widths)
        say("\n".join([_line(row, widths) for row in cells[1:]]))
    else:
        _print_table(where, columns, cells, [0] * len(columns))


def _print_table(
    where: Console, columns: Sequence[str], cells: Sequence[Sequence[str]], widths: Sequence[int]
) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column, width in zip(columns, widths, strict=True):
        table.add_column(column, overflow="fold", min_width=width)
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    where.print(table)


def _fitting(cells: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """How wide each column is, if all stands on lines of its own without folding."""
    from rich.cells import cell_len

    if any("\n" in cell for row in cells for cell in row):
        return None
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    return widths if sum(widths) + len(_BETWEEN) * (len(widths) - 1) <= room else None


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    from rich.cells import cell_len

    return _BETWEEN.join(
        [cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)]
    )


def show_fields(fields: Mapping[str, str]) -> None:
    """What is known of one thing, a line for each field."""
    width = max(len(name) for name in fields)
    for name, value in fields.items():
        say(f"{name:<{width}}  {printable(value)}")


def printable(text: str) -> str:
    """The text without anything that would steer a terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else f"\\x{ord(c):02x}" for c in text)
