"""
Which record of the inbox is it that no answer to can be written?

A batch that one of our own topics finds too large, or that fails in a way nobody foresaw, is done
again with half of its records, down to one. The one that is left, or is known at once, is marked,
and batch.py parks it instead of answering it. What fails for a known reason is streams/faults.py.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from confluent_kafka import KafkaException

from streams.faults import Indigestible, ProcessorFault
from streams.processor.intake import InboxRecord

log = logging.getLogger(__name__)

MOST_RECORDS = 2_000
FORESEEN = (ProcessorFault, KafkaException, MemoryError)
"""What says nothing of a record or a timer; all other exceptions do."""


def told(fault: BaseException) -> str:
    """An exception that nobody foresaw, for a person."""
    text = f"{type(fault).__name__}: {fault}"
    return text.encode(errors="replace").decode()  # it may hold what no record of ours can


class Suspects:
    """How many records are read at once, and which are to be parked."""

    def __init__(self) -> None:
        self.most = MOST_RECORDS
        """So many records make a batch now."""
        self._until: dict[int, int] = {}
        """Partitions whose batch failed, and its last offset in each."""
        self._marked: dict[tuple[int, int], str] = {}

    @property
    def alone(self) -> bool:
        """A record is read by itself, and no timer may share its batch."""
        return self.most == 1

    def marked(self, record: InboxRecord) -> InboxRecord:
        """The record, with why it is to be parked if it is."""
        why = self._marked.get((record.partition, record.offset))
        return record if why is None or record.fault else record._replace(fault=why)

    def suspect(self, records: Sequence[InboxRecord], fault: Indigestible) -> int | None:
        """The batch of these could not be written; the partition that has to stop for it, if any.

        That is one where no record can be to blame, or where one cannot even be parked.
        """
        place = fault.place
        if place is None and len(records) == 1:
            place = records[0].partition, records[0].offset
            self.most, self._until = MOST_RECORDS, {}
        if place in self._marked:
            return place[0]
        if place is not None:
            log.error("the record at %d.%d is parked: %s", *place, fault.detail)
            self._marked[place] = fault.detail
        elif not records:
            return fault.partition
        else:
            self.most = max(1, len(records) // 2)
            for one in records:
                self._until[one.partition] = max(one.offset, self._until.get(one.partition, 0))
        return None

    def passed(self, next_offset: Callable[[int], int | None]) -> None:
        """A batch is committed: read on as ever once what failed lies behind us, or elsewhere."""
        if not self._until and not self._marked:
            return
        for number, last in list(self._until.items()):
            here = next_offset(number)
            if here is None or here > last:
                del self._until[number]
        if not self._until:
            self.most = MOST_RECORDS
        for number, offset in list(self._marked):
            here = next_offset(number)
            if here is None or here > offset:
                del self._marked[number, offset]
