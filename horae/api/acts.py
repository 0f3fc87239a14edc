"""
Who may say what is done to a deployment by itself?

A schedule that sleeps, stops, wakes or starts one comes into being only by an admin, and only an
admin changes it or takes it away. Pausing it and running it by hand are as for all others.
"""

from __future__ import annotations

from dataclasses import replace

from horae.api.asking import Asking
from horae.api.problems import Problem
from schemas.actions import Act
from schemas.commands import NOT_THERE, Define
from schemas.definition import Definition


def check_made(asks: Asking, definition: Definition) -> None:
    """A Problem if the definition acts on a deployment, and who asks is no admin."""
    if isinstance(definition.action.work, Act):
        asks.need_admin("a schedule that acts on a deployment")


def check_changed(asks: Asking, schedule: str) -> int:
    """The same for what the schedule is now; its version, by which that is so."""
    row = None if asks.is_admin else asks.house.find(schedule)
    if row is None:
        return NOT_THERE
    check_made(asks, row.rule)
    return row.version


def guarded(asks: Asking, schedule: str, command: Define) -> Define:
    """The command, which of somebody who is no admin changes just what was looked at.

    The views may be behind: what they have not seen may act on a deployment.
    """
    check_made(asks, command.definition)
    if asks.is_admin:
        return command
    seen, wanted = check_changed(asks, schedule), command.expected_version
    check_seen(asks, seen, wanted)
    return replace(command, expected_version=seen) if wanted is None else command


def check_seen(asks: Asking, seen: int, wanted: int | None) -> None:
    """A Problem if a version is to be changed at which nobody has looked, by who is no admin."""
    if wanted is not None and wanted > seen and not asks.is_admin:
        raise Problem(409, "conflict", "the views have no such version yet", "expected_version")
