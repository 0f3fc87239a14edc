"""
What does a broker of a test need, and how does it start quickly?

The files of the broker, and what Java has learnt of its classes: as for `horae up`, but made
before the first test that needs a broker goes on, not behind it. That takes ten seconds, once on a
machine; many tests kill a broker and start it again, and each start takes a third of the time.
"""

from __future__ import annotations

import fcntl
from collections.abc import Sequence
from pathlib import Path

from horae.local import jars, quickstart

Needs = tuple[Sequence[Path], Sequence[str]]
"""The files, and the options for Java."""


def needs(folder: Path) -> Needs:
    """What every broker of this session is made of; `folder` is used if there is no cache."""
    cache = jars.cache_folder(otherwise=folder / "cache")
    files = jars.provide(cache, lambda _here, _of: None)
    archive = quickstart.archive(cache, files)
    # Each worker of the session needs it: one makes it, the others wait for that.
    with (cache / ".quickstart").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not archive.exists():
            quickstart.Trainer(files, archive, folder / "quickstart.log").make()
    return files, (f"-XX:AOTCache={archive}",) if archive.exists() else ()
