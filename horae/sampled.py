"""
Which deployments does a sampler look at?

Those that the views know with metrics of their own, each with what was seen of it last and what is
usual at this hour. Asked anew each time: what lies between two questions may have been an outage.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg

from projections import traffic_queries
from projections.queries import Reads
from streams.clock import SystemClock
from streams.traffic.sampler import Watched


def sampled_in(dsn: str) -> Callable[[], list[Watched]]:
    """What asks the views of this database; it raises whatever keeps it from an answer."""
    clock = SystemClock()

    def listed() -> list[Watched]:
        with Reads(dsn) as reads:
            return reads.look(lambda connection: watched_in(connection, clock.wall()))

    return listed


def watched_in(connection: psycopg.Connection[Any], now: int) -> list[Watched]:
    """All deployments with metrics, as the views know them."""
    found = traffic_queries.sampled(connection)
    usual = traffic_queries.usual_now(connection, [one.subject for one in found], now)
    return [
        Watched(
            one.subject, one.deployment.metrics, one.served, one.sampled_at, usual.get(one.subject)
        )
        for one in found
        if one.deployment.metrics is not None
    ]
