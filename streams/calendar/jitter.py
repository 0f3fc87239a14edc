"""
How far is an occurrence moved from its nominal instant?

By a hash of the schedule's id and the nominal instant, the same on every host and for ever, and
always by less than the time to the next occurrence, so that order never changes. Nothing in here is
random.
"""

from __future__ import annotations

from hashlib import blake2b


def delay(schedule_id: str, nominal: int, jitter: int, following: int) -> int:
    """Microseconds to wait after `nominal`, in [0, min(jitter, time to the `following` one))."""
    room = min(jitter, following - nominal)
    if room <= 0:
        return 0
    text = f"jitter\0{schedule_id}\0{nominal}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big") % room
