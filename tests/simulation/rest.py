"""
How does the simulated world come to rest?

Everything heals, and all step on until each partition fires at one place and nobody has anything
left to do. A world that does not get there is at fault.
"""

from __future__ import annotations

from typing import Any

from tests.simulation.processor import Life
from tests.simulation.world import SECOND, World

MOST_STEPS = 1_500
"""Of each processor; whoever catches up with all that was missed fires once a step."""


def rest(world: World) -> int:
    """Let everything heal and come to rest; up to when all is settled."""
    world.accidents.clear()
    world.up |= {"p1"}
    world.log.init("stranger")
    world.strangers.clear()
    world.create_targets()
    world.workshop.deliver(all_of_it=True)
    for clock in world.clocks.values():
        clock.lean = 0
    quiet = 0
    for _ in range(MOST_STEPS):
        world.step_all()
        world.pass_time(50_000 if quiet or world.next_due() <= world.time.now else SECOND)
        quiet = quiet + 1 if _is_quiet(world) else 0
        if quiet == 3:
            return world.time.now
    world.wrong.append(f"it does not come to rest: {shown(world)}")
    return world.time.now


def _is_quiet(world: World) -> bool:
    """Whether each partition fires at one place, and nobody has anything to do."""
    firing = [one.number for life in world.awake() for one in life.processor.serving.firing()]
    if sorted(firing) != list(range(world.log.group.partitions)):
        return False
    return all(_is_idle(world, life) for life in world.awake())


def _is_idle(world: World, life: Life) -> bool:
    serving, everyone = life.processor.serving, life.processor.globals.world
    first = serving.get(0)
    answered = first is None or first.owner.globals_offset >= everyone.globals_offset
    is_done = not serving.is_reading and not serving.rechecks.busy and answered
    return is_done and serving.lag() == 0 and serving.next_due() > world.time.now


def shown(world: World) -> dict[str, Any]:
    """Where everybody is, for a person."""
    return {
        name: (
            {phase: n for phase, n in one.processor.serving.phases().items() if n},
            one.processor.serving.stopped,
            one.processor.watch.objection,
        )
        for name, one in world.lives.items()
    }
