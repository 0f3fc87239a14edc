"""
How is a program run, watched, and made to end with all that it has started?

As a leader of its own session and process group, without a shell, with little more than the order's
own variables around it. Both of its streams go into one pipe, in the order in which it writes. The
run is over when the program itself is; how it is watched until then is process.py, and what a
crash of the runner leaves remembered.py.
"""

from __future__ import annotations

import grp
import os
import pwd
import shutil
import subprocess
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, NamedTuple

from schemas.actions import Program
from schemas.commands import ReportStatus
from schemas.identity import occurrence_id
from schemas.instants import format_instant
from schemas.orders import Order
from streams.runner.faults import NotToBeHad
from streams.runner.process import Watched
from streams.runner.remembered import MARK, Begun, Remembered
from streams.runner.work import Attempt, Job, Outcome

INHERITED = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "TMPDIR", "TZ", "USER")
"""What a program has from the runner's environment: the rest may hold secrets."""


class Programs:
    """The executor of `command`."""

    def __init__(self, remembered: Remembered, boot: int, environ: Mapping[str, str]) -> None:
        self._remembered = remembered
        self._boot = boot
        self._environ = {name: environ[name] for name in INHERITED if name in environ}

    def attempt(self, job: Job) -> Attempt:
        """One process, not started yet."""
        return ProgramAttempt(job, self._remembered, self._boot, self._environ)

    def sweep(self) -> None:
        """End the processes that an earlier life has left."""
        self._remembered.sweep()

    def close(self) -> None:
        """Nothing is held open."""


@dataclass(frozen=True, slots=True)
class _Launch:
    """What `Popen` is given."""

    argv: list[str]
    options: dict[str, Any]


class _Started(NamedTuple):
    """A process that runs."""

    process: subprocess.Popen[bytes]
    reading: int
    """The end of the pipe into which it writes."""
    begun: Begun


class ProgramAttempt:
    """One process from its start to its end."""

    def __init__(
        self, job: Job, remembered: Remembered, boot: int, environ: Mapping[str, str]
    ) -> None:
        self._job = job
        self._remembered = remembered
        self._boot = boot
        self._environ = environ
        self._lock = threading.Lock()
        self._why: str | None = None
        self._kill = False
        self._bell = -1
        """Rung when somebody asks to stop."""

    def run(self) -> Outcome:
        """Start it, watch it, and leave nothing of its group."""
        with ExitStack() as parts:
            try:
                started = self._started(parts)
            except (NotToBeHad, OSError, ValueError, subprocess.SubprocessError) as fault:
                return Outcome(ReportStatus.UNAVAILABLE, _not_started(fault, self._program.argv[0]))
            if started is None:
                return Outcome(ReportStatus.CANCELLED, f"stopped before it began: {self._why}")
            with Watched(started.process, started.reading, self._bell, self._job) as watched:
                self._remembered.started(started.begun, started.process.pid)
                ending = watched.to_its_end(self._asked)
            return watched.outcome(ending)

    def stop(self, why: str, *, kill: bool) -> None:
        """Ask its group to end, or with `kill` end it."""
        with self._lock:
            self._why = self._why or why
            self._kill = self._kill or kill
            if self._bell >= 0:
                os.eventfd_write(self._bell, 1)

    def _put_bell_away(self, bell: int) -> None:
        with self._lock:
            self._bell = -1
            os.close(bell)

    def _started(self, parts: ExitStack) -> _Started | None:
        """The process; None: it is not wanted any more. Whatever is raised: there is none."""
        bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        parts.callback(self._put_bell_away, bell)
        with self._lock:
            self._bell = bell
        if self._why is not None:
            return None
        begun = self._remembered.begin(self._job.order.run, self._job.order.attempt, self._boot)
        parts.callback(self._remembered.end, begun)
        reading, writing = os.pipe2(os.O_CLOEXEC)
        parts.callback(os.close, reading)
        try:
            launch = self._launch(begun, writing)
            process = subprocess.Popen(launch.argv, **launch.options)  # noqa: S603 - that it may run was asked of the allow-list
        finally:
            os.close(writing)
        return _Started(process, reading, begun)

    def _asked(self) -> tuple[str | None, bool]:
        with self._lock:
            return self._why, self._kill

    @property
    def _program(self) -> Program:
        work = self._job.order.work
        if not isinstance(work, Program):
            raise NotToBeHad(f"{type(work).__name__} is no program")
        return work

    def _launch(self, begun: Begun, output: int) -> _Launch:
        program = self._program
        environ = {**self._environ, **told(self._job.order)}
        options: dict[str, Any] = {}
        if program.user is not None:
            account = _account(program.user)
            environ |= {"HOME": account.home, "USER": account.name, "LOGNAME": account.name}
            options = account.options()
        environ |= {one.name: self._job.secrets.value_of(one) for one in program.env}
        environ[MARK] = begun.mark
        return _Launch(
            list(program.argv),
            {
                "executable": _found(program.argv[0], self._environ.get("PATH")),
                "cwd": program.folder,
                "env": environ,
                "stdin": subprocess.DEVNULL,
                "stdout": output,
                "stderr": output,
                "start_new_session": True,
                **options,
            },
        )


def told(order: Order) -> dict[str, str]:
    """What every piece of work is told about itself, in its environment."""
    found = {
        "HORAE_RUN": order.run,
        "HORAE_RUN_ATTEMPT": str(order.attempt),
        "HORAE_SCHEDULE": order.schedule,
        "HORAE_SCOPE": order.scope,
        "HORAE_NOMINAL": format_instant(order.nominal),
        "HORAE_OCCURRENCE": occurrence_id(
            order.schedule, order.incarnation, order.nominal, order.origin
        ),
    }
    if order.trace is not None:
        found["TRACEPARENT"] = order.trace
    return found


def _found(name: str, path: str | None) -> str:
    """The file of a program: the order's own PATH decides nothing."""
    found = name if "/" in name else shutil.which(name, path=path or os.defpath)
    if found is None:
        raise NotToBeHad(f"there is no program {name!r} in the runner's PATH")
    return found


class _Account(NamedTuple):
    """As whom a program runs."""

    name: str
    home: str
    uid: int
    gid: int
    is_own_group: bool

    def options(self) -> dict[str, Any]:
        """What `Popen` is told; nothing if it is the runner itself."""
        if (self.uid, self.gid) == (os.geteuid(), os.getegid()):
            return {}
        groups = os.getgrouplist(self.name, self.gid) if self.is_own_group else [self.gid]
        return {"user": self.uid, "group": self.gid, "extra_groups": groups}


def _account(text: str) -> _Account:
    """The account behind `user` or `user:group`, names or numbers."""
    user, colon, group = text.partition(":")
    try:
        found = pwd.getpwuid(int(user)) if user.isdecimal() else pwd.getpwnam(user)
        gid = found.pw_gid
        if colon:
            gid = int(group) if group.isdecimal() else grp.getgrnam(group).gr_gid
    except KeyError:
        raise NotToBeHad(f"there is no user {text!r} on the runner's machine") from None
    return _Account(found.pw_name, found.pw_dir, found.pw_uid, gid, gid == found.pw_gid)


def _not_started(fault: Exception, program: str) -> str:
    if isinstance(fault, NotToBeHad):
        return str(fault)
    if isinstance(fault, OSError):
        return f"{fault.filename or program} could not be started: {fault.strerror}"
    return f"{program} could not be started: {fault}"
