"""
What runs on a broker in a test?

Fresh topics, and on them the programs as an operator starts them: `horae processor`, `horae
runner`, each a process with a log file. With a database beside them it is stack.py.
"""

from __future__ import annotations

import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from confluent_kafka import KafkaException

from horae.local.kafka import Broker
from horae.local.supervisor import Role, RoleProcess
from tests.acceptance.hurried import AS_SHIPPED, Pace
from tests.processor.cluster import GROUP, Cluster, await_that

SESSION = 2.0
"""Seconds of silence after which a processor, or a runner, loses its partitions."""


@dataclass(slots=True, kw_only=True)
class Stage:
    """A broker, topics, and the programs that were started."""

    broker: Broker
    cluster: Cluster
    folder: Path
    pace: Pace = AS_SHIPPED
    programs: dict[str, RoleProcess] = field(default_factory=dict)

    def processor(self, name: str) -> RoleProcess:
        """Start a processor under this name."""
        return self._run(name, "processor", "--instance", name)

    def runner(self, name: str, *, slots: int = 4, **settings: str) -> RoleProcess:
        """Start a runner under this name that runs any program; settings are variables."""
        chosen = {"ALLOW_ACTIONS": "command", "ALLOW_PROGRAMS": "*", "GRACE": "2"} | settings
        env = {f"HORAE_RUNNER_{name}": value for name, value in chosen.items()}
        words = ("runner", "--id", name, "--slots", str(slots))
        return self._run(name, *words, env=env)

    def environment(self) -> dict[str, str]:
        """What every program is told."""
        return {
            "HORAE_BOOTSTRAP": self.broker.bootstrap,
            "HORAE_SESSION_TIMEOUT": str(SESSION),
            "HORAE_TRANSACTION_TIMEOUT": "4",
            "HORAE_RESTORE_DEADLINE": "60",
            "HORAE_LOCKS": str(self.folder / "locks"),
            "HORAE_RUNNER_STATE": str(self.folder / "runners"),
            "HORAE_RUNNER_SESSION_TIMEOUT": str(SESSION),
        }

    def _run(self, name: str, *words: str, env: dict[str, str] | None = None) -> RoleProcess:
        told = self.environment() | (env or {})
        role = Role(name, [sys.executable, "-m", self.pace.module, *words], told)
        program = self.programs[name] = RoleProcess(role, self.folder)
        program.start()
        return program

    def kill(self, name: str) -> None:
        """End a program as a power cut would."""
        child = self.programs[name].child
        if child is not None:
            child.kill()

    def freeze(self, name: str) -> None:
        """Let a program do nothing."""
        self._signal(name, signal.SIGSTOP)

    def thaw(self, name: str) -> None:
        """Let it go on as if no time had passed."""
        self._signal(name, signal.SIGCONT)

    def _signal(self, name: str, which: signal.Signals) -> None:
        child = self.programs[name].child
        if child is not None:
            child.signal(which)

    def stop(self, name: str, within: float = 20.0) -> int | None:
        """Ask a program to end; its exit code, None if it had to be killed."""
        child = self.programs[name].child
        assert child is not None
        return child.ended if child.stop(within=within) else None

    def end(self) -> None:
        """Nothing that was started goes on."""
        for name in self.programs:
            self.thaw(name)
            self.kill(name)

    def last_words(self, name: str, most: int = 4_000) -> str:
        """The end of what a program has logged, without what it says of a broker that is away."""
        log = self.folder / f"{name}.log"
        if not log.exists():
            return ""
        lines = log.read_text(errors="replace").splitlines(keepends=True)
        return "".join(line for line in lines if "Connect to ipv4" not in line)[-most:]

    def await_processors(self, *names: str) -> None:
        """Return when all of them share the partitions, and no others do."""

        def joined() -> bool:
            asked = self.cluster.admin.describe_consumer_groups([GROUP], request_timeout=5)
            try:
                members = asked[GROUP].result().members
            except KafkaException:  # the broker has just come back
                return False
            return sorted(one.client_id for one in members) == sorted(names) and all(
                one.assignment.topic_partitions for one in members
            )

        time.sleep(SESSION + 0.5)  # one that was killed is a member until its session has ended
        await_that(joined, f"{names} share the partitions", 60)
