"""
How is a process watched, and made to end with all that it has started?

One wait for its output, its end, a bell that asks it to stop, and its time limit. It is asked to
end by SIGTERM, and after the grace by SIGKILL, to its whole group. When it has ended, whatever else
is left in its group is killed; who left the group but keeps the pipe open is not waited for.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from schemas.commands import ReportStatus
from streams.clock import Deadline, pause
from streams.runner.remembered import kill_group, living_in
from streams.runner.work import Job, Outcome

_CHUNK = 64 * 1024
_MOST_AT_END = 1024 * 1024
"""Bytes read after the program has ended: another process may write into its pipe for ever."""
LONGEST_WAIT = 3_600.0
"""Seconds of one wait: the kernel counts those of a month in too few bits."""
_GONE_WITHIN = 2.0
"""Seconds that killed processes get to be gone."""
Asked = Callable[[], tuple[str | None, bool]]
"""Why it is to stop, and whether at once."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What was done so that it ends; None: nothing, it ended by itself."""

    why: str
    timeout: bool
    killed: bool = False


class Watched:
    """A running process, its pipe and the bell, in one wait."""

    def __init__(self, process: subprocess.Popen[bytes], reading: int, bell: int, job: Job) -> None:
        self._process = process
        self._reading = reading
        self._bell = bell
        self._job = job
        self._exit = _handle_of(process)
        os.set_blocking(reading, False)
        self._poll = select.poll()
        for each in (reading, bell, self._exit):
            self._poll.register(each, select.POLLIN)
        self._deadline = None if job.timeout is None else Deadline.after(job.timeout)
        self._ending: Ending | None = None
        self.left_behind = False
        """Something of its group could not be killed."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Whatever happened, nothing of the group goes on."""
        if self._process.returncode is None:
            kill_group(self._process.pid)
            self._process.wait()
        os.close(self._exit)

    def to_its_end(self, asked: Asked) -> Ending | None:
        """Return when the program has ended and its group is gone."""
        while not self._look(asked):
            pass
        # Before it is waited for: as long as it is there, nobody else can have its number.
        kill_group(self._process.pid)
        self._process.wait()
        self._read(_MOST_AT_END)
        gone = Deadline.after(_GONE_WITHIN)
        while living_in(self._process.pid):
            if gone.over:
                self.left_behind = True
                break
            pause(0.005)
        self._read(_MOST_AT_END)
        return self._ending

    def outcome(self, ending: Ending | None) -> Outcome:
        """What became of it, once it has ended."""
        rest = "; a process of its group could not be killed" if self.left_behind else ""
        return _outcome(self._process.returncode, ending, rest)

    def _look(self, asked: Asked) -> bool:
        """One wait; whether the program has ended."""
        left = None if self._deadline is None else min(self._deadline.left, LONGEST_WAIT) * 1_000
        rang = {each for each, _ in self._poll.poll(left)}
        if self._reading in rang and not self._read(_CHUNK):
            self._poll.unregister(self._reading)
        if self._exit in rang:
            return True
        if self._bell in rang:
            os.eventfd_read(self._bell)
            why, kill = asked()
            self._end(why or "", kill=kill)
        elif self._deadline is not None and self._deadline.over:
            # Of one that was asked to end it is the grace that is over.
            limit = self._job.timeout
            self._end("" if limit is None else f"it took longer than {limit:g} s", timeout=True)
        return False

    def _end(self, why: str, *, kill: bool = False, timeout: bool = False) -> None:
        """Ask the group to end; the second time, or if it is to be killed, kill it."""
        before = self._ending
        if before is None and not kill:
            self._ending = Ending(why, timeout)
            self._signal(signal.SIGTERM)
            self._deadline = Deadline.after(self._job.grace)
        elif before is None or kill or timeout:
            first = before or Ending(why, timeout)
            self._ending = Ending(first.why, first.timeout, killed=True)
            self._signal(signal.SIGKILL)
            # It is gone when the kernel says so, and until then it goes on.
            self._deadline = None

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _read(self, most: int) -> bool:
        """Take what is in the pipe; False: nobody has its other end any more."""
        while most > 0:
            try:
                data = os.read(self._reading, _CHUNK)
            except BlockingIOError:
                return True
            if not data:
                return False
            self._job.output.write(data)
            most -= len(data)
        return True


def _handle_of(process: subprocess.Popen[bytes]) -> int:
    """What says that it has ended. A process that cannot be watched is ended: OSError."""
    try:
        return os.pidfd_open(process.pid)
    except OSError:
        kill_group(process.pid)
        process.wait()
        raise


def _outcome(code: int, ending: Ending | None, rest: str) -> Outcome:
    """What became of it. A code of its own after it was asked to end says nothing."""
    shown = code if code >= 0 else 128 - code
    how = f"ended with {code}" if code >= 0 else f"ended by {_name_of(-code)}"
    if ending is None:
        status = ReportStatus.SUCCESS if code == 0 else ReportStatus.FAILED
        return Outcome(status, (how if code else "") + rest, shown)
    status = ReportStatus.TIMEOUT if ending.timeout else ReportStatus.CANCELLED
    asked = "asked to end and killed" if ending.killed else "asked to end"
    return Outcome(status, f"{ending.why}; {asked}, {how}{rest}", shown)


def _name_of(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
