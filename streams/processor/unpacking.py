"""
What if a record of somebody else's is small in the log and huge in memory?

Topics limit what is packed, not what it unpacks to. Fetches are small, so that few such batches are
unpacked at a time, and a batch that the client refuses to unpack is passed over: where it ends only
the broker knows, and it is asked by fetching from further and further on.
"""

from __future__ import annotations

from confluent_kafka import Consumer, KafkaError, TopicPartition

from streams.clock import Deadline
from streams.faults import StartOver

SMALL_FETCHES = {
    "fetch.max.bytes": 4 * 1024 * 1024,
    "fetch.message.max.bytes": 1024 * 1024,
    "queued.max.messages.kbytes": 16 * 1024,
    # also the most that zstd, which packs a gigabyte into kilobytes, is unpacked to
    "receive.message.max.bytes": 32 * 1024 * 1024,
}
"""Options of a consumer of what others write."""
_PAST = (
    KafkaError._PARTITION_EOF,  # noqa: SLF001 - the client's own name
    KafkaError._AUTO_OFFSET_RESET,  # noqa: SLF001 - the client's own name
    KafkaError.OFFSET_OUT_OF_RANGE,
)


def end_of_batch(bootstrap: str, first: TopicPartition, within: float = 20.0) -> int:
    """The offset behind the batch that begins at `first` and cannot be unpacked."""
    deadline = Deadline.after(within)
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "horae-unpacking",
            "isolation.level": "read_committed",
            "auto.offset.reset": "error",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "fetch.wait.max.ms": 20,
            "log_level": 3,
            **SMALL_FETCHES,
        }
    )
    try:
        inside, outside = first.offset, first.offset + 1
        while _is_inside(consumer, first, outside, deadline):
            inside, outside = outside, first.offset + 2 * (outside - first.offset)
        while outside - inside > 1:
            middle = (inside + outside) // 2
            if _is_inside(consumer, first, middle, deadline):
                inside = middle
            else:
                outside = middle
    finally:
        consumer.close()
    return outside


def _is_inside(consumer: Consumer, first: TopicPartition, offset: int, deadline: Deadline) -> bool:
    """Whether a fetch from this offset meets the same batch again."""
    consumer.assign([TopicPartition(first.topic, first.partition, offset)])
    while not deadline.over:
        message = consumer.poll(0.2)
        if message is None:
            continue
        error = message.error()
        if error is None or error.code() in _PAST:
            return False
        if error.code() == KafkaError._BAD_COMPRESSION:  # noqa: SLF001 - the client's own name
            return message.offset() == first.offset
    raise StartOver(f"{first.topic}[{first.partition}]: no end of the batch at {first.offset}")
