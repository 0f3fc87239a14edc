"""
Who tells the senders what became of a record of horae.globals?

The owner of inbox partition 0, alone: it writes the ledger's event and the reply, once for each
record, and publishes the limits from its own environment when they differ from what is in force.
"""

from __future__ import annotations

from dataclasses import replace

from schemas.codec import encode
from schemas.definition import SECOND
from schemas.events import GlobalChanged, Stamp
from schemas.globals import GlobalSettings
from schemas.replies import Reply, Verdict
from streams.decider.worldview import KEYS, summary
from streams.processor.batch import Batch
from streams.processor.globals import Globals, Told
from streams.processor.partitions import Partition
from streams.settings import ProcessorSettings

UNDER_WAY = 2 * SECOND
"""What was published comes back within this time, unless its batch was dropped."""

LONGEST_TEXT = 500
"""Characters of each text of somebody else's that is repeated in an event or a reply."""


def announce(batch: Batch, partition: Partition, globals_: Globals) -> None:
    """Answer every record of horae.globals that was not answered yet."""
    for told in globals_.told:
        if told.offset > partition.owner.globals_offset:
            tell(batch, partition, told)


def publish_limits(
    batch: Batch, partition: Partition, globals_: Globals, settings: ProcessorSettings
) -> None:
    """Make the limits of this environment those of everyone, if they are not.

    With them goes, once and for all, how many partitions there are.
    """
    limits = GlobalSettings(
        emit_topics=tuple(p.strip() for p in settings.emit_topics.split(",") if p.strip()),
        at=batch.now,
        partitions=batch.partitions,
        max_schedules=settings.max_per_app,
        max_concurrent=settings.max_concurrent_per_app,
        default_timeout=_micros(settings.default_timeout),
        max_retries=settings.max_retries,
        retry_backoff=_micros(settings.retry_backoff),
        retry_backoff_max=_micros(settings.retry_backoff_max),
        catch_up_lookback=_micros(settings.catch_up_lookback),
    )
    known = globals_.world.settings
    if known is not None and known.partitions and _same(known, limits):
        return
    if batch.now - globals_.published_at > UNDER_WAY:
        globals_.published_at = batch.now
        batch.publish(partition, KEYS[GlobalSettings].encode(), encode(limits))


def _micros(seconds: float) -> int:
    return round(seconds * SECOND)


def _same(known: GlobalSettings, limits: GlobalSettings) -> bool:
    """Whether these limits are in force; how many partitions there are was noted by the first."""
    return replace(limits, at=known.at, partitions=known.partitions) == known


def tell(batch: Batch, partition: Partition, told: Told) -> None:
    """Answer one record of horae.globals."""
    record = told.record
    said = f"not readable: {told.fault}" if record is None else summary(record)
    said, name = said[:LONGEST_TEXT], told.name[:LONGEST_TEXT]
    actor = (getattr(record, "actor", None) or "system")[:LONGEST_TEXT]
    command_id: str | None = getattr(record, "command_id", None)
    stamp = Stamp(batch.now, partition.number, None, told.offset, 0, actor, command_id)
    batch.tell_globals(partition, GlobalChanged(name, told.offset, said), stamp)
    if command_id is not None:
        reply = Reply(
            schedule="",
            command=name,
            verdict=Verdict.ACCEPTED,
            decided_at=batch.now,
            partition=0,
            offset=told.offset,
            message=said,
        )
        batch.reply_global(command_id, reply)
