"""
Where do partitions begin and end?

Asked of many at once by a consumer that reads nothing, as times before all and after all: with the
call of the administration that is made for this, the client library aborts the whole process when
a broker that was killed comes back in the middle of it, or is told for ever that it knows an old
leader.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    Consumer,
    KafkaError,
    KafkaException,
    TopicPartition,
)

Place = tuple[str, int]
"""A topic and a partition of it."""


class Edges:
    """Asks as a reader would that sees what was committed only, or all."""

    def __init__(self, options: dict[str, Any], *, committed: bool) -> None:
        """The options say where the broker is; the group is only a name that is asked for."""
        self._consumer = Consumer(
            {
                "group.id": "horae-edges",
                "enable.auto.commit": False,
                "enable.auto.offset.store": False,
                "allow.auto.create.topics": False,
                "isolation.level": "read_committed" if committed else "read_uncommitted",
            }
            | options
        )

    def ends(self, places: Iterable[Place], within: float) -> dict[Place, int]:
        """What is read next once all is read; a KafkaException if that cannot be had of one."""
        return self._ask(places, OFFSET_END, within)

    def beginnings(self, places: Iterable[Place], within: float) -> dict[Place, int]:
        """The first offset that retention left; a KafkaException if that cannot be had of one."""
        return self._ask(places, OFFSET_BEGINNING, within)

    def close(self) -> None:
        """Ask nothing more."""
        self._consumer.close()

    def _ask(self, places: Iterable[Place], which: int, within: float) -> dict[Place, int]:
        asked = [TopicPartition(*place, which) for place in places]
        if not asked:
            return {}
        found = {}
        for one in self._consumer.offsets_for_times(asked, within):
            if one.error is not None:
                raise KafkaException(one.error)
            if one.offset < 0:  # a leader that has not answered
                raise KafkaException(KafkaError(KafkaError.LEADER_NOT_AVAILABLE))
            found[one.topic, one.partition] = one.offset
        return found
