"""
What happened between two looks at a server's counters?

A server counts from its own beginning: a smaller number than before means that it began anew, and
that all of it is new. What happened while nobody looked belongs to no minute, so after a longer
silence it is not told. Pure; who looks is looking.py.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from schemas.traffic import Sample
from schemas.units import MINUTE, SECOND
from streams.scrape import Counts

LONGEST_SILENCE = 2 * MINUTE
"""Between two looks: what ended in a longer one would make a minute look like many."""
RECENT = 5 * MINUTE
"""Over which the rate of now is taken."""


class _Before(NamedTuple):
    """The counters at a look."""

    at: int
    finished: int | None
    seconds: float | None


@dataclass(slots=True)
class Counting:
    """The looks at one deployment."""

    last_request: int | None = None
    """When the last request was seen."""
    _before: _Before | None = None
    _recent: deque[Sample] = field(default_factory=deque)

    @classmethod
    def after(cls, served: int | None, sampled_at: int | None) -> Counting:
        """Go on from what is known of an earlier look, of which the time is not."""
        if served is None or sampled_at is None:
            return cls()
        return cls(_before=_Before(sampled_at, served, None))

    def look(self, at: int, counts: Counts) -> Sample:
        """The sample of a look, which is the one before from then on."""
        before, self._before = self._before, _Before(at, counts.finished, counts.seconds)
        finished, micros = None, None
        if before is not None and counts.finished is not None and before.finished is not None:
            anew = counts.finished < before.finished
            finished = counts.finished - (0 if anew else before.finished)
            micros = _micros(before, counts, anew=anew)
            if finished and at - before.at > LONGEST_SILENCE:
                finished, micros = None, None
        sample = Sample(at, counts.in_flight, counts.waiting, finished, micros)
        if sample.in_flight or sample.waiting or sample.finished:
            self.last_request = at
        self._recent.append(sample)
        while self._recent[0].sampled_at < at - RECENT:
            self._recent.popleft()
        return sample

    def rate(self) -> int | None:
        """Thousandths of a request a minute, lately; None where that cannot be told."""
        since, *counted = self._recent
        span = self._recent[-1].sampled_at - since.sampled_at
        if span < MINUTE:
            return None
        total = 0
        for sample in counted:
            if sample.finished is None:
                return None
            total += sample.finished
        return total * 1_000 * MINUTE // span


def _micros(before: _Before, counts: Counts, *, anew: bool) -> int | None:
    """How long those took that ended."""
    if counts.seconds is None or (before.seconds is None and not anew):
        return None
    seconds = counts.seconds - (0.0 if anew or before.seconds is None else before.seconds)
    # A sum of fractions may come out a little smaller than it was.
    return max(round(seconds * SECOND), 0)
