"""
What does a sampler look at in a test?

Real small HTTP servers on loopback: one that answers, one that is slow, one that says nothing.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from typing_extensions import override


@dataclass(slots=True)
class Page:
    """What a server answers with; a test changes it as it likes."""

    running: int = 0
    waiting: int = 0
    finished: int | None = 0
    seconds: float | None = 0.0
    status: int = 200
    body: str | None = None
    """Instead of the numbers."""
    slow: float = 0.0
    """Seconds before it answers."""
    asked: list[dict[str, str]] = field(default_factory=list)
    """The headers of each request."""
    port: int = 0
    never: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}/metrics"

    def text(self) -> str:
        """The page, as vLLM has it."""
        if self.body is not None:
            return self.body
        lines = [
            f'vllm:num_requests_running{{model="m"}} {self.running}',
            f'vllm:num_requests_waiting{{model="m"}} {self.waiting}',
        ]
        if self.seconds is not None:
            lines.append(f'vllm:e2e_request_latency_seconds_sum{{model="m"}} {self.seconds}')
        if self.finished is not None:
            lines.append(f'vllm:e2e_request_latency_seconds_count{{model="m"}} {self.finished}')
        return "\n".join(lines) + "\n"


@contextmanager
def served(page: Page) -> Iterator[Page]:
    """A server with this page."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page.asked.append(dict(self.headers))
            page.never.wait(page.slow)
            body = page.text().encode()
            self.send_response(page.status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        @override
        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

        @override
        def handle(self) -> None:
            try:
                super().handle()
            except OSError:  # whoever asked has given up
                self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    page.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield page
    finally:
        page.never.set()
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def silent() -> Iterator[str]:
    """An address that takes a connection and says nothing."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/metrics"
