"""A short partition of the ledger costs no wait for more records than it has."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from horae import past
from horae.past import Past
from schemas.codec import encode_event
from schemas.events import ScheduleRemoved, Stamp

EVENTS = [ScheduleRemoved("a/b", 1, 1), ScheduleRemoved("a/c", 2, 2)]


@dataclass
class Message:
    """A record of the ledger."""

    offset_: int
    value_: bytes

    def error(self) -> None:
        return None

    def offset(self) -> int:
        return self.offset_

    def value(self) -> bytes:
        return self.value_


class Consumer:
    """A broker's partition that has two records; who asks it for many and waits, waits long."""

    def __init__(self, options: dict[str, Any]) -> None:
        stamps = [Stamp(1, 0, None, 0, number, "user:ada") for number in range(2)]
        self.left = [
            Message(number, encode_event(event, stamp))
            for number, (event, stamp) in enumerate(zip(EVENTS, stamps, strict=True))
        ]
        assert options["fetch.wait.max.ms"] <= 10

    def list_topics(self, topic: str, *, timeout: float) -> Any:
        assert timeout
        return SimpleNamespace(topics={topic: SimpleNamespace(partitions={0: None})})

    def get_watermark_offsets(self, _: object, *, timeout: float) -> tuple[int, int]:
        assert timeout
        return 0, 2

    def assign(self, _: object) -> None:
        pass

    def poll(self, _: float) -> Message | None:
        return self.left.pop(0) if self.left else None

    def consume(self, many: int, timeout: float) -> list[Message]:
        assert timeout == 0, f"waits for {many} records"
        found, self.left = self.left, []
        return found

    def close(self) -> None:
        pass


def test_what_is_there_is_taken_without_a_wait_for_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past, "Consumer", Consumer)

    with Past("nowhere:9092") as found:
        assert [event for event, _ in found.events(found.places[0])] == EVENTS
