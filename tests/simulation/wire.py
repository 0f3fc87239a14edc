"""
What do the clients over the log in memory have in common?

Where they find the log, the records that they hand out and the errors that they raise, in the
client library's own shapes. The clients are producer.py, consumer.py and admin.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from confluent_kafka import KafkaError, KafkaException

from tests.simulation.log import Entry, Header, Log

LOGS: dict[str, Log] = {}
"""By the address that settings call `bootstrap`."""
ABORTABLE = (KafkaError.ILLEGAL_GENERATION, KafkaError.UNKNOWN_MEMBER_ID)


def refusal(code: int, detail: str, *, retriable: bool = False) -> KafkaException:
    """What the client raises when the broker says no."""
    fatal = code == KafkaError._FENCED
    return KafkaException(KafkaError(code, detail, fatal, retriable, code in ABORTABLE))


class Message(NamedTuple):
    """One record, as the client hands it out."""

    place: tuple[str, int]
    entry: Entry
    fault: KafkaError | None = None

    def topic(self) -> str:
        return self.place[0]

    def partition(self) -> int:
        return self.place[1]

    def offset(self) -> int:
        return self.entry.offset

    def key(self) -> bytes | None:
        return self.entry.key

    def value(self) -> bytes | None:
        return self.entry.value

    def headers(self) -> Sequence[Header] | None:
        return self.entry.headers or None

    def timestamp(self) -> tuple[int, int]:
        return 2, self.entry.at

    def error(self) -> KafkaError | None:
        return self.fault
