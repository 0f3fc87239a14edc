"""
How does a command of the command line ask the scheduler, and show what it was told?

Opens a client with the settings of this machine, and turns replies into lines or JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from horae.cli.endings import Ending, Said, ending_of
from horae.cli.output import Form, note, printable, say, show_json
from horae.cli.times import both_times, utc_or_none

if TYPE_CHECKING:
    from horae.client import Client, ClientFault, Order
    from horae.client.orders import Wish
    from schemas.replies import Reply


@contextmanager
def asking(bootstrap: str | None = None) -> Iterator[Client]:
    """A client for that broker, else for the one that the settings name."""
    from horae.client import Client
    from horae.settings import load_settings

    settings = load_settings()
    with Client(
        bootstrap or settings.bootstrap, actor=settings.actor, within=settings.reply_within
    ) as client:
        yield client


def checked_id(text: str) -> str:
    """The canonical id, or a sentence that says what an id is."""
    from schemas.identity import IdFault, schedule_id

    try:
        return schedule_id(text)
    except IdFault as fault:
        raise Said(str(fault), Ending.USAGE) from fault


def checked_subject(text: str) -> str:
    """The canonical form of what concerns a subject as a whole, or a sentence that says why not."""
    from schemas.identity import IdFault, subject_id

    try:
        return subject_id(text)
    except IdFault as fault:
        raise Said(str(fault), Ending.USAGE) from fault


def send(about: str, command: Wish, form: Form, options: Mapping[str, str] | None = None) -> None:
    """
    Ask this of a schedule or a subject, and show the reply.

    What no processor would take is not sent: the sentence names the field, or the option that
    `options` has for it.
    """
    from horae.client import Order
    from schemas.command_limits import check_command
    from schemas.faults import FieldFault

    try:
        check_command(command)
    except FieldFault as fault:
        name = (options or {}).get(fault.field, fault.field)
        raise Said(f"{name}: {fault.message}", Ending.USAGE) from fault
    with asking() as client:
        reply = client.ask(Order(about, command))
    show_reply(reply, form)


def show_reply(reply: Reply, form: Form, zone: str | None = None) -> None:
    """Show one reply, and end with its code."""
    if form is Form.JSON:
        show_json(reply_as_json(reply))
    else:
        (say if went_well(reply) else note)(reply_as_line(reply, zone))
    if not went_well(reply):
        raise typer.Exit(Ending.REFUSED)


def show_replies(
    orders: Sequence[Order],
    answers: Sequence[Reply | ClientFault],
    zones: Sequence[str],
    form: Form,
) -> None:
    """Show what became of many orders, and end with the worst code."""
    ending = Ending.DONE
    lines: list[dict[str, Any]] = []
    for order, answer, zone in zip(orders, answers, zones, strict=True):
        if isinstance(answer, Exception):
            sentence, found = ending_of(answer)
            ending = max(ending, found)
            lines.append({"schedule": order.schedule, "verdict": None, "message": sentence})
            if form is Form.TABLE:
                note(f"{printable(order.schedule)}: {sentence}")
            continue
        lines.append(reply_as_json(answer))
        if not went_well(answer):
            ending = max(ending, Ending.REFUSED)
        if form is Form.TABLE:
            (say if went_well(answer) else note)(reply_as_line(answer, zone))
    if form is Form.JSON:
        show_json(lines)
    if ending is not Ending.DONE:
        raise typer.Exit(ending)


def reply_as_line(reply: Reply, zone: str | None) -> str:
    """One line for a person."""
    from schemas.replies import Verdict

    # What is said to everyone is about no schedule: the command's name says which it is.
    about = f"{printable(reply.schedule.removesuffix('/'))}: " if reply.schedule else ""
    name = printable(reply.command).replace("_", " ")
    command = name if about else f"{name}:"
    if reply.verdict is Verdict.REFUSED:
        field = f"{reply.field}: " if reply.field else ""
        return f"{about}{command} refused: {printable(field + (reply.message or ''))}"
    if reply.verdict is Verdict.SKIPPED:
        return f"{about}{command} skipped: {printable(reply.message or '')}"
    parts = [f"{about}{command} {reply.verdict}"]
    if reply.version is not None:
        parts.append(f"version {reply.version}")
    if reply.occurrence is not None:
        parts.append(f"occurrence {reply.occurrence}")
    if reply.next is not None:
        parts.append(f"next {both_times(reply.next, zone)}")
    if reply.message:
        parts.append(printable(reply.message))
    return ", ".join(parts)


def reply_as_json(reply: Reply) -> dict[str, Any]:
    """A reply for a program; what it does not say is left out."""
    found = {
        "schedule": reply.schedule or None,
        "command": reply.command,
        "verdict": str(reply.verdict),
        "version": reply.version,
        "incarnation": reply.incarnation,
        "next": utc_or_none(reply.next),
        "occurrence": reply.occurrence,
        "field": reply.field,
        "message": reply.message,
        "decided_at": utc_or_none(reply.decided_at),
        "partition": reply.partition,
        "offset": reply.offset,
    }
    return {name: value for name, value in found.items() if value is not None}


def went_well(reply: Reply) -> bool:
    """Whether what was asked is so now."""
    from schemas.replies import Verdict

    return reply.verdict in (Verdict.ACCEPTED, Verdict.UNCHANGED)
