"""
How do rows get into the tables, together with how far they reach?

One transaction a batch: copied into staging tables, merged set-wise, offsets beside it. A record
that the database refuses is found by halving, parked, and the others are applied. Which version is
written, and by whom, is versions.py.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import psycopg
from psycopg import sql

from projections.continuity import Stored
from projections.days import Days
from projections.faults import BadRecord, NotServing
from projections.folding import Batch, Parked
from projections.history import History, Keeping, Trimmed
from projections.log import Place, Position, Record
from projections.profiling import Pace, Profiled, Profiler
from projections.records import Reader, fold
from projections.sqlstates import sorted_faults
from projections.statements import statement
from projections.versions import Version, keep_serving
from schemas.rejected import KEPT_BYTES

logger = logging.getLogger(__name__)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Work:
    """Some records as rows, and where the log stands after them."""

    records: Sequence[Record]
    batch: Batch
    positions: Mapping[Place, Position]
    ends: Mapping[Place, int]


@dataclass(frozen=True, slots=True)
class Lag:
    """How far the rows of one partition are behind the log."""

    topic: str
    partition: int
    next_offset: int
    records: int
    seconds: float
    saved_seconds_ago: float


class Ended(NamedTuple):
    """A run that ended; times in microseconds, None: it never began, or it is not known."""

    status: str
    work: str | None
    duration: int | None
    queue_time: int | None


@dataclass(frozen=True, slots=True)
class Applied:
    """What came of a batch."""

    parked: list[Parked] = field(default_factory=list)
    ended: list[Ended] = field(default_factory=list)


class Writer:
    """The one writer of one projection version."""

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        version: Version,
        readers: Mapping[str, Reader],
        *,
        retention_days: int | None,
        keeping: Keeping = Keeping(),  # noqa: B008 - it is frozen
        pace: Pace = Pace(),  # noqa: B008 - it is frozen
    ) -> None:
        self._connection = connection
        self._version = version
        self._readers = readers
        self._days = Days(connection, retention_days)
        self._history = History(connection, keeping)
        self._profiler = Profiler(connection, pace)
        self._topic_ids: dict[Place, str] = {}
        with sorted_faults():
            version.use(connection)
            connection.execute(statement("create_staging"))
            connection.execute(statement("create_traffic_staging"))
            self.refresh_days()

    @property
    def serves(self) -> bool:
        """Whether what it writes is being read."""
        return self._version.serves

    def stored(self) -> dict[Place, Stored]:
        """How far the rows of this version have come."""
        with sorted_faults():
            return stored_offsets(self._connection)

    def know_topics(self, ids: Mapping[Place, str]) -> None:
        """The ids that are stored with the offsets from now on."""
        self._topic_ids = dict(ids)

    def apply(self, work: Work) -> Applied:
        """Put the rows and the offsets into the tables, both or neither; says what came of it."""
        applied = Applied()
        with sorted_faults(), self._connection.transaction():
            self._keep_serving()
            made = self._days.make(work.batch.days)
            self._write(work.records, work.batch, applied)
            self._save_offsets(work)
        self._days.know(made)
        self._history.note(work.batch.runs.ended())
        return applied

    def trim(self) -> Trimmed:
        """Take away a slice of the runs and outputs that are no longer kept."""
        with sorted_faults(), self._connection.transaction():
            self._keep_serving()
            return self._history.trim()

    def compute_profiles(self) -> Profiled:
        """Compute a slice of the traffic profiles that are due."""
        with sorted_faults(), self._connection.transaction():
            self._keep_serving()
            return self._profiler.compute()

    def open_runs(self) -> dict[str, int]:
        """How many runs are in each state that is no end."""
        with sorted_faults():
            return dict(self._connection.execute(statement("open_runs")).fetchall())

    def lag(self) -> list[Lag]:
        """How far each partition is behind, by the clock of the database."""
        with sorted_faults():
            rows = self._connection.execute(statement("lag")).fetchall()
        return [Lag(*row) for row in rows]

    def refresh_days(self) -> None:
        """Look up which days have a table, and drop those that are older than is kept."""
        with sorted_faults():
            self._days.refresh()

    def _keep_serving(self) -> None:
        if not keep_serving(self._connection, self._version):
            raise NotServing(f"version {self._version.number} is no longer the serving one")

    def _write(self, records: Sequence[Record], batch: Batch, applied: Applied) -> None:
        """Apply the records, or if the database refuses one of them, its neighbours."""
        try:
            with sorted_faults(), self._connection.transaction():
                ended = self._merge(batch)
                for one in batch.parked:
                    self._park(one)
        except BadRecord as fault:
            if len(records) == 1:
                alone = Parked(records[0], str(fault), fault.sqlstate)
                self._park(alone)
                applied.parked.append(alone)
                return
            middle = len(records) // 2
            for half in (records[:middle], records[middle:]):
                self._connection.execute(statement("clear_staging"))
                self._connection.execute(statement("clear_traffic_staging"))
                self._write(half, fold(half, self._readers), applied)
        else:
            applied.parked.extend(batch.parked)
            applied.ended.extend(ended)

    def _merge(self, batch: Batch) -> list[Ended]:
        cursor = self._connection.cursor()
        self._days.leave_out_old(batch.occurrences)
        for table, folded in batch.tables():
            if not len(folded):
                continue
            target = sql.SQL("COPY {} FROM STDIN (FORMAT binary)").format(
                sql.Identifier(f"staged_{table}")
            )
            with cursor.copy(target) as copy:
                copy.write(folded.file())
            cursor.execute(statement(f"merge_{table}"))
        if not batch.runs.ended():
            return []
        return [Ended(*row) for row in cursor.execute(statement("just_ended")).fetchall()]

    def _park(self, one: Parked) -> None:
        record = one.record
        key, value = record.key(), record.value() or b""
        self._connection.execute(
            statement("park"),
            {
                "topic": record.topic(),
                "partition": record.partition(),
                "offset": record.offset(),
                # an error can quote what no text column can hold
                "error": one.error.replace("\0", "\\0").encode(errors="backslashreplace").decode(),
                "sqlstate": one.sqlstate,
                "key": None if key is None else key[:KEPT_BYTES],
                "value": value[:KEPT_BYTES],
                "size": len(value),
            },
        )

    def _save_offsets(self, work: Work) -> None:
        newest = {Place(record.topic(), record.partition()): record for record in work.records}
        places = list(work.positions)
        positions = list(work.positions.values())
        self._connection.execute(
            statement("save_offsets"),
            {
                "topics": [place.topic for place in places],
                "partitions": [place.partition for place in places],
                "topic_ids": [self._topic_ids[place] for place in places],
                "next_offsets": [position.next_offset for position in positions],
                "leader_epochs": [position.leader_epoch for position in positions],
                "end_offsets": [work.ends[place] for place in places],
                "record_at": [_appended(newest.get(place)) for place in places],
                "versions": [self._version.number] * len(places),
            },
        )


def stored_offsets(connection: psycopg.Connection[Any]) -> dict[Place, Stored]:
    """How far the rows of the version that the session uses have come."""
    rows = connection.execute(statement("stored_offsets")).fetchall()
    return {
        Place(topic, partition): Stored(topic_id, Position(offset, epoch))
        for topic, partition, topic_id, offset, epoch in rows
    }


def _appended(record: Record | None) -> datetime | None:
    if record is None:
        return None
    return _EPOCH + timedelta(milliseconds=record.timestamp()[1])
