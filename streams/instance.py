"""
What is this process called, so that a restart is known as the same one?

`<hostname>-<first free number>`, held by a lock on a file for as long as the process lives: the
name is its transactional id and its client id, so the same name fences its own leftovers.
"""

from __future__ import annotations

import fcntl
import re
import socket
from pathlib import Path
from typing import IO

from streams.faults import Halt

MOST_INSTANCES = 1_000


class Instance:
    """A name that no other live process on this machine has."""

    def __init__(self, name: str, lock: IO[str]) -> None:
        self.name = name
        self._lock = lock

    def release(self) -> None:
        """Let another process have the name."""
        self._lock.close()


def claim_instance(locks: Path, name: str | None) -> Instance:
    """Take the given name, or the first free one of this host; Halt if it is taken."""
    try:
        locks.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise Halt(f"the folder {locks} cannot be made: {fault.strerror}") from fault
    if name is not None:
        lock = _try_lock(locks, name)
        if lock is None:
            raise Halt(f"another process on this machine is called {name!r} already")
        return Instance(name, lock)
    host = re.sub(r"[^A-Za-z0-9._-]", "-", socket.gethostname()) or "host"
    for number in range(MOST_INSTANCES):
        candidate = f"{host}-{number}"
        lock = _try_lock(locks, candidate)
        if lock is not None:
            return Instance(candidate, lock)
    raise Halt(f"{MOST_INSTANCES} processes of this host are running already")


def _try_lock(locks: Path, name: str) -> IO[str] | None:
    lock = (locks / f"{name}.lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        return None
    return lock
