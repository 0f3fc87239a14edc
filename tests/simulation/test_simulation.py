"""
Is every promise kept whatever happens, and does a seed say so again?

Short plays of several processors with accidents of all kinds, each under a seed. One that fails
prints the line that plays it again, with the fewest acts that still fail.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest
from hypothesis import settings

from schemas.codec import decode_as
from schemas.snapshot import Owner
from schemas.topics import CONTROL, STATE
from tests.acceptance.calling import walk
from tests.processor.runners import control_in
from tests.simulation.acts import acts_of
from tests.simulation.laws import found, history_of
from tests.simulation.laws_of_deployments import walked
from tests.simulation.play import ACTS, command_of, play, played, shrunk, steps_in
from tests.simulation.shrink import fewest
from tests.simulation.world import World

SEEDS = (settings.default or settings()).max_examples * 3 // 5
"""Of the profile's patience: 30 where somebody waits, 300 in CI."""
SEEDS_AT_ONCE = 20
MORE_SEEDS = int(os.environ.get("HORAE_SIMULATION_SEEDS", "5000"))
SEEN = (
    *("aborted", "moved owners", "Deferred", "SchedulePaused", "ScheduleResumed", "CommandRefused"),
    *("RunQueued", "RunStarted", "RunRetries", "RunCancelling", "RunNoted", "RunEnded"),
    *("RunOffered", "RunGranted", "InsightRaised", "Grant", "Denial", "Stop"),
    *("SkipsChanged", "BackfillStarted", "BackfillEnded", "ActivityNoted", "SubjectHeld"),
    *("DeploymentDefined", "DeploymentStateNoted", "an act starts"),
)
"""What happens more than a few times in forty plays."""


def hold(seeds: range, acts: int = ACTS) -> None:
    """Play these, and fail with the shortest play that breaks a promise."""
    for seed in seeds:
        wrong = play(seed, most=acts)
        if wrong:
            steps = shrunk(seed, acts)
            shown = "\n".join(play(seed, steps, acts)[:3] or wrong[:3])
            pytest.fail(f"{command_of(seed, steps)}\n{shown}", pytrace=False)


@pytest.mark.parametrize("first", range(0, SEEDS, SEEDS_AT_ONCE))
def test_every_promise_is_kept_under_these_seeds(first: int) -> None:
    hold(range(first, min(first + SEEDS_AT_ONCE, SEEDS)))


@pytest.mark.chaos
@pytest.mark.timeout(0)  # as many as are asked for
def test_every_promise_is_kept_under_thousands_of_seeds() -> None:
    """`HORAE_SIMULATION_SEEDS` says how many."""
    hold(range(SEEDS, SEEDS + MORE_SEEDS))


@pytest.mark.chaos
@pytest.mark.timeout(0)
def test_every_promise_is_kept_in_long_plays() -> None:
    hold(range(MORE_SEEDS // 20), 600)


def test_a_seed_plays_the_same_twice() -> None:
    def log_of(seed: int) -> list[object]:
        world, _ = played(seed, acts_of(seed, ACTS))
        return [list(world.log.everything(topic)) for topic in sorted(world.log.topics)]

    assert log_of(2) == log_of(2)
    assert log_of(3) == log_of(3)


def test_the_plays_have_everything_in_them() -> None:
    """Ends of all kinds, runs and orders, transactions that were aborted, owners that change."""
    ends: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for seed in range(40):
        world, horizon = played(seed, acts_of(seed, ACTS))
        history = history_of(world.log)
        if not world.policies:
            ends += walk(history, horizon).ends
        seen.update(type(one.event).__name__ for each in history.ledger.values() for one in each)
        seen.update(type(one).__name__ for one in control_in(found(world.log, CONTROL)))
        seen["aborted"] += len(world.log.aborted)
        seen["moved owners"] += _changes_of_owner(world)
        seen["an act starts"] += sum(one.starts for one in walked(history))

    kinds = (
        "on time",
        "late",
        "missed",
        "withdrawn",
        "triggered",
        "moved",
        "waited for its window",
    )
    assert {one for one in kinds if ends[one] <= 5} == set(), ends
    assert {one for one in SEEN if seen[one] <= 5} == set(), seen


def _changes_of_owner(world: World) -> int:
    last: dict[int, str] = {}
    changes = 0
    for one in found(world.log, STATE):
        if (one.key or b"").startswith(b"o|"):
            instance = decode_as(one.value or b"", Owner).instance
            changes += last.get(one.partition, instance) != instance
            last[one.partition] = instance
    return changes


def test_a_failing_play_is_shortened_to_what_it_takes() -> None:
    asked = []

    def fails(steps: list[int]) -> bool:
        asked.append(steps)
        return {7, 31} <= set(steps)

    assert fewest(range(60), fails) == [7, 31]
    assert len(asked) < 60
    assert steps_in("3") == [0, 1, 2]
    assert steps_in("0-2,7") == [0, 1, 2, 7]
    assert command_of(5, [0, 7, 8, 9]).endswith("tests.simulation.play 5 0,7-9")
    assert command_of(5, [0, 1]).endswith("tests.simulation.play 5 2")
