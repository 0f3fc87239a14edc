"""
How is one attempt carried out, from its grant to its outcome?

In a thread of its own: what the allow-list says, the secrets, the executor, and right before the
start once more whether the claim is still fresh. Whatever goes wrong, the loop is told exactly once
how it ended. When it may begin at all is claims.py.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from threading import Lock, Thread

from schemas.commands import ReportStatus
from schemas.units import SECOND
from streams.clock import Clock, boottime
from streams.runner.allowed import Allowed
from streams.runner.claims import Claim
from streams.runner.faults import NotToBeHad, RunnerFault
from streams.runner.letters import Span
from streams.runner.masking import masked
from streams.runner.news import Ended, News, NotBegun
from streams.runner.output import Output, Piece
from streams.runner.secrets import resolve
from streams.runner.work import Attempt, Executors, Job, Outcome

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Means:
    """With what attempts are carried out."""

    executors: Executors
    allowed: Allowed
    environ: Mapping[str, str]
    clock: Clock
    most_output: int
    grace: float


class Carrier:
    """One attempt that was granted."""

    def __init__(self, claim: Claim, means: Means, tell: Callable[[News], None]) -> None:
        self.claim = claim
        self._means = means
        self._tell = tell
        self._lock = Lock()
        self._attempt: Attempt | None = None
        self._output = Output(means.most_output)
        self._why: str | None = None
        self._started_at: int | None = None
        self._secrets: tuple[str, ...] = ()
        self._thread = Thread(target=self._run, name=claim.order.run, daemon=True)

    def begin(self) -> None:
        """Carry it out; the loop is told how it ends."""
        try:
            self._thread.start()
        except RuntimeError as fault:  # the system has no thread left to give
            log.warning("%s cannot begin: %s", self.claim.order.run, fault)
            self._tell(NotBegun(self.claim))

    def wait(self, within: float) -> None:
        """Return when it has ended, or after so many seconds."""
        if self._thread.is_alive():
            self._thread.join(within)

    def stop(self, why: str, *, kill: bool) -> None:
        """Have it end soon, with `kill` at once."""
        with self._lock:
            self._why = self._why or why
            attempt = self._attempt
        if attempt is not None:
            attempt.stop(why, kill=kill)

    def piece(self) -> Piece | None:
        """What it has written since this was asked last."""
        return self._output.piece()

    def _run(self) -> None:
        try:
            outcome = self._carried_out()
        except NotToBeHad as fault:
            outcome = Outcome(ReportStatus.UNAVAILABLE, str(fault))
        except RunnerFault as fault:
            outcome = Outcome(ReportStatus.FAILED, str(fault))
        except Exception as fault:
            log.exception("attempt %s", self.claim.offer)
            # Whatever an executor gets wrong ends one attempt only. What may have begun is not
            # tried again: nobody knows how far it came.
            began = self._started_at is not None
            status = ReportStatus.INTERRUPTED if began else ReportStatus.UNAVAILABLE
            outcome = Outcome(status, f"the runner failed: {fault!r}")
        self._output.end()
        if outcome is None:
            self._tell(NotBegun(self.claim))
            return
        span = Span(self._started_at, self._means.clock.wall())
        detail = masked(outcome.detail, self._secrets)
        name = outcome.reference
        told = replace(
            outcome, detail=detail, reference=None if name is None else masked(name, self._secrets)
        )
        self._tell(Ended(self.claim, told, self._output.kept(), span))

    def _carried_out(self) -> Outcome | None:
        """None: the claim was not fresh any more when it was to start."""
        attempt = self._prepared()
        with self._lock:
            self._attempt = attempt
            why = self._why
        if why is not None:
            return Outcome(ReportStatus.CANCELLED, f"stopped before it began: {why}")
        if not self.claim.is_fresh(boottime()):
            return None
        self._started_at = self._means.clock.wall()
        return attempt.run()

    def _prepared(self) -> Attempt:
        order, means = self.claim.order, self._means
        objection = means.allowed.objection_to(order)
        if objection is not None:
            raise NotToBeHad(objection)
        executor = means.executors.get(type(order.work))
        if executor is None:
            raise NotToBeHad(f"this runner cannot carry out {type(order.work).__name__.lower()}")
        secrets = resolve(order, means.allowed, means.environ)
        self._secrets = secrets.values()
        self._output = Output(means.most_output, secrets.values())
        timeout = None if order.timeout is None else order.timeout / SECOND
        return executor.attempt(Job(order, self._output, secrets, timeout, means.grace))
