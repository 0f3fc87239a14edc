"""Which kind of world does a seed play?"""

from __future__ import annotations


def has_policies(seed: int) -> bool:
    """Every other seed plays schedules whose work is reported about."""
    return seed % 2 == 1


def has_runners(seed: int) -> bool:
    """Every other one of these has runners that do it."""
    return seed % 4 == 1


def has_deployments(seed: int) -> bool:
    """In every other one of these much of the work is done to deployments."""
    return seed % 8 == 5
