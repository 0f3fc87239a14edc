"""
Who may say what is done to a deployment by itself?

A schedule that sleeps, stops, wakes or starts one comes into being only by an admin, and only an
admin changes it or takes it away. Pausing it and running it by hand are as for all others.
"""

from __future__ import annotations

from horae.api.asking import Asking
from schemas.actions import Act
from schemas.definition import Definition


def check_made(asks: Asking, definition: Definition) -> None:
    """A Problem if the definition acts on a deployment, and who asks is no admin."""
    if isinstance(definition.action.work, Act):
        asks.need_admin("a schedule that acts on a deployment")


def check_changed(asks: Asking, schedule: str, definition: Definition | None = None) -> None:
    """The same for what the schedule is now, and for what it is to become."""
    if definition is not None:
        check_made(asks, definition)
    if asks.is_admin:
        return
    row = asks.house.find(schedule)
    if row is not None:
        check_made(asks, row.rule)
