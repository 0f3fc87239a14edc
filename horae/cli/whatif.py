"""
What would a changed definition change?

Compares the definitions of a file with those in force, over a stretch of time that is past, to
come, or both. What differs is found by horae/whatif.py.
"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horae.cli.endings import CODES, Ending, Said
from horae.cli.output import Form, Output, note, printable, say, show_json, show_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from horae.whatif import Change
    from streams.account.classing import Span
    from streams.account.differing import End, Planned

_MOST_SHOWN = 20

EPILOG = (
    "Example: horae whatif -f changed.yaml --from 7d --to 2026-12-24T00:00:00Z. Catch-up, holds, "
    f"freezes, overlap and gates are not looked at. {CODES}"
)


def whatif(
    file: Annotated[
        list[Path],
        typer.Option(
            "--file",
            "-f",
            metavar="FILE",
            help="The changed definitions, as `schedule define` reads them; or -.",
            show_default=False,
        ),
    ],
    *,
    start: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="WHEN",
            help="The first instant, or a length of time back from now such as 7d; or `now`.",
        ),
    ] = "now",
    end: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="WHEN",
            help="Up to this instant, itself not included; or a length of time from now such as "
            "7d; or `now`.",
        ),
    ] = "7d",
    output: Output = Form.TABLE,
) -> None:
    """Show which instants changed definitions would add, remove or move; nothing is sent."""
    from horae.cli.definition_files import read_files
    from horae.cli.progress import filling
    from horae.past import Past
    from horae.settings import load_settings
    from horae.whatif import OUT_OF_SCOPE, change_json, what_if

    span = _span(start, end)
    wanted = {one.schedule: one.definition for one in read_files(file)}
    if not wanted:
        raise Said("no definition stands in what was given")
    with (
        filling("reading the ledger") as told,
        Past(load_settings().bootstrap, told) as past,
        _refusing(),
    ):
        changes = what_if(past, wanted, span)
    if output is Form.JSON:
        show_json([change_json(one) for one in changes])
        return
    for change in changes:
        _show(change, span.now)
    note(OUT_OF_SCOPE)


def _span(start: str, end: str) -> Span:
    from horae.cli.times import instant_from
    from streams.account.classing import Span
    from streams.clock import SystemClock

    clock = SystemClock()
    now = clock.wall()
    words = ("now",)
    begin = now if start == "now" else instant_from(start, "--from", clock, back=True, words=words)
    until = now if end == "now" else instant_from(end, "--to", clock, words=words)
    if until <= begin:
        raise Said("--to: must be after --from", Ending.USAGE)
    return Span(begin, until, now)


@contextmanager
def _refusing() -> Iterator[None]:
    from streams.calendar.refusals import TimingRefused

    try:
        yield
    except TimingRefused as refused:
        raise Said(f"the definition makes no sense: {refused}") from refused


def _show(change: Change, now: int) -> None:
    found = change.difference
    old = change.new.zone if change.old is None else change.old.zone
    counts = (
        (found.same, "stay"),
        (len(found.altered), "start at another time"),
        (len(found.moved), "move"),
        (len(found.added), "are added"),
        (len(found.removed), "go away"),
    )
    words = ", ".join(f"{count} {what}" for count, what in counts if count) or "nothing is due"
    say(f"{printable(change.schedule)}: {words}")
    rows = [
        *_some([("moves", pair.old, pair.new) for pair in found.moved]),
        *_some([("starts", pair.old, pair.new) for pair in found.altered]),
        *_some([("goes away", one, None) for one in found.removed]),
        *_some([("is added", None, one) for one in found.added]),
    ]
    if rows:
        shown = [_row(row, (old, change.new.zone), change.really, now) for row in rows]
        show_table(["", "as it is", "as it would be", "what really happened"], shown, empty="")
    if len(rows) < sum(count for count, _ in counts[1:]):
        say(f"(at most {_MOST_SHOWN} of each kind are shown; all of them with -o json)")
    if change.truncated:
        note("there are more instants in the stretch than are looked at: choose a shorter one")
    for remark in change.remarks:
        note(printable(remark))
    say("")


_Row = tuple[str, "Planned | None", "Planned | None"]


def _some(rows: list[_Row]) -> list[_Row]:
    return rows[:_MOST_SHOWN]


def _row(row: _Row, zones: tuple[str, str], really: Mapping[int, End], now: int) -> list[str]:
    from horae.whatif import ending_words

    what, before, after = row
    became = ""
    if before is not None and before.instant <= now:
        became = ending_words(really.get(before.instant)) or "it did not run"
    return [what, _words(before, zones[0]), _words(after, zones[1]), became]


def _words(one: Planned | None, zone: str) -> str:
    from horae.cli.times import both_times, local_time

    if one is None:
        return ""
    words = both_times(one.instant, zone)
    if one.is_skipped:
        return f"{words}, skipped"
    return words if one.starts == one.instant else f"{words}, starts {local_time(one.starts, zone)}"
