"""
Does a test schedule come all the way through?

Each look has a schedule of its own, under an id of its own, so that looks at the same time do not
meet. It is asked to be skipped, falls due after a second, and is removed: command, decision, timer,
ledger and view are gone through, and nothing is written anywhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from horae.api.house import House
from horae.api.problems import Problem
from horae.api.shown import utc
from horae.client.orders import Order, Wish, new_id
from projections.shown import OccurrenceShown
from schemas.commands import NOT_THERE, Define, Remove, Skip
from schemas.definition import Definition, Emit, Once
from schemas.replies import Reply, Verdict
from schemas.units import SECOND

SUBJECT = "horae-canary"
_AHEAD = SECOND
_WITHIN = 10.0
_LOOK = 0.05


@dataclass(frozen=True, slots=True)
class Canary:
    """One look."""

    house: House
    actor: str
    schedule: str
    instant: int

    @classmethod
    def of(cls, house: House, actor: str) -> Canary:
        """One that nobody had before; its subject, and so its partition, is one of many."""
        name = new_id()
        instant = (house.clock.wall() + _AHEAD) // 1_000 * 1_000
        return cls(house, actor, f"{SUBJECT}-{name[:2]}/{name}", instant)

    def fly(self) -> dict[str, Any]:
        """What became of it; a Problem if it did not come through."""
        begun = self.house.clock.monotonic()
        emit = Emit(self.house.canary_topic)
        description = "a look at whether all goes through; it is skipped and removed"
        definition = Definition((Once(self.instant),), emit, description=description)
        wishes = (Define(definition, NOT_THERE), Skip(instant=self.instant, reason="canary"))
        orders = [self._order(one) for one in wishes]
        try:
            for order, reply in zip(orders, self.house.desk.ask_many(orders), strict=True):
                self._well(order, reply)
            answered = self.house.clock.monotonic()
            row = None if self._is_held() else self._await_skip()
        finally:
            self.house.desk.ask(self._order(Remove()))
        return {
            "schedule": self.schedule,
            "due": utc(self.instant),
            "replied_seconds": (answered - begun) / SECOND,
            "held": row is None,
            "state": None if row is None else row.state,
            "lateness_seconds": None if row is None else row.lateness / SECOND,
            "seen_seconds": (self.house.clock.monotonic() - begun) / SECOND,
        }

    def _order(self, wish: Wish) -> Order:
        return Order(self.schedule, wish, actor=self.actor)

    def _well(self, order: Order, reply: Reply) -> None:
        if reply.verdict is not Verdict.ACCEPTED:
            said = f"the canary was refused: {reply.field}: {reply.message}"
            raise Problem(503, "unexpected", said, command_id=order.id)

    def _is_held(self) -> bool:
        """Under a hold nothing is evaluated, and that is as it should be."""
        with self.house.views.lend() as views:
            return any(hold.held for hold in views.holds())

    def _await_skip(self) -> OccurrenceShown:
        row = self.house.until(
            lambda views: views.occurrence_at(self.schedule, self.instant),
            lambda found: found is not None,
            _WITHIN,
        )
        if row is not None:
            return row
        said = f"the canary {self.schedule} was not seen in the views within {_WITHIN:g} s"
        raise Problem(503, "no_reply", said)
