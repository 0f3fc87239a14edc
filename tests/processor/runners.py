"""
What does a runner say, and what is it told?

The records that a runner writes, and those that are written for it, as a test needs them on the
desk, on a broker and in the simulation. What a real one does is streams/runner.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from schemas.actions import Program
from schemas.codec import decode, decode_as, encode
from schemas.command_keys import key_of_claim
from schemas.commands import Beat, Beating, ClaimRun, DeclineRun, ReportRun, ReportStatus
from schemas.definition import Cron, Definition, offering
from schemas.identity import subject_of
from schemas.orders import Control, Denial, Grant, Order, Stop
from schemas.reading import beat_record, command_record
from schemas.run_events import Result
from schemas.topics import CONTROL, ORDERS

WORK = offering(Program(("true",)))
HOURLY_WORK = Definition((Cron("0 * * * *"),), WORK)
Sent = tuple[bytes, bytes]
"""Key and value of a record for the inbox."""


class Written(Protocol):
    """A record of any log."""

    @property
    def topic(self) -> str: ...
    @property
    def key(self) -> bytes | None: ...
    @property
    def value(self) -> bytes | None: ...


def orders_in(written: Iterable[Written]) -> list[Order]:
    """The orders among these records."""
    found = [one for one in written if one.topic.startswith(ORDERS)]
    orders = [decode_as(one.value or b"", Order) for one in found]
    assert [one.key for one in found] == [order.run.encode() for order in orders]
    return orders


def control_in(written: Iterable[Written], runner: str | None = None) -> list[Control]:
    """What is said to a runner, or to any."""
    found: list[Control] = []
    for one in written:
        its = runner is None or one.key == runner.encode()
        if one.topic == CONTROL and its and one.value:  # a probe of the clock says nothing
            said = decode(one.value)
            assert isinstance(said, Grant | Denial | Stop)
            found.append(said)
    return found


@dataclass(frozen=True, slots=True)
class Runner:
    """One life of a runner."""

    id: str = "node-1"
    boot: int = 1

    def later(self) -> Runner:
        """Its next life."""
        return replace(self, boot=self.boot + 1)

    def beats(self, *orders: Order, leaving: bool = False) -> Sent:
        """It is alive, and has these."""
        runs = tuple(Beating(subject_of(one.schedule), one.run) for one in orders)
        return beat_record(self.id, Beat(self.boot, runs, leaving, 4, ("default",)))

    def claims(self, order: Order) -> Sent:
        """It wants what is offered."""
        claim = ClaimRun(order.run, order.attempt, order.issue, self.id, self.boot)
        return key_of_claim(subject_of(order.schedule), claim), encode(claim)

    def declines(self, order: Order, why: str = "too late") -> Sent:
        """It gives back what it was granted."""
        decline = DeclineRun(order.run, order.attempt, order.issue, self.id, self.boot, why)
        return key_of_claim(subject_of(order.schedule), decline), encode(decline)

    def reports(
        self,
        order: Order,
        status: ReportStatus = ReportStatus.SUCCESS,
        detail: str = "",
        result: Result | None = None,
    ) -> Sent:
        """It says how the attempt goes, or ended."""
        said = ReportRun(order.run, status, order.attempt, detail, self.id, self.boot, result)
        about = f"{order.run}.{order.attempt}.{order.issue}.{self.id}.{self.boot}.{status}"
        key, value = command_record(f"{subject_of(order.schedule)}/", said, about)
        assert value is not None
        return key, value
