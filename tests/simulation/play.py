"""
What happens under a seed?

`python -m tests.simulation.play SEED [STEPS]` plays it and prints what went wrong; STEPS is how
many acts are played (40), or which of them (0-3,7). `--shrink` looks for the fewest that still
fail.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.simulation.acts import KINDS, OF_DEPLOYMENTS, OF_POLICIES, OF_RUNNERS, acts_of
from tests.simulation.laws import broken
from tests.simulation.processor import simulated
from tests.simulation.rest import rest
from tests.simulation.seeds import has_deployments, has_policies, has_runners
from tests.simulation.shrink import fewest
from tests.simulation.world import Act, World

ACTS = 60


def play(seed: int, steps: Sequence[int] | None = None, most: int = ACTS) -> list[str]:
    """What went wrong under a seed; `steps`: which of its first acts are played, None: all."""
    acts = acts_of(seed, most)
    if steps is not None:
        acts = [acts[number] for number in steps if number < len(acts)]
    world, horizon = played(seed, acts)
    with simulated(world.time):
        return broken(world, horizon)


def played(seed: int, acts: Sequence[Act]) -> tuple[World, int]:
    """The world after these acts, at rest, and up to when all is settled."""
    cap = 2 if seed % 8 == 3 else 0
    world = World(seed, has_policies(seed), cap, has_runners(seed), has_deployments(seed))
    with simulated(world.time):
        world.play(acts, KINDS | OF_POLICIES | OF_RUNNERS | OF_DEPLOYMENTS)
        return world, rest(world)


def shrunk(seed: int, most: int = ACTS) -> list[int]:
    """The fewest acts under which something still goes wrong."""
    return fewest(range(most), lambda steps: bool(play(seed, steps, most)))


def command_of(seed: int, steps: Sequence[int] | None = None) -> str:
    """The one line that plays it again."""
    chosen = "" if steps is None else f" {_listed(steps)}"
    return f"python -m tests.simulation.play {seed}{chosen}"


def _listed(steps: Sequence[int]) -> str:
    """These numbers, runs of them as 0-3."""
    if list(steps) == list(range(len(steps))):
        return str(len(steps))
    runs: list[list[int]] = []
    for step in steps:
        if runs and runs[-1][-1] == step - 1:
            runs[-1].append(step)
        else:
            runs.append([step])
    return ",".join(f"{one[0]}-{one[-1]}" if one[1:] else str(one[0]) for one in runs)


def steps_in(text: str) -> list[int]:
    """A number of acts, or a list of them like 0-3,7."""
    if text.isdecimal():
        return list(range(int(text)))
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def main(given: Sequence[str]) -> int:
    """Play a seed from the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.play")
    parser.add_argument("seed", type=int)
    parser.add_argument("steps", nargs="?", type=steps_in)
    parser.add_argument("--shrink", action="store_true")
    asked = parser.parse_args(given)
    steps = asked.steps
    if asked.shrink:
        steps = shrunk(asked.seed)
    steps = list(range(ACTS)) if steps is None else steps
    most = max(steps) + 1
    acts, wrong = acts_of(asked.seed, most), play(asked.seed, steps, most)
    lines = [f"{number:4} {acts[number].name}" for number in steps]
    lines += [command_of(asked.seed, steps), *(wrong or ["nothing went wrong"])]
    sys.stdout.write("\n".join(lines) + "\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
