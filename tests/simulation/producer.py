"""
What does a producer do, over the log in memory?

The part of confluent_kafka that a processor uses: the same names, arguments, callbacks and errors,
and nothing that waits. Each step of a transaction is told to `Log.strike`, where whatever is to go
wrong goes wrong.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from typing import Any

from confluent_kafka import KafkaError, KafkaException, TopicPartition

from tests.simulation.log import Header, Refused
from tests.simulation.wire import LOGS, Message, refusal


class Producer:
    """A producer, transactional if it has such an id."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.log = LOGS[options["bootstrap.servers"]]
        self.client = str(options.get("client.id", ""))
        self._id: str | None = options.get("transactional.id")
        self._epoch = -1
        self._fault: KafkaException | None = None
        self._ended: str | None = None
        """The call that ended the last transaction: made again, it gets the same answer."""
        self._reports: list[tuple[Any, Message]] = []

    @property
    def by(self) -> tuple[str, int] | None:
        """Id and epoch; None: not transactional."""
        return None if self._id is None else (self._id, self._epoch)

    def init_transactions(self, *_timeout: float) -> None:
        assert self._id is not None
        self.log.strike(self, "init")
        self._epoch = self.log.init(self._id)

    def begin_transaction(self) -> None:
        self.log.strike(self, "begin")
        if self._fault is not None and self._fault.args[0].fatal():
            raise self._fault
        self._fault = self._ended = None

    def produce(
        self,
        topic: str,
        value: bytes | None = None,
        key: bytes | None = None,
        partition: int = -1,
        on_delivery: Any = None,
        headers: Any = None,
    ) -> None:
        if self._id is not None:
            self.log.strike(self, "produce")
        numbers = self.log.partitions(topic)
        if not numbers:
            raise refusal(KafkaError._UNKNOWN_TOPIC, f"{topic} is not there")
        if partition < 0:
            partition = sum(key or b"") % len(numbers)
        listed = list(headers.items()) if isinstance(headers, dict) else headers or ()
        place = topic, partition
        try:
            entry = self.log.append(place, _bytes(key), _bytes(value), _packed(listed), self.by)
        except Refused as fault:  # sent by a thread of the client's: told by the next call
            self._fault = self._fault or refusal(fault.code, str(fault))
            return
        if on_delivery is not None:
            self._reports.append((on_delivery, Message(place, entry)))

    def send_offsets_to_transaction(
        self, sent: list[TopicPartition], metadata: bytes, *_timeout: float
    ) -> None:
        self.log.strike(self, "send_offsets")
        generation, member = _membership(metadata)
        offsets = {one.partition: one.offset for one in sent}
        self._ask(lambda by: self.log.send_offsets(by, offsets, generation, member))

    def commit_transaction(self, *_timeout: float) -> None:
        if self._ended != "commit":
            self.log.strike(self, "commit")
            self._ask(lambda by: self.log.end(by, commit=True))
            self._ended = "commit"
        self.log.strike(self, "committed")

    def abort_transaction(self, *_timeout: float) -> None:
        self.log.strike(self, "abort")
        if self._fault is not None and not self._fault.args[0].fatal():
            self._fault = None
        self._ask(lambda by: self.log.end(by, commit=False))

    def _ask(self, request: Any) -> None:
        if self._fault is None:
            try:
                request(self.by)
            except Refused as fault:
                self._fault = refusal(fault.code, str(fault))
        if self._fault is not None:
            raise self._fault

    def poll(self, _timeout: float = 0) -> int:
        reports, self._reports = self._reports, []
        for on_delivery, message in reports:
            on_delivery(None, message)
        return len(reports)

    def flush(self, _timeout: float = 0) -> int:
        self.poll()
        return 0

    def purge(self) -> None:
        self._reports.clear()

    def __len__(self) -> int:
        return 0


def _membership(metadata: bytes) -> tuple[int, str]:
    at = len(b"CGMDv2:")
    (generation,) = struct.unpack_from("=i", metadata, at)
    _group, member, _ = metadata[at + 4 :].split(b"\0", 2)
    return generation, member.decode()


def _bytes(text: Any) -> bytes | None:
    return text.encode() if isinstance(text, str) else text


def _packed(headers: Iterable[tuple[str, Any]]) -> list[Header]:
    return [(name, _bytes(value)) for name, value in headers]
