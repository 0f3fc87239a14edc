"""
What could a ledger say of runs, and what follows from it?

Lives of runs drawn at random, as processors and runners would bring them about, and what a reader
who looks at all events of a run at once would say of it: worked out in another way than the views
do, which take them one by one, in batches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from schemas.definition import Definition
from schemas.events import Event, Fired, Outcome, RunEvent, Stamp
from schemas.run_events import (
    Result,
    RunCancelling,
    RunEnded,
    RunGranted,
    RunNoted,
    RunOffered,
    RunQueued,
    RunRetries,
    RunStarted,
    RunStatus,
)
from tests.read_models.ledger import MINUTE, NOON, RULE, SECOND, defined, skipped, stamp
from tests.read_models.works import COMMAND, TRACKED, Life

RULES: Mapping[str, Definition] = {"plain": RULE, "emit": TRACKED, "command": COMMAND}
SCHEDULES = {f"{kind}/{number}": rule for kind, rule in RULES.items() for number in range(3)}
_ENDS = (
    *(RunStatus.SUCCESS, RunStatus.FAILED, RunStatus.TIMEOUT, RunStatus.INTERRUPTED),
    *(RunStatus.DOES_NOT_FIT, RunStatus.CANCELLED),
)

Told = tuple[Event, Stamp]


def ledger(seed: int, runs: int = 40) -> list[Told]:
    """Definitions, then the lives of runs, shuffled into each other."""
    dice = Random(seed)  # noqa: S311 - a ledger is no secret
    lives = [list(_life(dice, number)) for number in range(runs)]
    told: list[Event] = [defined(name, rule=rule) for name, rule in SCHEDULES.items()]
    while any(lives):
        following = dice.choice([one for one in lives if one])
        told.append(following.pop(0))
        if dice.random() < 0.03:
            told.append(skipped(first=NOON + len(told) * MINUTE, evidence="no text\0"))
    return [(event, stamp(i, NOON + i * SECOND, actor="user:ada")) for i, event in enumerate(told)]


def compacted(told: Sequence[Told]) -> list[Told]:
    """What is left when every sign of life that a newer word about the run replaces is gone."""
    alive = {
        event.run: stamp.sequence
        for event, stamp in told
        if isinstance(event, RunEnded) or (isinstance(event, RunNoted) and event.ignored is None)
    }
    return [
        (event, stamp)
        for event, stamp in told
        if not isinstance(event, RunNoted)
        or event.ignored is not None
        or alive[event.run] == stamp.sequence
    ]


def _life(dice: Random, number: int) -> Iterator[Fired | RunEvent]:
    schedule = dice.choice(sorted(SCHEDULES))
    life = Life(f"jr_{number:012d}", schedule, schedule[:-2], nominal=NOON + number)
    if schedule.startswith("plain"):
        yield life.fired()
        return
    if dice.random() < 0.3:
        life = replace(life, origin=dice.choice(["trigger:c.9", "2026-11-28T12:00:00Z+b.7"]))
    waits = dice.random() < 0.3
    yield life.fired(Outcome.WAITING if waits else Outcome.STARTED)
    if waits:
        yield life.queued(behind=dice.choice([None, "jr_before"]))
        if dice.random() < 0.3:
            yield life.ended(RunStatus.DROPPED, None)
            return
        yield life.started()
    yield from _attempts(dice, life, for_runners=schedule.startswith("command"))


def _attempts(dice: Random, life: Life, *, for_runners: bool) -> Iterator[RunEvent]:
    began = NOON + dice.randrange(1_000)
    for attempt in range(1, 5):
        if for_runners:
            yield from _offers(dice, life, attempt)
            if dice.random() < 0.1:
                yield life.ended(RunStatus.EXPIRED, None if attempt == 1 else began, attempt)
                return
            yield life.granted(f"r-{dice.randrange(3)}", attempt, dice.randrange(1, 4))
        yield from _goes_on(dice, life, attempt, for_runners=for_runners)
        result = _result(dice) if for_runners and dice.random() < 0.8 else None
        fate = dice.random()
        if fate < 0.1:
            return  # it goes on
        if fate < 0.5:
            yield from _end(dice, life.ended(dice.choice(_ENDS), began, attempt, result=result))
            return
        yield life.retries(attempt, dice.choice(_ENDS[1:4]), result=result)
        if dice.random() < 0.2:
            yield life.retries(attempt, RunStatus.UNAVAILABLE)
        if dice.random() < 0.1:
            yield life.ended(RunStatus.CANCELLED, began, attempt)
            return
        yield life.started(attempt + 1)


def _goes_on(dice: Random, life: Life, attempt: int, *, for_runners: bool) -> Iterator[RunEvent]:
    """Signs of life; now and then it was not its turn, and it is given out once more."""
    yield from (life.noted(attempt, NOON + dice.randrange(MINUTE)) for _ in range(2))
    if dice.random() < 0.2:
        yield life.retries(attempt - 1, RunStatus.BUSY)
        yield life.started(attempt)
        if for_runners:
            yield life.granted("r-8", attempt)


def _offers(dice: Random, life: Life, attempt: int) -> Iterator[RunEvent]:
    """Nobody takes it at first, or somebody gives it back."""
    for issue in range(dice.randrange(3)):
        if dice.random() < 0.3:
            yield life.granted("r-9", attempt, issue + 1)
        yield life.offered(issue + 2, attempt=attempt)


def _end(dice: Random, end: RunEnded) -> Iterator[RunEvent]:
    named = (end.schedule, end.version, end.incarnation, end.run, end.scope, end.nominal)
    if dice.random() < 0.2:
        yield RunCancelling(*named, end.origin, end.attempt, "enough")
    yield end
    if dice.random() < 0.5:
        yield RunNoted(*named, end.origin, end.attempt, "failed", None, "it is over")


def _result(dice: Random) -> Result:
    started = NOON + dice.randrange(1_000)
    times = (started, started + dice.randrange(1_000)) if dice.random() < 0.5 else (None, None)
    return Result(dice.randrange(3), f"line {dice.random()}\n", dice.random() < 0.5, "task", *times)


# ---------------------------------------------------------------------- what follows from it


def runs_of(told: Iterable[Told]) -> dict[str, dict[str, Any]]:
    """What each run has come to."""
    return {run: _run(events) for run, events in _by_run(told).items()}


def attempts_of(told: Iterable[Told]) -> dict[tuple[str, int], dict[str, Any]]:
    """What each attempt has come to."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for run, events in _by_run(told).items():
        for number in range(1, 10):
            about = [one for one in events if _is_about(one[0], number)]
            if any(not isinstance(event, RunEnded) for event, _ in about):
                found[run, number] = _attempt(about, number)
    return found


def _by_run(told: Iterable[Told]) -> dict[str, list[Told]]:
    found: dict[str, list[Told]] = {}
    for event, said in told:
        if isinstance(event, Fired):
            if not event.schedule.startswith("plain"):
                found.setdefault(event.scopes[0].run, []).append((event, said))
        elif isinstance(event, RunEvent) and not (isinstance(event, RunNoted) and event.ignored):
            found.setdefault(event.run, []).append((event, said))
    return found


def _run(events: Sequence[Told]) -> dict[str, Any]:
    fire, fired = events[0]
    assert isinstance(fire, Fired)
    said = [one for one in events if not isinstance(one[0], RunNoted)]
    last = said[-1][0]
    end = last if isinstance(last, RunEnded) else None
    result = None if end is None else end.result
    given = [stamp.decided_at for event, stamp in events if _gives_out(event)]
    granted = [stamp.decided_at for event, stamp in events if isinstance(event, RunGranted)]
    began = granted if fire.schedule.startswith("command") else given
    runners = [event.runner for event, _ in events if isinstance(event, RunGranted)]
    return {
        "status": _phase(last),
        "ended_at": None if end is None else said[-1][1].decided_at,
        "started_at": end.started_at if end is not None else next(iter(began), None),
        "given_out_at": next(reversed(given), None),
        "fired_at": fired.decided_at,
        "due": fire.due,
        "runner": next(iter(reversed(runners)), None),
        "exit_code": None if result is None else result.exit_code,
        "attempt": max((_number(event) for event, _ in events if _gives_out(event)), default=0),
        "until": _until(events),
    }


def _attempt(about: Sequence[Told], number: int) -> dict[str, Any]:
    ends = [one for one in about if _is_end(one[0])]
    grants = [one for one in about if isinstance(one[0], RunGranted)]
    offers = [one[0].issue for one in about if isinstance(one[0], RunOffered | RunGranted)]
    is_emit = not any(_is_for_runners(event) for event, _ in about)
    given = max((stamp.decided_at for event, stamp in about if _gives_out(event)), default=None)
    last_grant = grants[-1][1].decided_at if grants else (given if is_emit else None)
    found = {
        "status": _phase([one for one in about if not isinstance(one[0], RunCancelling)][-1][0]),
        "offers": 0 if is_emit else max([1, *offers]),
        "given_out_at": given,
        "started_at": last_grant,
        "ended_at": None,
        "output": None,
        "number": number,
    }
    if ends:
        end, said = ends[0]
        assert isinstance(end, RunRetries | RunEnded)
        found |= {"status": end.status.value, "ended_at": said.decided_at}
        if end.result is not None:
            found["output"] = end.result.output
            if end.result.started_at is not None:
                found["started_at"] = end.result.started_at
                found["ended_at"] = end.result.ended_at
    return found


def _is_end(event: Event) -> bool:
    if isinstance(event, RunRetries):
        return event.status is not RunStatus.BUSY
    return isinstance(event, RunEnded)


def _is_for_runners(event: Event) -> bool:
    return getattr(event, "schedule", "").startswith("command")


def _is_about(event: Event, number: int) -> bool:
    match event:
        case Fired():
            return number == 1 and event.scopes[0].outcome is Outcome.STARTED
        case RunRetries(status=RunStatus.BUSY):
            return event.attempt + 1 == number
        case RunStarted() | RunOffered() | RunGranted() | RunRetries() | RunEnded():
            return event.attempt == number
        case _:
            return False


def _gives_out(event: Event) -> bool:
    if isinstance(event, Fired):
        return event.scopes[0].outcome is Outcome.STARTED
    return isinstance(event, RunStarted)


def _number(event: Event) -> int:
    return event.attempt if isinstance(event, RunStarted) else 1


def _phase(event: Event) -> str:
    match event:
        case Fired():
            if event.scopes[0].outcome is Outcome.WAITING:
                return "waiting"
            return "offered" if event.schedule.startswith("command") else "started"
        case RunQueued():
            return "waiting"
        case RunStarted():
            return "offered" if event.schedule.startswith("command") else "started"
        case RunEnded():
            return event.status.value
        case _:
            phases: dict[type, str] = {
                RunOffered: "offered",
                RunGranted: "started",
                RunRetries: "retrying",
                RunCancelling: "cancelling",
            }
            return phases[type(event)]


def _until(events: Sequence[Told]) -> int | None:
    match events[-1][0]:
        case RunQueued(until=until) | RunOffered(until=until):
            return until
        case RunRetries(again_at=again):
            return again
        case RunNoted(lease_until=lease):
            return lease
        case _:
            return None
