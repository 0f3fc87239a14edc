"""
Who does the work that is offered, and what goes wrong with that?

Runners that claim orders, begin what they are granted, beat and report, over the log in memory;
their claims are lost, late or doubled, they die and come back in a later life, freeze and thaw, and
leave. What they really began is written down for the laws. What a runner says is written by
tests/processor/runners.py; what a real one does is streams/runner.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from schemas.actions import Act
from schemas.codec import decode, decode_as
from schemas.commands import ReportStatus
from schemas.identity import partition_of, subject_of
from schemas.orders import Denial, Grant, Order, Stop
from schemas.topics import COMMANDS, CONTROL, orders_topic
from tests.processor.runners import Runner, Sent
from tests.simulation.log import Log

SECOND = 1_000_000
FRESH = 10 * SECOND
"""Nothing is begun later than this after its claim was sent."""
BEATS_EVERY = 10 * SECOND
ORDERS = orders_topic()
ENDS = (
    *[ReportStatus.SUCCESS] * 6,
    *[ReportStatus.FAILED] * 3,
    *(ReportStatus.TIMEOUT, ReportStatus.BUSY, ReportStatus.BUSY, ReportStatus.UNAVAILABLE),
    *(ReportStatus.CONTAINER_NOT_RUNNING, ReportStatus.INTERRUPTED, ReportStatus.DOES_NOT_FIT),
)
ENDS_OF_ACTS = (
    *[ReportStatus.SUCCESS] * 6,
    *(ReportStatus.ALREADY_THERE, ReportStatus.NOT_STOPPED_BY_SCHEDULE),
)
"""Beside these, of what was done to a deployment."""
Offer = tuple[str, int, int]
"""Run, attempt and issue."""


class Begun(NamedTuple):
    """An attempt that a runner really began."""

    offer: Offer
    runner: Runner
    acted: bool
    """It did something; else it looked, and said that there it was too busy."""


class Claimed(NamedTuple):
    """What a runner has asked for."""

    order: Order
    at: int


@dataclass(slots=True)
class Life:
    """One life of a runner."""

    runner: Runner
    orders_at: dict[int, int]
    control_at: dict[int, int]
    claimed: dict[Offer, Claimed] = field(default_factory=dict)
    works: dict[str, Order] = field(default_factory=dict)
    stopping: set[str] = field(default_factory=set)
    begun: set[Offer] = field(default_factory=set)
    beaten_at: int = 0
    leaving: bool = False
    asleep_until: int = 0


def _offer(order: Order) -> Offer:
    return order.run, order.attempt, order.issue


class Workshop:
    """All runners, and what is on its way from them."""

    def __init__(self, log: Log, names: tuple[str, ...]) -> None:
        self.log = log
        self.begun: list[Begun] = []
        self.lives: list[Life] = []
        self._boots = dict.fromkeys(names, 0)
        self._kept = {name: dict.fromkeys(self._partitions, 0) for name in names}
        """How far each has committed the orders that it read."""
        self._post: list[tuple[int, int, Sent]] = []
        """When each record arrives, where, and what it is."""

    # ------------------------------------------------------------------ what happens

    def turn(self, rng: Random) -> None:
        """Everybody who is awake does what there is to do."""
        if not self.lives:
            for name in self._boots:
                self._begin(name)
        self.deliver()
        for life in list(self.lives):
            if life.asleep_until <= self._now:
                self._hear(life, rng)
                self._claim(life, rng)
                self._work(life, rng)
                if self._now - life.beaten_at >= BEATS_EVERY:
                    self._beat(life)
        self.deliver()

    def die(self, rng: Random) -> None:
        """One is gone without a word, or seems so: it may thaw beside its own later life."""
        name = rng.choice(list(self._boots))
        for life in [one for one in self.lives if one.runner.id == name]:
            if rng.random() < 0.5:
                self.lives.remove(life)
            else:
                life.asleep_until = self._now + rng.choice((5, 20, 45)) * SECOND
        self._begin(name)

    def freeze(self, rng: Random) -> None:
        """One does nothing for a while, and then goes on as if no time had passed."""
        if self.lives:
            life = rng.choice(self.lives)
            life.asleep_until = self._now + rng.choice((5, 12, 35, 70)) * SECOND

    def drain(self, rng: Random) -> None:
        """One says that it leaves, ends what it has, and comes back in a later life."""
        awake = [one for one in self.lives if one.asleep_until <= self._now]
        if not awake:
            return
        life = rng.choice(awake)
        if not life.leaving:
            life.leaving = True
            self._beat(life)
            return
        for order in list(life.works.values()):
            self._send(order, life.runner.reports(order, ReportStatus.INTERRUPTED))
        self.lives.remove(life)
        self._begin(life.runner.id)

    def meddle(self, rng: Random) -> None:
        """One says something about what another one has, or a former life of its own had."""
        if not self.begun or not self.lives:
            return
        offer, owner, _ = rng.choice(self.begun[-6:])
        order = next((one for one in self._orders() if _offer(one) == offer), None)
        others = [one.runner for one in self.lives if one.runner != owner]
        if order is None or not others:
            return
        other = rng.choice(others)
        said = other.declines(order) if rng.random() < 0.5 else other.reports(order)
        self._send(order, said)

    def _orders(self) -> list[Order]:
        return [decode_as(one.value or b"", Order) for _, one in self.log.everything(ORDERS)]

    def deliver(self, *, all_of_it: bool = False) -> None:
        """Put into the inbox what has arrived by now."""
        due = [one for one in self._post if all_of_it or one[0] <= self._now]
        self._post = [one for one in self._post if one not in due]
        for _, partition, (key, value) in sorted(due, key=lambda one: one[:2]):
            self.log.append((COMMANDS, partition), key, value)

    # ------------------------------------------------------------------ one runner

    def _begin(self, name: str) -> None:
        """A later life: it reads what was not committed once more, and no old word of control."""
        self._boots[name] += 1
        life = Life(
            Runner(name, self._boots[name]),
            dict(self._kept[name]),
            {number: self.log.lane(CONTROL, number).end for number in self._partitions},
        )
        self.lives.append(life)
        self._beat(life)

    def _hear(self, life: Life, rng: Random) -> None:
        for number, here in life.control_at.items():
            entries, life.control_at[number] = self.log.read((CONTROL, number), here, 1_000)
            for one in entries:
                if one.key == life.runner.id.encode():
                    self._take(life, decode(one.value or b""), rng)

    def _take(self, life: Life, said: object, rng: Random) -> None:
        match said:
            case Grant(run, attempt, issue, boot) if boot == life.runner.boot:
                claim = life.claimed.pop((run, attempt, issue), None)
                if claim is not None:
                    self._granted(life, claim, rng)
            case Denial(run, attempt, issue, boot) if boot == life.runner.boot:
                life.claimed.pop((run, attempt, issue), None)
            case Stop(run, _, boot) if boot == life.runner.boot and run in life.works:
                life.stopping.add(run)
            case _:
                pass

    def _granted(self, life: Life, claim: Claimed, rng: Random) -> None:
        order = claim.order
        offer = _offer(order)
        if life.leaving or self._now - claim.at > FRESH or offer in life.begun:
            self._send(order, life.runner.declines(order))
            return
        life.begun.add(offer)
        if rng.random() < 0.1:
            self.begun.append(Begun(offer, life.runner, acted=False))
            self._send(order, life.runner.reports(order, ReportStatus.BUSY))
            return
        self.begun.append(Begun(offer, life.runner, acted=True))
        life.works[order.run] = order

    def _claim(self, life: Life, rng: Random) -> None:
        for number, here in life.orders_at.items():
            entries, life.orders_at[number] = self.log.read((ORDERS, number), here, 5)
            if rng.random() < 0.7:
                self._kept[life.runner.id][number] = life.orders_at[number]
            for one in entries:
                order = decode_as(one.value or b"", Order)
                if not life.leaving and rng.random() < 0.85:
                    life.claimed[_offer(order)] = Claimed(order, self._now)
                    self._ask(order, life.runner.claims(order), rng)

    def _ask(self, order: Order, claim: Sent, rng: Random) -> None:
        """A claim may be lost, late or doubled."""
        how = rng.random()
        if how < 0.1:
            return
        late = rng.choice((2, 8, 15)) * SECOND if how < 0.25 else 0
        self._send(order, claim, late)
        if how > 0.85:
            self._send(order, claim, rng.choice((0, 3, 20)) * SECOND)

    def _work(self, life: Life, rng: Random) -> None:
        for order in list(life.works.values()):
            if rng.random() < 0.3:
                stopped = order.run in life.stopping
                status = ReportStatus.CANCELLED if stopped else self._end(order, rng)
                del life.works[order.run]
                life.stopping.discard(order.run)
                if rng.random() < 0.92:  # else it forgets it, and lists it no more
                    report = life.runner.reports(order, status)
                    self._send(order, report, rng.choice((0, 0, 0, 4)) * SECOND)

    @staticmethod
    def _end(order: Order, rng: Random) -> ReportStatus:
        """How work ends that was done; what was too busy has not begun."""
        ends = ENDS + ENDS_OF_ACTS if isinstance(order.work, Act) else ENDS
        return rng.choice([one for one in ends if one is not ReportStatus.BUSY])

    def _beat(self, life: Life) -> None:
        life.beaten_at = self._now
        for number in self._partitions:
            its = [one for one in life.works.values() if self._home(one) == number]
            beat = life.runner.beats(*its, leaving=life.leaving)
            self._post.append((self._now, number, beat))
        self.deliver()

    # ------------------------------------------------------------------

    def _send(self, order: Order, sent: Sent, late: int = 0) -> None:
        self._post.append((self._now + late, self._home(order), sent))

    def _home(self, order: Order) -> int:
        return partition_of(subject_of(order.schedule), len(self._partitions))

    @property
    def _now(self) -> int:
        return self.log.now()

    @property
    def _partitions(self) -> list[int]:
        return list(range(self.log.group.partitions))
