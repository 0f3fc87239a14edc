"""
What does the view say of runners?

Turns grants into rows of `runners`: who has been given work, in which of its lives, and what last.
A runner that was never granted anything says so to its processor alone. The order of the fields
here is the order of the columns in sql/layout.sql.
"""

from __future__ import annotations

from projections.encoding import bigint, field_count, instant, text
from projections.folding import Batch
from schemas.events import RunGranted, Stamp

_COLUMNS = field_count(5)


def granted(event: RunGranted, stamp: Stamp, batch: Batch) -> None:
    """A runner has an attempt."""
    data = b"".join(
        (
            _COLUMNS,
            text(event.runner),
            bigint(event.boot),
            instant(stamp.decided_at),
            text(event.run),
            text(event.schedule),
        )
    )
    batch.runners.keep(event.runner, (event.boot, stamp.decided_at, event.run), data)
