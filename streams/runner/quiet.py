"""
Is there really nobody whom a sleep or a stop would cut off?

The decision was made from samples, and a moment has passed since: right before it is acted on, the
deployment's metrics are looked at once more (DP-021). What is not known to be quiet counts as busy.
"""

from __future__ import annotations

from schemas.deployments import Metrics
from streams.runner.asking import MOST_BYTES, Request
from streams.runner.faults import NoAnswer
from streams.runner.reaching import Reach
from streams.scrape import Counts, NotMeasured, counts_of


async def unquiet(reach: Reach, metrics: Metrics, served: int | None, *, rests: bool) -> str | None:
    """Why it is not to be cut off now; None: no request is under way, and none came meanwhile.

    `served` is how many requests had ended when the decision was made, None if nobody knows. What
    `rests` may not answer at all: a paused container serves nobody, and tells no numbers either.
    """
    try:
        answer = await reach.look(Request("GET", metrics.url, reach.headers(metrics.headers)))
        if not answer.good:
            return f"its requests cannot be seen: {metrics.url} answered {answer.status}"
        if len(answer.body) >= MOST_BYTES:  # what was not read may be a request
            return f"its requests cannot be seen: {metrics.url} has {MOST_BYTES:,} bytes or more"
        counts = counts_of(answer.body.decode("utf-8", "replace"), metrics)
    except NoAnswer as fault:
        return None if rests else f"its requests cannot be seen: {fault}"
    except NotMeasured as fault:
        return f"its requests cannot be seen: {fault}"
    over = "an unknown number" if counts.finished is None else counts.finished
    reach.say(f"in flight {counts.in_flight}, waiting {counts.waiting}, over {over}")
    return _under_way(counts) or _came(counts, served)


def _under_way(counts: Counts) -> str | None:
    if counts.in_flight or counts.waiting:
        return f"requests in flight: {counts.in_flight}, waiting: {counts.waiting}"
    return None


def _came(counts: Counts, served: int | None) -> str | None:
    if served is None or counts.finished is None:
        return None
    # A server that was started anew counts from 0 again.
    came = counts.finished - served if counts.finished >= served else counts.finished
    return f"{came} requests came and went since it was decided" if came else None
