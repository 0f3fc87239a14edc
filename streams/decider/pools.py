"""
Where does work for runners go, and for how long is each of them waited for?

The topic of a pool's orders, and the times in the life of an offer: how long a claim is waited for,
and how long a runner that has a run may be silent. Durations are integer microseconds.
"""

from __future__ import annotations

from schemas.actions import DEFAULT_POOL, App, Work
from schemas.definition import SECOND
from schemas.topics import orders_topic

FIRST_OFFER = 5 * SECOND
"""So long a claim of an attempt's first offer is waited for; of each later one twice as long."""
LONGEST_OFFER = 60 * SECOND
LEASE = 30 * SECOND
"""A run that its runner has not listed for so long is interrupted."""
RENEWED_BELOW = 20 * SECOND
"""A beat renews a lease that has less left: not every beat is an event."""


def offered_for(issue: int) -> int:
    """How long a claim of this offer is waited for before the next one is made."""
    return min(FIRST_OFFER << min(issue - 1, 10), LONGEST_OFFER)


def topic_of(work: Work, app: App | None) -> str:
    """The topic of the pool that this work goes to: its own, that of its app's node, or default."""
    node = None if app is None else app.node
    return orders_topic(work.pool or node or DEFAULT_POOL)
