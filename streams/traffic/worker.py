"""
Which client brings samples, and when has a batch of them been done?

Faust, of whose parts only these are trusted: `noack_take` hands out a batch, its minutes are sent
to explicit partitions, the broker's acknowledgements are awaited, and then the batch is
acknowledged. What is known is rebuilt from the log of minutes, no table of Faust's. Whatever goes
wrong ends the process, and whoever started it starts it again. What happens to a batch is
keeping.py; why it is so, decision 0041.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Iterable
from typing import Any, cast

import faust
from faust.types import TP, EventT, StreamT

from schemas.topics import SAMPLES
from streams.traffic.arrivals import Arrived
from streams.traffic.keeping import Keeper, Letter
from streams.traffic.settings import TrafficSettings

log = logging.getLogger(__name__)

_FAILED = 70
"""The exit code, which no signal has."""


def worker_app(settings: TrafficSettings, instance: str) -> faust.App:
    """An app of Faust's that serves nothing, leads nothing and creates nothing."""
    session = settings.session_timeout
    brokers = [f"kafka://{one.strip()}" for one in settings.bootstrap.split(",")]
    return faust.App(
        settings.group,
        broker=brokers,
        broker_client_id=instance,
        # The same worker comes back under the same name, and gets its partitions without a vote.
        consumer_group_instance_id=instance,
        consumer_auto_offset_reset="earliest",
        broker_session_timeout=session,
        broker_heartbeat_interval=session / 4,
        broker_request_timeout=max(2 * session, 15.0),
        broker_rebalance_timeout=max(session, 10.0),
        producer_acks=-1,
        store="memory://",
        # Nothing lies in it, but it is made: not in a current folder that may be read-only.
        datadir=settings.locks / "faust",
        web_enabled=False,
        topic_disable_leader=True,
        topic_allow_declare=False,
        stream_wait_empty=False,
        autodiscover=False,
    )


class Worker:
    """A keeper on an app of Faust's."""

    def __init__(self, app: faust.App, settings: TrafficSettings) -> None:
        self._app = app
        self._settings = settings
        self._keeper: Keeper | None = None
        self.is_member = False
        """Whether the group has told it once which partitions are its."""
        topic = app.topic(SAMPLES, key_type=bytes, value_type=bytes, value_serializer="raw")
        app.agent(topic, name="traffic")(self._batches)
        assigned, revoked = cast("Any", app.on_partitions_assigned), app.on_partitions_revoked
        assigned.connect(self._assigned, weak=False)
        cast("Any", revoked).connect(self._revoked, weak=False)

    async def send(self, letter: Letter) -> Awaitable[int]:
        """Hand a record to the client; what is returned waits for the broker."""
        producer = self._app.producer
        sent = await producer.send(
            letter.topic,
            letter.key,
            letter.value,
            partition=letter.partition,
            timestamp=None,
            headers=list(letter.headers),
        )
        return _offset_of(sent)

    async def work(self, keeper: Keeper, stopping: asyncio.Event) -> None:
        """Serve until told to stop; anything else that ends it ends the process."""
        self._keeper = keeper
        await self._app.start()
        watching = asyncio.create_task(self._watch(keeper))
        while not stopping.is_set():
            if self._app.crashed or self._app.should_stop:
                leave(self._app.crash_reason)
            try:
                await asyncio.wait_for(stopping.wait(), 0.2)
            except TimeoutError:
                continue
        watching.cancel()
        await self._app.stop()

    async def _batches(self, stream: StreamT[bytes]) -> AsyncIterator[None]:
        try:
            taken = cast("Any", stream).noack_take(
                self._settings.batch_cap, within=self._settings.gather
            )
            async for batch in taken:
                await self._batch(batch)
                yield
        except Exception as fault:  # noqa: BLE001 - Faust would go on without the batch
            leave(fault)

    async def _batch(self, batch: list[EventT[bytes]]) -> None:
        assert self._keeper is not None  # noqa: S101 - set before the app is started
        ours = [event for event in batch if self._is_ours(event)]
        await self._keeper.take([_arrived(event) for event in ours])
        for event in ours:
            # Of a partition that went away meanwhile nothing is acknowledged: whoever has it now
            # begins where it was left, and reads the minutes first.
            if self._is_ours(event):
                event.ack()

    def _is_ours(self, event: EventT[bytes]) -> bool:
        """Whether this came since the last assignment: what came before will come again."""
        message = event.message
        assert self._keeper is not None  # noqa: S101
        return message.generation_id == self._app.consumer_generation_id and self._keeper.owns(
            message.partition
        )

    async def _watch(self, keeper: Keeper) -> None:
        try:
            while True:
                await asyncio.sleep(self._settings.watch)
                await keeper.look()
        except Exception as fault:  # noqa: BLE001 - nobody waits for this task
            leave(fault)

    async def _assigned(self, _app: Any, assigned: Iterable[TP], **_: Any) -> None:
        partitions = sorted(place.partition for place in assigned if place.topic == SAMPLES)
        log.info("partitions %s", ", ".join(map(str, partitions)) or "none")
        if self._keeper is not None:
            self._keeper.own(partitions)
        self.is_member = True

    async def _revoked(self, _app: Any, _revoked: Iterable[TP], **_: Any) -> None:
        if self._keeper is not None:
            self._keeper.drop()


def leave(reason: BaseException | None) -> None:
    """End the process at once, not in order: what is not acknowledged is done again."""
    log.critical("the worker ends: %r", reason, exc_info=reason)
    logging.shutdown()
    os._exit(_FAILED)


async def _offset_of(sent: Awaitable[Any]) -> int:
    return int((await sent).offset)


def _arrived(event: EventT[bytes]) -> Arrived:
    message = event.message
    headers: Any = message.headers or ()
    pairs = headers.items() if isinstance(headers, dict) else headers
    return Arrived(
        message.partition,
        message.offset,
        round(message.timestamp * 1_000) * 1_000,
        message.key,
        message.value,
        tuple(pairs),
    )
