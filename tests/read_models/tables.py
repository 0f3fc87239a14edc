"""
What does a writer make of records, for tests without a broker?

The serving version of a test's database, and records from memory put into it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from projections.folding import Parked
from projections.history import Keeping
from projections.log import Place, Position
from projections.queries import Reads
from projections.records import Sources, fold
from projections.tracking import Tracked
from projections.versions import connect, open_serving
from projections.writer import Applied, Work, Writer
from tests.read_models.ledger import Written


class Tables:
    """Tables that records can be put into, and reads of them."""

    def __init__(
        self, dsn: str, retention_days: int | None = None, keeping: Keeping | None = None
    ) -> None:
        self.dsn = dsn
        tracked = Tracked()
        self.readers = Sources().readers(tracked)
        self.connection = connect(dsn)
        version = open_serving(self.connection, lambda: False)
        assert version is not None
        self.version = version
        self.writer = Writer(
            self.connection,
            version,
            self.readers,
            retention_days=retention_days,
            keeping=keeping or Keeping(),
        )
        tracked.load(self.connection)
        self.reads = Reads(dsn)

    def take(self, records: Iterable[Written]) -> list[Parked]:
        """Apply the records as one batch; says what was parked."""
        return self.apply(records).parked

    def apply(self, records: Iterable[Written]) -> Applied:
        """Apply the records as one batch."""
        batch = list(records)
        positions = {
            Place(one.topic(), one.partition()): Position(one.offset() + 1) for one in batch
        }
        self.writer.know_topics(dict.fromkeys(positions, "an id"))
        ends = {place: position.next_offset for place, position in positions.items()}
        return self.writer.apply(Work(batch, fold(batch, self.readers), positions, ends))

    def rows(self, query: str) -> list[Any]:
        return self.connection.execute(query.encode()).fetchall()

    def close(self) -> None:
        self.reads.close()
        self.connection.close()


@contextmanager
def tables_in(
    dsn: str, retention_days: int | None = None, keeping: Keeping | None = None
) -> Iterator[Tables]:
    made = Tables(dsn, retention_days, keeping)
    try:
        yield made
    finally:
        made.close()
