"""
Which of many acts does it take to fail?

Delta debugging: leave out ever smaller parts, as long as what is left still fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable


def fewest(steps: Iterable[int], fails: Callable[[list[int]], bool]) -> list[int]:
    """A list of steps that fails, and none of whose parts that were tried does without one step."""
    kept = list(steps)
    assert fails(kept), "nothing to shrink: all of it does not fail"
    size = max(1, len(kept) // 2)
    while True:
        at = 0
        shorter = False
        while at < len(kept):
            left = kept[:at] + kept[at + size :]
            if left and fails(left):
                kept, shorter = left, True
            else:
                at += size
        if size == 1 and not shorter:
            return kept
        size = max(1, size // 2)
