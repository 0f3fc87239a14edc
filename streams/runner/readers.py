"""
How do orders and control come from the broker to the loop?

Each topic is read in a thread of its own. Orders are shared by a group for each pool: what was read
is read, since an order that nobody claims comes again. An order waits in its reader until there is
a slot, while its partitions rest, and is dropped when it is out of date. Control is read by every
runner, all of it, from the end that it had before the runner's first beat.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Mapping
from threading import Event, Thread
from typing import Any, NamedTuple, Protocol

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from schemas.codec import decode, decode_as
from schemas.faults import Unreadable
from schemas.orders import Denial, Grant, Order, Stop
from schemas.topics import CONTROL, orders_topic
from schemas.units import SECOND
from streams.clock import Deadline, boottime, pause
from streams.runner.news import Inbox, Offered, Told
from streams.runner.slots import Slots
from streams.settings import RunnerSettings

log = logging.getLogger(__name__)

POLL = 0.5
A_MOMENT = 0.5
"""A slot that is free again so soon needs no rest."""
REST = 0.1
STALE = 2 * SECOND
"""An order that was to be offered again so long ago has been, and its claim would be denied."""


def orders_options(settings: RunnerSettings, name: str, pool: str) -> dict[str, Any]:
    """How orders are read."""
    session = int(settings.session_timeout * 1_000)
    return _options(settings, name) | {
        "group.id": f"horae-runner-{pool}",
        "partition.assignment.strategy": "cooperative-sticky",
        "session.timeout.ms": session,
        "heartbeat.interval.ms": max(200, session // 4),
        "enable.auto.commit": True,
        "auto.commit.interval.ms": 1_000,
        "enable.auto.offset.store": True,
        # What rests is fetched anew: a small stock is enough, and a fetch that waits for others
        # keeps it waiting as long.
        "queued.min.messages": 100,
        "fetch.wait.max.ms": 50,
    }


def control_options(settings: RunnerSettings, name: str) -> dict[str, Any]:
    """How control is read; the group is only a name that the client asks for."""
    return _options(settings, name) | {
        "group.id": f"horae-control-{name}",
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
    }


def _options(settings: RunnerSettings, name: str) -> dict[str, Any]:
    return {
        "bootstrap.servers": settings.bootstrap,
        "client.id": name,
        "isolation.level": "read_committed",
        "auto.offset.reset": "earliest",
        "enable.partition.eof": False,
        "allow.auto.create.topics": False,
        "fetch.error.backoff.ms": 50,
        "reconnect.backoff.max.ms": 1_000,
        "log_level": 0,  # what goes wrong is said by error_cb
    }


class Source(Protocol):
    """What is read, and what becomes of it."""

    def attach(self, consumer: Consumer) -> None:
        """Say what is to be read, and from where."""
        ...

    def take(self, consumer: Consumer, message: Message, closing: Event) -> None:
        """Pass one record on; soon after `closing` is set nothing more."""
        ...


class Reader:
    """One consumer in one thread."""

    def __init__(self, name: str, options: dict[str, Any], source: Source) -> None:
        self._options = options | {"error_cb": self._on_error}
        self._source = source
        self._fatal = False
        self._closing = Event()
        self.away = False
        """No broker can be reached."""
        self._thread = Thread(target=self._run, name=name, daemon=True)

    def begin(self) -> None:
        """Read from now on."""
        self._thread.start()

    @property
    def is_closing(self) -> bool:
        """Nothing more is to be read."""
        return self._closing.is_set()

    def ask_to_close(self) -> None:
        """Read nothing more; what is in hand is dropped."""
        self._closing.set()

    def close(self, within: float) -> None:
        """Read nothing more, and leave the group; twice is once."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join(within)

    def _run(self) -> None:
        while not self.is_closing:
            consumer = Consumer(self._options)
            try:
                self._read(consumer)
            except KafkaException as fault:
                log.warning("reading anew: %s", fault)
                self._closing.wait(1.0)
            except Exception:  # a runner that hears nothing any more would beat on for ever
                log.exception("reading anew")
                self._closing.wait(1.0)
            finally:
                consumer.close()

    def _read(self, consumer: Consumer) -> None:
        self._source.attach(consumer)
        self._fatal = False
        while not self.is_closing and not self._fatal:
            message = consumer.poll(POLL)
            if message is None:
                self.away = self.away and not _answers(consumer)
                continue
            error = message.error()
            if error is not None:
                log.warning("%s: %s", message.topic(), error.str())
            else:
                self.away = False
                self._source.take(consumer, message, self._closing)

    def _on_error(self, error: KafkaError) -> None:
        is_away = error.code() == KafkaError._ALL_BROKERS_DOWN  # noqa: SLF001 - the client's own name
        # Each attempt to connect fails anew, many times a second.
        if error.fatal() or not self.away:
            log.warning("consumer: %s", error.str())
        self.away = self.away or is_away
        self._fatal = self._fatal or error.fatal()


def _answers(consumer: Consumer) -> bool:
    """Whether a broker that was away is back; where nothing is said, no record tells."""
    try:
        consumer.list_topics(CONTROL, timeout=POLL)
    except KafkaException:
        return False
    return True


class Orders:
    """The orders of one pool."""

    def __init__(self, pool: str, slots: Slots, inbox: Inbox, wall: Callable[[], int]) -> None:
        """What time it is for those who write orders, not on this machine, says `wall`."""
        self._topic = orders_topic(pool)
        self._slots = slots
        self._inbox = inbox
        self._wall = wall
        self._waiting: deque[_Waiting] = deque()

    def attach(self, consumer: Consumer) -> None:
        """Share the topic with the other runners of the pool."""
        consumer.subscribe([self._topic])

    def take(self, consumer: Consumer, message: Message, closing: Event) -> None:
        """Pass an order on once there is a slot for it; until then the others rest."""
        self._note(message)
        resting = False
        while self._waiting and not closing.is_set():
            if self._waiting[0].is_over(boottime()):
                self._waiting.popleft()
            elif self._slots.wait(REST if resting else A_MOMENT):
                self._inbox.put(Offered(self._waiting.popleft().order))
            else:
                # Each time: partitions may have come meanwhile.
                consumer.pause(consumer.assignment())
                resting = True
                more = consumer.poll(0)
                if more is not None and more.error() is None:
                    self._note(more)
        if resting:
            consumer.resume(consumer.assignment())

    def _note(self, message: Message) -> None:
        try:
            order = decode_as(message.value() or b"", Order)
        except Unreadable:
            # Nobody can be told: whose it is stands in what cannot be read.
            where = f"{message.topic()}/{message.partition()}@{message.offset()}"
            log.exception("%s is no order", where)
            return
        if self._wall() - order.again_at < STALE:
            self._waiting.append(_Waiting(order, boottime()))


class _Waiting(NamedTuple):
    """An order in hand."""

    order: Order
    since: int

    def is_over(self, now: int) -> bool:
        """Whether it has been offered anew."""
        return now - self.since > self.order.again_at - self.order.decided_at


class Control:
    """What the processor says to one runner."""

    def __init__(self, name: str, ends: Mapping[int, int], inbox: Inbox) -> None:
        self._key = name.encode()
        self._next = dict(ends)
        self._inbox = inbox

    def attach(self, consumer: Consumer) -> None:
        """Read all of it, from where it is not read yet."""
        consumer.assign([TopicPartition(CONTROL, *place) for place in self._next.items()])

    def take(self, _: Consumer, message: Message, __: Event) -> None:
        """Pass on what is for this runner."""
        number, offset = message.partition(), message.offset()
        if number is None or offset is None:
            return
        self._next[number] = offset + 1
        if message.key() != self._key:
            return
        try:
            found = decode(message.value() or b"")
        except Unreadable:
            log.exception("%s/%d@%d is not readable", CONTROL, number, offset)
            return
        if isinstance(found, Grant | Denial | Stop):
            self._inbox.put(Told(found))


def control_ends(settings: RunnerSettings, name: str, within: float = 30.0) -> dict[int, int]:
    """Where control ends now, by partition; a KafkaException if nobody says so."""
    client = Consumer(control_options(settings, name) | {"isolation.level": "read_uncommitted"})
    deadline = Deadline.after(within)
    try:
        while True:
            try:
                return _ends(client)
            except KafkaException:  # no leader knows so far that it is one, or nobody is there
                if deadline.over:
                    raise
                pause(REST)
    finally:
        client.close()


def _ends(client: Consumer, within: float = 10.0) -> dict[int, int]:
    # One by one: the library's call for many at once aborts the process when a broker that was
    # killed comes back in the middle of it.
    there = client.list_topics(CONTROL, timeout=within).topics[CONTROL].partitions
    places = [TopicPartition(CONTROL, number) for number in there]
    return {one.partition: client.get_watermark_offsets(one, within)[1] for one in places}
