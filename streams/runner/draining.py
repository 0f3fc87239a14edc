"""
How does a runner end?

Asked once, it says to every partition that it leaves, claims nothing more, gives back what it was
granted and has not begun, and lets go on what runs; after a while that is stopped, and reported
`interrupted`. Asked twice, it ends all at once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import replace

from schemas.commands import ReportStatus
from streams.clock import Deadline
from streams.runner.carrying import Carrier
from streams.runner.work import Outcome

log = logging.getLogger(__name__)

WHY = "the runner ends"


class Drain:
    """The end of one life, step by step."""

    def __init__(self, patience: float, close_orders: Callable[[], None]) -> None:
        self._patience = patience
        self._close_orders = close_orders
        self._until: Deadline | None = None
        self._stopped = False
        self._at_once = False

    @property
    def has_begun(self) -> bool:
        """Nothing more is begun."""
        return self._until is not None

    def look(self, asked: int, leave: Callable[[], None], running: Iterable[Carrier]) -> None:
        """Take the next step, if it is time; `asked` is how often it was told to end."""
        if asked and self._until is None:
            log.info("ending: nothing more is begun, what runs has %g s", self._patience)
            self._until = Deadline.after(self._patience)
            leave()
            self._close_orders()
        if self._until is not None and self._until.over and not self._stopped:
            self._stopped = True
            for carrier in running:
                carrier.stop(WHY, kill=False)
        if asked > 1 and not self._at_once:
            self._stopped = self._at_once = True
            for carrier in running:
                carrier.stop(WHY, kill=True)

    def seen(self, outcome: Outcome) -> Outcome:
        """What is said of an attempt that ended: what we stopped by ourselves was interrupted."""
        if self._stopped and outcome.status is ReportStatus.CANCELLED:
            return replace(outcome, status=ReportStatus.INTERRUPTED)
        return outcome

    def is_over(self, open_claims: int) -> bool:
        """Whether, with nothing running, there is nothing left to wait for."""
        return self._at_once or open_claims == 0
