"""
How are secret values kept out of what is written, wherever its pieces are cut?

A value is replaced by `***`, also if it came in two pieces: what may be its beginning waits for
what follows. Of a value of several lines each longer line is masked by itself too. Encoded forms
(base64, percent signs) are other texts, and are not recognised.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

MASK = b"***"
SHORTEST_LINE = 8
"""Of a value of several lines: shorter ones are ordinary words."""


class _Span(NamedTuple):
    start: int
    end: int


class Masker:
    """A filter for bytes that come in pieces of any size."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = tuple(_forms(secrets))
        self._held = b""
        self._covered = 0
        """So many of the bytes that are held belong to a value whose mask was written already."""

    def feed(self, data: bytes, *, last: bool = False) -> bytes:
        """What may be shown of all that has come so far and was not shown yet."""
        if not self._secrets:
            return data
        whole = self._held + data
        cut = len(whole) if last else self._undecided(whole)
        shown: list[bytes] = []
        at, end = 0, self._covered  # also if what is covered may begin another value
        for span in self._spans(whole):
            if span.start >= cut:
                break
            shown.append(whole[at : span.start])
            if span.start or not self._covered:
                shown.append(MASK)
            end = span.end
            at = min(end, cut)
        shown.append(whole[at:cut])
        self._held, self._covered = whole[cut:], max(0, end - cut)
        return b"".join(shown)

    def _undecided(self, whole: bytes) -> int:
        """Where the first value may begin whose end has not come yet."""
        longest = max(
            (_overlap(whole, secret) for secret in self._secrets),
            default=0,
        )
        return len(whole) - longest

    def _spans(self, whole: bytes) -> Iterator[_Span]:
        """Where values stand, in order; those that overlap are one."""
        found = [_Span(0, self._covered)] if self._covered else []
        for secret in self._secrets:
            at = whole.find(secret)
            while at >= 0:
                found.append(_Span(at, at + len(secret)))
                at = whole.find(secret, at + 1)
        found.sort()
        merged: list[_Span] = []
        for span in found:
            if merged and span.start < merged[-1].end:
                merged[-1] = _Span(merged[-1].start, max(merged[-1].end, span.end))
            else:
                merged.append(span)
        yield from merged


def masked(text: str, secrets: Iterable[str]) -> str:
    """A whole text without the values."""
    shown = Masker(secrets).feed(text.encode("utf-8", "replace"), last=True)
    return shown.decode("utf-8", "replace")  # a value may be a part of a character


def _forms(secrets: Iterable[str]) -> dict[bytes, None]:
    """The texts to look for; an empty value is no secret."""
    forms: dict[bytes, None] = {}
    for secret in secrets:
        lines = [line.strip() for line in secret.splitlines()] if "\n" in secret else []
        for text in (secret, *(line for line in lines if len(line) >= SHORTEST_LINE)):
            if text:
                forms[text.encode("utf-8", "surrogateescape")] = None
    return forms


def _overlap(whole: bytes, secret: bytes) -> int:
    """How many bytes at the end may be the beginning of the secret; fewer than all of it."""
    for length in range(min(len(secret) - 1, len(whole)), 0, -1):
        if whole.endswith(secret[:length]):
            return length
    return 0
