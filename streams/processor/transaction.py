"""
How does a batch get into the log, whole or not at all?

One transaction a batch: begin, write, then the next input offsets under the membership of this very
poll, which is the fence against a stale owner, then commit. What failed is told apart by what the
caller must do (streams/faults.py). What is written is batch.py's affair.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer, TopicPartition

from schemas.topics import COMMANDS, MAX_MESSAGE_BYTES, ORDERS, REJECTED
from streams.clock import Deadline
from streams.faults import AbortBatch, Indigestible, ParkingRefused, StartOver, TargetRefused
from streams.processor.draft import Record
from streams.processor.hand import Hand
from streams.processor.membership import Membership
from streams.settings import ProcessorSettings

log = logging.getLogger(__name__)

SLOW_COMMIT = 0.5
"""A commit that took longer may have been retried inside the client: see KAFKA-17754."""


NAMED_WITHIN = 0.05
LEAST_BATCH = 1_024
"""Bytes of a batch that is never made smaller, whatever a target says of itself."""

_OF_A_TARGET = (
    KafkaError.MSG_SIZE_TOO_LARGE,
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError._UNKNOWN_TOPIC,  # noqa: SLF001 - the client's own name
    KafkaError._UNKNOWN_PARTITION,  # noqa: SLF001 - the client's own name
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
)
"""What the client refuses at once because of the topic, not because of the transaction."""


def producer_options(settings: ProcessorSettings, name: str) -> dict[str, Any]:
    """Everything that exactly-once rests on, set by hand."""
    timeout = int(settings.transaction_timeout * 1000)
    return {
        "bootstrap.servers": settings.bootstrap,
        "client.id": name,
        "transactional.id": name,
        "enable.idempotence": True,
        "acks": "all",
        "max.in.flight.requests.per.connection": 5,
        "transaction.timeout.ms": timeout,
        "message.timeout.ms": max(1_000, timeout // 2),
        "retry.backoff.ms": 10,
        "retry.backoff.max.ms": 100,
        # A commit does not wait for it, and larger requests cost the broker half.
        "linger.ms": 30,
        "batch.num.messages": 10_000,
        "batch.size": 1_000_000,
        # more than our topics take: the broker's word, not the client's, is what counts
        "message.max.bytes": MAX_MESSAGE_BYTES + 64 * 1024,
        "queue.buffering.max.messages": 2_000_000,
        "queue.buffering.max.kbytes": 1_048_576,
        "partitioner": "murmur2_random",
        "compression.type": "none",
        "delivery.report.only.error": True,
        "statistics.interval.ms": 2_000,
        "log_level": 3,
    }


class Transactions:
    """The one transactional producer of this process."""

    def __init__(self, settings: ProcessorSettings, name: str) -> None:
        self._options = producer_options(settings, name) | {
            "on_delivery": self._on_delivery,
            "stats_cb": self._on_statistics,
            "error_cb": self._on_error,
        }
        self._patience = settings.transaction_timeout
        self._failed: dict[str, str] = {}
        """Topics that refused a record of this transaction, and why."""
        self._too_large: str | None = None
        """One of our topics that refused a record for its size, and in what words."""
        self._ended = 0
        self._doubtful: str | None = None
        self._open = False
        self._hand = Hand(f"{name}-transactions")
        self._producer = self._fresh_producer()
        self._produce = self._producer.produce

    def begin(self) -> None:
        """Open a transaction, on a new producer if the last end of one was in doubt."""
        if self._doubtful is not None:
            self.renew(self._doubtful)
        self._failed = {}
        self._too_large = None
        _or_fault(self._producer.begin_transaction)
        self._open = True

    def write(self, records: Iterable[Record]) -> None:
        """Add records to the open transaction, which is opened if there is none."""
        produce = self._produce
        for record in records:
            if not self._open:
                self.begin()
                produce = self._produce
            topic, partition, key, value, headers = record
            try:
                if headers is None:
                    produce(topic, value, key, partition)
                else:
                    produce(topic, value, key, partition, headers=headers)
            except BufferError:
                self._make_room()
                self.write([record])
            except KafkaException as fault:
                raise self._named_refusal(topic, fault) from fault

    def fit(self, most: int) -> None:
        """Keep batches so small that the least of the targets takes them."""
        most = max(most, LEAST_BATCH)
        if most < self._options["batch.size"]:
            self._options["batch.size"] = most
            self._doubtful = f"a target takes batches of {most} bytes at most"

    def commit(self, offsets: Mapping[int, int], membership: Membership) -> None:
        """Commit what was written together with the next input offsets.

        Raises AbortBatch or TargetRefused when nothing was kept, StartOver when that is unknown.
        """
        if not offsets or min(offsets.values()) < 0:
            raise ValueError("a transaction without offsets is not fenced")
        membership.require_live()
        deadline = Deadline.after(self._patience)
        sent = [TopicPartition(COMMANDS, number, offset) for number, offset in offsets.items()]
        try:
            self._insist(self._producer.send_offsets_to_transaction, deadline, sent, membership.raw)
            self._insist(self._producer.commit_transaction, deadline)
        except AbortBatch as fault:
            raise self._named(fault) from fault
        self._ended += 1
        self._open = False
        if deadline.left < self._patience - SLOW_COMMIT:
            self._doubtful = "a commit was slow"

    def abort(self) -> None:
        """Undo what was written; StartOver if that cannot be made sure."""
        if not self._open:
            return
        self._open = False
        self._doubtful = "a batch was aborted"  # whether the broker was asked to is not known here
        try:
            self._insist(self._producer.abort_transaction, Deadline.after(self._patience))
        except AbortBatch as fault:
            raise StartOver(str(fault)) from fault

    def renew(self, why: str) -> None:
        """Go on with a new producer under the same name, which fences the old one."""
        log.info("new producer: %s", why)
        self._doubtful = None
        self._ended = 0
        self._open = False
        self._producer.purge()
        self._producer = self._fresh_producer()
        self._produce = self._producer.produce

    def serve(self) -> None:
        """Let the client report; called once an iteration, outside a transaction."""
        self._producer.poll(0)

    def close(self) -> None:
        """Leave nothing open behind, and no client."""
        try:
            self.abort()
        except StartOver as fault:
            log.warning("left to the next life of this name, which aborts it: %s", fault)
        finally:
            self._producer.purge()
            # not its own `close`, which waits for as long as the broker is gone
            del self._producer, self._produce
            self._hand.close()

    def _insist(self, call: Any, deadline: Deadline, *given: Any) -> None:
        """Ask the same thing again while the broker says that may help."""
        while True:
            within = max(deadline.left, 0.1)
            try:
                self._hand.ask(call, *given, within, within=within)
            except KafkaException as fault:
                self._doubtful = f"{call.__name__}: {fault.args[0].str()}"
                if fault.args[0].retriable() and not deadline.over:
                    continue
                raise _classified(fault) from fault
            else:
                return

    def _make_room(self) -> None:
        deadline = Deadline.after(self._patience)
        before = len(self._producer)
        while len(self._producer) >= before:
            if deadline.over:
                raise AbortBatch("the broker takes nothing, and the queue is full")
            self._producer.poll(0.01)

    def _named(self, fault: AbortBatch) -> AbortBatch:
        """The same fault, more to the point if one topic alone is behind it."""
        self._producer.poll(NAMED_WITHIN)  # the report may not have been heard so far
        ours = [topic for topic in self._failed if not _is_target(topic)]
        if ours == [REJECTED]:
            return ParkingRefused(self._failed[REJECTED])
        if self._too_large is not None:
            return Indigestible(self._too_large)
        if self._failed and not ours:  # else the broker is in trouble, not the target
            return TargetRefused(*next(iter(self._failed.items())))
        return fault

    def _named_refusal(self, topic: str, fault: KafkaException) -> AbortBatch | StartOver:
        """What the client refused to take at once."""
        classified = _classified(fault, topic)
        self._note(topic, fault.args[0])
        return self._named(classified) if isinstance(classified, AbortBatch) else classified

    def _fresh_producer(self) -> Producer:
        producer = Producer(self._options)
        self._insist(producer.init_transactions, Deadline.after(self._patience * 3))
        self._doubtful = None
        return producer

    def _on_delivery(self, error: KafkaError | None, message: Message) -> None:
        if error is None or error.code() in (KafkaError._PURGE_QUEUE, KafkaError._PURGE_INFLIGHT):  # noqa: SLF001 - the client's own names
            return
        self._note(str(message.topic()), error)

    def _note(self, topic: str, error: KafkaError) -> None:
        self._failed.setdefault(topic, error.str())
        if not _is_target(topic) and error.code() == KafkaError.MSG_SIZE_TOO_LARGE:
            self._too_large = f"{topic}: {error.str()}"

    def _on_statistics(self, text: str) -> None:
        brokers = json.loads(text).get("brokers", {}).values()
        asked = sum(broker.get("req", {}).get("EndTxn", 0) for broker in brokers)
        if asked > self._ended:
            self._doubtful = f"{asked} EndTxn requests for {self._ended} transactions"

    def _on_error(self, error: KafkaError) -> None:
        log.warning("producer: %s", error.str())


def fence_out(settings: ProcessorSettings, name: str) -> None:
    """Abort what an instance that is gone left open, and fence it should it come back."""
    producer = Producer(producer_options(settings, name))
    _or_fault(producer.init_transactions, settings.transaction_timeout)


def _is_target(topic: str) -> bool:
    """Whether what it refuses concerns nobody else: pools of runners are made by anybody."""
    return not topic.startswith("horae.") or topic.startswith(ORDERS)


def _or_fault(call: Any, *given: Any) -> None:
    try:
        call(*given)
    except KafkaException as fault:
        raise _classified(fault) from fault


def _classified(fault: KafkaException, topic: str | None = None) -> AbortBatch | StartOver:
    """What the caller must do about a fault of the client."""
    error = fault.args[0]
    if error.fatal():
        return StartOver(error.str())
    if topic is not None and _is_target(topic) and error.code() in _OF_A_TARGET:
        return TargetRefused(topic, error.str())
    if error.txn_requires_abort() or topic is not None:
        return AbortBatch(error.str())
    return StartOver(error.str())
