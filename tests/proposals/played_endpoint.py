"""
Who plays the decision model in tests?

A real HTTP server on loopback that answers chat completions with what a test has written down, and
keeps what it was asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

from typing_extensions import override


@dataclass(frozen=True)
class Said:
    """One answer: a status, a body, and how it comes."""

    body: bytes
    status: int = 200
    after: float = 0.0
    """Seconds before its head."""
    drips: float = 0.0
    """Seconds before each byte."""


@dataclass
class Played:
    """The server's script, and what it was asked."""

    script: list[Said]
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    url: str = ""
    leaving: Event = field(default_factory=Event)

    def next(self) -> Said:
        """The next answer; the last one is said again and again."""
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]


def completion(content: str | None, **more: Any) -> Said:
    """A chat completion with that content."""
    finish = more.pop("finish_reason", "stop")
    message = {"role": "assistant", "content": content, **more}
    document = {"choices": [{"index": 0, "message": message, "finish_reason": finish}]}
    return Said(json.dumps(document).encode())


def decided(decision: str, confidence: float, reason: str = "it is quiet at night") -> Said:
    """A decision as it was asked for."""
    found = {"decision": decision, "confidence": confidence, "reason": reason}
    return completion(json.dumps(found))


@contextmanager
def playing(*script: Said) -> Iterator[Played]:
    """The endpoint for the length of the block."""
    played = Played(list(script))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            played.asked.append(json.loads(body))
            played.keys.append(self.headers.get("authorization"))
            played.paths.append(self.path)
            said = played.next()
            played.leaving.wait(said.after)
            self.send_response(said.status)
            self.send_header("content-length", str(len(said.body)))
            self.end_headers()
            try:
                self._write(said)
            except OSError:
                self.close_connection = True  # whoever asked has gone

        def _write(self, said: Said) -> None:
            if not said.drips:
                self.wfile.write(said.body)
                return
            for byte in said.body:
                if played.leaving.wait(said.drips):
                    return
                self.wfile.write(bytes([byte]))

        @override
        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    played.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield played
    finally:
        played.leaving.set()
        server.shutdown()
        thread.join()
        server.server_close()
