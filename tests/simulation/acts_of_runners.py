"""
What can happen where runners do the work?

One table of acts like that of acts.py, with how often each comes. What a runner does in its turn is
workshop.py.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from schemas.codec import decode_as
from schemas.commands import CancelRun
from schemas.identity import partition_of, subject_of
from schemas.orders import Order
from schemas.reading import command_record
from schemas.topics import COMMANDS, orders_topic
from tests.simulation.world import SECOND, World


def work(world: World, rng: Random) -> None:
    """Runners claim, work and beat, while processors answer them."""
    for _ in range(rng.randint(1, 4)):
        world.workshop.turn(rng)
        world.step_all()
        world.pass_time(rng.choice((50_000, SECOND, 4 * SECOND)))


def cancel(world: World, rng: Random) -> None:
    """What is offered, or goes on, is not wanted any longer."""
    offered = [one for _, one in world.log.everything(orders_topic())]
    if not offered:
        return
    order = decode_as(rng.choice(offered[-6:]).value or b"", Order)
    subject = subject_of(order.schedule)
    key, value = command_record(f"{subject}/", CancelRun(order.run, "stop"), f"c{rng.random()}")
    here = partition_of(subject, world.log.group.partitions)
    world.log.append((COMMANDS, here), key, value)


def deafen(world: World, rng: Random) -> None:
    """What a processor reads does not reach it for a while, and time passes for it."""
    lives = world.awake()
    if not lives:
        return
    consumer = rng.choice(lives).consumer
    consumer.deaf = True
    for _ in range(rng.choice((2, 6, 9))):
        world.workshop.turn(rng)
        world.pass_time(rng.choice((SECOND, 5 * SECOND, 8 * SECOND)))
        world.step_all()
    consumer.deaf = False


OF_RUNNERS: dict[str, tuple[int, Callable[[World, Random], None]]] = {
    "work": (60, work),
    "runner dies": (3, lambda world, rng: world.workshop.die(rng)),
    "runner freezes": (4, lambda world, rng: world.workshop.freeze(rng)),
    "runner leaves": (4, lambda world, rng: world.workshop.drain(rng)),
    "runner meddles": (4, lambda world, rng: world.workshop.meddle(rng)),
    "cancel a run": (4, cancel),
    "deafen": (6, deafen),
}
