"""
What is a proposal called?

Its id says for whom, in which windows and on which date: proposed twice on a day it is the same
one, and what is proposed again later is told from what became of it then.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from schemas.proposals import IdleWindow

PREFIX = "pp_"
_DIGEST = 8


def proposal_id(subject: str, zone: str, windows: Sequence[IdleWindow], date: str) -> str:
    """`pp_` and sixteen hexadecimal digits; the date is a local one, such as 2026-11-30."""
    times = [times_of(window) for window in windows]
    text = "\0".join([subject, zone, date, *(",".join(map(str, each)) for each in times)])
    return PREFIX + blake2b(text.encode(), digest_size=_DIGEST).hexdigest()


def times_of(window: IdleWindow) -> tuple[int, int, int, int]:
    """When it sleeps and wakes; in how many weeks that was seen is no part of what it is."""
    return window.sleep_day, window.sleep_at, window.wake_day, window.wake_at
