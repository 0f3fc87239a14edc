"""
Which container engine do the tests speak to, and what runs in it?

Podman, which speaks the Docker API, as root and with a store of its own in a temporary folder: no
container or image of the machine is seen or touched. It is started when the first test asks for it,
and ended by its process id. Where there is none, requirements/containers.sh says what to install;
in CI that is a failure. Every container is without a network: what works besides `none` depends on
what else the machine has installed.
"""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import docker
import pytest

from schemas.actions import App, Exec, Fresh
from schemas.orders import Order
from schemas.units import SECOND
from streams.clock import Deadline, pause
from streams.runner.engine import Command, Engine, EngineAway
from streams.runner.output import Output
from streams.runner.secrets import Secrets
from streams.runner.work import Job, Runner

SHELL = "localhost/horae/shell:1"
"""Has all of busybox."""
BARE = "localhost/horae/bare:1"
"""Has `sleep` and nothing else: no shell, no kill."""
ME = Runner("runner-1", 7)
NOMINAL = 1_768_528_800 * SECOND
_SETTINGS = """
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
lock_type = "file"
tmp_dir = "{folder}/tmp"
"""
_STORE = """
[storage]
driver = "vfs"
graphroot = "{folder}/graph"
runroot = "{folder}/run"
"""
_USERS = {"etc/passwd": "root:x:0:0::/:/bin/sh\njobs:x:1234:1234::/:/bin/sh\n",
          "etc/group": "root:x:0:\njobs:x:1234:\n"}  # fmt: skip


class Podman(NamedTuple):
    """A running engine."""

    address: str
    api: docker.APIClient
    """For the test's own eyes and hands."""

    @property
    def engine(self) -> Engine:
        return Engine(self.address)

    def up(self, *argv: str, image: str = SHELL, **options: Any) -> str:
        """A container that runs; its id."""
        host = self.api.create_host_config(network_mode="none", init=False)
        made = self.api.create_container(image, list(argv or SLEEPS), host_config=host, **options)
        self.api.start(made["Id"])
        return str(made["Id"])

    def states(self) -> dict[str, str]:
        """All containers by name."""
        rows = self.api.containers(all=True)
        return {row["Names"][0].removeprefix("/"): row["State"] for row in rows}

    def told(self, container: str, script: str) -> str:
        """What a script says in a container."""
        # Not by its library's own way to read: that leaves sockets open.
        with self.engine.connected() as connection:
            process = connection.prepare(container, Command(("sh", "-c", script), {}))
            with connection.begin(process) as wire:
                return b"".join(iter(lambda: wire.read(20), None)).decode()

    def sleepers(self, container: str) -> list[str]:
        """How long those processes sleep that do nothing else, but for the first one."""
        script = "for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline; echo; done 2>/dev/null"
        lines = (line.split() for line in self.told(container, script).splitlines())
        found = [line[1] for line in lines if line[:1] == ["sleep"]]
        return sorted(each for each in found if each != SLEEPS[1])


SLEEPS = ("sleep", "600")


@pytest.fixture(scope="session")
def podman_service() -> Iterator[Podman]:
    """The engine with its images; containers come and go with each test."""
    missing = _missing()
    if missing is not None:
        _cannot(f"{missing}; requirements/containers.sh installs what is needed")
    # No folder of pytest's: with its long names the engine loses sight of what has ended.
    folder = Path(tempfile.mkdtemp(prefix="podman-"))
    (folder / "containers.conf").write_text(_SETTINGS.format(folder=folder))
    (folder / "storage.conf").write_text(_STORE.format(folder=folder))
    environ = os.environ | {
        "CONTAINERS_CONF": str(folder / "containers.conf"),
        "CONTAINERS_STORAGE_CONF": str(folder / "storage.conf"),
    }
    _import(SHELL, _root(("/bin/busybox", *_applets())), environ)
    # What an image says of itself is not what its containers are for.
    _import(BARE, _root(("/bin/sleep",)), environ, 'ENTRYPOINT ["/bin/nothing"]')
    address = f"unix://{folder}/podman.sock"
    with (folder / "service.log").open("wb") as log:
        process = subprocess.Popen(
            ["podman", "system", "service", "--time=0", address],
            env=environ, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        api = _connected(address, process)
        podman = Podman(address, api)
        _try(podman)
        yield podman
        _clear(api)
        api.close()
    finally:
        process.terminate()
        process.wait(10)
        _end_all_of(folder)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def podman(podman_service: Podman) -> Iterator[Podman]:
    """The engine without any containers."""
    yield podman_service
    _clear(podman_service.api)


def job_of(
    work: Exec | Fresh,
    app: App | None = None,
    *,
    timeout: float | None = 20.0,
    grace: float = 1.0,
    secrets: dict[str, str] | None = None,
    **order: Any,
) -> Job:
    """What an attempt is given."""
    found = Secrets(secrets or {})
    return Job(given(work, app, **order), Output(64 * 1024, found.values()), found, timeout, grace)


def given(work: Exec | Fresh, app: App | None = None, **other: Any) -> Order:
    """An order about the app `shop`."""
    made: dict[str, Any] = {
        "run": "jr_AbCd-fGh_jKl", "attempt": 1, "issue": 1, "schedule": "shop/nightly",
        "version": 7, "incarnation": 5, "scope": "shop", "filter": None, "nominal": NOMINAL,
        "due": NOMINAL, "origin": None, "decided_at": NOMINAL, "again_at": NOMINAL, "timeout": None,
    }  # fmt: skip
    return Order(work=work, app=app, **{**made, **other})


def eventually(true: Callable[[], bool], what: str, seconds: float = 20.0) -> None:
    """Wait until something is so."""
    until = Deadline.after(seconds)
    while not true():
        assert not until.over, f"not within {seconds:g} s: {what}"
        pause(0.02)


def _cannot(why: str) -> NoReturn:
    """A gap that somebody who only looks at the code may have, and CI may not."""
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)


def _try(podman: Podman) -> None:
    """Not every machine on which it is installed lets it make containers."""
    try:
        podman.up()
    except docker.errors.APIError as fault:
        _cannot(f"podman makes no containers here: {fault.explanation}")
    _clear(podman.api)


def _missing() -> str | None:
    absent = [name for name in ("podman", "runc", "busybox") if shutil.which(name) is None]
    if absent:
        return f"no {', '.join(absent)} on this machine"
    if os.geteuid() != 0:
        return "the tests of containers are made for root"
    return None


def _applets() -> list[str]:
    listed = subprocess.run(["busybox", "--list"], capture_output=True, text=True, check=True)
    return [f"/bin/{name}" for name in listed.stdout.split() if name != "busybox"]


def _root(programs: tuple[str, ...]) -> bytes:
    """A root file system as an archive: the first program is busybox, the others lead to it."""
    made = io.BytesIO()
    busybox = Path(shutil.which("busybox") or "").read_bytes()
    first, *others = (name.removeprefix("/") for name in programs)
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, text in {first: busybox, **{n: t.encode() for n, t in _USERS.items()}}.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(text), 0o755
            archive.addfile(entry, io.BytesIO(text))
        for name in others:
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, f"/{first}"
            archive.addfile(entry)
        entry = tarfile.TarInfo("tmp")
        entry.type, entry.mode = tarfile.DIRTYPE, 0o1777
        archive.addfile(entry)
    return made.getvalue()


def _import(name: str, root: bytes, environ: dict[str, str], *changes: str) -> None:
    options = [word for change in changes for word in ("--change", change)]
    subprocess.run(
        ["podman", "import", "--quiet", *options, "-", name],
        input=root, env=environ, check=True, capture_output=True, timeout=60,
    )  # fmt: skip


def _connected(address: str, process: subprocess.Popen[bytes]) -> docker.APIClient:
    until = Deadline.after(20)
    while True:
        assert process.poll() is None, f"podman ended with {process.returncode}"
        with suppress(EngineAway), Engine(address).connected():
            return docker.APIClient(address, version="auto", timeout=20)
        assert not until.over, "podman does not answer"
        pause(0.05)


def _end_all_of(folder: Path) -> None:
    """What watched the commands in containers stays for minutes: it is known by the folder."""
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if os.fsencode(folder) in place.read_bytes():
                os.kill(int(place.parent.name), signal.SIGKILL)


def _clear(api: docker.APIClient) -> None:
    for row in api.containers(all=True):
        api.remove_container(row["Id"], force=True, v=True)
