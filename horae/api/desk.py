"""
How does an order of a request get its reply?

By clients that are lent out, one request each: as many as may wait at once. The desk also hands out
the past of the ledger, to a few readers at a time, since that may be long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from queue import Empty, LifoQueue
from threading import BoundedSemaphore
from typing import Generic, NamedTuple, Protocol, TypeVar

from horae.api.problems import Problem, Unasked
from horae.client import Client, ClientFault, Order
from horae.client.orders import ForAll
from horae.past import Past
from horae.tail import From, Tail
from schemas.events import Fired
from schemas.identity import occurrence_id
from schemas.replies import Reply, Verdict
from streams.clock import Deadline

T = TypeVar("T")

_READERS = 2
"""The whole ledger may be read for one answer; more at once would take the broker's time."""
_TURN = 3.0
"""Seconds that a request waits for a client or a reader, and keeps a thread from others."""
_EVENT = 2.0
"""Seconds that a reply waits for the event beside it: both are in one transaction."""
_PAUSE = 0.1


class Lent(Generic[T]):
    """Things that take long to make and serve one thread at a time."""

    def __init__(self, make: Callable[[], T], most: int, end: Callable[[T], None]) -> None:
        self._make = make
        self._end = end
        self._free: LifoQueue[T | None] = LifoQueue()
        for _ in range(most):
            self._free.put(None)

    @contextmanager
    def lend(self) -> Iterator[T]:
        """One of them for the length of the block; a Problem if none is free in time."""
        try:
            found = self._free.get(timeout=_TURN)
        except Empty:
            raise Problem(503, "busy", "too much is asked at once; try again") from None
        kept: T | None = found
        try:
            kept = self._make() if found is None else found
            yield kept
        finally:
            self._free.put(kept)

    def close(self) -> None:
        """End those that are free."""
        while True:
            try:
                found = self._free.get_nowait()
            except Empty:
                return
            if found is not None:
                self._end(found)


class Answered(NamedTuple):
    """A reply, and the fire that it is about, if there was one and it was seen."""

    reply: Reply
    fired: Fired | None


class Desk(Protocol):
    """Where orders are handed in."""

    def ask(self, order: Order) -> Reply:
        """Send one order and wait for its reply; Unasked if there is none."""
        ...

    def ask_many(self, orders: Sequence[Order]) -> list[Reply]:
        """Send all, one behind the other, and wait for their replies."""
        ...

    def fire(self, order: Order, patience: float = _EVENT) -> Answered:
        """Send a trigger, and wait for its fire, too."""
        ...

    def tell(self, key: str, record: ForAll) -> Reply:
        """Say something to everyone, and wait for the reply."""
        ...

    def past(self) -> AbstractContextManager[Past]:
        """What the ledger has so far."""
        ...


class KafkaDesk:
    """The desk at the log of a broker."""

    def __init__(self, bootstrap: str, within: float, most: int) -> None:
        self._bootstrap = bootstrap
        self._clients = Lent(lambda: Client(bootstrap, within=within), most, Client.close)
        self._readers = BoundedSemaphore(_READERS)

    def close(self) -> None:
        """End the connections."""
        self._clients.close()

    def ask(self, order: Order) -> Reply:
        """Send one order and wait for its reply."""
        [reply] = self.ask_many([order])
        return reply

    def ask_many(self, orders: Sequence[Order]) -> list[Reply]:
        """Send all and wait for their replies."""
        try:
            with self._clients.lend() as client:
                answers = client.ask_many(orders)
        except ClientFault as fault:
            raise Unasked(orders[0].id, fault) from fault
        replies = []
        for order, answer in zip(orders, answers, strict=True):
            if isinstance(answer, ClientFault):
                raise Unasked(order.id, answer) from answer
            replies.append(answer)
        return replies

    def fire(self, order: Order, patience: float = _EVENT) -> Answered:
        """Send a trigger, and read its fire off the ledger."""
        try:
            tail = Tail(self._bootstrap, From.END, order.about)
        except ClientFault as fault:
            raise Unasked(order.id, fault) from fault
        with tail:
            reply = self.ask(order)
            return Answered(reply, _fire_of(reply, tail, patience))

    def tell(self, key: str, record: ForAll) -> Reply:
        """Say something to everyone."""
        try:
            with self._clients.lend() as client:
                return client.tell(key, record)
        except ClientFault as fault:
            raise Unasked(record.command_id or "", fault) from fault

    @contextmanager
    def past(self) -> Iterator[Past]:
        """What the ledger has so far; a Problem if others read it already."""
        if not self._readers.acquire(timeout=_TURN):
            raise Problem(503, "busy", "the ledger is being read for others; try again")
        try:
            with Past(self._bootstrap) as past:
                yield past
        finally:
            self._readers.release()


def _fire_of(reply: Reply, tail: Tail, patience: float) -> Fired | None:
    """The fire that a reply names; None if it is not seen in time, or there was none."""
    deadline = Deadline.after(patience)
    fired = reply.occurrence is not None and reply.verdict is not Verdict.SKIPPED
    while fired and not deadline.over:
        for event, _ in tail.read(_PAUSE).events:
            if isinstance(event, Fired) and _occurrence(event) == reply.occurrence:
                return event
    return None


def _occurrence(event: Fired) -> str:
    return occurrence_id(event.schedule, event.incarnation, event.nominal, event.origin)
