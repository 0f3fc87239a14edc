"""
How does a test cut the way to the broker in the middle of a commit?

The broker has a second listener, which it says is where `Wire` listens; whoever comes that way is
passed on, frame by frame, until a test tells the wire what to do about the next end of a
transaction.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Self

from typing_extensions import override

from horae.local.kafka import Broker
from horae.local.ports import LOOPBACK

END_TXN = 26
"""The number of the request that commits or aborts."""


@dataclass(slots=True)
class ProxiedBroker(Broker):
    """A broker that can be reached over a wire as well."""

    behind: int = 0
    """Where it listens for what the wire passes on."""
    wire: int = 0
    """Where the wire listens."""

    @override
    def _write_settings(self) -> None:
        Broker._write_settings(self)  # no super() in a class that was made anew for its slots
        text = self._settings.read_text()
        for name, port in (("listeners", self.behind), ("advertised.listeners", self.wire)):
            text = text.replace(f"\n{name}=", f"\n{name}=WIRE://{LOOPBACK}:{port},")
        text = text.replace("PLAINTEXT:PLAINTEXT,", "PLAINTEXT:PLAINTEXT,WIRE:PLAINTEXT,")
        self._settings.write_text(text)


class Wire:
    """Passes frames on, both ways, until told otherwise."""

    def __init__(self, port: int, behind: int) -> None:
        self.bootstrap = f"{LOOPBACK}:{port}"
        self.ends = 0
        """Ends of transactions that were asked for over this wire."""
        self._behind = behind
        self._listener = socket.create_server((LOOPBACK, port))
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._lock = Lock()
        self._closing = Event()
        self._down_until = 0.0
        self._on_end: Callable[[], bool] | None = None
        self._mute = False
        Thread(target=self._accept, name="wire", daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        self._closing.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # else the one who accepts keeps it open
        self._listener.close()
        self.cut(0)

    def cut(self, seconds: float) -> None:
        """Nothing passes for so long."""
        self._down_until = time.monotonic() + seconds
        with self._lock:
            pairs, self._pairs = self._pairs, []
        for pair in pairs:
            for end in pair:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()
        self._mute = False

    def lose_next_end(self, down: float) -> None:
        """The next end of a transaction does not reach the broker, and the wire is down."""

        def lose() -> bool:
            self.cut(down)
            return False

        self._on_end = lose

    def lose_next_answer(self, down: float) -> None:
        """The next end of a transaction is carried out, but nobody hears, and the wire is down."""

        def lose() -> bool:
            self._mute = True
            Thread(target=self._cut_soon, args=(down,), daemon=True).start()
            return True

        self._on_end = lose

    def delay_next_end(self, seconds: float) -> None:
        """The next end of a transaction takes longer."""

        def delay() -> bool:
            time.sleep(seconds)
            return True

        self._on_end = delay

    @property
    def armed(self) -> bool:
        """Whether it still waits for the next end of a transaction."""
        return self._on_end is not None

    def _cut_soon(self, down: float) -> None:
        time.sleep(0.3)
        self.cut(down)

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if time.monotonic() < self._down_until:
                client.close()
                continue
            try:
                broker = socket.create_connection((LOOPBACK, self._behind))
            except OSError:
                client.close()
                continue
            with self._lock:
                self._pairs.append((client, broker))
            for way in ((client, broker, self._asks), (broker, client, self._answers)):
                Thread(target=self._pass_on, args=way, daemon=True).start()

    def _pass_on(
        self, source: socket.socket, sink: socket.socket, passes: Callable[[bytes], bool]
    ) -> None:
        with suppress(OSError):
            while frame := _frame(source):
                if passes(frame):
                    sink.sendall(frame)
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _asks(self, frame: bytes) -> bool:
        if int.from_bytes(frame[4:6], "big") != END_TXN:
            return not self._mute
        self.ends += 1
        on_end, self._on_end = self._on_end, None
        return on_end() if on_end is not None else not self._mute

    def _answers(self, _: bytes) -> bool:
        return not self._mute


def _frame(source: socket.socket) -> bytes:
    """One request or answer with its length; empty at the end."""
    head = _exactly(source, 4)
    return head + _exactly(source, int.from_bytes(head, "big")) if head else b""


def _exactly(source: socket.socket, size: int) -> bytes:
    parts = []
    while size:
        part = source.recv(min(size, 1 << 20))
        if not part:
            return b""
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
