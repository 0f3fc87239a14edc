"""
How does a test speak to a model server?

Over HTTP, as everybody does: it is served on a port of loopback from a thread, or as a program of
its own where it is to be started and stopped.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import uvicorn

from examples.model_server.model import Model
from examples.model_server.service import service
from schemas.deployments import Metrics
from streams.scrape import Counts, counts_of
from tests.examples.task_managers import await_that

ROOT = Path(__file__).parents[2]


class Server:
    """One that is running, and a client of it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.client = httpx.Client(base_url=url, trust_env=False, timeout=20)

    def post(self, path: str, **data: Any) -> httpx.Response:
        return self.client.post(path, json=data)

    def ask(self, seconds: float = 0.0) -> int:
        """Have one request answered; its status."""
        return self.post("/v1/completions", prompt="a", seconds=seconds).status_code

    def faults(self, **named: Any) -> None:
        self.post("/faults", **named).raise_for_status()

    @property
    def is_sleeping(self) -> bool:
        return bool(self.client.get("/is_sleeping").raise_for_status().json()["is_sleeping"])

    @property
    def counts(self) -> Counts:
        page = self.client.get("/metrics").raise_for_status().text
        return counts_of(page, Metrics(f"{self.url}/metrics"))


@contextmanager
def serving(seconds: float = 0.0) -> Iterator[Server]:
    """A model server whose requests take so long unless they say otherwise."""

    def end() -> None:
        server.should_exit = True

    config = uvicorn.Config(service(Model("m", seconds), end), log_config=None, access_log=False)
    config.timeout_graceful_shutdown = 1
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        here = Server(f"http://127.0.0.1:{listening.getsockname()[1]}")
        try:
            await_that(lambda: server.started)
            yield here
        finally:
            here.client.close()
            server.should_exit = True
            thread.join(20)
            assert not thread.is_alive(), "the server did not end"


def program(port: int, *how: str) -> tuple[str, ...]:
    """The argv of a model server on a port."""
    place = ("env", "-C", str(ROOT))
    return (*place, sys.executable, "-m", "examples.model_server", "--port", str(port), *how)


def run(port: int, *how: str) -> None:
    """Run such a program to its end."""
    subprocess.run(program(port, *how), check=True, capture_output=True, timeout=60)
