"""
Which life of a runner is this, and what has the one before left?

Lives are numbered upwards, by a number that is kept in the runner's folder and by the clock, so
that each is known from all before it even if one of the two is lost. What an earlier life had begun
is never run again: the first beat of this one says that it was interrupted. What is left of it is
removed before that, as far as it can be reached within a few seconds; an engine that does not
answer holds up nothing.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from pathlib import Path
from threading import Thread

from streams.clock import Deadline
from streams.runner.work import Executor

log = logging.getLogger(__name__)

SWEPT_WITHIN = 5.0


def next_boot(folder: Path, now: int) -> int:
    """The number of this life, on the disk before anything is said under it; `now` is UTC."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = folder / "boot"
    try:
        last = int(file.read_text())
    except (OSError, ValueError):
        last = 0
    boot = max(last + 1, now)
    keep_boot(folder, boot)
    return boot


def keep_boot(folder: Path, boot: int) -> None:
    """Note the number of the last life; it is on the disk then."""
    file = folder / "boot"
    scratch = file.with_suffix(".new")
    with scratch.open("w") as writing:
        writing.write(str(boot))
        writing.flush()
        os.fsync(writing.fileno())
    scratch.replace(file)


def sweep(executors: Iterable[Executor], within: float = SWEPT_WITHIN) -> None:
    """Have what is left removed; what takes longer goes on beside everything else."""
    # One executor may do several kinds of action.
    threads = [
        Thread(target=_sweep, args=(one,), name="sweep", daemon=True)
        for one in {id(each): each for each in executors}.values()
    ]
    for thread in threads:
        thread.start()
    deadline = Deadline.after(within)
    for thread in threads:
        thread.join(deadline.left)
    if any(thread.is_alive() for thread in threads):
        log.warning("what an earlier life has left is still being removed")


def _sweep(executor: Executor) -> None:
    try:
        executor.sweep()
    except Exception:  # whatever it is, it must not keep a runner from working
        log.exception("what an earlier life has left could not all be removed")
