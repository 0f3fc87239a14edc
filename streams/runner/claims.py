"""
Which attempt may this runner begin, and until when?

One that it has claimed, for which its grant has come, in the life that claimed it, at most ten
seconds after the claim was sent. Every offer is claimed once at most, and every claim begins
something once at most, whatever is delivered twice, late, or to a process that was frozen in
between. Pure: the time is handed in, of a clock that goes on while the machine sleeps.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeVar

from schemas.orders import Denial, Grant, Order
from schemas.units import SECOND

FRESH = 10 * SECOND
"""A grant that comes later is given back: by then the run may be somebody else's."""
REMEMBERED = 10_000
"""Claims without an answer, and attempts that began; older ones are in no topic any more."""


_K = TypeVar("_K")


class Offer(NamedTuple):
    """What an order, and each answer to its claim, is about."""

    run: str
    attempt: int
    issue: int


class Claim(NamedTuple):
    """An order that was asked for, and when."""

    order: Order
    sent_at: int

    @property
    def offer(self) -> Offer:
        """What it is about."""
        return offer_of(self.order)

    def is_fresh(self, now: int) -> bool:
        """Whether what is granted may still begin."""
        return 0 <= now - self.sent_at <= FRESH


@dataclass(frozen=True, slots=True)
class Begin:
    """Start the attempt, if the claim is still fresh then."""

    claim: Claim


@dataclass(frozen=True, slots=True)
class GiveBack:
    """Decline what was granted: it will not begin here."""

    order: Order
    why: str


class Ignored(StrEnum):
    """Why a grant changes nothing."""

    OTHER_LIFE = "it is for another life of this runner"
    NOT_ASKED = "it answers no claim of this runner that is open"
    BEGUN = "the attempt has begun already"


class Claims:
    """The claims of one life of a runner."""

    def __init__(self, boot: int) -> None:
        self._boot = boot
        self._open: dict[Offer, Claim] = {}
        self._late: OrderedDict[Offer, Order] = OrderedDict()
        """Claims that nobody has answered in time; their grant may still come."""
        self._asked: OrderedDict[Offer, None] = OrderedDict()
        self._begun: OrderedDict[tuple[str, int], None] = OrderedDict()

    @property
    def open(self) -> int:
        """How many are waited for."""
        return len(self._open)

    def ask(self, order: Order, now: int) -> Claim | None:
        """Claim an order; None if it was claimed before, or its attempt began here."""
        offer = offer_of(order)
        if offer in self._asked or offer[:2] in self._begun:
            return None
        _remember(self._asked, offer)
        claim = self._open[offer] = Claim(order, now)
        return claim

    def granted(self, grant: Grant, now: int) -> Begin | GiveBack | Ignored:
        """What to do about a grant."""
        if grant.boot != self._boot:
            return Ignored.OTHER_LIFE
        offer = Offer(grant.run, grant.attempt, grant.issue)
        if offer[:2] in self._begun:
            return Ignored.BEGUN
        late = self._late.pop(offer, None)
        if late is not None:
            return GiveBack(late, "the grant came too late")
        claim = self._open.pop(offer, None)
        if claim is None:
            return Ignored.NOT_ASKED
        if not claim.is_fresh(now):
            return GiveBack(claim.order, "the grant came too late")
        _remember(self._begun, offer[:2])
        return Begin(claim)

    def denied(self, denial: Denial) -> bool:
        """Whether an open claim was answered by this."""
        if denial.boot != self._boot:
            return False
        offer = Offer(denial.run, denial.attempt, denial.issue)
        self._late.pop(offer, None)
        return self._open.pop(offer, None) is not None

    def not_begun(self, claim: Claim) -> None:
        """What was to begin did not: another offer of the attempt may be claimed again."""
        self._begun.pop(claim.offer[:2], None)

    def unanswered(self) -> list[Order]:
        """What was claimed and is neither granted nor denied so far, also what came too late."""
        return [*(claim.order for claim in self._open.values()), *self._late.values()]

    def expire(self, now: int) -> list[Claim]:
        """Wait no longer for what is not answered; a grant that still comes is given back."""
        # In the order in which they were sent.
        over = []
        for claim in self._open.values():
            if claim.is_fresh(now):
                break
            over.append(claim)
        for claim in over:
            del self._open[claim.offer]
            self._late[claim.offer] = claim.order
            if len(self._late) > REMEMBERED:
                self._late.popitem(last=False)
        return over


def offer_of(order: Order) -> Offer:
    """What an order is about."""
    return Offer(order.run, order.attempt, order.issue)


def _remember(memory: OrderedDict[_K, None], key: _K) -> None:
    memory[key] = None
    if len(memory) > REMEMBERED:
        memory.popitem(last=False)
