"""
How is a worker of the traffic put together?

A name that no other has, a keeper over the log of minutes, and Faust, which brings the samples. It
works until a signal says stop.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from schemas.topics import SAMPLES
from streams.clock import SystemClock
from streams.instance import claim_instance
from streams.telemetry import Face
from streams.topics_check import require_topics
from streams.traffic.keeping import Keeper, Means
from streams.traffic.metrics import TrafficMetrics
from streams.traffic.settings import TrafficSettings
from streams.traffic.worker import Worker, leave, worker_app
from streams.traffic.written import Written

log = logging.getLogger(__name__)

ENDED_WITHIN = 15.0


def run_traffic(settings: TrafficSettings | None = None) -> None:
    """Run until a signal says stop; Halt is raised if its name is taken."""
    settings = settings or TrafficSettings()
    found = require_topics(settings.bootstrap)
    with ExitStack() as parts:
        instance = claim_instance(settings.locks, settings.instance)
        parts.callback(instance.release)
        log.info("worker %s", instance.name)
        asyncio.run(_run(settings, instance.name, found.partitions, parts))


async def _run(settings: TrafficSettings, instance: str, partitions: int, parts: ExitStack) -> None:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    metrics = TrafficMetrics()
    written = Written(settings.bootstrap, instance)
    thread = ThreadPoolExecutor(1, thread_name_prefix="written")
    parts.callback(written.close)
    parts.callback(thread.shutdown)
    worker = Worker(worker_app(settings, instance), settings)
    means = Means(worker.send, written, thread, SystemClock(), partitions, metrics)
    keeper = Keeper(means)
    if settings.port:
        face = Face(settings.port, metrics.registry, _health(worker, keeper), settings.host)
        parts.callback(face.close)
    working = asyncio.create_task(worker.work(keeper, stopping))
    told = asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait({working, told}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait_for(working, ENDED_WITHIN)
    except Exception as fault:  # noqa: BLE001 - what is not in order is seen from its exit code
        leave(fault)
    log.info("ended, %s is read on from where it was acknowledged", SAMPLES)


def _health(worker: Worker, keeper: Keeper) -> Callable[[], dict[str, str]]:
    def health() -> dict[str, str]:
        """What is wrong, by name."""
        if not worker.is_member:
            return {"partitions": "were not given out yet"}
        return {"partitions": "were not seen to for long"} if keeper.is_stuck() else {}

    return health
