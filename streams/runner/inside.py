"""
How are the processes of a command inside a container ended, and is it known that they have?

No engine can end what it was asked to start inside a container. So each such command carries a mark
in its environment, which its children inherit. Two ways lead to those who have the mark, or belong
to the session of one that had it:

- from the runner's machine, where its processes are visible and the runner is root;
- from inside the container, by a second command of the same user: `sh`, `kill` and `tr` of the
  image. Never with more rights than the first: the image's own `sh` would have them.

Where neither is open nothing is known but what the engine says of the first process.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from streams.clock import Deadline
from streams.runner.engine import Command, Connection, Refused

MARK = "HORAE_EXEC"
ASK = "TERM"
KILL = "KILL"
LOOK = "0"
"""No signal at all: only find them."""
_ANSWER = 5.0
"""Seconds that the second command may take."""
_DONE = "."
_SCRIPT = r"""
mark=$0 signal=$1 known=" $2 "
command -v tr >/dev/null || exit 3
for stat in /proc/[0-9]*/stat; do
  pid=${stat#/proc/} pid=${pid%/stat}
  read -r line 2>/dev/null <"$stat" || continue
  set -- ${line##*) }
  [ "$1" = Z ] && continue
  case "|$(tr '\0' '|' 2>/dev/null <"/proc/$pid/environ")" in
  *"|$mark|"*) ;;
  *) case "$known" in *" $4 "*) ;; *) continue ;; esac ;;
  esac
  [ "$signal" = 0 ] || kill -s "$signal" "$pid" 2>/dev/null
  echo "$pid"
done
echo .
"""


class _Seen(NamedTuple):
    """One process of this machine."""

    pid: int
    session: int
    started: str
    """Since the machine's start; with the pid it names one process for good."""


class Inside:
    """The processes of one command inside a container."""

    def __init__(
        self, container: str, mark: str, user: str | None, *, from_outside: bool = True
    ) -> None:
        self._container = container
        self._mark = f"{MARK}={mark}"
        self._user = user
        self._from_outside = from_outside and os.geteuid() == 0
        self._known: set[int] = set()
        """Those that were found: sessions may be named after them."""
        self._way: str | None = None

    def send(self, connection: Connection, name: str) -> int | None:
        """Send a signal to all of them; how many there are, or None: no way leads to them."""
        if self._way is None:
            self._way = self._find_way(connection)
        match self._way:
            case "outside":
                return len(self._outside(name))
            case "inside":
                found = self._from_inside(connection, name)
                return None if found is None else len(found)
            case _:
                return None

    def _find_way(self, connection: Connection) -> str | None:
        if self._from_outside and self._outside(LOOK):
            return "outside"
        # Found there by nobody's eyes: the runner may be on another machine, or in a container.
        return "inside" if self._from_inside(connection, LOOK) is not None else None

    def _outside(self, name: str) -> list[int]:
        found = list(_marked(self._mark, self._known))
        self._known |= {one.pid for one in found}
        if name != LOOK:
            for one in found:
                _signal(one, signal.Signals[f"SIG{name}"])
        return [one.pid for one in found]

    def _from_inside(self, connection: Connection, name: str) -> list[int] | None:
        known = " ".join(map(str, sorted(self._known)))
        argv = ("sh", "-c", _SCRIPT, self._mark, name, known)
        try:
            said = _answer(connection, self._container, Command(argv, {}, self._user))
        except Refused:
            return None
        words = said.split()
        if not words or words[-1] != _DONE:
            return None  # no sh, no tr, or it was not to its end
        found = [int(word) for word in words[:-1] if word.isdigit()]
        self._known |= set(found)
        return found


def end_marked(beginning: str, but_not: str) -> int:
    """Kill what this machine has of marks that begin so, but not of one kind; how many."""
    found = [
        one
        for one, marks in _visible()
        if any(mark.startswith(f"{MARK}={beginning}") for mark in marks)
        and not any(mark.startswith(f"{MARK}={but_not}") for mark in marks)
    ]
    for one in found:
        _signal(one, signal.SIGKILL)
    return len(found)


def _answer(connection: Connection, container: str, command: Command) -> str:
    process = connection.prepare(container, command)
    said = bytearray()
    until = Deadline.after(_ANSWER)
    with closing(connection.begin(process)) as wire:
        while not until.over and len(said) < 100_000:
            data = wire.read(until.left or 0.01)
            if data is None:
                break
            said += data
    return said.decode("ascii", "replace")


def _marked(mark: str, sessions: set[int]) -> Iterator[_Seen]:
    for one, marks in _visible():
        if mark in marks or one.session in sessions:
            yield one


def _visible() -> Iterator[tuple[_Seen, list[str]]]:
    """All processes of this machine that still run, each with its marks."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile, or is none of ours to look at
            seen = _seen(folder)
            if seen is not None:
                environ = (folder / "environ").read_bytes().split(b"\0")
                begins = f"{MARK}=".encode()
                yield (
                    seen,
                    [each.decode(errors="replace") for each in environ if each.startswith(begins)],
                )


def _seen(folder: Path) -> _Seen | None:
    # Behind the name, which may hold anything: state, parent, group, session, ...
    fields = (folder / "stat").read_text(errors="replace").rpartition(") ")[2].split()
    if fields[0] in "ZX":
        return None
    return _Seen(int(folder.name), int(fields[3]), fields[19])


def _signal(one: _Seen, number: signal.Signals) -> None:
    """By a handle, so that it meets nobody who got the number meanwhile."""
    with suppress(OSError):
        handle = os.pidfd_open(one.pid)
        try:
            now = _seen(Path("/proc") / str(one.pid))
            if now is not None and now.started == one.started:
                signal.pidfd_send_signal(handle, number)
        finally:
            os.close(handle)
