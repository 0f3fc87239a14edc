"""
How does the broker start in one second instead of three?

Java can keep what it learnt about its classes. A second broker, on a folder of its own and at the
lowest priority, is started and stopped once while the first one works; what it learnt lies in the
user's cache from then on. Without it, or while it is made, everything works, only slower.
"""

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import TimeoutExpired
from threading import Event, Thread

from horae.local import child, kafka, ports
from horae.local.child import Child, Launch
from horae.local.faults import LocalFault
from horae.local.folder import free_memory
from horae.local.jars import sweep

AFTER = 10.0
"""The roles start first."""
MEMORY_NEEDED = 1024 * 1024 * 1024
WITHIN = 180.0


def archive(cache: Path, jars: Sequence[Path]) -> Path:
    """Where it lies for exactly these files, this Java and these settings."""
    seen = hashlib.sha256((kafka.java().parents[1] / "release").read_bytes())
    for word in (*kafka.JVM, *(f"{jar}{jar.stat().st_mtime_ns}" for jar in jars)):
        seen.update(word.encode())
    return cache / f"kafka-{seen.hexdigest()[:16]}.aot"


class Trainer:
    """Makes the archive in the background, once."""

    def __init__(self, jars: Sequence[Path], archive: Path, log: Path) -> None:
        self._jars = jars
        self._archive = archive
        self._log = log
        self._cancelled = Event()
        self._children: list[Callable[[], Child | None]] = []
        self._thread = Thread(target=self._run, name="horae-quickstart", daemon=True)

    def begin(self) -> None:
        """Start, unless it was done before or memory is short."""
        if not self._archive.exists() and (free_memory() or MEMORY_NEEDED) >= MEMORY_NEEDED:
            self._thread.start()

    def cancel(self) -> None:
        """Nobody waits for this: what was begun is dropped."""
        self._cancelled.set()
        while self._thread.is_alive():
            for current in self._children:
                running = current()
                if running is not None:
                    running.kill()
            self._thread.join(0.1)

    def make(self, before: Sequence[str] = ()) -> None:
        """Make it now, if that can be done; `before` is what runs Java, if not we ourselves."""
        try:
            with tempfile.TemporaryDirectory(
                dir=self._archive.parent, prefix=".train-", ignore_cleanup_errors=True
            ) as scratch:
                sweep(Path(scratch))
                self._train(Path(scratch), before)
        except (LocalFault, OSError, TimeoutExpired):
            # The next start tries again; the reason is in the log.
            return

    def _run(self) -> None:
        if not self._cancelled.wait(AFTER):
            self.make(_politely())

    def _train(self, scratch: Path, before: Sequence[str]) -> None:
        learnt, made = scratch / "learnt", scratch / "made"
        port = ports.choose()
        broker = kafka.Broker(
            folder=scratch / "kafka",
            jars=self._jars,
            port=port,
            controller_port=ports.choose(besides=[port]),
            log=self._log,
            before=before,
            jvm=("-XX:AOTMode=record", f"-XX:AOTConfiguration={learnt}"),
        )
        self._children.append(lambda: broker.child)
        try:
            broker.start()
            if broker.child and not self._cancelled.is_set():
                # In order, and with patience: what was learnt is written at the end.
                broker.child.stop(within=WITHIN)
        finally:
            broker.kill()
        if self._cancelled.is_set() or not learnt.exists():
            return
        # A step of its own, or Java would make it in a child that we do not hold.
        assembly = child.start(self._assembly(broker, learnt, made))
        self._children.append(lambda: assembly)
        try:
            if assembly.process.wait(WITHIN) == 0 and made.exists():
                made.replace(self._archive)
        finally:
            assembly.kill()

    def _assembly(self, broker: kafka.Broker, learnt: Path, made: Path) -> Launch:
        options = ("-XX:AOTMode=create", f"-XX:AOTConfiguration={learnt}", f"-XX:AOTCache={made}")
        return broker.launch("quickstart", [], jvm=options)


def _politely() -> Sequence[str]:
    nice = shutil.which("nice")
    return (nice, "-n", "19") if nice else ()
