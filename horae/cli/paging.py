"""
How does the command line read a list that comes in pages?

Up to `--limit` rows, however many pages those are, and then it says where the next ones begin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from horae.cli.endings import Ending, Said
from horae.cli.output import note

if TYPE_CHECKING:
    from collections.abc import Callable

    from projections.shown import Page

T = TypeVar("T")

_PAGE = 500

After = Annotated[
    str | None,
    typer.Option(
        metavar="PAGE",
        help="Go on behind this place, which the page before named.",
        show_default=False,
    ),
]
Limit = Annotated[int, typer.Option(metavar="N", min=1, help="At most so many.")]


def rows_of(
    ask: Callable[[str | None, int], Page[T]], after: str | None, limit: int
) -> tuple[list[T], str | None]:
    """Rows up to a limit, and where the next ones are."""
    from projections.paging import BadPage

    rows: list[T] = []
    while True:
        try:
            page = ask(after, min(_PAGE, limit - len(rows)))
        except BadPage as fault:
            raise Said(f"--after: {fault}", Ending.USAGE) from fault
        rows += page.rows
        after = page.following
        if after is None or len(rows) >= limit:
            return rows, after


def tell_more(following: str | None) -> None:
    """Say where the next rows begin, if there are any."""
    if following is not None:
        note(f"there are more: --after {following}")
