"""
Where are the broker's files, and are they the ones that were locked?

The lock names each file by its coordinates and its SHA-256. What the cache lacks is fetched from
Maven Central; what it has is checked again at every start. How the lock is made is lock.py.
"""

import hashlib
import os
import pwd
import shutil
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from horae.local.faults import NotAsLocked, NotWritable, RegistryUnreachable

LOCK = Path(__file__).with_name("kafka.lock")
ATTEMPTS = 3
AT_ONCE = 4

Told = Callable[[int, int], None]
"""Hears how many files are there, and how many there have to be."""


@dataclass(frozen=True, slots=True)
class Jar:
    """One locked file."""

    group: str
    artifact: str
    version: str
    sha256: str

    @property
    def filename(self) -> str:
        """Its name in the cache and at the registry."""
        return f"{self.artifact}-{self.version}.jar"


def read_lock(text: str) -> tuple[Jar, ...]:
    """The files that a lock names, in the order of the class path."""
    jars = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            coordinates, sha256 = line.split(" sha256:")
            group, artifact, version = coordinates.split(":")
            jars.append(Jar(group, artifact, version, sha256))
    return tuple(jars)


def cache_folder(*, otherwise: Path) -> Path:
    """The user's cache, shared by all data folders; the other one if there is none."""
    try:
        # Not Path.home(): with an empty HOME that is the root folder.
        home = os.environ.get("HOME") or pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        home = ""
    asked = os.environ.get("XDG_CACHE_HOME", "")
    cache = Path(asked) if Path(asked).is_absolute() else Path(home) / ".cache"
    for folder in (cache / "horae" / "jars", otherwise / "jars"):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK | os.X_OK):
            return folder
    msg = f"neither {cache} nor {otherwise} can be written"
    raise NotWritable(msg)


def provide(cache: Path, told: Told) -> tuple[Path, ...]:
    """The locked files, fetched if need be, each one checked."""
    jars = read_lock(LOCK.read_text())
    missing = [jar for jar in jars if not _is_there(cache, jar)]
    if missing:
        here = len(jars) - len(missing)
        told(here, len(jars))
        for done, _ in enumerate(_fetch_all(cache, missing), start=here + 1):
            told(done, len(jars))
    return tuple(cache / jar.filename for jar in jars)


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def trusting_the_system() -> Iterator[None]:
    """Believe the certificates this machine believes.

    The registry's client knows only a list of its own, and a company's proxy is not on it.
    """
    import truststore  # noqa: PLC0415 - needed only when something has to be fetched

    truststore.inject_into_ssl()
    try:
        yield
    finally:
        truststore.extract_from_ssl()


def sweep(scratch: Path) -> None:
    """Remove what others, killed long ago, left beside this scratch folder."""
    for left in scratch.parent.glob(".*-*"):
        if left.stat().st_mtime < scratch.stat().st_mtime - 24 * 60 * 60:
            shutil.rmtree(left, ignore_errors=True)


def _is_there(cache: Path, jar: Jar) -> bool:
    path = cache / jar.filename
    return path.is_file() and digest(path) == jar.sha256


def _fetch_all(cache: Path, jars: list[Jar]) -> Iterator[Jar]:
    with (
        trusting_the_system(),
        # Beside its destination, so that moving a file there is one atomic step.
        tempfile.TemporaryDirectory(dir=cache, prefix=".fetch-") as scratch,
        ThreadPoolExecutor(AT_ONCE) as pool,
    ):
        sweep(Path(scratch))
        hopeless = Event()
        try:
            yield from pool.map(lambda jar: _fetch(cache, jar, Path(scratch), hopeless), jars)
        except BaseException:
            hopeless.set()
            pool.shutdown(cancel_futures=True)
            raise


def _fetch(cache: Path, jar: Jar, scratch: Path, hopeless: Event) -> Jar:
    import requests  # noqa: PLC0415 - as above
    from jgo.maven import MavenContext  # noqa: PLC0415 - as above

    why: Exception | None = None
    for attempt in range(ATTEMPTS):
        if hopeless.wait(attempt):
            break
        context = MavenContext(repo_cache=scratch / str(attempt), local_repos=[], timeout=10)
        component = context.project(jar.group, jar.artifact).at_version(jar.version)
        try:
            path = component.artifact().resolve()
        except (requests.RequestException, RuntimeError) as fault:
            why = fault
            continue
        if digest(path) != jar.sha256:
            msg = f"{jar.filename} from Maven Central is not the file that was locked; not used"
            raise NotAsLocked(msg)
        path.replace(cache / jar.filename)
        return jar
    msg = (
        "Maven Central cannot be reached, and the broker's files are not here yet: connect this "
        f"machine once (or set HTTPS_PROXY); later starts work offline ({jar.filename}: "
        f"{type(why).__name__})"
    )
    raise RegistryUnreachable(msg) from why
