"""Which schedules ask for programs in these tests, and what is in the log of them?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from schemas.actions import Program
from schemas.definition import Definition, Emit, Once
from schemas.events import (
    RunEnded,
    RunGranted,
    RunOffered,
    RunRetries,
    RunStarted,
)
from schemas.policies import Tracking
from schemas.run_events import OfRun
from schemas.topics import orders_topic
from schemas.units import SECOND
from tests.processor.cluster import Cluster, await_that
from tests.processor.lives import now
from tests.runner.ordered import program


def asking_for(work: Program, at: int | None = None, **given: Any) -> Definition:
    """A schedule that asks for a program once, now unless told otherwise."""
    topic = orders_topic(work.pool)
    action = Emit(topic, tracked=Tracking(30 * SECOND), work=work)
    return Definition((Once(at or now()),), action, **given)


def noting(file: Path, then: str = "", **given: Any) -> Program:
    """A program that writes down that this attempt began, in one write, and goes on."""
    text = f'echo "$HORAE_RUN.$HORAE_RUN_ATTEMPT" >> {file}; {then}'
    return program("sh", "-c", text, **given)


def noted(file: Path) -> list[str]:
    """The attempts that began."""
    return file.read_text().split() if file.exists() else []


def ended(cluster: Cluster, number: int = 1, within: float = 30.0) -> list[RunEnded]:
    """The ends of runs, once there are so many."""
    await_that(lambda: len(cluster.events(RunEnded)) >= number, f"{number} runs end", within)
    return [one.event for one in cluster.events(RunEnded) if isinstance(one.event, RunEnded)]


def told_of(cluster: Cluster, *kinds: type[Any]) -> list[OfRun]:
    """What is in the ledger about runs, in its order."""
    chosen = kinds or (RunOffered, RunGranted, RunStarted, RunRetries, RunEnded)
    return [one.event for one in cluster.events() if isinstance(one.event, chosen)]
