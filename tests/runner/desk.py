"""
Who stands in for broker and processor?

A `Desk` takes what a runner's loop says and gives the answers that a processor would: the first
claim of the current offer has the attempt. No Kafka; programs are real. That the real processor
answers so is test_on_a_broker.py.
"""

from __future__ import annotations

import os
from collections.abc import Hashable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from schemas.codec import decode
from schemas.commands import Beat, ClaimRun, DeclineRun, ReportRun
from schemas.orders import Control, Denial, Grant, Order, OutputChunk, Stop
from streams.clock import SystemClock
from streams.runner.allowed import Allowed
from streams.runner.beats import Beats
from streams.runner.carrying import Means
from streams.runner.claims import Claims
from streams.runner.draining import Drain
from streams.runner.executors import executors_for
from streams.runner.letters import Letter, Writer
from streams.runner.loop import Loop
from streams.runner.metrics import RunnerMetrics
from streams.runner.news import Inbox, Offered, Told
from streams.runner.slots import Slots
from streams.runner.work import Executors, Runner
from streams.settings import RunnerSettings
from tests.processor.cluster import await_that

BOOT = 5
PARTITIONS = 4
ME = Runner("one", BOOT)


@dataclass
class Desk:
    """One runner's loop, in a thread of its own, and what it has said."""

    folder: Path
    settings: RunnerSettings = field(
        default_factory=lambda: RunnerSettings(
            allow_actions="command", allow_programs="*", grace=5.0, drain=30.0
        )
    )
    answers: bool = True
    """Whether claims are answered at once."""
    arrives: bool = True
    """Whether what is kept gets to the broker."""
    executors: Executors | None = None
    signals: int = 0
    said: list[tuple[Letter, Any]] = field(default_factory=list)
    given: dict[tuple[str, int], int] = field(default_factory=dict)
    """By attempt, the offer that was granted."""
    orders: dict[str, Order] = field(default_factory=dict)
    kept: dict[Hashable, Letter] = field(default_factory=dict)
    closed_orders: int = 0

    def __post_init__(self) -> None:
        self._lock = Lock()
        self.inbox = Inbox()
        self.slots = Slots(self.settings.slots)
        self.metrics = RunnerMetrics()
        allowed = Allowed(self.settings)
        means = Means(
            executors_for(ME, allowed, self.folder) if self.executors is None else self.executors,
            allowed,
            os.environ,
            SystemClock(),
            self.settings.max_output_bytes,
            self.settings.grace,
        )
        self.loop = Loop(
            Claims(BOOT),
            Beats(BOOT, PARTITIONS, self.settings.slots, ("default",)),
            self.slots,
            self.inbox,
            self,
            Writer(ME, PARTITIONS),
            means,
            self.metrics,
            Drain(self.settings.drain, self._close_orders),
        )
        self.thread = Thread(target=self.loop.run, args=(lambda: self.signals,), daemon=True)

    # ------------------------------------------------------------------ what a broker does

    @property
    def undelivered(self) -> int:
        return len(self.kept)

    def send(self, letter: Letter) -> None:
        found = decode(letter.value)
        with self._lock:
            self.said.append((letter, found))
        if isinstance(found, ClaimRun) and self.answers:
            self.answer(found)

    def keep(self, name: Hashable, letter: Letter) -> None:
        self.kept[name] = letter

    def look(self) -> list[Hashable]:
        if not self.arrives:
            return []
        arrived = list(self.kept)
        for name in arrived:
            self.send(self.kept.pop(name))
        return arrived

    # ------------------------------------------------------------------ what a processor does

    def offer(self, order: Order) -> None:
        """Offer an order, once there is a slot for it."""
        self.orders[order.run] = order
        assert self.slots.wait(10), "no slot"
        self.inbox.put(Offered(order))

    def answer(self, claim: ClaimRun) -> None:
        attempt = claim.run, claim.attempt
        current = self.orders[claim.run].issue
        if attempt in self.given or claim.issue != current:
            self.tell(Denial(*attempt, claim.issue, claim.boot, "somebody has it"))
        else:
            self.given[attempt] = claim.issue
            self.tell(Grant(*attempt, claim.issue, claim.boot))

    def tell(self, what: Control) -> None:
        self.inbox.put(Told(what))

    def stop(self, order: Order, why: str = "it was cancelled") -> None:
        self.tell(Stop(order.run, order.attempt, BOOT, why))

    def _close_orders(self) -> None:
        self.closed_orders += 1

    # ------------------------------------------------------------------ what was said

    def of(self, kind: type[Any]) -> list[Any]:
        with self._lock:
            return [found for _, found in self.said if isinstance(found, kind)]

    @property
    def claims(self) -> list[ClaimRun]:
        return self.of(ClaimRun)

    @property
    def reports(self) -> list[ReportRun]:
        return self.of(ReportRun)

    @property
    def declines(self) -> list[DeclineRun]:
        return self.of(DeclineRun)

    @property
    def beats(self) -> list[Beat]:
        return self.of(Beat)

    @property
    def chunks(self) -> list[OutputChunk]:
        return self.of(OutputChunk)

    def report(self, run: str) -> ReportRun:
        """How a run ended, once that is said."""
        await_that(lambda: any(one.run == run for one in self.reports), f"{run} is reported")
        [found] = [one for one in self.reports if one.run == run]
        return found

    def end(self, within: float = 20.0) -> None:
        """Ask it to end, and wait until it has."""
        self.signals = self.signals or 1
        self.thread.join(within)
        assert not self.thread.is_alive()
