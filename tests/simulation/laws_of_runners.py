"""
Does work for runners start once at most, and does nobody lose sight of it?

Walks the ledger of one partition and keeps by itself which offers there were, who was granted what
and for how long; compares with the orders and grants that were written, with the beats and reports
in the inbox, and with what the runners of the simulation really began. Nothing of the decider is
asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby

from schemas.commands import Asked, ClaimRun, DeclineRun, ReportRun
from schemas.definition import Definition
from schemas.events import (
    Fired,
    GlobalChanged,
    Outcome,
    RunEnded,
    RunGranted,
    RunNoted,
    RunOffered,
    RunRetries,
    RunStarted,
    ScheduleChanged,
    ScheduleDefined,
    ScheduleEvent,
    Stamp,
)
from schemas.orders import Denial, Grant
from schemas.run_events import RunStatus
from streams.processor.intake import Heard, take_in
from streams.processor.partitions import Partition
from tests.acceptance.history import History
from tests.processor.found import Found
from tests.processor.runners import Runner, control_in, orders_in
from tests.simulation.workshop import Begun, Offer

LEASE = 30_000_000
RENEWED_BELOW = 20_000_000
MILLISECOND = 1_000
"""A record's time in the log is no finer."""


OfThem = RunOffered | RunGranted | RunNoted | RunEnded | RunRetries


@dataclass(slots=True)
class Held:
    """A run that somebody has."""

    runner: Runner
    lease_until: int
    since: int
    """The offset of its claim."""


@dataclass(slots=True)
class Floor:
    """What is known of one partition on the way through its events."""

    partition: int
    history: History
    beats: dict[int, Heard]
    """By their offsets."""
    exact: bool
    """All clocks were right."""
    definitions: dict[str, Definition] = field(default_factory=dict)
    offers: Counter[tuple[str, int]] = field(default_factory=Counter)
    """How often each attempt was offered."""
    granted: list[Offer] = field(default_factory=list)
    held: dict[str, Held] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def take(self, event: ScheduleEvent, stamp: Stamp) -> None:
        """Go on by one event."""
        match event:
            case ScheduleDefined() | ScheduleChanged():
                self.definitions[event.schedule] = event.definition
            case Fired() if self._for_runners(event.schedule):
                for one in event.scopes:
                    self.offers[one.run, 1] += one.outcome is Outcome.STARTED
            case RunStarted():
                self.held.pop(event.run, None)  # given back, and by now no work for runners
                self.offers[event.run, event.attempt] += self._for_runners(event.schedule)
            case RunOffered() | RunGranted() | RunNoted() | RunEnded() | RunRetries():
                self._of_run(event, stamp)
            case _:
                pass

    def _of_run(self, event: OfThem, stamp: Stamp) -> None:
        self._is_its_holders(event, stamp)
        match event:
            case RunOffered():
                self.held.pop(event.run, None)
                self.offers[event.run, event.attempt] += 1
                self._require(event.issue == self._issue(event), "it is another offer", event)
            case RunGranted():
                self._granted(event, stamp)
            case RunNoted(ignored=None, lease_until=int(until)) if event.run in self.held:
                self.held[event.run].lease_until = until
            case RunEnded() | RunRetries():
                self._was_silent(event, stamp)
                self.held.pop(event.run, None)
            case _:
                pass

    def _granted(self, event: RunGranted, stamp: Stamp) -> None:
        offer = event.run, event.attempt, event.issue
        self._require(event.issue == self._issue(event), "an old offer is granted", event)
        self._require(offer not in self.granted, "it is granted twice", event)
        self._require(event.run not in self.held, "somebody has it", event)
        later = [
            one
            for at, one in self.beats.items()
            if at < (stamp.offset or 0) and one.runner == event.runner
            if one.beat.boot > event.boot
        ]
        self._require(not later, "a former life is granted something", event)
        self.granted.append(offer)
        runner = Runner(event.runner, event.boot)
        self.held[event.run] = Held(runner, stamp.decided_at + LEASE, stamp.offset or 0)

    def _is_its_holders(self, event: OfThem, stamp: Stamp) -> None:
        """Of a run that somebody has nothing is said by anybody else."""
        held = self.held.get(event.run)
        asked = self.history.asked.get((self.partition, stamp.offset or -1))
        command = asked.command if isinstance(asked, Asked) else None
        noted = isinstance(event, RunNoted) and event.ignored is not None
        if held is None or noted or not isinstance(command, ReportRun | DeclineRun):
            return
        if command.run == event.run:
            said = command.runner, command.boot
            own = held.runner.id, held.runner.boot
            self._require(said == own, f"{said} says so, {own} has it", event)

    def _was_silent(self, event: RunEnded | RunRetries, stamp: Stamp) -> None:
        """Whoever is given up had not said in time that it has the run."""
        held = self.held.get(event.run)
        given_up = event.status is RunStatus.INTERRUPTED and stamp.offset is None
        if held is None or not given_up or not self.exact:
            return
        until = held.lease_until
        for at, said in self._said_by(held, event.run, event.attempt):
            heard = at <= until - MILLISECOND
            self._require(not heard, f"{said} was said at {at} of a lease until {until}", event)

    def _said_by(self, held: Held, run: str, attempt: int) -> Iterator[tuple[int, str]]:
        """What whoever has a run said that would have kept it, or ended it, and when."""
        inbox = self.history.inbox[self.partition]
        for offset, (runner, beat, _) in self.beats.items():
            at = inbox[offset].appended_at
            its = Runner(runner, beat.boot) == held.runner and run in {one.run for one in beat.runs}
            if its and at > held.lease_until - RENEWED_BELOW:
                yield at, "its beat"
        for (partition, offset), asked in self.history.asked.items():
            command = asked.command
            if partition == self.partition and isinstance(command, ReportRun):
                of = command.run, command.attempt, Runner(command.runner or "", command.boot or 0)
                if of == (run, attempt, held.runner) and offset > held.since:
                    yield asked.appended_at, "its report"

    def _for_runners(self, schedule: str) -> bool:
        return self.definitions[schedule].action.work is not None

    def _issue(self, event: RunGranted | RunOffered) -> int:
        return self.offers[event.run, event.attempt]

    def _require(self, condition: bool, otherwise: str, event: object) -> None:
        if not condition:
            self.wrong.append(f"{otherwise}: {event}")


def runners_are_used_well(
    history: History, begun: list[Begun], sent: list[Found], *, exact: bool
) -> Iterator[str]:
    """All that was done wrong; `sent` are the orders and what was said to runners."""
    offers: Counter[tuple[str, int]] = Counter()
    granted: Counter[Offer] = Counter()
    for number, records in history.ledger.items():
        floor = Floor(number, history, _beats(history, number), exact)
        for one in records:
            if not isinstance(one.event, GlobalChanged):
                floor.take(one.event, one.stamp)
        yield from floor.wrong
        offers += floor.offers
        granted.update(floor.granted)
    yield from _all_were_sent(history, offers, granted, sent)
    yield from _nothing_began_twice(begun, granted)


def _all_were_sent(
    history: History,
    offers: Counter[tuple[str, int]],
    granted: Counter[Offer],
    sent: list[Found],
) -> Iterator[str]:
    """An order for each offer, each with a number of its own; an answer to each claim."""
    orders = orders_in(sent)
    counted = Counter((one.run, one.attempt) for one in orders)
    if counted != +offers:
        yield f"ordered and not offered: {counted - offers}; the other way: {offers - counted}"
    twice = Counter((one.run, one.attempt, one.issue) for one in orders)
    yield from (f"{offer} was ordered {times} times" for offer, times in twice.items() if times > 1)
    said = control_in(sent)
    grants = Counter((one.run, one.attempt, one.issue) for one in said if isinstance(one, Grant))
    if grants != granted:
        yield f"granted were {granted}, said was {grants}"
    claims = sum(isinstance(one.command, ClaimRun) for one in history.asked.values())
    answers = sum(isinstance(one, Grant | Denial) for one in said)
    if answers > claims:
        yield f"{claims} claims have {answers} answers"


def _nothing_began_twice(begun: list[Begun], granted: Counter[Offer]) -> Iterator[str]:
    """Each attempt is done once at most, and only by its grant."""
    yield from (f"{one} began without a grant" for one in begun if one.offer not in granted)
    done = sorted(one.offer for one in begun if one.acted)
    for attempt, offers in groupby(done, key=lambda offer: offer[:2]):
        found = list(offers)
        if len(found) > 1:
            yield f"attempt {attempt} was begun {len(found)} times: {found}"


def runners_are_known(history: History, live: Partition, again: Partition) -> Iterator[str]:
    """What a partition knows of runners is what their beats say, and what they have is theirs."""
    expected: dict[str, tuple[int, bool]] = {}
    for at, (runner, beat, _) in sorted(_beats(history, live.number).items()):
        if at < live.owner.next_offset and beat.boot >= expected.get(runner, (0, False))[0]:
            expected[runner] = beat.boot, beat.leaving
    for what, partition in (("memory", live), ("a restore", again)):
        found = {name: (one.boot, one.leaving) for name, one in partition.runners.items()}
        if found != expected:
            yield f"{what} knows of runners {found}, their beats say {expected}"
    yield from _none_is_lost(live, {name: boot for name, (boot, _) in expected.items()})


def _none_is_lost(partition: Partition, boots: dict[str, int]) -> Iterator[str]:
    """What is offered or goes on belongs to nobody who is gone, and does not wait for ever."""
    for one in partition.subjects.values():
        for run in one.subject.runs.values():
            if run.boot is not None and run.boot < boots.get(run.runner or "", 0):
                yield f"{run} is that of a former life, another one has begun"
            if run.issue and run.lease_until is None and run.until is None:
                yield f"{run} waits for ever"


def _beats(history: History, number: int) -> dict[int, Heard]:
    found = {}
    for offset, record in history.inbox[number].items():
        reading = take_in(record, history.partitions, 0)
        if isinstance(reading, Heard):
            found[offset] = reading
    return found
