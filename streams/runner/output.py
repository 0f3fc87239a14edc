"""
What has the work written, and how much of it is kept?

The last bytes, as text that JSON and Postgres can hold: NUL and what is not UTF-8 are replaced. The
values of secrets are masked before anything is kept or sent (masking.py). Beside it, pieces for
those who watch, a few a second at most: what comes faster is left out, and a gap in their numbers
says so.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Iterable
from threading import Lock
from typing import NamedTuple

from streams.runner.masking import Masker

A_MOMENT = 0.01
PIECE = 8 * 1024
"""Bytes of one piece for those who watch, at most."""
_REPLACED = "\N{REPLACEMENT CHARACTER}"
_DECODER = getincrementaldecoder("utf-8")


class Kept(NamedTuple):
    """The end of what was written."""

    text: str
    cut: bool
    """Something before it was left out."""


class Piece(NamedTuple):
    """What was written since the last piece."""

    sequence: int
    """From 0; a gap says that something was left out."""
    text: str


class Output:
    """What one attempt writes; written to and read from several threads."""

    def __init__(self, most: int, secrets: Iterable[str] = ()) -> None:
        self._lock = Lock()
        self._masker = Masker(secrets)
        self._most = most
        self._tail = bytearray()
        self._cut = False
        self._live = _Live()

    def write(self, data: bytes) -> None:
        """Take what the work wrote, in pieces of any size."""
        with self._lock:
            self._keep(self._masker.feed(data))

    def end(self) -> None:
        """Nothing follows: what waited for its other half is shown."""
        with self._lock:
            self._keep(self._masker.feed(b"", last=True))

    def kept(self) -> Kept:
        """The last of it, at most so many bytes in UTF-8 as were asked for."""
        with self._lock:
            data = bytes(self._tail[-self._most :]) if self._most else b""
            cut = self._cut or len(self._tail) > self._most
        text = _text(_from_whole_character(data) if cut else data)
        encoded = text.encode()
        if len(encoded) <= self._most:
            return Kept(text, cut)
        # A replaced byte has become three.
        return Kept(_from_whole_character(encoded[-self._most :]).decode(), cut=True)

    def piece(self) -> Piece | None:
        """What there is to show to those who watch; None: nothing new."""
        # Not waited for: masking much may take a while, and the loop asks, which has to beat.
        if not self._lock.acquire(timeout=A_MOMENT):
            return None
        try:
            return self._live.take()
        finally:
            self._lock.release()

    def _keep(self, shown: bytes) -> None:
        if not shown:
            return
        self._live.add(shown)
        self._tail += shown
        # Now and then, not at each write: else each byte would be moved many times.
        if len(self._tail) > 2 * self._most + PIECE:
            del self._tail[: len(self._tail) - self._most]
            self._cut = True


class _Live:
    """What those who watch have not been shown yet."""

    def __init__(self) -> None:
        self._waiting = bytearray()
        self._decoder = _DECODER("replace")
        self._next = 0
        self._left_out = False

    def add(self, shown: bytes) -> None:
        self._waiting += shown[-PIECE:]
        if len(shown) > PIECE or len(self._waiting) > PIECE:
            del self._waiting[:-PIECE]
            self._leave_out()

    def take(self) -> Piece | None:
        waiting = bytes(self._waiting)
        data = _from_whole_character(waiting) if self._left_out else waiting
        text = self._decoder.decode(data).replace("\0", _REPLACED)
        self._waiting.clear()
        if not text:
            return None
        piece = Piece(self._next, text)
        self._next += 1
        self._left_out = False
        return piece

    def _leave_out(self) -> None:
        """One number is missing, however much it was."""
        if not self._left_out:
            self._left_out = True
            self._next += 1
        self._decoder.reset()


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").replace("\0", _REPLACED)


def _from_whole_character(data: bytes) -> bytes:
    """Without the rest of a character whose beginning was cut off."""
    at = 0
    while at < min(3, len(data)) and data[at] & 0xC0 == 0x80:
        at += 1
    return data[at:]
