"""
What has this runner begun, should it not live to see the end of it?

One small file for each attempt, written before its process is started and removed once that is
gone: after a kill -9 the next life finds there what it has to clear away. A process is known by its
id together with its start time, which no later process with the same id has, or by what stands in
its environment, should the runner have died before it could write the id down.
"""

from __future__ import annotations

import json
import logging
import os
import re
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from streams.runner.faults import NotToBeHad

log = logging.getLogger(__name__)

MARK = "HORAE_ATTEMPT"
"""The variable by which a process that was started for an attempt is known."""
_STATE, _GROUP, _STARTED = 0, 2, 19
"""Fields of /proc/<pid>/stat behind the name of the program."""


class Begun(NamedTuple):
    """An attempt that may have a process."""

    file: Path
    mark: str


class Remembered:
    """The attempts of one runner that have begun and not ended."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "runs"
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def begin(self, run: str, attempt: int, boot: int) -> Begun:
        """Note that a process is about to be started; NotToBeHad if that cannot be noted."""
        name = re.sub(r"[^A-Za-z0-9_-]", "-", run)
        begun = Begun(self._folder / f"{name}.{attempt}.json", f"{run}.{attempt}.{boot}")
        try:
            _write(begun, {})
        except OSError as fault:
            raise NotToBeHad(f"no note of it can be left on the disk: {fault.strerror}") from fault
        return begun

    def started(self, begun: Begun, pid: int) -> None:
        """Note which process it is, while that is there: its group has the same number."""
        since = started_at(pid)
        if since is not None:
            try:
                _write(begun, {"pid": pid, "since": since})
            except OSError as fault:  # what stands in its environment has to do
                log.warning("%s is not noted: %s", begun.mark, fault)

    def end(self, begun: Begun) -> None:
        """Nothing of it is left."""
        try:
            begun.file.unlink(missing_ok=True)
        except OSError as fault:  # how it ended counts all the same
            log.warning("the note of %s is left: %s", begun.mark, fault)

    def sweep(self) -> int:
        """End what an earlier life has left; how many attempts there were."""
        left = [file for file in self._folder.glob("*.json") if file.is_file()]
        marks = set()
        for file in left:
            told = _read(file)
            marks.add(told.get("mark"))
            pid, since = told.get("pid"), told.get("since")
            if isinstance(pid, int) and since is not None and started_at(pid) == since:
                kill_group(pid)
        for pid, mark in _marked() if left else ():
            if mark in marks:
                _kill(pid)
        for file in left:
            log.warning("the earlier life had begun %s; nothing of it is left", file.stem)
            file.unlink(missing_ok=True)
        return len(left)


def kill_group(group: int) -> None:
    """End all processes of a group at once."""
    # Number 1 is everybody, 0 ourselves.
    if group > 1:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


def living_in(group: int) -> list[int]:
    """The processes of a group, without those that only wait for their parent to notice."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return []
    except PermissionError:
        pass
    found = []
    for pid in _pids():
        fields = _stat(pid)
        if fields and fields[_GROUP] == str(group) and fields[_STATE] not in "ZX":
            found.append(pid)
    return found


def started_at(pid: int) -> str | None:
    """When a process began, in the kernel's ticks since the machine did; None: it is gone."""
    fields = _stat(pid)
    return fields[_STARTED] if fields and fields[_STATE] not in "ZX" else None


def _write(begun: Begun, what: dict[str, object]) -> None:
    # Against a crash of this process, not of the machine: after that no process is left either.
    scratch = begun.file.with_suffix(".new")
    scratch.write_text(json.dumps({"mark": begun.mark, **what}))
    scratch.replace(begun.file)


def _read(file: Path) -> dict[str, object]:
    try:
        found = json.loads(file.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _marked() -> Iterator[tuple[int, str]]:
    """Processes with the mark of an attempt in their environment."""
    beginning = f"{MARK}=".encode()
    for pid in _pids():
        with suppress(OSError):
            for one in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                if one.startswith(beginning):
                    yield pid, one.removeprefix(beginning).decode(errors="replace")


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def _pids() -> Iterator[int]:
    with suppress(OSError):
        yield from (int(name) for name in os.listdir("/proc") if name.isdigit())  # noqa: PTH208 - names are enough, and there are many


def _stat(pid: int) -> list[str]:
    """The fields behind the name, which may itself hold spaces and brackets."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()
