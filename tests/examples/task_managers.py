"""
How does a test speak to a task manager?

Over HTTP, as everybody does: the service is started on a port of loopback, with a clock that the
test moves, and asked through a client.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

import httpx
import uvicorn

from examples.task_manager.promoting import ROOM
from examples.task_manager.service import service
from examples.task_manager.store import Store
from schemas.units import SECOND
from streams.clock import Clock, SteppedClock, SystemClock

NOON = 1_768_564_800 * SECOND
"""2026-01-16T12:00:00Z"""
Data = dict[str, Any]


class Manager:
    """A service that is running, and a client of it."""

    def __init__(self, url: str, clock: Clock, store: Store) -> None:
        self.url = url
        self.clock = clock
        self.store = store
        self.client = httpx.Client(base_url=url, trust_env=False, timeout=20)

    def ask(
        self, operation: str, rack: str = "rack-a", headers: Any = None, **other: Any
    ) -> httpx.Response:
        """Ask for a task."""
        body = {"operation": operation, "rack": rack, **other}
        return self.client.post("/tasks", json=body, headers=headers)

    def begin(self, operation: str, rack: str = "rack-a", **other: Any) -> str:
        """The id of a task that was taken on."""
        answer = self.ask(operation, rack, **other)
        assert answer.status_code == 202, answer.text
        [id_] = answer.json()["task_ids"]
        return str(id_)

    def task(self, id_: str) -> Data:
        """What is said about a task."""
        found: Data = self.client.get(f"/tasks/{id_}").raise_for_status().json()
        return found

    def status(self, *ids: str) -> list[str]:
        """Where tasks stand."""
        return [str(self.task(id_)["status"]) for id_ in ids]

    def pass_by(self, seconds: float) -> None:
        """Let time pass, and wait until the service has looked at its clock after that."""
        assert isinstance(self.clock, SteppedClock)
        self.clock.pass_by(int(seconds * SECOND))
        self.look_round()

    def look_round(self) -> None:
        """Wait until the service has ended what was over, and begun what then could."""
        for _ in range(2):
            probe = self.begin("ingest", "probe", seconds=0)
            await_that(lambda: self.status(probe) == ["completed"])  # noqa: B023 - called at once


@contextmanager
def managed(
    *racks: str,
    store: Store | None = None,
    clock: Clock | None = None,
    room: int = ROOM,
    seconds: float = 10,
) -> Iterator[Manager]:
    """A task manager with these racks, whose tasks take so long by its clock."""
    clock = clock or SteppedClock(NOON)
    store = store or Store([*(racks or ("rack-a", "rack-b")), "probe"])
    app = service(store, clock=clock, seconds=seconds, room=room)
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        manager = Manager(f"http://127.0.0.1:{listening.getsockname()[1]}", clock, store)
        try:
            await_that(lambda: server.started)
            yield manager
        finally:
            manager.client.close()
            server.should_exit = True
            thread.join(20)
            assert not thread.is_alive(), "the service did not end"


@contextmanager
def real_time(*racks: str, seconds: float) -> Iterator[Manager]:
    """One that lives by the machine's own clock."""
    with managed(*racks, clock=SystemClock(), seconds=seconds) as manager:
        yield manager


def await_that(ready: Callable[[], bool]) -> None:
    """Wait, at most 20 s, until this holds."""
    never = Event()
    for _ in range(1_000):
        if ready():
            return
        never.wait(0.02)
    raise AssertionError("it did not come to that")
