"""What does a daily proposer count, and where is that seen?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter

from horae.proposing.rounds import Done
from horae.proposing.settings import ProposingSettings
from schemas.replies import Reply
from streams.telemetry import Face


class ProposerMetrics:
    """The numbers of one proposer."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self.rounds = Counter(
            "horae_proposer_rounds", "Rounds by how they ended", ["outcome"], registry=registry
        )
        self.commands = Counter(
            "horae_proposer_commands",
            "What was proposed and withdrawn, and what was answered",
            ["command", "verdict"],
            registry=registry,
        )

    @contextmanager
    def round(self) -> Iterator[None]:
        """Count this round, however it ends."""
        try:
            yield
        except Exception:
            self.rounds.labels("failed").inc()
            raise
        self.rounds.labels("done").inc()

    def note(self, done: Iterable[Done]) -> None:
        """Count what was sent."""
        for finding, reply in done:
            if finding.order is not None and reply is not None:
                verdict = str(reply.verdict) if isinstance(reply, Reply) else "no reply"
                command = "withdraw" if finding.proposal is None else "propose"
                self.commands.labels(command, verdict).inc()


@contextmanager
def served(metrics: ProposerMetrics, settings: ProposingSettings) -> Iterator[None]:
    """Show them over HTTP, if a port is named; it is well as long as it answers."""
    if not settings.proposer_port:
        yield
        return
    face = Face(settings.proposer_port, metrics.registry, dict, settings.proposer_host)
    try:
        yield
    finally:
        face.close()
