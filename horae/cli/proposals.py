"""
What is proposed for deployments, and what does an admin say to it?

Lists and shows proposals from the views; accepting one makes its schedules, dismissing one makes
nothing of it. Both are orders like all others. What makes proposals is proposing.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from horae.cli.asking import checked_subject, send
from horae.cli.endings import CODES, Ending, Said
from horae.cli.output import Form, Output, printable, say, show_fields, show_json, show_table
from horae.cli.paging import After, Limit, rows_of, tell_more
from horae.cli.views import NoDatabase, views
from schemas.proposals import ProposalStatus

if TYPE_CHECKING:
    from horae.client.orders import Wish
    from projections.shown_traffic import ProposalShown

app = typer.Typer(
    no_args_is_help=True,
    help="Look at what is proposed for deployments, and accept or dismiss it.",
)

Proposal = Annotated[
    str,
    typer.Argument(
        metavar="PROPOSAL",
        help="Its id, such as pp_775a790aa5c49ab6: `horae proposal list` has it.",
        show_default=False,
    ),
]
OfSubject = Annotated[
    str | None,
    typer.Option(
        "--subject",
        metavar="SUBJECT",
        help="Whose it is; looked up in the views, unless it is said.",
        show_default=False,
    ),
]
Reason = Annotated[
    str,
    typer.Option(
        "--reason", "-r", metavar="TEXT", help="Why; stands in the ledger beside your name."
    ),
]


@app.command(
    "list", epilog=f"Example: horae proposal list --subject llama --all. Newest first. {CODES}"
)
def list_proposals(
    *,
    subject: Annotated[
        str | None,
        typer.Option(metavar="SUBJECT", help="Only for this deployment.", show_default=False),
    ] = None,
    status: Annotated[
        ProposalStatus | None,
        typer.Option(metavar="STATUS", help="Only in this state. Default: open."),
    ] = None,
    past: Annotated[bool, typer.Option("--all", help="Also those that are settled.")] = False,
    limit: Limit = 50,
    after: After = None,
    output: Output = Form.TABLE,
) -> None:
    """List what is proposed: when a deployment could sleep, and who says so."""
    from projections import traffic_queries

    if past and status is not None:
        raise Said("--all: not together with --status", Ending.USAGE)
    name = None if subject is None else checked_subject(subject).removesuffix("/")
    wanted = None if past else str(status or ProposalStatus.OPEN)
    with views() as reads:
        rows, more = rows_of(
            lambda place, most: reads.look(
                lambda session: traffic_queries.proposals(
                    session, status=wanted, subject=name, after=place, limit=most
                )
            ),
            after,
            limit,
        )
    if output is Form.JSON:
        from horae.proposing.shown import shown_json

        show_json([shown_json(row) for row in rows])
    else:
        show_table(
            ["proposal", "deployment", "status", "windows", "zone", "by", "sure", "proposed"],
            [_row(row) for row in rows],
            empty="nothing is proposed; `horae propose` looks for something",
        )
    tell_more(more)


@app.command(epilog=f"Example: horae proposal show pp_775a790aa5c49ab6. {CODES}")
def show(proposal: Proposal, output: Output = Form.TABLE) -> None:
    """Show a proposal with its evidence: what was measured, asked and answered."""
    row = _need(proposal)
    if output is Form.JSON:
        from horae.proposing.shown import evidence_json, shown_json

        show_json(shown_json(row) | evidence_json(row))
        return
    from horae.proposing.question import window_words

    show_fields(_fields(row))
    say("")
    show_table(
        ["sleep and wake", "idle", "in weeks"],
        [
            [window_words(one), f"{one.minutes / 60:g} h", f"{one.idle_weeks} of {one.weeks}"]
            for one in row.windows
        ],
        empty="",
    )
    for title, text in (("asked", row.prompt), ("answered", row.answer)):
        if text:
            say(f"\n{title}\n{printable(text)}")


@app.command(epilog=f"Example: horae proposal accept pp_775a790aa5c49ab6 -r 'agreed'. {CODES}")
def accept(
    proposal: Proposal,
    *,
    reason: Reason = "",
    subject: OfSubject = None,
    output: Output = Form.TABLE,
) -> None:
    """Make the schedules of a proposal, in your name; a second time changes nothing."""
    from schemas.proposals import AcceptProposal

    _send(proposal, subject, AcceptProposal(proposal, reason), output)


@app.command(epilog=f"Example: horae proposal dismiss pp_775a790aa5c49ab6 -r 'no'. {CODES}")
def dismiss(
    proposal: Proposal,
    *,
    reason: Reason = "",
    subject: OfSubject = None,
    output: Output = Form.TABLE,
) -> None:
    """Make nothing of a proposal; the same is not proposed again for 30 days."""
    from schemas.proposals import DismissProposal

    _send(proposal, subject, DismissProposal(proposal, reason), output)


def _send(proposal: str, subject: str | None, command: Wish, output: Form) -> None:
    try:
        about = _need(proposal).subject if subject is None else subject
    except NoDatabase as fault:
        said = f"{fault}; or say whose it is: --subject SUBJECT"
        raise Said(said, fault.ending) from fault
    send(checked_subject(about), command, output, {"proposal": "PROPOSAL", "reason": "--reason"})


def _need(proposal: str) -> ProposalShown:
    from projections import traffic_queries

    with views() as reads:
        row = reads.look(lambda session: traffic_queries.proposal(session, proposal))
    if row is None:
        raise Said(f"{proposal}: the views know no such proposal")
    return row


def _row(row: ProposalShown) -> list[str]:
    from horae.proposing.shown import windows_words
    from schemas.instants import format_instant

    return [
        row.id,
        row.subject,
        row.status,
        windows_words(row.windows),
        row.zone,
        row.source,
        f"{row.confidence / 1_000:g}",
        format_instant(row.proposed_at),
    ]


def _fields(row: ProposalShown) -> dict[str, str]:
    from horae.cli.times import both_times

    found = {
        "proposal": row.id,
        "deployment": row.subject,
        "status": row.status,
        "by": f"{row.source}, sure to {row.confidence / 1_000:g}",
        "reason": row.reason or "-",
        "zone": row.zone,
        "proposed": f"{both_times(row.proposed_at, row.zone)} by {row.proposed_by}",
    }
    if row.settled_at is not None:
        why = f": {row.settled_reason}" if row.settled_reason else ""
        when = both_times(row.settled_at, row.zone)
        found[row.status] = f"{when} by {row.settled_by}{why}"
    if row.schedules:
        found["schedules"] = ", ".join(row.schedules)
    return found
