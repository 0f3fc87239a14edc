"""
What sleeps in these tests?

The model server of the examples, as a process; whoever is asked here is the server itself, not what
Horae takes it for. It reads no clock on the wall, so that it needs none that leaps.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from horae.local import ports
from horae.local.supervisor import Role, RoleProcess
from schemas.deployments import Metrics
from streams.scrape import counts_of
from tests.processor.cluster import await_that

PROGRAM = [sys.executable, "-m", "examples.model_server"]


@dataclass(frozen=True, slots=True)
class Sleeper:
    """A model server."""

    port: int
    program: RoleProcess

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def driver(self) -> dict[str, Any]:
        """How Horae is told of it; it could be started again, if that were allowed."""
        start = [*PROGRAM, "--port", str(self.port), "--behind"]
        return {"url": self.url, "start": start}

    def dial(self, rate: float, seconds: float = 0.5) -> None:
        """So many requests a minute from now on, each of so many seconds."""
        body = {"rate": rate, "seconds": seconds}
        httpx.post(f"{self.url}/load", json=body, trust_env=False).raise_for_status()

    def served(self) -> int | None:
        """How many requests it has had; None: some are not over."""
        page = httpx.get(f"{self.url}/metrics", trust_env=False).text
        counts = counts_of(page, Metrics(self.url))
        return None if counts.in_flight or counts.waiting else counts.finished

    def is_asleep(self) -> bool:
        """As vLLM says it."""
        said = httpx.get(f"{self.url}/is_sleeping", trust_env=False)
        return bool(said.json()["is_sleeping"])

    def is_awake(self) -> bool:
        """The same, the other way round."""
        return not self.is_asleep()

    def is_there(self) -> bool:
        """Whether anything listens."""
        try:
            httpx.get(f"{self.url}/health", trust_env=False)
        except httpx.TransportError:
            return False
        return True

    def start(self) -> None:
        """Return when it answers; it is awake and quiet."""
        self.program.start()
        await_that(self.is_there, f"the model server on port {self.port} answers", 60)

    def stop(self) -> None:
        """As a person stops it: Horae is not told."""
        self.program.stop()


def made_in(folder: Path) -> Sleeper:
    """One that is yet to be started."""
    port = ports.choose()
    return Sleeper(port, RoleProcess(Role("sleeper", [*PROGRAM, "--port", str(port)]), folder))
