"""
Did everything run that should have run?

Reads the ledger, recomputes what every schedule should have done, and shows how the instants
divide. Ends with 1 if anything is unexplained. What is found is horae/auditing.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from horae.cli.asking import checked_id
from horae.cli.endings import CODES, Ending, Said
from horae.cli.output import Form, Output, note, printable, say, show_json, show_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from horae.auditing import Audit
    from streams.account.classing import Finding, Tally, Verdict
    from streams.account.classing import Span as Stretch

_MOST_SHOWN = 50

EPILOG = (
    "Example: horae audit --from 24h --subject 'billing*'. --from alone goes up to now. "
    "With exit code 1 something is unexplained (or the command failed). " + CODES
)


def audit(
    start: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="WHEN",
            help="The first instant, such as 2026-12-01T00:00:00Z, or a length of time back from "
            "now such as 24h.",
        ),
    ] = "24h",
    end: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="WHEN",
            help="Up to this instant, itself not included; or a length of time back from now. "
            "Default: now.",
            show_default=False,
        ),
    ] = None,
    *,
    subject: Annotated[
        str | None,
        typer.Option(
            metavar="PATTERN", help="Only these subjects; * stands for any run of characters."
        ),
    ] = None,
    schedule: Annotated[
        list[str] | None,
        typer.Option(metavar="SUBJECT/NAME", help="Only this schedule; as often as wanted."),
    ] = None,
    output: Output = Form.TABLE,
) -> None:
    """
    Recompute what should have run, and say what became of each instant.

    Instants that a schedule did not have, or has twice, gaps in the ledger and fires outside of the
    definition in force are unexplained, too.
    """
    from horae.auditing import audit as look
    from horae.auditing import audit_json
    from horae.cli.progress import filling
    from horae.past import Past
    from horae.settings import load_settings
    from schemas.identity import subject_of

    span = span_of(start, end)
    named = [checked_id(each) for each in schedule or ()]
    wanted = _wanted(subject, frozenset(named))
    with (
        filling("reading the ledger") as told,
        Past(load_settings().bootstrap, told) as past,
    ):
        found = look(past, span, wanted, [subject_of(each) for each in named])
    if output is Form.JSON:
        show_json(audit_json(found))
    else:
        _show(found)
    # A misspelt name must not look like a schedule with which all is well.
    unknown = [each for each in named if wanted(each) and each not in found.known]
    for each in unknown:
        note(f"the ledger knows no schedule {each}")
    if found.unexplained or unknown:
        raise typer.Exit(Ending.REFUSED)


def span_of(start: str, end: str | None) -> Stretch:
    """The stretch between two options, as things stand now."""
    from horae.cli.times import instant_from
    from streams.account.classing import Span
    from streams.clock import SystemClock

    clock = SystemClock()
    now = clock.wall()
    begin = instant_from(start, "--from", clock, back=True)
    until = now if end is None else instant_from(end, "--to", clock, back=True)
    if until <= begin:
        raise Said("--to: must be after --from", Ending.USAGE)
    return Span(begin, until, now)


def _wanted(subject: str | None, ids: frozenset[str]) -> Callable[[str], bool]:
    from schemas.identity import subject_of
    from streams.decider.freezes import concerns

    patterns = () if subject is None else (subject,)

    def is_wanted(schedule: str) -> bool:
        return (not ids or schedule in ids) and (
            not patterns or concerns(patterns, subject_of(schedule))
        )

    return is_wanted


def _show(found: Audit) -> None:
    from horae.cli.times import utc_or_none
    from streams.account.classing import Verdict

    used = [each for each in Verdict if found.total.of(each)]
    rows = [_row(tally, used) for tally in found.tallies]
    if len(rows) > 1:
        rows.append(_row(found.total, used))
    span = f"from {utc_or_none(found.span.begin)} to {utc_or_none(found.span.end)}"
    say(f"{span}, {found.events} events read\n")
    show_table(["schedule", *used], rows, empty="no schedule had an instant")
    _show_findings([one for one in found.findings if not one.excuse], "unexplained")
    _show_findings([one for one in found.findings if one.excuse], "not told")
    for begin in found.begins:
        note(
            f"the ledger begins at {utc_or_none(begin.at)} in partition {begin.partition}: "
            f"its first {begin.sequence} events are gone, and what only they told"
        )
    if found.unreadable:
        note(f"{found.unreadable} records could not be read and were left out")


def _row(tally: Tally, used: list[Verdict]) -> list[str]:
    counts = [tally.of(each) for each in used]
    return [tally.schedule or "the ledger itself", *(str(count or "") for count in counts)]


def _show_findings(findings: list[Finding], title: str) -> None:
    from horae.cli.times import utc_or_none

    if not findings:
        return
    say("")
    show_table(
        [title, "schedule", "why"],
        [
            [
                (utc_or_none(one.at) or "") + (f" and {one.number - 1} more" * (one.number > 1)),
                printable(one.schedule) or f"partition {one.partition}",
                one.why + (f" ({one.excuse})" if one.excuse else ""),
            ]
            for one in findings[:_MOST_SHOWN]
        ],
        empty="",
    )
    if len(findings) > _MOST_SHOWN:
        say(f"… and {len(findings) - _MOST_SHOWN} more (all of them with -o json)")
