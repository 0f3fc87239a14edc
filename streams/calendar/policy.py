"""
What does a change of clocks do to a timing?

Puts each dst setting into two answers: what becomes of a skipped wall time, and whether a repeated
one counts twice. Who follows real time anyway is seen from the star. Carried out in cron_ticks.py
and interval.py.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from schemas.definition import Dst


class Skipped(Enum):
    """What becomes of a wall time that the clocks leapt over."""

    LOST = "lost"
    SHIFTED = "shifted"
    """It occurs later, by the length of the gap."""
    AT_JUMP = "at jump"
    """It occurs right after the jump, once for all that were skipped."""


class Policy(NamedTuple):
    """How gaps and folds are read."""

    skipped: Skipped
    twice: bool
    """Whether a repeated wall time occurs in both passes."""


REAL_TIME: Final = Policy(Skipped.LOST, twice=True)
SHIFT_ONCE: Final = Policy(Skipped.SHIFTED, twice=False)

_FIXED: Final = {
    Dst.SHIFT: SHIFT_ONCE,
    Dst.STRICT_ONCE: SHIFT_ONCE,
    Dst.LITERAL: REAL_TIME,
    Dst.VIXIE: Policy(Skipped.AT_JUMP, twice=False),
    Dst.SKIP: Policy(Skipped.LOST, twice=False),
}


def policy_of(dst: Dst, *, star: bool = False) -> Policy:
    """The policy of a timing; with a star it follows real time where the setting allows that."""
    if star and dst in {Dst.SHIFT, Dst.VIXIE}:
        return REAL_TIME
    return _FIXED[dst]
