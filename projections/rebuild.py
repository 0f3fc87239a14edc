"""
How are the views built anew while the old ones are being read?

Fills a new version from the log's start, follows the serving one until both stand at the same
place, compares what they hold, and only then moves the pointer, in one short transaction during
which nobody who reads waits. The live projector goes on with the old version until then, sees the
new pointer and follows. What was replaced is dropped after its last writer has left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from time import monotonic

from psycopg.rows import dict_row

from projections.bounded import BoundedLog
from projections.continuity import Stored
from projections.faults import ProjectionFault, RebuildStopped, WouldLoseRows
from projections.following import Follower
from projections.log import Extent
from projections.metrics import Telemetry
from projections.records import Reader, Sources
from projections.settings import ProjectorSettings
from projections.sqlstates import sorted_faults
from projections.statements import statement
from projections.versions import (
    Connection,
    Version,
    build,
    connect,
    drop,
    serve,
    serving,
    stop_writers,
    sweep,
    writing,
)
from projections.writer import Writer, stored_offsets

Counts = Mapping[str, int]
Stopping = Callable[[], bool]

_FEW = 5_000
"""When so few offsets are left, the serving version's writer is made to wait for the rest."""
_WITH_TRAFFIC = 4
"""The first layout with deployments and their traffic; what an older one has is compared."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the new version is; `total` grows with the log."""

    version: int
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild came to."""

    version: int
    counts: Counts
    replaced: int | None
    counts_before: Counts
    dropped: bool
    """False: somebody still holds on to the old version; the next rebuild drops it."""


@dataclass(frozen=True, slots=True)
class _Swapped:
    """The new version serves."""

    version: int
    counts: Counts
    counts_before: Counts


def rebuild(
    settings: ProjectorSettings,
    *,
    progress: Callable[[Progress], None],
    stopping: Stopping = lambda: False,
    force: bool = False,
    sources: Sources | None = None,
) -> Rebuilt:
    """Build the next version beside the serving one and swap it in; `force` accepts lost rows."""
    readers = (sources or Sources()).readers()
    with connect(settings.postgres_dsn.get_secret_value()) as control:
        sweep(control)
        with sorted_faults():
            old = serving(control)
        try:
            swapped = _Rebuild(settings, readers, control, old, progress, stopping).run(force=force)
        except ProjectionFault:
            sweep(control)
            raise
        dropped = old is None or drop(control, old)
    return Rebuilt(
        version=swapped.version,
        counts=swapped.counts,
        replaced=old.number if old else None,
        counts_before=swapped.counts_before,
        dropped=dropped,
    )


@dataclass(slots=True)
class _Rebuild:
    """One rebuild under way: `control` looks after the serving version."""

    settings: ProjectorSettings
    readers: Mapping[str, Reader]
    control: Connection
    old: Version | None
    progress: Callable[[Progress], None]
    stopping: Stopping
    done: int = 0

    def run(self, *, force: bool) -> _Swapped:
        """Fill the next version and swap it in."""
        dsn = self.settings.postgres_dsn.get_secret_value()
        with (
            connect(dsn) as connection,
            closing(BoundedLog(self.settings.bootstrap, self.readers)) as log,
            sorted_faults(),
        ):
            new = replace(build(connection), serves=False)
            with writing(connection, new):
                writer = Writer(
                    connection,
                    new,
                    self.readers,
                    retention_days=self.settings.occurrence_retention_days,
                    keeping=self.settings.keeping,
                    pace=self.settings.pace,
                )
                telemetry = Telemetry(monotonic)
                with Follower(log, writer, self.readers, self.settings, telemetry) as follower:
                    follower.begin()
                    self._catch_up(log, follower, new)
                    self._compute_profiles(follower, new)
                    self._catch_up(log, follower, new)
                    return self._swap(connection, log, follower, new, force=force)

    def _catch_up(self, log: BoundedLog, follower: Follower, new: Version) -> None:
        """Read to where the serving version stands, until that has hardly moved meanwhile."""
        left = _FEW + 1
        while left > _FEW:
            left = self._aim(log)
            self._fill(log, follower, new)

    def _compute_profiles(self, follower: Follower, new: Version) -> None:
        """Before anybody reads them; what changes meanwhile is computed by who follows the log."""
        while follower.compute_profiles():
            self._go_on()
            self.progress(Progress(new.number, self.done, self.done))

    def _go_on(self) -> None:
        if self.stopping():
            raise RebuildStopped("the rebuild was stopped; the old version goes on serving")

    def _swap(
        self,
        connection: Connection,
        log: BoundedLog,
        follower: Follower,
        new: Version,
        *,
        force: bool,
    ) -> _Swapped:
        """Read the rest while the serving version stands still, compare, and move the pointer."""
        with self.control.transaction():
            stop_writers(self.control)
            if serving(self.control) != self.old:
                raise RebuildStopped("another version was swapped in meanwhile")
            self._aim(log)
            self._fill(log, follower, new)
            swapped = self._compare(connection, new, force=force)
            serve(self.control, new)
        return swapped

    def _aim(self, log: BoundedLog) -> int:
        """Bound the log to where the serving version stands; says how much is left to read."""
        stored = {}
        if self.old:
            self.old.use(self.control)
            stored = stored_offsets(self.control)
        log.bound({place: _bound(at, stored.get(place)) for place, at in log.extents().items()})
        return log.left()

    def _fill(self, log: BoundedLog, follower: Follower, new: Version) -> None:
        """Read up to the bounds, and take away what is not kept."""
        before, total = self.done, self.done + log.left()
        self.progress(Progress(new.number, before, total))
        while (left := log.left()) > 0:
            self._go_on()
            follower.step(
                lambda: log.read(self.settings.batch_records, self.settings.gather_seconds)
            )
            self.done = total - left
            self.progress(Progress(new.number, self.done, total))
        follower.save()
        while follower.trim():
            self._go_on()
            self.progress(Progress(new.number, self.done, total))
        self.done = total
        self.progress(Progress(new.number, total, total))

    def _compare(self, connection: Connection, new: Version, *, force: bool) -> _Swapped:
        """Refuse to lose rows: both versions have read the same records."""
        counts = self._counts(connection, new)
        before = self._counts(self.control, self.old) if self.old else {}
        lost = [
            f"{table} {counts[table]} instead of {count}"
            for table, count in before.items()
            if counts[table] < count
        ]
        if lost and not force:
            raise WouldLoseRows(
                f"version {new.number} would lose rows ({', '.join(lost)}); the old version goes"
                " on serving. If the log really holds no more, force the swap"
            )
        return _Swapped(new.number, counts, before)

    def _counts(self, connection: Connection, version: Version) -> Counts:
        kept = {
            "days": self.settings.occurrence_retention_days,
            "history_keep": self.settings.keeping.runs,
            "traffic_days": self.settings.keeping.traffic_days,
        }
        cursor = connection.cursor(row_factory=dict_row)
        counts = cursor.execute(statement("counts"), kept).fetchone() or {}
        if version.layout < _WITH_TRAFFIC:
            return counts
        return counts | (cursor.execute(statement("traffic_counts"), kept).fetchone() or {})


def _bound(extent: Extent, stored: Stored | None) -> int:
    """Where the serving version stands, or the log's end if it stands nowhere in this log."""
    if stored is None or stored.topic_id != extent.topic_id:
        return extent.end
    offset = stored.position.next_offset
    return offset if extent.start <= offset <= extent.end else extent.end
