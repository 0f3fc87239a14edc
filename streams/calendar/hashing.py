"""
Which number stands for `H`?

`H` spreads schedules over a field: each gets a value of its own, from the hash of its id and the
field's name, the same on every host and for ever. It is put in before anything else reads the
field.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Final

from streams.calendar.refusals import TimingRefused, quoted

_ITEM: Final = re.compile(r"H(?:\(([0-9]{1,4})-([0-9]{1,4})\))?(?:/([0-9]{1,4}))?")
_ANYWHERE: Final = re.compile(r"(?<![A-Za-z])H(?![A-Za-z])")


def has_hash(text: str) -> bool:
    """Whether a text asks for a hash anywhere."""
    return "H" in text and _ANYWHERE.search(text) is not None


def without_hash(item: str, name: str, low: int, high: int, schedule_id: str | None) -> str:
    """The item of a field with a number for its `H`; `low` and `high` bound what it may become."""
    found = _ITEM.fullmatch(item)
    if found is None:
        raise TimingRefused(
            "cron", f"{name} {quoted(item)}: allowed are H, H(a-b), H/n and H(a-b)/n"
        )
    if schedule_id is None:
        raise TimingRefused("cron", f"{name} {quoted(item)}: H needs a schedule with an id")
    begin, end, step = found.groups()
    if begin is not None:
        bounds = int(begin), int(end)
        if not low <= bounds[0] <= bounds[1] <= high:
            raise TimingRefused(
                "cron", f"{name} {quoted(item)}: the range must lie within {low}-{high}"
            )
        low, high = bounds
    if step is None:
        return str(low + _hash(name, schedule_id) % (high - low + 1))
    every = int(step)
    if every < 1:
        raise TimingRefused("cron", f"{name} {quoted(item)}: a step must be at least 1")
    start = low + _hash(name, schedule_id) % min(every, high - low + 1)
    return f"{start}-{high}/{every}"


def _hash(name: str, schedule_id: str) -> int:
    text = f"{name}\0{schedule_id}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")
