"""
What keeps the views up to date?

The loop: follows the log into the serving version's tables until it is told to stop. What is
transient is tried again from the stored offsets, a swapped-in version is followed, and anything
that needs a person ends it loudly. How a batch gets into the tables is following.py and writer.py.
"""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable
from contextlib import closing
from http.server import ThreadingHTTPServer
from threading import Event
from time import monotonic

from projections.faults import NotServing, StopsProjection, Transient
from projections.following import Follower
from projections.log import Log
from projections.metrics import Telemetry, serve
from projections.records import Sources
from projections.settings import ProjectorSettings
from projections.sqlstates import sorted_faults
from projections.tracking import Tracked
from projections.versions import connect, open_serving
from projections.writer import Writer

logger = logging.getLogger(__name__)

_SLICE_SECONDS = 0.1


def run(
    settings: ProjectorSettings,
    stopping: Callable[[], bool],
    *,
    sources: Sources | None = None,
    telemetry: Telemetry | None = None,
) -> None:
    """Keep the views up to date until told to stop."""
    sources = sources or Sources()
    telemetry = telemetry or Telemetry(monotonic)
    pause = settings.retry_first_seconds
    while not stopping():
        before = telemetry.batches
        try:
            follow(settings, stopping, sources, telemetry)
        except NotServing as news:
            logger.info("%s; following the new one", news)
        except Transient as fault:
            pause = settings.retry_first_seconds if telemetry.batches > before else pause * 2
            pause = min(pause, settings.retry_most_seconds)
            telemetry.fault(fault)
            logger.warning("again in %.1f s: %s", pause, fault)
            _wait(pause, stopping)
        except StopsProjection as fault:
            telemetry.fault(fault)
            telemetry.state("stopped")
            raise


def follow(
    settings: ProjectorSettings,
    stopping: Callable[[], bool],
    sources: Sources,
    telemetry: Telemetry,
) -> None:
    """Follow the log into the serving version, as long as it is the serving one."""
    tracked = Tracked()
    readers = sources.readers(tracked)
    with connect(settings.postgres_dsn.get_secret_value()) as connection:
        telemetry.state("standby")
        version = open_serving(connection, stopping)
        if version is None:
            return
        writer = Writer(
            connection,
            version,
            readers,
            retention_days=settings.occurrence_retention_days,
            keeping=settings.keeping,
            pace=settings.pace,
        )
        with sorted_faults():
            tracked.load(connection)
        with (
            closing(Log(settings.bootstrap, readers)) as log,
            Follower(log, writer, readers, settings, telemetry) as follower,
        ):
            follower.begin()
            telemetry.state("following", version.number)
            logger.info("version %d of the views follows the log", version.number)
            while not stopping():
                follower.step(lambda: log.read(settings.batch_records, settings.gather_seconds))
            follower.settle()


def main(settings: ProjectorSettings | None = None) -> None:
    """Run as a process until SIGTERM or SIGINT; settings from the environment if none are given."""
    settings = settings or ProjectorSettings()
    stop = Event()
    for which in (signal.SIGTERM, signal.SIGINT):
        signal.signal(which, lambda *_: stop.set())
    telemetry = Telemetry(monotonic)
    server = _served(telemetry, settings)
    logger.info(
        "projector at %s, metrics http://%s:%d/metrics",
        settings.bootstrap,
        settings.projector_host,
        server.server_address[1],
    )
    try:
        run(settings, stop.is_set, telemetry=telemetry)
    except StopsProjection as fault:
        logger.critical("the projection stopped: %s: %s", type(fault).__name__, fault)
        raise SystemExit(f"the projection stopped: {fault}") from fault
    finally:
        server.shutdown()


def _served(telemetry: Telemetry, settings: ProjectorSettings) -> ThreadingHTTPServer:
    """Metrics and health over HTTP; an OSError names the address and its setting."""
    host, port = settings.projector_host, settings.projector_port
    try:
        return serve(telemetry, host, port)
    except OSError as fault:
        where = f"{host}:{port}"
        raise OSError(fault.errno, f"{fault.strerror} (HORAE_PROJECTOR_PORT)", where) from fault


def _wait(seconds: float, stopping: Callable[[], bool]) -> None:
    until = monotonic() + seconds
    while monotonic() < until and not stopping():
        Event().wait(min(_SLICE_SECONDS, seconds))
