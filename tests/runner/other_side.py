"""
Whom do the requests of these tests reach?

A small server on loopback that answers as it was told and remembers what it was asked; and one that
speaks no HTTP but writes the bytes it was told, or nothing. Both are real sockets.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import NamedTuple

from typing_extensions import override


class Asked(NamedTuple):
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    """By their names in small letters."""
    body: bytes

    @property
    def data(self) -> object:
        return json.loads(self.body)


class Say(NamedTuple):
    """What is answered."""

    status: int = 200
    data: object = None
    headers: dict[str, str] = {}  # noqa: RUF012 - nobody changes it


Answers = Callable[[Asked], Say]
Says = Callable[[socket.socket, Event], None]
"""What is done with a connection; the event says that the test is over."""


@dataclass(slots=True)
class Service:
    """A server that is running."""

    port: int
    answers: Answers
    asked: list[Asked] = field(default_factory=list)
    stop: Callable[[], None] = lambda: None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def paths(self) -> list[str]:
        return [f"{one.method} {one.path}" for one in self.asked]


@contextmanager
def service(answers: Answers, port: int = 0) -> Iterator[Service]:
    """A server that answers as it is told; `service.answers` may be exchanged."""
    here = Service(0, answers)

    class Handler(BaseHTTPRequestHandler):
        def _take(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            names = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(self.command, self.path, names, self.rfile.read(length))
            here.asked.append(asked)
            said = here.answers(asked)
            body = said.data if isinstance(said.data, bytes) else json.dumps(said.data).encode()
            self.send_response(said.status)
            for name, value in said.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            # Who was given up reads no answer.
            with suppress(OSError):
                self.wfile.write(body)

        def do_GET(self) -> None:
            self._take()

        def do_POST(self) -> None:
            self._take()

        @override
        def log_message(self, *_: object) -> None:
            """Tests ask for nothing of this."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()

    def stop() -> None:
        server.shutdown()
        server.server_close()
        thread.join(10)

    here.port, here.stop = server.server_address[1], stop
    try:
        yield here
    finally:
        stop()


@contextmanager
def odd_server(says: Says) -> Iterator[str]:
    """A server that does with each connection what it was told; its url."""
    over = Event()
    listening = socket.create_server(("127.0.0.1", 0))
    listening.settimeout(0.05)

    def serve() -> None:
        while not over.is_set():
            try:
                connection, _ = listening.accept()
            except TimeoutError:
                continue
            with connection:
                connection.settimeout(5)
                with suppress(OSError):
                    says(connection, over)

    thread = Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        over.set()
        thread.join(10)
        listening.close()
