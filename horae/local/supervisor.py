"""
Who notices that a child has died, and what happens then?

One thread looks at all of them and starts again what ended without being asked: at once the
first time, then with growing pauses, and says so each time.
"""

import os
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Protocol

from horae.local import child
from horae.local.child import Child, Launch
from horae.local.faults import LocalFault

LOOK_EVERY = 0.1
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
FORGIVEN_AFTER = 30.0
"""Running that long, a program counts as healthy again."""
ROLE_STOPS_WITHIN = 20.0
LAST = 9
"""The turn of roles that leave together at the end."""


class Server(Protocol):
    """What is watched: it starts, it stops, and its child shows whether it runs.

    `child` is None while it is down on purpose.
    """

    child: Child | None

    def start(self) -> None:
        """Start it, unless it runs."""

    def stop(self) -> None:
        """Stop it for good."""


@dataclass(frozen=True, slots=True)
class Role:
    """One program of ours: its name (and its log's), and how it is started."""

    name: str
    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    """On top of our own environment."""
    leaves: int = LAST
    """Its turn when all stop: whoever has a lower one is gone before it is asked to."""


@dataclass(slots=True)
class RoleProcess:
    """A role that was started."""

    role: Role
    logs: Path
    keep_open: Sequence[int] = ()
    child: Child | None = field(default=None, init=False)

    @property
    def pid(self) -> int | None:
        """Its process id while it runs."""
        return self.child.pid if self.child and self.child.ended is None else None

    def start(self) -> None:
        """Start it; it is up to the role to wait for what it needs."""
        if self.pid is None:
            self.child = child.start(self._launch())

    def ask_to_stop(self) -> None:
        """Send the signal, without waiting."""
        if self.child is not None:
            self.child.signal(signal.SIGTERM)

    def stop(self) -> None:
        """Let it finish what it has begun, then end it."""
        running, self.child = self.child, None
        if running is not None:
            running.stop(within=ROLE_STOPS_WITHIN)

    def _launch(self) -> Launch:
        return Launch(
            name=self.role.name,
            argv=self.role.argv,
            log=self.logs / f"{self.role.name}.log",
            env={**os.environ, "PYTHONUNBUFFERED": "1", **self.role.env},
            keep_open=self.keep_open,
        )


@dataclass(slots=True)
class Health:
    """How one server has fared so far."""

    restarts: int = 0
    pause: float = 0.0
    not_before: float = 0.0
    since: float = field(default_factory=monotonic)


class Supervisor:
    """Watches servers, each under its name."""

    def __init__(self, told: Callable[[str], None]) -> None:
        self._told = told
        self._servers: dict[str, Server] = {}
        self._health: dict[str, Health] = {}
        self._stopping = Event()
        self._thread = Thread(target=self._watch, name="horae-supervisor", daemon=True)

    def begin(self) -> None:
        """Start watching."""
        self._thread.start()

    def watch(self, name: str, server: Server) -> None:
        """Look after one more server from now on."""
        self._health[name] = Health()
        self._servers = {**self._servers, name: server}

    def restarts(self, name: str) -> int:
        """How often it had to be started again."""
        return self._health[name].restarts

    def stand_down(self) -> None:
        """From now on a server that ends was asked to."""
        self._stopping.set()

    def join(self, within: float) -> None:
        """Wait until the thread has noticed."""
        if self._thread.is_alive():
            self._thread.join(within)

    def _watch(self) -> None:
        while not self._stopping.wait(LOOK_EVERY):
            for name, server in self._servers.items():
                self._look_at(name, server, self._health[name])

    def _look_at(self, name: str, server: Server, health: Health) -> None:
        now = monotonic()
        dead = server.child
        if dead is None or dead.ended is None:
            if now - health.since > FORGIVEN_AFTER:
                health.pause = 0.0
            return
        if not health.not_before:
            health.not_before = now + health.pause
            when = f"in {health.pause:g} s" if health.pause else "now"
            why = f" ({dead.last_word()})" if dead.ended > 0 else ""
            self._told(f"{name} ended with {dead.ended}{why}, starting it again {when}")
            health.pause = min(LONGEST_PAUSE, health.pause * 2 or FIRST_PAUSE)
        if now < health.not_before or self._stopping.is_set():
            return
        health.restarts += 1
        health.not_before = 0.0
        health.since = now
        try:
            server.start()
        except LocalFault as fault:
            self._told(str(fault))
