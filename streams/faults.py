"""
What can go wrong in a process, grouped by what its caller must do?

* ProcessorFault
  + RetryCall        ask the broker the same thing again, a little later
  + AbortBatch       drop this batch, seek back, poll again
    - TargetRefused  the same, and leave the target alone for a while
    - ParkingRefused the same, and park less; stop the partition if that is not taken either
    - Indigestible   the same, and look for the record that no answer to can be written
  + StartOver        drop the producer and all memory, restore from the log
  + PartitionStopped leave this partition alone, loudly; the others go on
  + Halt             stop the process and say why: an operator has to look
"""

from __future__ import annotations


class ProcessorFault(Exception):
    """Something failed while deciding or writing."""

    def __init__(self, detail: str = "") -> None:
        doc = (type(self).__doc__ or "").splitlines()[0].rstrip(".")
        super().__init__(f"{doc}: {detail}" if detail else doc)


class RetryCall(ProcessorFault):
    """The broker cannot say so yet."""


class AbortBatch(ProcessorFault):
    """The transaction was aborted; nothing of this batch was kept."""


class TargetRefused(AbortBatch):
    """A topic that emits go to refused a record."""

    def __init__(self, topic: str, detail: str) -> None:
        super().__init__(f"{topic}: {detail}")
        self.topic = topic
        self.detail = detail


class ParkingRefused(AbortBatch):
    """The topic for what could not be read did not take it."""


class Indigestible(AbortBatch):
    """Something cannot be answered in a way that can be written."""

    def __init__(
        self, detail: str, place: tuple[int, int] | None = None, partition: int | None = None
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.place = place
        """Partition and offset of the record that is to blame, if that is known."""
        self.partition = partition
        """Where it happened, if that is known."""


class StartOver(ProcessorFault):
    """It is not known what the broker kept, or another has taken over."""


class PartitionStopped(ProcessorFault):
    """The log of this partition is not what it should be; an operator has to look."""

    def __init__(self, partition: int, detail: str) -> None:
        super().__init__(f"partition {partition}: {detail}")
        self.partition = partition


class Halt(ProcessorFault):
    """The log is not what it should be; going on would lose or double something."""
