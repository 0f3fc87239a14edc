"""
How is a program run as a child that cannot outlive us?

Starts it behind the leash, with its output in a log file and a hold on the data folder's lock;
stops it in the gentlest way that works. What the program is, others know.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import monotonic

from horae.local.faults import DidNotStart, LocalFault, NoRoom, NotEnoughMemory, PortTaken

LEASH = Path(__file__).with_name("leash.py")
LOG_CAP = 16 * 1024 * 1024
PAUSE = 0.02

SYMPTOMS: Mapping[str, type[LocalFault]] = {
    "Address already in use": PortTaken,
    "No space left on device": NoRoom,
    "Cannot allocate memory": NotEnoughMemory,
    "insufficient memory": NotEnoughMemory,
    "OutOfMemoryError": NotEnoughMemory,
}
"""Last words that say what a person has to do."""

# The kernel watches the *thread* that started a child, not the process. So all are started by
# this one, which lives until the interpreter ends.
_spawner = ThreadPoolExecutor(max_workers=1, thread_name_prefix="horae-spawner")


@dataclass(frozen=True, slots=True)
class User:
    """Whom a program runs as, if not as ourselves."""

    uid: int
    gid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """Everything there is to know about starting one program."""

    name: str
    argv: Sequence[str]
    log: Path
    env: Mapping[str, str]
    cwd: Path | None = None
    stdin: Path | None = None
    user: User | None = None
    stop_with: signal.Signals = signal.SIGTERM
    die_with: signal.Signals = signal.SIGKILL
    keep_open: Sequence[int] = ()


@dataclass(slots=True)
class Child:
    """One running, or ended, program."""

    launch: Launch
    process: subprocess.Popen[bytes]
    said_before: int
    """Where in the log this run's own words begin."""

    @property
    def pid(self) -> int:
        """The program's own process id: the leash became the program."""
        return self.process.pid

    @property
    def ended(self) -> int | None:
        """The exit code, or None while it runs."""
        return self.process.poll()

    def words(self) -> str:
        """What it has written since it was started."""
        with self.launch.log.open("rb") as log:
            log.seek(self.said_before)
            return log.read().decode(errors="replace")

    def last_word(self) -> str:
        """The last line it has written since it was started; empty if it said nothing."""
        lines = [line.strip() for line in self.words().splitlines() if line.strip()]
        return lines[-1][:300] if lines else ""

    def await_line(self, *lines: str, within: float) -> None:
        """Return once one of the lines was written; a fault if the program ends or is silent."""
        until = monotonic() + within
        pause = Event()
        while True:
            code = self.ended
            if any(line in self.words() for line in lines):
                return
            if code is not None:
                self.fail(f"ended with {code} before it was ready")
            if monotonic() > until:
                self.kill()
                self.fail(f"was not ready within {within:g} s")
            pause.wait(PAUSE)

    def fail(self, how: str) -> None:
        """Raise a fault that shows the last words."""
        words = self.words()
        last = [line.strip() for line in words.splitlines() if line.strip()][-3:]
        shown = " | ".join(line[:300] for line in last) or "it said nothing"
        msg = f"{self.launch.name} {how}: {shown} (log: {self.launch.log})"
        for symptom, fault in SYMPTOMS.items():
            if symptom in words:
                raise fault(f"{symptom}: {msg}")
        raise DidNotStart(msg)

    def signal(self, which: signal.Signals) -> None:
        """Send a signal, if there is still somebody to receive it."""
        if self.ended is None:
            self.process.send_signal(which)

    def stop(self, *, within: float) -> bool:
        """Ask it to end, then make it; True if asking was enough."""
        self.signal(self.launch.stop_with)
        try:
            self.process.wait(within)
        except subprocess.TimeoutExpired:
            self.kill()
            return False
        return True

    def kill(self) -> None:
        """End it as a power cut would."""
        self.signal(signal.SIGKILL)
        self.process.wait()


def start(launch: Launch) -> Child:
    """Start the program; whether it is ready is for the caller to find out."""
    launch.log.parent.mkdir(parents=True, exist_ok=True)
    if launch.log.exists() and launch.log.stat().st_size > LOG_CAP:
        launch.log.replace(launch.log.with_suffix(".log.1"))
    return _spawner.submit(_spawn, launch).result()


def run_to_end(launch: Launch, *, within: float) -> None:
    """Run a program that prepares something; a fault unless it ends well."""
    child = start(launch)
    try:
        code = child.process.wait(within)
    except subprocess.TimeoutExpired:
        child.kill()
        child.fail(f"was not done within {within:g} s")
    else:
        if code != 0:
            child.fail(f"ended with {code}")


def _spawn(launch: Launch) -> Child:
    user = launch.user
    with launch.log.open("ab") as log, (launch.stdin or Path(os.devnull)).open("rb") as stdin:
        said_before = log.tell()
        process = subprocess.Popen(  # noqa: S603 - the argv is ours
            [
                sys.executable,
                "-I",
                "-S",
                str(LEASH),
                str(os.getpid()),
                str(int(launch.die_with)),
                str(user.uid) if user else "-",
                str(user.gid) if user else "-",
                *launch.argv,
            ],
            stdin=stdin,
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=launch.cwd,
            env=dict(launch.env),
            # Ctrl-C in a terminal reaches a whole process group; only the parent should hear
            # it, or the broker would be gone before those who still have to write to it.
            start_new_session=True,
            pass_fds=launch.keep_open,
        )
    return Child(launch=launch, process=process, said_before=said_before)
