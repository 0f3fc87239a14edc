"""
What does a runner do, over and over?

An order is claimed, a grant begins an attempt, its end is reported; in between it says that it
lives. One thread does all of that, and never waits for work: each attempt has a thread of its own
(carrying.py). What may begin is claims.py, what is said letters.py, how it ends draining.py.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Protocol

from schemas.commands import Beating, ReportStatus
from schemas.identity import subject_of
from schemas.orders import Control, Denial, Grant, Order, Stop
from schemas.units import SECOND
from streams.clock import Deadline, boottime
from streams.faults import Halt
from streams.runner.beats import Beats
from streams.runner.carrying import Carrier, Means
from streams.runner.claims import Begin, Claims, GiveBack, Offer, offer_of
from streams.runner.draining import Drain
from streams.runner.letters import Letter, Writer
from streams.runner.metrics import RunnerMetrics
from streams.runner.news import Ended, Inbox, News, NotBegun, Offered, Told
from streams.runner.slots import Slots

log = logging.getLogger(__name__)

LONGEST_PAUSE = 0.25
PIECES_EVERY = SECOND // 2
AT_ONCE = 2
"""So often told to end, it ends what runs at once."""
ENDED_WITHIN = 5.0
"""Seconds that what runs gets to be gone when the loop itself fails."""
Attempted = tuple[str, int]
"""A run and which attempt of it."""


class Mail(Protocol):
    """The way into the log; post.py."""

    @property
    def undelivered(self) -> int:
        """How many letters are kept."""
        ...

    def send(self, letter: Letter) -> None:
        """Send it once."""
        ...

    def keep(self, name: Hashable, letter: Letter) -> None:
        """Send it until the broker has it."""
        ...

    def look(self) -> list[Hashable]:
        """The names of what has arrived."""
        ...


@dataclass(slots=True)
class Loop:
    """One life of a runner."""

    claims: Claims
    beats: Beats
    slots: Slots
    inbox: Inbox
    mail: Mail
    writer: Writer
    means: Means
    metrics: RunnerMetrics
    drain: Drain
    _running: dict[Attempted, Carrier] = field(default_factory=dict)
    _reported: dict[Attempted, Order] = field(default_factory=dict)
    """Attempts that are over, but the broker does not know it yet."""
    later_boot: int = 0
    """The last life of our name that was heard of: later than this one's if another process has it,
    or if the clock went back between two lives, and what the first one kept is lost."""
    _declined: int = 0
    _pieces_at: int = 0

    def run(self, asked_to_end: Callable[[], int]) -> None:
        """Go on until told to end, twice if it must be at once, and nothing is under way.

        Raises Halt if another process has the same name, and began its life later.
        """
        try:
            while not self._is_over():
                for news in self.inbox.wait(LONGEST_PAUSE):
                    self._take(news)
                # What runs here was interrupted by the first beat of a later life.
                has_ended = self.later_boot > self.writer.boot
                asked = AT_ONCE if has_ended else asked_to_end()
                self.drain.look(asked, self._leave, self._running.values())
                self._look()
            for order in self.claims.unanswered():
                # Its grant may come all the same, and nobody would be here to begin it.
                self._decline(GiveBack(order, "the runner ends"))
        finally:
            self._end_all()
        if self.later_boot > self.writer.boot:
            raise Halt(f"a runner of the same name goes on elsewhere, as life {self.later_boot}")

    def _end_all(self) -> None:
        """Whatever made the loop end, nothing goes on that nobody would ever see the end of."""
        for carrier in self._running.values():
            carrier.stop("the runner failed", kill=True)
        deadline = Deadline.after(ENDED_WITHIN)
        for carrier in self._running.values():
            carrier.wait(deadline.left)

    # ------------------------------------------------------------------ what comes

    def _take(self, news: News) -> None:
        match news:
            case Offered():
                self._claim(news.order)
            case Told():
                self._hear(news.what)
            case Ended():
                self._report(news)
            case NotBegun():
                self._running.pop(news.claim.offer[:2], None)
                self.slots.give_back(news.claim.offer)
                self.claims.not_begun(news.claim)
                self._decline(GiveBack(news.claim.order, "it could not begin in time"))

    def _claim(self, order: Order) -> None:
        claim = None if self.drain.has_begun else self.claims.ask(order, boottime())
        if claim is None:
            self.slots.leave()
            return
        self.slots.take(claim.offer)
        self.metrics.claims.inc()
        self.mail.send(self.writer.claim(order))

    def _hear(self, what: Control) -> None:
        self.later_boot = max(self.later_boot, _latest(what))
        if what.boot > self.writer.boot:
            return
        match what:
            case Grant():
                self.metrics.grants.inc()
                self._begin(what)
            case Denial():
                if self.claims.denied(what):
                    self.metrics.denials.inc()
                    self.slots.give_back(Offer(what.run, what.attempt, what.issue))
            case Stop():
                self._stop(what)

    def _begin(self, grant: Grant) -> None:
        match self.claims.granted(grant, boottime()):
            case Begin(claim) if self.drain.has_begun:
                self.slots.give_back(claim.offer)
                self._decline(GiveBack(claim.order, "the runner ends"))
            case Begin(claim):
                carrier = Carrier(claim, self.means, self.inbox.put)
                self._running[claim.offer[:2]] = carrier
                carrier.begin()
            case GiveBack() as late:
                self.slots.give_back(offer_of(late.order))
                self._decline(late)
            case ignored:
                log.info("grant of %s, attempt %d: %s", grant.run, grant.attempt, ignored)

    def _stop(self, stop: Stop) -> None:
        carrier = self._running.get((stop.run, stop.attempt))
        if carrier is None or stop.boot != self.writer.boot:
            log.info("%s, attempt %d is not here: %s", stop.run, stop.attempt, stop.why)
            return
        carrier.stop(stop.why, kill=False)

    # ------------------------------------------------------------------ what is said

    def _report(self, ended: Ended) -> None:
        order, outcome = ended.claim.order, self.drain.seen(ended.outcome)
        self._show(self._running.pop(ended.claim.offer[:2]))
        self.slots.give_back(ended.claim.offer)
        if outcome.status is ReportStatus.BUSY:  # the same attempt will be offered again
            self.claims.not_begun(ended.claim)
        self.metrics.outcomes.labels(outcome.status).inc()
        if ended.span.started_at is not None and order.attempt == 1:
            self.metrics.lateness.observe((ended.span.started_at - order.due) / SECOND)
        name = order.run, order.attempt
        self._reported[name] = order
        self.mail.keep(name, self.writer.report(order, outcome, ended.kept, ended.span))

    def _decline(self, what: GiveBack) -> None:
        log.info("%s, attempt %d is given back: %s", what.order.run, what.order.attempt, what.why)
        self.metrics.declines.inc()
        self._declined += 1
        self.mail.keep(self._declined, self.writer.decline(what.order, what.why))

    def _leave(self) -> None:
        for number, beat in self.beats.to_all(self._held(), leaving=True).items():
            self.mail.send(self.writer.beat(number, beat))

    def _look(self) -> None:
        now = self.means.clock.monotonic()
        for name in self.mail.look():
            if isinstance(name, tuple):
                self._reported.pop(name, None)
        for claim in self.claims.expire(boottime()):
            self.metrics.unanswered.inc()
            self.slots.give_back(claim.offer)
        due = self.beats.due(self._held, now, leaving=self.drain.has_begun)
        for number, beat in due.items():
            self.mail.send(self.writer.beat(number, beat))
        if now - self._pieces_at >= PIECES_EVERY:
            self._pieces_at = now
            for carrier in self._running.values():
                self._show(carrier)
        self.metrics.used.set(self.slots.used)
        self.metrics.undelivered.set(self.mail.undelivered)

    def _show(self, carrier: Carrier) -> None:
        piece = carrier.piece()
        if piece is not None:
            order, at = carrier.claim.order, self.means.clock.wall()
            self.mail.send(self.writer.piece(order, piece, at))

    def _held(self) -> list[Beating]:
        """The runs that this runner has, or whose end is not in the log yet."""
        orders = [carrier.claim.order for carrier in self._running.values()]
        orders += self._reported.values()
        return [Beating(subject_of(order.schedule), order.run) for order in orders]

    def _is_over(self) -> bool:
        return self.drain.has_begun and not self._running and self.drain.is_over(self.claims.open)


def _latest(what: Control) -> int:
    """The last life of a runner of this name that there was when this was said."""
    return (isinstance(what, Denial) and what.later) or what.boot
