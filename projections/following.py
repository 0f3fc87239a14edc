"""
How is a version filled from the log?

Two hands: one reads, decodes and folds the next batch while the other puts the last one into the
tables, since the first waits for no one and the second mostly for the database. Used by the
projector for the serving version and by rebuild.py for the next one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from math import inf
from time import monotonic
from types import TracebackType
from typing import Self

from projections.continuity import Stored, starting_positions
from projections.folding import Batch
from projections.log import Log, Place, Record
from projections.metrics import Telemetry
from projections.records import Reader, fold
from projections.settings import ProjectorSettings
from projections.writer import Work, Writer

logger = logging.getLogger(__name__)

Read = Callable[[], list[Record]]

_DAYS_SECONDS = 3_600.0
_TRIM_SECONDS = 5.0
_PROFILES_SECONDS = 5.0


class Follower:
    """Moves records into the tables of one version, in order, one transaction a batch."""

    def __init__(
        self,
        log: Log,
        writer: Writer,
        readers: Mapping[str, Reader],
        settings: ProjectorSettings,
        telemetry: Telemetry,
    ) -> None:
        self._log = log
        self._writer = writer
        self._readers = readers
        self._settings = settings
        self._telemetry = telemetry
        self._hand = ThreadPoolExecutor(max_workers=1, thread_name_prefix="horae-projector-write")
        self._applying: Future[None] | None = None
        self._topic_ids: dict[Place, str] = {}
        self._saved_at = self._measured_at = self._checked_at = self._looked_at = monotonic()
        self._trimmed_at = self._profiled_at = -inf
        # what nobody reads yet needs no profiles before it is filled
        self._with_profiles = self._profiles_left = writer.serves

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._hand.shutdown(wait=True)

    def begin(self) -> None:
        """Go to where the rows reach; a fault if the log does not fit them any more."""
        extents = self._log.extents()
        positions = starting_positions(self._writer.stored(), extents)
        self._topic_ids = {place: extent.topic_id for place, extent in extents.items()}
        self._writer.know_topics(self._topic_ids)
        self._log.start(positions)
        # at once, so that a gap before a partition's first record is one that can be seen
        self._writer.apply(Work((), Batch(), positions, {p: extents[p].end for p in positions}))

    def step(self, read: Read) -> None:
        """Read one batch, and when the one before is in the tables, hand it on."""
        records = read()
        batch = fold(records, self._readers)
        self.settle()
        now = monotonic()
        quiet = now - self._saved_at
        if records or quiet >= self._settings.beat_seconds or self._profiles_left:
            work = Work(records, batch, self._log.positions(), self._log.ends())
            self._applying = self._hand.submit(self._apply, work)
        if now - self._checked_at >= self._settings.continuity_seconds:
            self._checked_at = now
            self.check()

    def settle(self) -> None:
        """Wait until what was handed on is in the tables; its fault is raised here."""
        if self._applying is not None:
            applying, self._applying = self._applying, None
            applying.result()

    def save(self) -> None:
        """Put into the tables how far the log was read, records or not."""
        self.settle()
        self._apply(Work((), Batch(), self._log.positions(), self._log.ends()))

    def trim(self) -> bool:
        """Take a slice of the past that is not kept away; says whether more may be left."""
        self.settle()
        return self._trim()

    def compute_profiles(self) -> bool:
        """Compute a slice of the traffic profiles that are due; says whether more may be left."""
        self.settle()
        return self._compute_profiles()

    def check(self) -> None:
        """Look whether the topics are still the ones that are being read."""
        positions = self._log.positions()
        reading = {place: Stored(self._topic_ids[place], positions[place]) for place in positions}
        starting_positions(reading, self._log.extents())

    def _apply(self, work: Work) -> None:
        began = monotonic()
        applied = self._writer.apply(work)
        now = monotonic()
        for one in applied.parked:
            place = one.record.topic(), one.record.partition(), one.record.offset()
            logger.error("parked %s[%d]@%d: %s", *place, one.error)
        self._telemetry.committed(len(work.records), now - began, applied)
        if now - self._measured_at >= self._settings.beat_seconds:
            self._measured_at = now
            self._telemetry.behind(self._writer.lag())
            self._telemetry.open_runs(self._writer.open_runs())
        if now - self._looked_at >= _DAYS_SECONDS:
            self._writer.refresh_days()
            self._looked_at = now
        if now - self._trimmed_at >= _TRIM_SECONDS:
            self._trim()
        if self._with_profiles and now - self._profiled_at >= _PROFILES_SECONDS:
            self._compute_profiles()
        self._saved_at = now

    def _trim(self) -> bool:
        trimmed = self._writer.trim()
        self._telemetry.trimmed(trimmed)
        self._trimmed_at = -inf if trimmed.left else monotonic()
        return trimmed.left

    def _compute_profiles(self) -> bool:
        profiled = self._writer.compute_profiles()
        self._telemetry.profiled(profiled)
        self._profiles_left = profiled.left
        self._profiled_at = -inf if profiled.left else monotonic()
        return profiled.left
