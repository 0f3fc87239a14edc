"""
What would a history of made-up wishes look like, without Kafka and without waiting?

A desk with a few schedules and all that tests/acceptance asks of time, at moments that are chosen
to be awkward: just before and at due instants, with commands that were sent earlier or by a clock
ahead, with batches that are dropped and processors that begin anew. All of it is drawn from a seed.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from schemas.commands import Asked, Command, Define, Pause, Remove, Resume, Trigger
from schemas.definition import SECOND, Cron, Definition, Emit, Interval, Once, Timing, Weekly
from schemas.reading import command_record
from streams.processor.intake import take_in
from streams.processor.partitions import Partition, Phase, Resident
from streams.processor.rechecks import Rechecks
from tests.acceptance.history import History
from tests.acceptance.timely import beginnings, timely, told
from tests.acceptance.wishes import CATCH_UPS, ZONES
from tests.processor.desk import Desk

NAMES = ("s1/n", "s7/n", "s24/n", "s3/n", "s17/n", "s30/n")
FAR_AWAY = ("Pacific/Apia", "Pacific/Kiritimati", "Pacific/Honolulu")
LEAPS = (1, 100_000, SECOND // 2, SECOND, 3 * SECOND, 10 * SECOND)
LAGS = (0, 0, 0, 300_000, 5 * SECOND, -200_000)


def rehearsed(seed: int, steps: int = 250) -> tuple[History, int]:
    """The history, and up to when it is settled."""
    rehearsal = Rehearsal(Random(seed))  # noqa: S311 - a seed is there to be repeated
    for _ in range(steps):
        rehearsal.go_on()
    for _ in range(40):
        rehearsal.desk.pass_time(SECOND)
    return rehearsal.history(), rehearsal.desk.now


class Rehearsal:
    """A desk and what is asked of it."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.desk = Desk()
        for key, record in beginnings(self.desk.now):
            self.desk.tell(key, record)
        self._there = {name: self._definition() for name in NAMES}
        for name in NAMES:
            self.desk.ask(name, Define(self._there[name]))

    def go_on(self) -> None:
        """A moment passes, and something happens in it."""
        rng, desk = self.rng, self.desk
        self._pass()
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            name = rng.choice(NAMES)
            key, value = command_record(name, self._command(name), f"id-{len(desk.inbox)}")
            desk.put(key, value, appended_at=desk.now - rng.choice(LAGS))
        if rng.random() < 0.15:
            desk.tell(*told(rng, desk.now - rng.choice((0, 0, 2 * SECOND))))
        if rng.random() < 0.05:
            desk.draft()
            self._begin_anew()
        desk.step(limit=rng.choice((1, 2, 1_000)))

    def history(self) -> History:
        """What was committed."""
        desk = self.desk
        inbox = dict(enumerate(desk.inbox))
        readings = {offset: take_in(one, 1, 0) for offset, one in inbox.items()}
        asked = {(0, offset): one for offset, one in readings.items() if isinstance(one, Asked)}
        ledger = desk.ledger()
        return History(
            partitions=1, inbox={0: inbox}, asked=asked, misplaced={}, ledger={0: ledger},
            offsets={0: list(range(len(ledger)))}, replies=[], rejected=[], told=desk.told,
            emitted=[], state=[], rows={},
        )  # fmt: skip

    def _pass(self) -> None:
        rng, desk = self.rng, self.desk
        desk.now += rng.choice(LEAPS) if rng.random() < 0.97 else rng.choice((120, 400)) * SECOND
        if rng.random() < 0.25:
            due = min((one.due for one in desk.partition.residents.values()), default=0)
            if desk.now < due < desk.now + 60 * SECOND:
                desk.now = due + rng.choice((-1, 0, 0, 1))

    def _begin_anew(self) -> None:
        """What is in memory is lost, and restored from what was committed."""
        old = self.desk.partition
        new = Partition(old.number, old.owner, answers=dict(old.answers), phase=Phase.FIRING)
        new.answered = old.answered.copy()
        for name, one in old.residents.items():
            new.residents[name] = Resident(new, one.row, one.cursor)
        new.timers.load([(one.due, name, one) for name, one in new.residents.items()])
        self.desk.partition, self.desk.rechecks = new, Rechecks()
        self.desk.rechecks.follow(self.desk.world, [])
        self.desk.rechecks.admitted(new, self.desk.world)

    # ------------------------------------------------------------------ what is asked

    def _command(self, name: str) -> Command:
        rng, now = self.rng, self.desk.now
        commands: tuple[Command, ...] = (
            Pause("lunch"),
            Pause("a while", now + rng.randint(1, 40) * SECOND),
            Resume("on"),
            Trigger("by hand"),
            Remove(),
        )
        if rng.random() < 0.5:
            return rng.choices(commands, (7, 8, 12, 13, 5))[0]
        known = self._there[name]
        [kind] = rng.choices(("new", "payload", "more", "zone"), (30, 10, 10, 5))
        match kind:
            case "new":
                known = self._definition()
            case "payload":
                known = replace(known, action=Emit("jobs", b"k", str(rng.random()).encode()))
            case "more":
                known = timely(rng, known, now)
            case _:
                known = replace(known, zone=rng.choice(FAR_AWAY))
        self._there[name] = known
        return Define(known)

    def _definition(self) -> Definition:
        rng, now = self.rng, self.desk.now
        timings: tuple[Timing, ...] = (self._timing(),)
        if rng.random() < 0.1:
            timings += (Cron("*/15 * * * * *"),)
        plain = Definition(
            timings,
            Emit("jobs", b"k", b"go"),
            zone=rng.choice((*ZONES, *FAR_AWAY)),
            catch_up=rng.choice(CATCH_UPS),
            start_at=now + rng.randint(-5, 40) * SECOND if rng.random() < 0.08 else None,
            end_at=now + rng.randint(20, 200) * SECOND if rng.random() < 0.1 else None,
        )
        for _ in range(3):
            plain = timely(rng, plain, now)
        return plain

    def _timing(self) -> Timing:
        rng, now = self.rng, self.desk.now
        crons = ("* * * * *", "*/2 * * * *", "*/10 * * * * *", "5,40 * * * * *")
        step = rng.randint(5, 60) * SECOND
        timings: tuple[Timing, ...] = (
            Cron(rng.choice(crons)),
            Interval(micros=step, anchor=rng.choice((None, 0))),
            Weekly(127, (now // SECOND + rng.randint(-60, 120)) % 86_400),
            Once(now + rng.randint(-30, 120) * SECOND),
        )
        return rng.choices(timings, (8, 8, 2, 2))[0]
