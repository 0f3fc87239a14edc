"""
When would an expression fire?

Asked for one expression by a person, or for many by a program (`--jsonl`: a question a line in, an
answer a line out). Needs no broker and loads nothing but the calendar.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import typer

from horae.cli.endings import CODES, Ending, Said
from horae.cli.output import Form, Output, show_json, show_table


def preview(
    expr: Annotated[
        str | None, typer.Argument(metavar="EXPR", help="A cron expression.", show_default=False)
    ] = None,
    *,
    zone: Annotated[
        str, typer.Option(metavar="ZONE", help="An IANA zone, such as Europe/Berlin.")
    ] = "UTC",
    after: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN", help="Begin strictly after this instant (RFC 3339). Default: now."
        ),
    ] = None,
    n: Annotated[int, typer.Option("-n", metavar="N", min=1, max=10_000, help="How many.")] = 10,
    dst: Annotated[
        str,
        typer.Option(
            metavar="DST", help="What a change of clocks does: shift, strict_once, literal, ..."
        ),
    ] = "shift",
    dialect: Annotated[
        str, typer.Option(metavar="DIALECT", help="standard or quartz.")
    ] = "standard",
    schedule: Annotated[
        str | None,
        typer.Option(metavar="SUBJECT/NAME", help="The id that `H` in an expression is made from."),
    ] = None,
    jsonl: Annotated[
        bool,
        typer.Option("--jsonl", help="Answer JSON lines from standard input, each with a line."),
    ] = False,
    output: Output = Form.TABLE,
) -> None:
    """
    Show when a cron expression fires next, in its zone and in UTC.

    With --jsonl each line is a question {"expr", "zone", "after", "n", "dst", "dialect"} and its
    answer {"instants": [...]} in UTC, or {"error": "..."}.
    """
    if jsonl:
        if expr is not None:
            raise Said("--jsonl takes its questions from standard input", Ending.USAGE)
        _answer_lines(sys.stdin.buffer)
        return
    if expr is None:
        raise Said("wanted is an expression, or --jsonl", Ending.USAGE)
    _answer_one(
        {
            "expr": expr,
            "zone": zone,
            "after": after or _now(),
            "n": n,
            "dst": dst,
            "dialect": dialect,
            "schedule": schedule,
        },
        output,
    )


_OPTIONS = frozenset({"zone", "after", "dst", "dialect", "schedule"})

EPILOG = (
    "Example: horae preview '30 2 * * *' --zone Europe/Berlin --after 2026-10-24T00:00:00Z -n 3. "
    + CODES
)


def _answer_one(question: dict[str, Any], output: Form) -> None:
    from horae.cli.times import local_time
    from schemas.instants import parse_instant
    from streams.calendar.preview import instants
    from streams.calendar.refusals import TimingRefused

    try:
        found = instants(question)
    except TimingRefused as refused:
        hint = " (give --schedule)" if "H needs a schedule" in refused.message else ""
        if refused.field in _OPTIONS:
            raise Said(f"--{refused.field}: {refused.message}", Ending.USAGE) from refused
        raise Said(f"{refused}{hint}") from refused
    zone = question["zone"]
    if output is Form.JSON:
        local = [local_time(parse_instant(each), zone) for each in found]
        show_json({"zone": zone, "instants": found, "local": local})
        return
    rows = [[local_time(parse_instant(each), zone), each] for each in found]
    show_table([zone, "UTC"], rows, empty="it does not come again")


def _now() -> str:
    from schemas.instants import format_instant
    from streams.clock import SystemClock

    return format_instant(SystemClock().wall())


def _answer_lines(lines: Iterable[bytes]) -> None:
    for answer in answers(lines):
        sys.stdout.write(json.dumps(answer, ensure_ascii=True) + "\n")
        # Whoever asks may wait for the answer before asking again.
        sys.stdout.flush()


def answers(lines: Iterable[bytes]) -> Iterator[dict[str, object]]:
    """An answer for every line that asks something; a bad line is answered as well."""
    from schemas.faults import MessageFault
    from schemas.json_text import parse_json
    from streams.calendar.preview import answer

    for line in lines:
        if not line.strip():
            continue
        try:
            question = parse_json(line)
        except MessageFault as fault:
            yield {"error": str(fault)}
            continue
        if not isinstance(question, dict):
            yield {"error": "the line is no JSON object"}
            continue
        yield answer(question)
