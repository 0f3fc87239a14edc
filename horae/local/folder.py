"""
Whose is this data folder, and what was chosen for it?

One instance at a time: the lock is handed to every child, so it is free only when the last of
them is gone, however their parent died. Ports and password are remembered beside the data.
"""

import fcntl
import json
import os
import secrets
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Event
from time import monotonic

from horae.local import ports
from horae.local.faults import DataInUse, NoRoom, NotEnoughMemory, NotWritable

ROOM_NEEDED = 256 * 1024 * 1024
MEMORY_NEEDED = 512 * 1024 * 1024
PATIENCE = 15.0
"""How long the children of an instance that was killed may take to follow it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """Where the servers listen; None lets one be chosen."""

    kafka: int | None = None
    controller: int | None = None
    postgres: int | None = None


PLEASANT = Ports(kafka=19092, controller=19093, postgres=15432)
"""Tried first: easy to remember, and below what the kernel hands out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What one data folder keeps over restarts."""

    id: str
    kafka: int
    controller: int
    postgres: int
    password: str


@dataclass(frozen=True, slots=True)
class DataFolder:
    """A folder that is ours until it is released."""

    path: Path
    lock: int

    @property
    def logs(self) -> Path:
        """One file for each program."""
        return self.path / "logs"

    def choose(self, asked: Ports, told: Callable[[str], None]) -> Chosen:
        """What was chosen last time, as far as it may still be had."""
        last = self._remembered()
        taken: list[int] = []
        for name in ("kafka", "controller", "postgres"):
            wish: int | None = getattr(asked, name)
            before: int | None = getattr(last, name) or getattr(PLEASANT, name)
            port = ports.insist(wish) if wish else ports.choose(preferred=before, besides=taken)
            if last.id and not wish and port != before:
                told(f"port {before} is taken by now, {name} listens on {port}")
            taken.append(port)
        chosen = replace(
            last,
            id=last.id or secrets.token_hex(6),
            password=last.password or secrets.token_urlsafe(18),
            kafka=taken[0],
            controller=taken[1],
            postgres=taken[2],
        )
        self._remember(chosen)
        for stale in set(self.path.glob("postgres-*")) - {self.views(chosen)}:
            # Its password is forgotten; what it holds can be made again from the log.
            shutil.rmtree(stale, ignore_errors=True)
        return chosen

    def views(self, chosen: Chosen) -> Path:
        """Where the database lies, if it can be there."""
        return self.path / f"postgres-{chosen.id}"

    def release(self) -> None:
        """Let the next instance in, once our children are gone too."""
        os.close(self.lock)

    def _remembered(self) -> Chosen:
        try:
            return Chosen(**json.loads((self.path / "stack.json").read_text()))
        except (OSError, ValueError, TypeError):
            # A first start, or a file that somebody spoilt: the ports are chosen again, and a
            # new password makes new views.
            return Chosen(id="", kafka=0, controller=0, postgres=0, password="")

    def _remember(self, chosen: Chosen) -> None:
        scratch = self.path / "stack.json.new"
        scratch.touch(mode=0o600)
        scratch.write_text(json.dumps(asdict(chosen), indent=2) + "\n")
        scratch.replace(self.path / "stack.json")


def occupy(path: Path) -> DataFolder:
    """Make the folder ours, or say in one sentence why not."""
    path = path.absolute()
    try:
        path.mkdir(parents=True, exist_ok=True)
        # Others may walk through (the database may run as another user), but not look around.
        if path.stat().st_uid == os.geteuid():
            path.chmod(0o711)
        for private in ("logs", "kafka"):
            (path / private).mkdir(mode=0o700, exist_ok=True)
        lock = os.open(path / "stack.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as fault:
        msg = f"the data folder {path} cannot be written: {fault.strerror}"
        raise NotWritable(msg) from fault
    try:
        _take(lock, path)
        _check_room(path)
        _check_memory()
    except BaseException:
        os.close(lock)
        raise
    os.ftruncate(lock, 0)
    os.pwrite(lock, str(os.getpid()).encode(), 0)
    return DataFolder(path=path, lock=lock)


def _take(lock: int, path: Path) -> None:
    until = monotonic() + PATIENCE
    pause = Event()
    while not _locked(lock):
        holder = int(os.pread(lock, 20, 0) or 0)
        if holder and _is_alive(holder):
            msg = f"another instance (pid {holder}) runs on the data in {path}"
            raise DataInUse(msg)
        if monotonic() > until:
            msg = f"the instance (pid {holder}) is gone, but a child of it still uses {path}"
            raise DataInUse(msg)
        pause.wait(0.05)


def _locked(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        # A zombie answers signals too, until somebody asks how it ended.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return True


def _check_room(path: Path) -> None:
    free = shutil.disk_usage(path).free
    if free < ROOM_NEEDED:
        msg = f"{free >> 20} MB are free on the disk of {path}; {ROOM_NEEDED >> 20} MB are needed"
        raise NoRoom(msg)


def _check_memory() -> None:
    free = free_memory()
    if free is not None and free < MEMORY_NEEDED:
        msg = f"{free >> 20} MB of memory are free; {MEMORY_NEEDED >> 20} MB are needed"
        raise NotEnoughMemory(msg)


def free_memory() -> int | None:
    """What may still be taken, in bytes, by the machine's count and the container's."""
    try:
        meminfo = Path("/proc/meminfo").read_text()
        free = int(meminfo.split("MemAvailable:")[1].split()[0]) * 1024
    except (OSError, IndexError, ValueError):
        return None
    group = Path("/sys/fs/cgroup")
    try:
        limit = int((group / "memory.max").read_text())
        used = int((group / "memory.current").read_text())
        stat = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
        # What the kernel merely caches it gives back when asked.
        return min(free, limit - used + int(stat["inactive_file"]))
    except (OSError, ValueError, KeyError):
        return free
