"""
Is this subject frozen at that time?

A freeze is a span of time in which nothing of the subjects that it names is started. What becomes
of an occurrence that is due inside one is firing.py.
"""

from __future__ import annotations

import re
from functools import lru_cache

from schemas.globals import Freeze
from streams.decider.state import World


def frozen(world: World, subject: str, at: int) -> str | None:
    """Why nothing of this subject is started at that time: the reason of the first such freeze.

    One without a reason is called by its name.
    """
    for name, freeze in sorted(world.freezes.items()):
        if covers(freeze, at) and concerns(freeze.subjects, subject):
            return freeze.reason or f"freeze {name}"
    return None


def covers(freeze: Freeze, at: int) -> bool:
    """Whether a time lies in it; its end is no part of it."""
    return freeze.begins_at <= at < freeze.ends_at


def concerns(patterns: tuple[str, ...], subject: str) -> bool:
    """Whether a subject is among those that the patterns name."""
    return any(_pattern(one).fullmatch(subject) for one in patterns)


@lru_cache(maxsize=4096)
def _pattern(text: str) -> re.Pattern[str]:
    """`*` stands for any run of characters, all others for themselves.

    What a part has matched is not given back: the first place will do for all but the last part,
    and trying all others would take for ever where stars are many.
    """
    first, *parts = (re.escape(part) for part in re.sub(r"\*+", "*", text).split("*"))
    middle = "".join(f"(?>.*?{part})" for part in parts[:-1])
    last = "".join(f".*{part}" for part in parts[-1:])
    return re.compile(f"{first}{middle}{last}", re.DOTALL)
