"""
How is a sampler put together?

The list of deployments is handed in, for it comes from the views; one sampler looks at all of them
until a signal says stop. Run one: what two of them count is counted twice.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterable
from contextlib import ExitStack

from streams.clock import SystemClock
from streams.telemetry import Face
from streams.topics_check import require_topics
from streams.traffic.looking import Looker
from streams.traffic.metrics import SamplerMetrics
from streams.traffic.posting import Posting
from streams.traffic.sampler import Sampler, Sampling, Watched
from streams.traffic.settings import SamplerSettings

SENT_WITHIN = 10.0
_SERVE_EVERY = 0.5


def run_sampler(settings: SamplerSettings, listed: Callable[[], Iterable[Watched]]) -> None:
    """Run until a signal says stop; `listed` blocks, and may fail."""
    found = require_topics(settings.bootstrap)
    metrics = SamplerMetrics()
    with ExitStack() as parts:
        posting = Posting(settings.bootstrap, "horae-sampler", metrics)
        parts.callback(posting.close, SENT_WITHIN)
        sampling = Sampling(
            settings, listed, posting.post, found.partitions, SystemClock(), metrics
        )
        asyncio.run(_run(sampling, posting, parts))


async def _run(sampling: Sampling, posting: Posting, parts: ExitStack) -> None:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    settings = sampling.settings
    async with Looker(settings, os.environ) as looker:
        sampler = Sampler(sampling, looker)
        if settings.port:
            health = _health(sampler, posting)
            face = Face(settings.port, sampling.metrics.registry, health, settings.host)
            parts.callback(face.close)
        serving = asyncio.create_task(_serve(posting))
        await sampler.run(stopping)
        serving.cancel()


def _health(sampler: Sampler, posting: Posting) -> Callable[[], dict[str, str]]:
    def health() -> dict[str, str]:
        """What is wrong, by name."""
        wrong = {} if sampler.has_list else {"deployments": "their list was not read yet"}
        return wrong | ({"broker": "cannot be reached"} if posting.away else {})

    return health


async def _serve(posting: Posting) -> None:
    while True:
        await asyncio.sleep(_SERVE_EVERY)
        posting.serve()
