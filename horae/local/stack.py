"""
What runs on this machine, and in which order does it come and go?

    with LocalStack.start(data, progress=show) as stack:    # broker and database answer
        apply_topics(stack.endpoints.bootstrap)             # the caller's own preparations
        stack.run(Role("processor", argv=[...], env={...}))  # any number of these
        wait_for_signal()
    # roles are gone first, then the database, then the broker

The broker is kafka.py, the database postgres.py, restarts supervisor.py, the folder folder.py.
"""

import contextlib
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import Self

from horae.local import folder, jars, quickstart, reach
from horae.local.folder import Chosen, DataFolder, Ports
from horae.local.kafka import Broker
from horae.local.postgres import Postgres
from horae.local.supervisor import Role, RoleProcess, Supervisor


@dataclass(frozen=True, slots=True)
class Step:
    """Something that happens now; counted if it is long."""

    text: str
    done: int = 0
    of: int = 0


Progress = Callable[[Step], None]


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Where clients find the servers."""

    bootstrap: str
    dsn: str


def _silent(_step: Step) -> None:
    """Nobody is watching."""


class LocalStack:
    """A broker, a database and roles, as one tree of processes."""

    def __init__(self, data: DataFolder, chosen: Chosen, progress: Progress) -> None:
        self._data = data
        self._progress = progress
        cache = jars.cache_folder(otherwise=data.path / "cache")
        files = jars.provide(
            cache, lambda done, of: progress(Step("Fetching the broker, once", done, of))
        )
        archive = quickstart.archive(cache, files)
        self._trainer = quickstart.Trainer(files, archive, data.logs / "quickstart.log")
        self.broker = Broker(
            folder=data.path / "kafka",
            jars=files,
            jvm=(f"-XX:AOTCache={archive}",) if archive.exists() else (),
            port=chosen.kafka,
            controller_port=chosen.controller,
            log=data.logs / "kafka.log",
            keep_open=(data.lock,),
        )
        self.postgres = Postgres(
            # A new password means a new folder: the old one would not let us in.
            folder=reach.reachable_folder(data.views(chosen), name=chosen.id),
            port=chosen.postgres,
            password=chosen.password,
            log=data.logs / "postgres.log",
            keep_open=(data.lock,),
        )
        self.roles: dict[str, RoleProcess] = {}
        self._supervisor = Supervisor(self._say)
        self._stopped = False

    @classmethod
    def start(cls, data: Path, *, progress: Progress = _silent, ports: Ports | None = None) -> Self:
        """Return when broker and database answer; raise a LocalFault if they cannot."""
        ours = folder.occupy(data)
        try:
            chosen = ours.choose(ports or Ports(), lambda text: progress(Step(text)))
            stack = cls(ours, chosen, progress)
        except BaseException:
            ours.release()
            raise
        try:
            stack._start_servers()
        except BaseException:
            stack.stop()
            raise
        return stack

    @property
    def endpoints(self) -> Endpoints:
        """Where clients find the servers."""
        return Endpoints(bootstrap=self.broker.bootstrap, dsn=self.postgres.dsn)

    @property
    def logs(self) -> Path:
        """The folder with one file for each program."""
        return self._data.logs

    def run(self, role: Role) -> RoleProcess:
        """Start a role and look after it; when all stop, it has its turn."""
        process = RoleProcess(role, self._data.logs, keep_open=(self._data.lock,))
        self._say(f"Starting {role.name}")
        process.start()
        self.roles[role.name] = process
        self._supervisor.watch(role.name, process)
        return process

    def restarts(self, name: str) -> int:
        """How often a role (or `kafka`, `postgres`) had to be started again."""
        return self._supervisor.restarts(name)

    def stop(self) -> None:
        """Roles first, those of a turn at once; then the database; then the broker."""
        if self._stopped:
            return
        self._stopped = True
        self._supervisor.stand_down()
        self._trainer.cancel()
        # Twice: the supervisor may be in the middle of starting one again.
        for _ in range(2):
            for turn in sorted({each.role.leaves for each in self.roles.values()}):
                self._stop_roles([each for each in self.roles.values() if each.role.leaves == turn])
            self.postgres.stop()
            self.broker.stop()
            self._supervisor.join(within=5)
        self._data.release()

    def _stop_roles(self, roles: Sequence[RoleProcess]) -> None:
        for role in roles:
            role.ask_to_stop()
        for role in roles:
            if role.pid is not None:
                self._say(f"Stopping {role.role.name}")
            role.stop()

    def _start_servers(self) -> None:
        self._say("Starting Kafka and Postgres")
        with ThreadPoolExecutor(2) as pool:
            for started in [pool.submit(s.start) for s in (self.broker, self.postgres)]:
                started.result()
        self._supervisor.watch("kafka", self.broker)
        self._supervisor.watch("postgres", self.postgres)
        self._supervisor.begin()
        self._trainer.begin()
        self._say(f"Kafka on {self.broker.bootstrap}, Postgres on port {self.postgres.port}")

    def _say(self, text: str) -> None:
        self._progress(Step(text))

    def __enter__(self) -> Self:
        """Already started."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop everything, in order."""
        self.stop()


def wait_for_signal() -> signal.Signals:
    """Return when somebody asks this process to end: Ctrl-C, a service manager, a hang-up."""
    asked = Event()
    which: list[signal.Signals] = []

    def note(number: int, _frame: object) -> None:
        which.append(signal.Signals(number))
        asked.set()

    with contextlib.ExitStack() as restore:
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            restore.callback(signal.signal, each, signal.signal(each, note))
        asked.wait()
    return which[0]
