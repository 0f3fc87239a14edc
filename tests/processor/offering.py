"""
What does a desk look like on which work is offered to runners?

The first order of a schedule, a claim that is granted, and whether what was decided is found again
after a restart and decided so again.
"""

from __future__ import annotations

from schemas.commands import (
    Define,
)
from schemas.definition import Definition
from schemas.events import (
    Event,
)
from schemas.orders import Grant, Order
from tests.processor.desk import HOUR, Desk, Written
from tests.processor.runners import HOURLY_WORK, Runner, control_in, orders_in
from tests.processor.running import replayed, state_of

R = Runner()


def desk_with_order(
    definition: Definition = HOURLY_WORK, partitions: int = 1
) -> tuple[Desk, Order]:
    """A desk on which the first run of `shop/a` is offered."""
    desk = Desk(partitions=partitions)
    desk.put(*R.beats())
    desk.ask("shop/a", Define(definition))
    desk.step()
    (order,) = orders_in(desk.pass_time(HOUR))
    return desk, order


def granted(desk: Desk, order: Order, runner: Runner = R) -> list[Written]:
    desk.put(*runner.claims(order))
    written = desk.step()
    assert control_in(written, runner.id) == [
        Grant(order.run, order.attempt, order.issue, runner.boot)
    ]
    return written


def kinds(desk: Desk) -> list[type[Event]]:
    return [type(one) for one in desk.events()]


def is_sound(desk: Desk) -> bool:
    """What is found again is what was known, and all that was decided is decided so again."""
    before = state_of(desk), desk.partition.runners
    desk.restart()
    assert (state_of(desk), desk.partition.runners) == before
    assert replayed(desk) == []
    return True
