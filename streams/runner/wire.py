"""
What does a process in a container write, and is the wire to it still there?

The container engine sends both streams of a process over one connection, in frames: which stream,
how long, then so many bytes. They are handed on in the pieces in which they come, so that neither
a long frame nor a silent process holds anything up.
"""

from __future__ import annotations

import socket
import struct
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

HEADER = struct.Struct(">BxxxI")
STREAMS = 3
"""Input, output and errors are 0 to 2; 3 is what the engine itself has to say."""
PIECE = 64 * 1024


class Wire:
    """The connection over which the output of one process comes."""

    def __init__(self, connection: Any) -> None:
        """Take over what the Docker SDK hands out when it is asked for a socket."""
        self._connection = connection
        self._response: Any = getattr(connection, "_response", None)
        # The SDK hands out a file over the socket, which is of no use after its first timeout.
        self._socket: socket.socket = getattr(connection, "_sock", connection)
        self._waiting = self._read_too_far()
        self._header = b""
        self._left = 0
        """Bytes of the present frame that have not come yet."""
        self._lost = False
        """What comes is no frame."""

    def read(self, seconds: float) -> bytes | None:
        """What came within so many seconds, maybe nothing; None: nothing will come any more."""
        data = None if self._lost else self._waiting or self._receive(seconds)
        self._waiting = b""
        return None if data is None else self._without_headers(data)

    def close(self) -> None:
        """Give up the connection: each of these has it open as long as another does."""
        for each in (self._connection, self._response, self._socket):
            if each is not None:
                with suppress(OSError, ValueError):
                    each.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _read_too_far(self) -> bytes:
        """What was read together with the head of the answer."""
        if self._response is None:
            return b""
        try:
            self._socket.settimeout(0)
            found: bytes = self._response.raw._fp.fp.peek(1)  # noqa: SLF001 # nobody else has it
        except (AttributeError, OSError, ValueError):
            return b""
        return found

    def _receive(self, seconds: float) -> bytes | None:
        try:
            self._socket.settimeout(seconds)
            return self._socket.recv(PIECE) or None
        except TimeoutError:
            return b""
        except (OSError, ValueError):
            return None

    def _without_headers(self, data: bytes) -> bytes:
        shown = bytearray()
        while data:
            taken = data[: self._left]
            shown += taken
            self._left -= len(taken)
            data = data[len(taken) :]
            missing = HEADER.size - len(self._header)
            if data:
                self._header += data[:missing]
                data = data[missing:]
            if len(self._header) == HEADER.size:
                stream, self._left = HEADER.unpack(self._header)
                self._header = b""
                if stream > STREAMS:
                    self._lost = True
                    break
        return bytes(shown)
