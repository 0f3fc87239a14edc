"""
What do the limits for everyone make of a schedule's own settings?

They come from the environment of one processor through horae.globals (worldview.py); where none is
set, what the schedule says holds. How long an act waits that has no gate stands here too. Durations
are integer microseconds.
"""

from __future__ import annotations

from schemas.actions import Act
from schemas.definition import CatchUp, Definition
from schemas.policies import Gate, Retry
from streams.decider.state import World

_USUAL = Gate()


def lookback_of(rule: CatchUp, world: World) -> int | None:
    """The oldest age at which anything late still runs; None: there is no limit."""
    most = world.settings.catch_up_lookback if world.settings else 0
    if not most:
        return rule.lookback
    return most if rule.lookback is None else min(rule.lookback, most)


def attempts_after(retry: Retry, world: World) -> int:
    """How many further attempts there may be."""
    most = world.settings.max_retries if world.settings else 0
    return min(retry.most, most) if most else retry.most


def backoff_of(retry: Retry, attempt: int, world: World) -> int:
    """How long to wait after this attempt before the next one."""
    wait = min(retry.backoff << min(attempt - 1, 40), retry.longest)
    if world.settings is None:
        return wait
    longest = world.settings.retry_backoff_max
    wait = max(wait, world.settings.retry_backoff)
    return min(wait, longest) if longest else wait


def timeout_of(definition: Definition, world: World) -> int | None:
    """How long an attempt of a runner may take; None: as long as it likes."""
    usual = world.settings.default_timeout if world.settings else 0
    return definition.timeout or usual or None


def gate_of(definition: Definition) -> Gate | None:
    """How often is looked and how long is waited; what is done to a deployment may always wait."""
    if definition.gate is not None:
        return definition.gate
    return _USUAL if isinstance(definition.action.work, Act) else None
