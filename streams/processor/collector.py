"""
What does Python's garbage collector do in a process that holds a million schedules?

As little as possible. What is resident stays and is never walked again; a batch makes some hundred
thousand objects, none of them in a cycle, that are gone when it is kept, so it is no reason to look
for garbage either.
"""

from __future__ import annotations

import gc

ONE_BATCH = 200_000
"""Objects of a full batch."""


def settle() -> None:
    """What is in memory now stays."""
    gc.freeze()
    gc.set_threshold(ONE_BATCH, 10, 10)


def forget_everything() -> None:
    """Let go of what a life that ended has left."""
    gc.unfreeze()
    gc.collect()
