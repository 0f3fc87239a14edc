"""
How do made-up services send what they ask for?

Two of them, each in a thread with schedules of its own: one through `horae.client`, which waits for
each reply and asks again when there is none; one that throws records into the log, JSON or Avro,
into the right partition or a wrong one, and reads no replies. A clerk changes meanwhile what holds
for everyone.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random
from threading import Event, Thread
from typing import Any

from confluent_kafka import Producer
from typing_extensions import override

from horae.client import Client, Order
from horae.client.faults import ClientFault
from schemas.codec import encode
from schemas.commands import Define, Remove
from schemas.identity import partition_of, subject_of
from schemas.reading import command_json, command_record
from schemas.replies import Reply
from schemas.topics import COMMANDS, GLOBALS
from tests.acceptance.labours import Labours
from tests.acceptance.timely import beginnings, told
from tests.acceptance.wishes import Wish, Wishes
from tests.processor.lives import now

GIVE_UP = 120.0


@dataclass(slots=True)
class Sender:
    """A thread that asks until it is told to stop; what went wrong in it is raised at the end."""

    wishes: Wishes
    bootstrap: str
    partitions: int
    sent: int = 0
    fault: BaseException | None = None
    defined: Event = field(default_factory=Event)
    """Every schedule was asked for once."""
    _stopping: Event = field(default_factory=Event)
    _thread: Thread | None = None

    def start(self) -> None:
        """Begin."""
        self._thread = Thread(target=self._run, name=self.wishes.tag, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ask for nothing more, and wait until all that was asked is in the log."""
        self._stopping.set()
        assert self._thread is not None
        self._thread.join(GIVE_UP + 30)
        assert not self._thread.is_alive(), f"{self.wishes.tag} did not end"
        if self.fault is not None:
            raise self.fault

    def _run(self) -> None:
        try:
            self._ask(self._stopping)
        except BaseException as fault:  # noqa: BLE001 - raised by `stop`
            self.fault = fault
            self.defined.set()

    def _ask(self, stopping: Event) -> None:
        raise NotImplementedError


@dataclass(slots=True)
class Asker(Sender):
    """Waits for replies."""

    heard: dict[str, list[Reply]] = field(default_factory=dict)
    unheard: int = 0

    @override
    def _ask(self, stopping: Event) -> None:
        with Client(self.bootstrap, actor="service:asker", within=8.0) as client:
            wishes = list(self.wishes.all_defined(now()))
            for begin in range(0, len(wishes), 250):
                self._insist(client, wishes[begin : begin + 250])
            self.defined.set()
            while not stopping.wait(0.25):
                self._insist(client, self.wishes.some(8, now()))

    def _insist(self, client: Client, wishes: list[Wish]) -> None:
        """Ask until each has its reply; the same id again is the same order."""
        # Two copies of an id in one call would share a reply.
        orders = list({one.id: Order(one.schedule, one.command, one.id) for one in wishes}.values())  # type: ignore[arg-type]
        deadline = time.monotonic() + GIVE_UP
        while orders:
            try:
                answers = client.ask_many(orders)
            except ClientFault as fault:
                answers = [fault] * len(orders)
                time.sleep(0.2)
            left = []
            for order, answer in zip(orders, answers, strict=True):
                if isinstance(answer, Reply):
                    self.heard.setdefault(order.id, []).append(answer)
                    self.sent += 1
                else:
                    self.unheard += 1
                    left.append(order)
                    assert time.monotonic() < deadline, f"{order.schedule}: {answer}"
            orders = left


@dataclass(slots=True)
class Clerk:
    """Tells everyone about calendars and freezes; nobody answers."""

    rng: Random
    bootstrap: str
    told: int = 0
    _stopping: Event = field(default_factory=Event)
    _thread: Thread | None = None
    _lost: list[Any] = field(default_factory=list)

    def start(self) -> None:
        """Say what there is before anybody asks, and begin."""
        producer = Producer(unhurried(self.bootstrap, self._lost))
        for key, record in beginnings(now()):
            producer.produce(GLOBALS, key=key.encode(), value=encode(record), partition=0)
        assert producer.flush(30) == 0
        self._thread = Thread(target=self._run, args=(producer,), name="clerk", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Say nothing more, and wait until all is in the log."""
        self._stopping.set()
        assert self._thread is not None
        self._thread.join(GIVE_UP + 30)
        assert not self._thread.is_alive(), "the clerk did not end"
        assert self._lost == [], "the log did not take what was told"

    def _run(self, producer: Producer) -> None:
        while not self._stopping.wait(1.5):
            key, record = told(self.rng, now())
            producer.produce(GLOBALS, key=key.encode(), value=encode(record), partition=0)
            producer.poll(0)
            self.told += 1
        left = producer.flush(GIVE_UP)
        self._lost += [f"{left} left"] if left else []


def unhurried(bootstrap: str, lost: list[Any]) -> dict[str, Any]:
    """The options of a producer that waits until the broker is back."""

    def delivered(error: Any, _: Any) -> None:
        if error is not None:
            lost.append(error)

    return {
        "bootstrap.servers": bootstrap,
        "enable.idempotence": True,
        "acks": "all",
        "message.timeout.ms": int(GIVE_UP * 1_000),
        "linger.ms": 2,
        "log_level": 0,
        "on_delivery": delivered,
    }


@dataclass(slots=True)
class Thrower(Sender):
    """Reads no replies."""

    most: int = 8
    """Wishes at once."""

    @override
    def _ask(self, stopping: Event) -> None:
        lost: list[Any] = []
        producer = Producer(unhurried(self.bootstrap, lost))
        for number, wish in enumerate(self.wishes.all_defined(now())):
            self._throw(producer.produce, wish)
            if number % 100 == 99:
                time.sleep(0.1)
        producer.flush(30)
        self.defined.set()
        while not stopping.wait(0.2):
            for wish in self.wishes.some(self.most, now()):
                self._throw(producer.produce, wish)
            producer.poll(0)
        for wish in self._at_the_end():
            self._throw(producer.produce, wish)
        left = producer.flush(GIVE_UP)
        assert (left, lost) == (0, []), "the log did not take what was asked"

    def _at_the_end(self) -> Iterable[Wish]:
        return ()

    def _throw(self, produce: Callable[..., None], wish: Wish) -> None:
        key, value = command_record(wish.schedule, wish.command, wish.id)
        if wish.json and not isinstance(wish.command, Remove):
            assert value is not None
            value = json.dumps(command_json(wish.command)).encode()
        headers = [("horae-actor", b"service:thrower")]
        if wish.named or isinstance(wish.command, Define):
            headers.append(("horae-id", wish.id.encode()))
        if not wish.named:
            headers = [one for one in headers if one[0] != "horae-id"]
        where = {"partition": partition_of(subject_of(wish.schedule), self.partitions)}
        produce(COMMANDS, key=key, value=value, headers=headers, **(where if wish.home else {}))
        self.sent += 1


@dataclass(slots=True)
class Foreman(Thrower):
    """Asks for work, and lets go at the end whatever it held."""

    wishes: Labours

    @override
    def _at_the_end(self) -> Iterable[Wish]:
        return self.wishes.released()
