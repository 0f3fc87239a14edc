"""
What can go wrong inside of a transaction?

Each accident waits for a step of somebody's next transactions and happens there: the process is
gone, stands still or stalls, the broker refuses, its answer does not come or comes twice.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from confluent_kafka import KafkaError, KafkaException

from tests.simulation.processor import Crash
from tests.simulation.world import SECOND, Accident, World

Happens = Callable[[World, str, Any], None]
STEPS = ("poll", "begin", "produce", "produce", "produce", "send_offsets", "commit", "committed")


def crash(_world: World, _name: str, _client: Any) -> None:
    raise Crash


def abortable(_world: World, _name: str, _client: Any) -> None:
    """The transaction cannot be committed."""
    raise fault(KafkaError.COORDINATOR_NOT_AVAILABLE, "abort it", abort=True)


def fatal(_world: World, _name: str, _client: Any) -> None:
    raise fault(KafkaError._FENCED, "fenced")


def times_out(world: World, _name: str, _client: Any) -> None:
    """Whether the broker has heard of it is not known."""
    world.pass_time(5 * SECOND)
    raise fault(KafkaError._TIMED_OUT, "no answer", retriable=True)


def answer_is_lost(world: World, _name: str, _client: Any) -> None:
    """It is asked again."""
    world.pass_time(50_000)
    raise fault(KafkaError._TIMED_OUT, "no answer", retriable=True)


def is_slow(world: World, _name: str, client: Any) -> None:
    """It was sent twice, and the second copy arrives when something else is under way."""
    world.pass_time(600_000)
    world.log.late.append(client.by)


def freezes(acts: int, *, rejoins: bool) -> Happens:
    def happens(world: World, name: str, _client: Any) -> None:
        world.freeze(name, acts, rejoins=rejoins)

    return happens


def stalls(acts: int) -> Happens:
    return lambda world, name, _client: world.stall(name, acts)


def arm(world: World, rng: Random) -> None:
    """Something waits for somebody's next transaction."""
    name = rng.choice(sorted(world.up))
    step = rng.choice(STEPS)
    happenings: list[Happens] = [crash, crash]
    happenings += [freezes(rng.randint(1, 6), rejoins=rng.random() < 0.5)] * 3
    happenings += [stalls(rng.randint(1, 4))] * 2
    if step in {"send_offsets", "commit"}:
        happenings += [abortable, abortable, times_out, fatal]
    if step == "committed":
        happenings += [*[times_out] * 4, answer_is_lost, is_slow, is_slow]
    countdown = rng.choice((0, 0, 1, 2, 5)) if step == "produce" else rng.choice((0, 0, 0, 1))
    waiting = world.accidents.setdefault(name, [])
    waiting.append(Accident(step, countdown, rng.choice(happenings)))


def fault(
    code: int, detail: str, *, retriable: bool = False, abort: bool = False
) -> KafkaException:
    """What the client raises."""
    return KafkaException(KafkaError(code, detail, code == KafkaError._FENCED, retriable, abort))
