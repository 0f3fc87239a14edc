"""
When is the next day's round, and what if one fails?

At one wall time of every local day. A round that fails is logged, and the next day comes all the
same; waiting is in short steps, so that whoever asks this to end, or sets the clock, is heard.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from horae.times_shown import local_time
from schemas.definition import ALL_DAYS, Dst, Weekly
from schemas.units import SECOND
from streams.calendar.occurrences import rule_for
from streams.clock import Clock, pause

_LOG = logging.getLogger(__name__)
_STEP = 0.5


def each_day(
    at: int,
    zone: str,
    work: Callable[[], None],
    *,
    clock: Clock,
    stopping: Callable[[], bool],
    wait: Callable[[float], None] = pause,
) -> None:
    """Do the work at `at` (seconds of the local day) of every day, until this is to end."""
    rule = rule_for((Weekly(ALL_DAYS, at),), zone, Dst.SHIFT)
    due = rule.next_after(clock.wall()).instant
    _LOG.info("the next round is at %s", local_time(due, zone))
    while not stopping():
        left = due - clock.wall()
        if left > 0:
            wait(min(_STEP, left / SECOND))
            continue
        try:
            work()
        except Exception:  # noqa: BLE001 - whatever it was, the next day comes
            _LOG.exception("this day's round failed")
        # A clock that was set back does not bring the same day again.
        due = rule.next_after(max(due, clock.wall())).instant
        _LOG.info("the next round is at %s", local_time(due, zone))
