"""
Which operations are there, and which two of them may not go on at once on one rack?

What switches the power of a power shelf takes it from everything behind it, so no other switching
and no new firmware goes beside it; a rack that is brought up has nothing else done to it. Pure.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

POWER_SHELF: Final = "power_shelf"
MOST_WAITING: Final = 5
"""On one rack."""


class Operation(StrEnum):
    """What can be done to a rack, or to some of its components."""

    POWER_ON = "power_on"
    POWER_OFF = "power_off"
    POWER_RESET = "power_reset"
    BRING_UP = "bring_up"
    UPGRADE_FIRMWARE = "upgrade_firmware"
    INGEST = "ingest"


POWER: Final = frozenset({Operation.POWER_ON, Operation.POWER_OFF, Operation.POWER_RESET})
_NOT_BESIDE_SHELF: Final = POWER | {Operation.UPGRADE_FIRMWARE}


class Doing(NamedTuple):
    """An operation on components of these types."""

    operation: Operation
    types: frozenset[str]


def conflict(one: Doing, other: Doing) -> bool:
    """Whether the two may not go on at once; it does not matter which came first."""
    return _keeps_out(one, other) or _keeps_out(other, one)


def _keeps_out(one: Doing, other: Doing) -> bool:
    if one.operation is Operation.BRING_UP:
        return True
    switches_shelf = one.operation in POWER and POWER_SHELF in one.types
    return switches_shelf and other.operation in _NOT_BESIDE_SHELF
