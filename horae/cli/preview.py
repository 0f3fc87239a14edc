"""
When would an expression or a definition fire?

Asked by a person for one expression or for the definitions of a file, or for many expressions by a
program (`--jsonl`: a question a line in, an answer a line out). Needs no broker, unless a
definition excludes shared calendars. What is found is horae/previewing.py, how it is shown
preview_shown.py.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeVar

import typer

from horae.cli.endings import CODES, Ending, Said
from horae.cli.output import Form, Output, note, printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from horae.preview_rules import Asked
    from schemas.definition import Definition
    from schemas.globals import Calendar

Word = TypeVar("Word", bound=StrEnum)
_OPTIONS = frozenset({"zone", "dst", "dialect", "schedule"})


class _Subject(NamedTuple):
    """What is previewed."""

    schedule: str
    definition: Definition


class _Stretch(NamedTuple):
    """Which part of time is looked at, and how many instants at most."""

    now: int
    after: int
    up_to: int
    limit: int
    previous: bool


def preview(
    expr: Annotated[
        str | None,
        typer.Argument(metavar="EXPR", help="A cron expression.", show_default=False),
    ] = None,
    *,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            "-f",
            metavar="FILE",
            help="Definitions instead of an expression, as `schedule define` reads them; or -.",
        ),
    ] = None,
    zone: Annotated[
        str, typer.Option(metavar="ZONE", help="An IANA zone, such as Europe/Berlin.")
    ] = "UTC",
    after: Annotated[
        str | None,
        typer.Option(
            "--after",
            "--from",
            metavar="WHEN",
            help="Begin strictly after this instant, or this length of time from now. "
            "Default: now.",
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN",
            help="End with this instant, itself included, or this length of time after the "
            "beginning. Default: without end.",
        ),
    ] = None,
    n: Annotated[
        int,
        typer.Option("-n", "--limit", metavar="N", min=1, max=10_000, help="How many at most."),
    ] = 10,
    previous: Annotated[
        bool,
        typer.Option(
            "--previous",
            help="The last ones instead, newest first: up to --to, or to now; --after ends it.",
        ),
    ] = False,
    dst: Annotated[
        str,
        typer.Option(
            metavar="DST",
            help="What a change of clocks does: shift, strict_once, literal, vixie or skip.",
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
    Show when it fires next, in its zone and in UTC, and what moves or drops an instant.

    With --jsonl each line is a question {"expr", "zone", "after", "n", "dst", "dialect"} and its
    answer {"instants": [...]} in UTC, or {"error": "..."}.
    """
    if [expr is not None, file is not None, jsonl].count(True) != 1:
        raise Said("wanted is an expression, or --file, or --jsonl", Ending.USAGE)
    if jsonl:
        _answer_lines(sys.stdin.buffer)
        return
    stretch = _stretch(after, to, n, previous=previous)
    subjects = (
        [_Subject(schedule or "", _of_expression(expr or "", zone, dst, dialect))]
        if file is None
        else _of_file(file)
    )
    _show(subjects, stretch, output, of_file=file is not None)


EPILOG = (
    "Example: horae preview '30 2 * * *' --zone Europe/Berlin --after 2026-10-24T00:00:00Z -n 3. "
    f"{CODES}"
)


def _stretch(after: str | None, to: str | None, limit: int, *, previous: bool) -> _Stretch:
    from horae.cli.times import instant_from
    from schemas.instants import format_instant
    from streams.calendar.ticks import FIRST_INSTANT, LAST_INSTANT
    from streams.clock import SteppedClock, SystemClock

    clock = SystemClock()
    now = clock.wall()
    begin = FIRST_INSTANT if previous else now
    if after is not None:
        begin = instant_from(after, "--after", clock)
    end = now if previous else LAST_INSTANT
    if to is not None:
        end = instant_from(to, "--to", SteppedClock(now if after is None else begin))
    if end < begin and to is None and not previous:
        raise Said(f"--after: nothing comes after {format_instant(LAST_INSTANT)}", Ending.USAGE)
    if end < begin:
        raise Said("--to: must not be before --after", Ending.USAGE)
    return _Stretch(now, begin, end, limit, previous)


def _of_expression(expr: str, zone: str, dst: str, dialect: str) -> Definition:
    from schemas.definition import Cron, Definition, Dialect, Dst, Emit

    timing = Cron(expr, _choice(dialect, "dialect", Dialect))
    return Definition((timing,), Emit("preview"), zone=zone, dst=_choice(dst, "dst", Dst))


def _choice(text: str, option: str, words: type[Word]) -> Word:
    try:
        return words(text)
    except ValueError:
        allowed = ", ".join(words)
        raise Said(f"--{option}: {text!r}; allowed are {allowed}", Ending.USAGE) from None


def _of_file(file: Path) -> list[_Subject]:
    from horae.cli.definition_files import read_files

    found = read_files([file])
    if not found:
        raise Said("no definition stands in what was given")
    return [_Subject(one.schedule, one.definition) for one in found]


def _show(subjects: Sequence[_Subject], stretch: _Stretch, output: Form, *, of_file: bool) -> None:
    from horae.cli import preview_shown
    from horae.previewing import preview as look

    calendars = _calendars(subjects)
    found = []
    for subject in subjects:
        asked = _asked(subject, stretch, calendars)
        with _naming(subject.schedule if of_file else None):
            found.append((asked, look(asked)))
    if output is Form.JSON:
        preview_shown.as_json(found, several=of_file)
    else:
        preview_shown.as_text(found)


def _asked(subject: _Subject, stretch: _Stretch, calendars: Mapping[str, Calendar]) -> Asked:
    from horae.preview_rules import Asked
    from streams.decider.state import grid_origin

    return Asked(
        definition=subject.definition,
        schedule=subject.schedule,
        after=stretch.after,
        up_to=stretch.up_to,
        limit=stretch.limit,
        calendars=calendars,
        backwards=stretch.previous,
        origin=grid_origin(stretch.now),
    )


def _calendars(subjects: Sequence[_Subject]) -> dict[str, Calendar]:
    """The shared calendars, if a definition excludes some; a word about those that are not."""
    from horae.cli.standings import what_stands

    excluded = [one.definition.exclude for one in subjects if one.definition.exclude is not None]
    wanted = dict.fromkeys(name for exclude in excluded for name in exclude.calendars)
    if not wanted:
        return {}
    found = {name: calendar for name, (_, calendar) in what_stands().calendars.items()}
    for name in wanted:
        if name not in found:
            note(f"warning: there is no calendar {printable(name)}, so it excludes nothing")
    return found


@contextmanager
def _naming(schedule: str | None) -> Iterator[None]:
    """Say what is refused in the words of the options, or of the file."""
    from streams.calendar.refusals import TimingRefused

    try:
        yield
    except TimingRefused as refused:
        hint = " (give --schedule)" if "H needs a schedule" in refused.message else ""
        if schedule is not None:
            raise Said(f"{printable(schedule)}: {refused}") from refused
        if refused.field in _OPTIONS:
            raise Said(f"--{refused.field}: {refused.message}", Ending.USAGE) from refused
        raise Said(f"{refused}{hint}") from refused


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
