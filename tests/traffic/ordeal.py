"""
What do workers go through in the proof?

Samples of many subjects, some late, some twice, some with another claim about the same instant;
between portions of them a worker is killed, comes back, joins or leaves. Same seed, same samples;
where the kills fall is up to the machine.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from schemas.traffic import Sample
from schemas.units import MINUTE, SECOND
from tests.traffic.road import Road

SPAN = 30 * MINUTE
LATEST = 15 * MINUTE
Sent = tuple[str, Sample]


@dataclass(frozen=True, slots=True)
class Ordeal:
    """How much of it."""

    samples: int
    subjects: int
    kills: int
    pause: float
    """Seconds between two portions."""
    seed: int = 0


def samples_of(ordeal: Ordeal, ended: int) -> list[Sent]:
    """All samples in the order in which they are sent; the youngest is from `ended`."""
    dice = Random(ordeal.seed)  # noqa: S311 - dice, no secret
    queue: list[tuple[float, int, Sent]] = []
    # Of twenty one is late, of thirty one comes again, of a hundred one is contradicted later.
    for number in range(ordeal.samples):
        at = ended - SPAN + SPAN * number // ordeal.samples
        sent = f"model-{number % ordeal.subjects}", _look(at, dice)
        late = dice.random() * LATEST if dice.random() < 0.05 else 0.0
        queue.append((at + late, len(queue), sent))
        if dice.random() < 1 / 30:
            queue.append((at + late + dice.random() * 5 * MINUTE, len(queue), sent))
        if dice.random() < 1 / 100:
            other = replace(sent[1], in_flight=sent[1].in_flight + 1)
            queue.append((at + late + dice.random() * MINUTE, len(queue), (sent[0], other)))
    return [sent for _, _, sent in sorted(queue)]


def _look(at: int, dice: Random) -> Sample:
    finished = dice.choice((None, 0, 0, 2, 30))
    micros = None if finished is None else finished * dice.randrange(SECOND)
    return Sample(at, dice.choice((0, 0, 1, 4)), dice.choice((0, 0, 0, 2)), finished, micros)


def undergo(road: Road, ordeal: Ordeal) -> None:
    """Send all, and let things happen in between; two workers are there at the end."""
    sent = samples_of(ordeal, time.time_ns() // 1_000)
    happenings = list(_happenings(ordeal.kills))
    road.worker("a")
    portion = len(sent) // (len(happenings) + 1) + 1
    for start in range(0, len(sent), portion):
        for subject, sample in sent[start : start + portion]:
            road.send(subject, sample)
        road.flush()
        time.sleep(ordeal.pause)
        if happenings:
            _let_happen(road, *happenings.pop(0))


def _happenings(kills: int) -> Iterator[tuple[str, str]]:
    """A second one joins and leaves, over and over, and in between one of them is killed."""
    yield "join", "b"
    for number in range(kills):
        name = "ab"[number % 2]
        yield "kill", name
        if number % 3 == 2:
            yield "leave", "b"
            yield "join", "b"
    yield "leave", "b"
    yield "join", "b"


def _let_happen(road: Road, what: str, name: str) -> None:
    if what == "leave":
        road.await_serving(name)
        assert road.stop(name) == 0, road.last_words(name)
        return
    if what == "kill":
        road.kill(name)
    road.worker(name)
