"""
How are orders for backfills sent, and how is shown what becomes of them?

The replies at once; with `watch` each backfill is followed in the ledger to its end
(horae/following.py). Which instants are asked for is backfills.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from horae.cli.asking import asking, reply_as_json, reply_as_line, went_well
from horae.cli.endings import Ending, Said
from horae.cli.output import Form, note, say, show_json

if TYPE_CHECKING:
    from horae.client import Order
    from horae.following import Followed
    from horae.tail import Tail
    from schemas.commands import Backfill
    from schemas.replies import Reply


def is_done(schedule: str, name: str, output: Form, *, watch: bool) -> bool:
    """Show what was begun under this id, if anything was: it is not looked for a second time.

    What is missing or failed is something else by now, and so would be the order.
    """
    from horae.following import begun_before
    from horae.past import Past
    from horae.settings import load_settings

    with _tail(schedule, watch=watch) as tail:
        with Past(load_settings().bootstrap) as past:
            found = begun_before(past, schedule, name)
        if tail is not None:
            _stay(tail, found)
    if found:
        _show(schedule, [], found, output)
    return bool(found)


def carry_out(orders: Sequence[Order], output: Form, *, watch: bool, again: bool) -> None:
    """Send the orders, show the replies, and with `watch` what becomes of them.

    `again`: they may have been sent before, and be over by now.
    """
    with _tail(orders[0].schedule, watch=watch) as tail:
        with asking() as client:
            replies = [client.ask(order) for order in orders]
        if output is Form.TABLE:
            for reply in replies:
                (say if went_well(reply) else note)(reply_as_line(reply, None))
        followed = [] if tail is None else _follow(tail, orders, replies, again=again)
    _show(orders[0].schedule, replies, followed, output)


def _show(
    schedule: str, replies: Sequence[Reply], followed: Sequence[Followed], output: Form
) -> None:
    """Show what became of orders and backfills, and end with the code of the worst."""
    if output is Form.JSON:
        replied = [reply_as_json(reply) for reply in replies]
        ends = [one.as_json() for one in followed]
        show_json({"schedule": schedule, "replies": replied, "backfills": ends})
    for one in followed if output is Form.TABLE else ():
        say(one.as_line())
    if not all(map(went_well, replies)) or any(one.cancelled for one in followed):
        raise typer.Exit(Ending.REFUSED)


def orders_for(schedule: str, commands: Sequence[Backfill], name: str | None) -> Iterator[Order]:
    """The orders under this id, numbered if there are several; a sentence if one cannot be."""
    from horae.client import Order
    from horae.client.orders import new_id
    from schemas.command_limits import check_command
    from schemas.faults import FieldFault

    name = name or new_id()
    for i, command in enumerate(commands):
        try:
            check_command(command)
        except FieldFault as fault:
            raise Said(str(fault), Ending.USAGE) from fault
        yield Order(schedule, command, name if len(commands) == 1 else f"{name}-{i + 1}")


@contextmanager
def _tail(schedule: str, *, watch: bool) -> Iterator[Tail | None]:
    """The ledger from now on, before anything is asked; None if nobody wants to see it."""
    from horae.settings import load_settings
    from horae.tail import From, Tail

    if not watch:
        yield None
        return
    with Tail(load_settings().bootstrap, From.END, schedule) as tail:
        yield tail


def _follow(
    tail: Tail, orders: Sequence[Order], replies: Sequence[Reply], *, again: bool
) -> list[Followed]:
    """Stay until each of them that was taken is over."""
    from horae.following import Followed, look_back
    from horae.past import Past
    from horae.settings import load_settings

    found = [
        Followed(f"{order.id}.{reply.offset}")
        for order, reply in zip(orders, replies, strict=True)
        if went_well(reply)
    ]
    if again:
        with Past(load_settings().bootstrap) as past:
            look_back(past, orders[0].schedule, found)
    _stay(tail, found)
    return found


def _stay(tail: Tail, found: Sequence[Followed]) -> None:
    from horae.cli.progress import filling
    from horae.following import follow

    with filling("instants that had their turn") as told:
        follow(tail, found, told)
