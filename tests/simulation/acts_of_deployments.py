"""
What can happen where schedules act on deployments?

One table of acts like that of acts.py, with how often each comes.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from schemas.commands import Command, DefineDeployment, ReportActivity
from schemas.identity import partition_of, subject_of
from schemas.reading import command_record
from schemas.topics import COMMANDS
from tests.simulation.demands_of_deployments import MODEL, seen, told
from tests.simulation.world import SCHEDULES, SECOND, World

SUBJECTS = tuple(sorted({subject_of(name) for name in SCHEDULES}))


def deploy(world: World, rng: Random) -> None:
    """Everything is registered."""
    for subject in SUBJECTS:
        if rng.random() < 0.8:
            _put(world, subject, DefineDeployment(MODEL), rng)


def tell(world: World, rng: Random) -> None:
    """Somebody says a few things of one of them."""
    subject = rng.choice(SUBJECTS)
    for _ in range(rng.randint(1, 6)):
        _put(world, subject, told(rng, world.time.now), rng)
        if rng.random() < 0.3:
            world.step_all()


def look(world: World, rng: Random) -> None:
    """A sampler looks at all of them for a while, as time passes and runners work."""
    for _ in range(rng.choice((1, 3, 5))):
        for subject in SUBJECTS:
            _put(world, subject, seen(rng, world.time.now, 7), rng)
        world.workshop.turn(rng)
        world.step_all()
        left = world.next_due() - world.time.now
        world.pass_time(max(0, min(left, 4 * SECOND)))
        world.step_all()


def _put(world: World, subject: str, command: Command, rng: Random) -> None:
    """Put it where it belongs; what is one-shot has an id of its own."""
    named = "" if isinstance(command, ReportActivity) else f"d{rng.getrandbits(40)}"
    id_ = named or f"a{rng.getrandbits(40)}"
    key, value = command_record(f"{subject}/", command, id_)
    here = partition_of(subject, world.log.group.partitions)
    world.log.append((COMMANDS, here), key, value, [("horae-id", id_.encode())])


OF_DEPLOYMENTS: dict[str, tuple[int, Callable[[World, Random], None]]] = {
    "deploy": (12, deploy),
    "tell of a deployment": (16, tell),
    "look at deployments": (40, look),
}
