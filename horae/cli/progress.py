"""
How is long work shown while it goes on?

A bar on a terminal, nothing in a pipe; the answer itself is printed when it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_WORTH_A_BAR = 200


@contextmanager
def counted(text: str, total: int) -> Iterator[Callable[[int, int], None]]:
    """Tell the result how many are sent and how many are answered."""
    if total < _WORTH_A_BAR:
        yield lambda _sent, _answered: None
        return
    with filling(text) as told:
        yield lambda _sent, answered: told(answered, total)


@contextmanager
def filling(text: str) -> Iterator[Callable[[int, int], None]]:
    """Tell the result how much is done, and of how much."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _done, _total: None
        return
    from rich.progress import Progress

    with Progress(console=console, transient=True) as progress:
        task = progress.add_task(text, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
