"""
What does a test find in a topic?

One record, with the client's types left behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Found(NamedTuple):
    """One record that was read back."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: Mapping[str, bytes | None]
    appended_at: int


def found_in(one: Any) -> Found:
    """The record of a message of the client's."""
    headers = one.headers() or []
    return Found(
        one.topic(),
        one.partition(),
        one.offset(),
        one.key(),
        one.value(),
        dict(headers),
        one.timestamp()[1] * 1_000,
    )
