"""
Does no attempt begin twice, and does every order end, whatever is killed at whatever moment?

Three runners carry out programs that each write down, in one write, which attempt began; runners,
processors and the broker are killed with -9 meanwhile, and some are frozen. Afterwards what was
written down is held against the ledger. `HORAE_CHAOS_SEED` chooses who is struck and when,
`HORAE_CHAOS_RUNS` how many runs the version of `make chaos` has.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from schemas.definition import Definition, Emit, Once
from schemas.events import Outcome, RunEnded, RunGranted, RunOffered, RunRetries
from schemas.policies import Overlap, OverlapMode, Retry, Tracking
from schemas.run_events import RunStatus
from schemas.topics import orders_topic
from schemas.units import SECOND
from tests.acceptance.faults import PROCESSORS, Fault, Torment
from tests.acceptance.hurried import HURRIED
from tests.acceptance.laws_of_work import everything_is_explained
from tests.acceptance.stack import SESSION, Stack
from tests.processor.cluster import await_that
from tests.processor.lives import now
from tests.runner.ordered import program
from tests.runner.processes import all_marked

pytestmark = pytest.mark.broker

# ruff: noqa: S311 - a seed is there to be repeated

RUNNERS = ("red", "green", "blue")
SUBJECTS = 25
FIRST = 4 * SECOND
EVERY = SECOND * 4 // 25
SLOTS = 12
LAST = 180.0
"""Seconds for what is left once everybody is back: a lease, retries and offers anew."""
KINDS = ("kill runner", "kill processor", "broker", "freeze runner")
WEIGHTS = (50, 20, 15, 15)


def test_work_starts_at_most_once(stack: Stack, tmp_path: Path) -> None:
    """The short version."""
    stack.pace = HURRIED
    torture(stack, tmp_path / "begun", runs=120, faults=7)


@pytest.mark.chaos
@pytest.mark.timeout(0)  # as long as is asked for
def test_work_starts_at_most_once_however_much_there_is(stack: Stack, tmp_path: Path) -> None:
    """The long version."""
    runs = int(os.environ.get("HORAE_CHAOS_RUNS", "500"))
    torture(stack, tmp_path / "begun", runs=runs, faults=runs // 12)


def torture(stack: Stack, log: Path, *, runs: int, faults: int) -> None:
    """Let work be due while faults strike; then hold what began against what is in the ledger."""
    seed = int(os.environ.get("HORAE_CHAOS_SEED") or secrets.randbelow(1 << 32))
    torment = Torment(
        stack,
        Random(f"{seed} faults"),
        blows=blows,
        watched=(*PROCESSORS, *RUNNERS),
    )
    with told_on_failure(stack, seed, torment):
        for name in PROCESSORS:
            stack.processor(name)
        for name in RUNNERS:
            stack.runner(name, slots=SLOTS)
        stack.await_processors(*PROCESSORS)
        began = now()
        define(stack, Random(f"{seed} work"), log, runs=runs)
        await_that(log.exists, "work begins", 30)
        torment.go_on(lambda number, _: number >= faults)
        torment.heal()
        await_that(lambda: len(ends(stack)) >= runs, f"all {runs} runs end", LAST)
        for name in RUNNERS:
            assert stack.stop(name) == 0, stack.last_words(name)
        horizon = now()
        look_at(stack, log, runs)
        assert list(everything_is_explained(stack.broker.bootstrap, began, horizon)) == []
        told = Counter(str(end.status) for end in ends(stack))
        assert told["success"] > runs / 3
        assert told["interrupted"] > 0, "the faults hit nothing"
        sys.stdout.write(f"seed {seed}: {dict(torment.counts)}, {dict(told)}\n")


def define(stack: Stack, rng: Random, log: Path, *, runs: int) -> None:
    """Let so many programs be due, one after the other, some of which fail at first."""
    first = now() + FIRST
    for number in range(runs):
        again = 'if [ "$HORAE_RUN_ATTEMPT" = 1 ]; then exit 9; fi' if number % 5 == 0 else ""
        text = (
            f'echo "$HORAE_RUN.$HORAE_RUN_ATTEMPT" >> {log}; '
            f"sleep 300 & sleep {rng.uniform(0, 2.5):.2f}; {again}"
        )
        work = program("sh", "-c", text)
        stack.cluster.define(
            f"s{number % SUBJECTS}/n{number}",
            Definition(
                (Once(first + number * EVERY),),
                Emit(orders_topic(), tracked=Tracking(30 * SECOND), work=work),
                overlap=Overlap(OverlapMode.ALLOW),
                retry=Retry(most=1, backoff=SECOND),
            ),
        )


def blows(rng: Random) -> Iterator[Fault]:
    """Faults without end; the first ones are of every kind, the broker last: it takes longest."""
    first = [*["kill runner"] * 4, "kill processor", "freeze runner"]
    rng.shuffle(first)
    first = ["broker", *first]
    while True:
        kind, _, whose = (first.pop() if first else rng.choices(KINDS, WEIGHTS)[0]).partition(" ")
        victim = rng.choice(RUNNERS if whose == "runner" else PROCESSORS) if whose else kind
        lasts = rng.uniform(0, 1.5)
        if kind == "freeze":
            lasts = SESSION + rng.uniform(0, 2)
        yield Fault(kind, victim, lasts, rng.uniform(0.2, 2))


def ends(stack: Stack) -> list[RunEnded]:
    """The ends in the ledger."""
    found = [one.event for one in stack.cluster.events(RunEnded)]
    return [one for one in found if isinstance(one, RunEnded)]


def look_at(stack: Stack, log: Path, runs: int) -> None:
    """Whether everything is as it was promised."""
    begun = log.read_text().split()
    assert [one for one, times in Counter(begun).items() if times > 1] == [], "began twice"

    fired = [event for event, _ in stack.cluster.fired()]
    given = {one.run for event in fired for one in event.scopes if one.outcome is Outcome.STARTED}
    ended = Counter(end.run for end in ends(stack))
    assert len(given) == runs
    assert given == set(ended)
    assert [run for run, times in ended.items() if times > 1] == [], "ended twice"

    grants = of_each_attempt(stack, RunGranted)
    assert set(begun) <= set(grants), "began without a grant in the log"
    # Each grant but the last of an attempt was given back, which offered the attempt anew.
    offers = of_each_attempt(stack, RunOffered)
    assert all(times - 1 <= offers[attempt] for attempt, times in grants.items())

    over = {f"{end.run}.{end.attempt}": end.status for end in ends(stack)}
    over |= dict.fromkeys(of_each_attempt(stack, RunRetries), RunStatus.FAILED)
    assert {one for one, how in over.items() if how is RunStatus.SUCCESS} <= set(begun)
    assert set(begun) <= set(over), "what became of it is not in the ledger"
    assert set(over.values()) <= {RunStatus.SUCCESS, RunStatus.INTERRUPTED, RunStatus.FAILED}

    await_that(lambda: not set(all_marked()) & given, "no process is left")


def of_each_attempt(stack: Stack, kind: type[RunGranted | RunOffered | RunRetries]) -> Counter[str]:
    """How often something was said of each attempt."""
    events = [one.event for one in stack.cluster.events(kind)]
    return Counter(f"{one.run}.{one.attempt}" for one in events if isinstance(one, kind))


@contextmanager
def told_on_failure(stack: Stack, seed: int, torment: Torment) -> Iterator[None]:
    """Say how to see it again, and what happened to whom."""
    try:
        yield
    except BaseException:
        told = [f"HORAE_CHAOS_SEED={seed}", *torment.log]
        for name in stack.programs:
            told += [f"--- {name}", stack.last_words(name)]
        sys.stderr.write("\n".join(told) + "\n")
        raise
