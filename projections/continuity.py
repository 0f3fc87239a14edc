"""
Is this still the log that was read?

Compares the stored offsets with what the broker has. A part that is gone, another topic under the
same name or an end before the stored offset means that the views no longer follow from the log:
that is said loudly and never mended by jumping. A truncation that has grown over is noticed by the
broker itself, from the leader epoch that is stored beside each offset.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from projections.faults import RebuildNeeded
from projections.log import Extent, Place, Position


@dataclass(frozen=True, slots=True)
class Stored:
    """How far the rows of a version have come in one partition."""

    topic_id: str
    position: Position


def starting_positions(
    stored: Mapping[Place, Stored], extents: Mapping[Place, Extent]
) -> dict[Place, Position]:
    """Where to read on; a partition that was never read begins at the log's start."""
    broken = [
        f"{place.topic}[{place.partition}]: {why}"
        for place, known in sorted(stored.items())
        if (why := _gap(known, extents.get(place)))
    ]
    if broken:
        raise RebuildNeeded(
            "the views no longer follow from the log, `horae rebuild` builds them anew: "
            + "; ".join(broken)
        )
    return {
        place: stored[place].position if place in stored else Position(extent.start)
        for place, extent in extents.items()
    }


def _gap(known: Stored, extent: Extent | None) -> str | None:
    offset = known.position.next_offset
    if extent is None:
        return "the partition is gone"
    if extent.topic_id != known.topic_id:
        return f"another topic (id {extent.topic_id}, rows come from {known.topic_id})"
    if offset < extent.start:
        return f"{extent.start - offset} records are gone (stored {offset}, log {extent.start}…)"
    if offset > extent.end:
        return f"the log was truncated (stored {offset}, it ends at {extent.end})"
    return None
