"""What was claimed begins once at most, and never later than ten seconds after the claim."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from schemas.orders import Denial, Grant, Order
from schemas.units import SECOND
from streams.runner.claims import FRESH, Begin, Claim, Claims, GiveBack, Ignored, Offer
from tests.runner.ordered import order, program

BOOT = 5
T0 = 1_000 * SECOND
ORDER = order(program("true"))


def granted(order: Order = ORDER, boot: int = BOOT) -> Grant:
    return Grant(order.run, order.attempt, order.issue, boot)


def denied(order: Order = ORDER, boot: int = BOOT) -> Denial:
    return Denial(order.run, order.attempt, order.issue, boot, "somebody else has it")


def asked() -> Claims:
    claims = Claims(BOOT)
    assert claims.ask(ORDER, T0) == Claim(ORDER, T0)
    return claims


def test_a_grant_begins_what_was_claimed() -> None:
    claims = asked()

    assert claims.granted(granted(), T0 + SECOND) == Begin(Claim(ORDER, T0))
    assert claims.open == 0


@pytest.mark.parametrize(
    ("late", "begins"), [(0, True), (FRESH, True), (FRESH + 1, False), (-1, False)]
)
def test_a_claim_is_fresh_for_ten_seconds(late: int, begins: bool) -> None:
    """A clock that has gone back says nothing about how much time has passed."""
    answer = asked().granted(granted(), T0 + late)

    assert isinstance(answer, Begin if begins else GiveBack)


def test_an_order_that_is_delivered_twice_is_claimed_once() -> None:
    """ANC-15: also when the first claim was answered, or never will be."""
    claims = asked()

    assert claims.ask(ORDER, T0) is None
    assert claims.denied(denied())
    assert claims.ask(ORDER, T0) is None
    assert claims.ask(replace(ORDER, issue=2), T0) is not None
    assert len(claims.expire(T0 + FRESH + 1)) == 1
    assert claims.ask(replace(ORDER, issue=2), T0 + FRESH + 1) is None


def test_a_grant_that_is_delivered_twice_begins_once() -> None:
    claims = asked()
    claims.granted(granted(), T0)

    assert claims.granted(granted(), T0) is Ignored.BEGUN


def test_no_other_offer_of_an_attempt_that_began_is_claimed() -> None:
    claims = asked()
    claims.granted(granted(), T0)

    assert claims.ask(replace(ORDER, issue=2), T0) is None
    assert claims.ask(replace(ORDER, attempt=2), T0) is not None


def test_an_attempt_that_could_not_begin_may_be_claimed_by_its_next_offer() -> None:
    claims = asked()
    begin = claims.granted(granted(), T0)
    assert isinstance(begin, Begin)

    claims.not_begun(begin.claim)

    assert claims.ask(ORDER, T0) is None
    assert claims.ask(replace(ORDER, issue=2), T0) is not None


def test_a_grant_for_another_life_is_dropped_unanswered() -> None:
    claims = asked()

    assert claims.granted(granted(boot=BOOT - 1), T0) is Ignored.OTHER_LIFE
    assert not claims.denied(denied(boot=BOOT - 1))
    assert isinstance(claims.granted(granted(), T0), Begin)


def test_a_grant_that_nobody_asked_for_begins_nothing() -> None:
    assert Claims(BOOT).granted(granted(), T0) is Ignored.NOT_ASKED


def test_the_grant_of_a_claim_that_was_given_up_is_given_back_once() -> None:
    claims = asked()
    claims.expire(T0 + FRESH + 1)

    assert isinstance(claims.granted(granted(), T0 + FRESH + 2), GiveBack)
    assert claims.granted(granted(), T0 + FRESH + 2) is Ignored.NOT_ASKED


class AnyOrder(RuleBasedStateMachine):
    """Orders, answers, waits, freezes and thaws as they come; each answer any number of times."""

    claims: Claims
    now: int

    @initialize()
    def begin(self) -> None:
        self.claims = Claims(BOOT)
        self.now = T0
        self.sent: dict[Offer, int] = {}
        self.begun: list[Offer] = []
        self.in_threads: list[Claim] = []

    @rule(run=st.sampled_from("ab"), attempt=st.integers(1, 2), issue=st.integers(1, 3))
    def an_order(self, run: str, attempt: int, issue: int) -> None:
        claim = self.claims.ask(order(program("true"), run, attempt=attempt, issue=issue), self.now)
        if claim is not None:
            assert claim.offer not in self.sent, "claimed twice"
            self.sent[claim.offer] = self.now

    @rule(
        run=st.sampled_from("ab"),
        attempt=st.integers(1, 2),
        issue=st.integers(1, 3),
        boot=st.sampled_from([BOOT, BOOT - 1]),
    )
    def a_grant(self, run: str, attempt: int, issue: int, boot: int) -> None:
        answer = self.claims.granted(Grant(run, attempt, issue, boot), self.now)
        if isinstance(answer, Begin):
            assert boot == BOOT
            self.in_threads.append(answer.claim)

    @rule(run=st.sampled_from("ab"), attempt=st.integers(1, 2), issue=st.integers(1, 3))
    def a_denial(self, run: str, attempt: int, issue: int) -> None:
        self.claims.denied(Denial(run, attempt, issue, BOOT, ""))

    @rule(passes=st.integers(0, 15 * SECOND))
    def time_passes(self, passes: int) -> None:
        """Also what a process does not notice that is frozen between any two steps."""
        self.now += passes

    @rule()
    def claims_are_given_up(self) -> None:
        self.claims.expire(self.now)

    @rule()
    def a_thread_goes_on(self) -> None:
        if not self.in_threads:
            return
        claim = self.in_threads.pop()
        if claim.is_fresh(self.now):
            self.begun.append(claim.offer)
            assert self.now - self.sent[claim.offer] <= FRESH
        else:
            self.claims.not_begun(claim)

    @invariant()
    def nothing_begins_twice(self) -> None:
        attempts = [offer[:2] for offer in self.begun]
        assert len(set(attempts)) == len(attempts)


TestAnyOrder = AnyOrder.TestCase
