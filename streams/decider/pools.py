"""
Where does work for runners go, and for how long is each of them waited for?

The topic of a pool's orders, and the times in the life of an offer: how long a claim is waited for,
and how long a runner that has a run may be silent. Durations are integer microseconds.
"""

from __future__ import annotations

from schemas.actions import DEFAULT_POOL, Act, Work
from schemas.definition import SECOND
from schemas.snapshot import SubjectNotes
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


def topic_of(work: Work, notes: SubjectNotes) -> str:
    """The topic of the pool that this work goes to.

    Its own, or that of the app's node or of the deployment, or the default one.
    """
    pool = work.pool
    if pool is None:
        app, deployment = notes.app, notes.deployment
        if isinstance(work, Act):
            pool = None if deployment is None else deployment.pool
        else:
            pool = None if app is None else app.node
    return orders_topic(pool or DEFAULT_POOL)
