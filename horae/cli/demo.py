"""
What can be seen at once of a scheduler that has just come up?

Defines the examples and this machine's own crontabs, and shows what fires, live on a terminal and
line by line elsewhere, until it is interrupted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from horae.cli.endings import Said
from horae.cli.output import printable, say

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from horae.client import Order
    from horae.tail import Tail
    from schemas.codec import Recorded

TARGETS = ("demo.events", "cron.jobs")
EXAMPLES = Path(__file__).parents[2] / "examples"
_PAUSE = 0.25
_SHOWN = 20


def run(bootstrap: str, examples: Path | None = None) -> None:
    """Define, then show; never returns by itself."""
    from horae.tail import Tail

    _create_targets(bootstrap)
    # Before anything is defined, so that the first fire is among what is shown.
    with Tail(bootstrap) as events:
        _define_examples(examples or EXAMPLES, bootstrap)
        _import_crontabs(bootstrap)
        _show(events)


def _create_targets(bootstrap: str) -> None:
    from schemas.topics import Planned
    from streams.topics_check import TopicsOf

    TopicsOf(bootstrap).create([Planned(name, 1, 1, {}) for name in TARGETS])


def _define_examples(folder: Path, bootstrap: str) -> None:
    from horae.cli.definition_files import read_files
    from horae.client import Order
    from schemas.commands import Define

    if not folder.is_dir():
        raise Said(f"{folder}: there are no examples")
    found = read_files([folder])
    say(f"Examples from {folder}")
    _define(
        [Order(one.schedule, Define(one.definition)) for one in found],
        [one.definition.zone for one in found],
        bootstrap,
    )


def _define(orders: Sequence[Order], zones: Sequence[str], bootstrap: str) -> None:
    from horae.cli.asking import asking, reply_as_line

    with asking(bootstrap) as client:
        answers = client.ask_many(orders)
    for answer, zone in zip(answers, zones, strict=True):
        say(f"  {answer}" if isinstance(answer, Exception) else f"  {reply_as_line(answer, zone)}")


def _import_crontabs(bootstrap: str) -> None:
    from horae.cli.import_report import report_lines, send, why_refused
    from horae.importers.crontab import (
        DEFAULT_TOPIC,
        import_table,
        machine_tables,
        machine_zone,
    )
    from horae.importers.crontab_actions import as_record

    tables, unread = machine_tables()
    if not tables and not unread:
        say("This machine has no crontabs")
        return
    say("This machine's crontabs (nothing is run: each fire is a record in cron.jobs)")
    reports = [
        import_table(table, action=as_record(DEFAULT_TOPIC), zone=machine_zone(), check=why_refused)
        for table in tables
    ]
    answers = send(reports, bootstrap)
    for report in reports:
        for line in report_lines(report, answers):
            say(f"  {line}")
    for path, why in unread:
        say(f"  {path}: {why}")


def _show(events: Tail) -> None:
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    if console.is_terminal:
        _show_live(events, console)
    else:
        _show_lines(events)


def _show_lines(events: Tail) -> None:
    from horae.ledger import event_line
    from schemas.events import Deferred, Fired, Skipped

    while True:
        for recorded in events.read(_PAUSE).events:
            # What was defined has been said already.
            if isinstance(recorded.event, Fired | Skipped | Deferred):
                say(printable(event_line(recorded)))


def _show_live(events: Tail, console: Console) -> None:
    from rich.live import Live

    last: deque[Recorded] = deque(maxlen=_SHOWN)
    total = 0
    with Live(_table(last, total), console=console, auto_refresh=False) as live:
        while True:
            fires = [each for each in events.read(_PAUSE).events if _is_fire(each)]
            total += len(fires)
            last.extend(fires)
            if fires:
                live.update(_table(last, total), refresh=True)


def _is_fire(recorded: Recorded) -> bool:
    from schemas.events import Fired

    return isinstance(recorded.event, Fired)


def _table(last: Sequence[Recorded], total: int) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from horae.ledger import lateness, lateness_words, local_and_utc
    from schemas.events import Fired

    table = Table(
        title=f"Fires so far: {total}; the last ones:", box=SIMPLE_HEAD, title_justify="left"
    )
    table.add_column("schedule", overflow="fold")
    table.add_column("nominal time", overflow="fold")
    table.add_column("late by", justify="right")
    if not last:
        table.add_row("the first fire comes within ten seconds", "", "")
    for recorded in last:
        event = recorded.event
        if isinstance(event, Fired):
            table.add_row(
                Text(printable(event.schedule)),
                local_and_utc(event.nominal, event.wall),
                lateness_words(lateness(recorded)),
            )
    return table
