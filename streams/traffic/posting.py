"""
How does what a sampler saw get into the log?

Handed over at once, and sent by the client in its own time: for some minutes it is kept while no
broker can be reached; what is older than that is counted and left out.
"""

from __future__ import annotations

import logging
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Producer

from streams.traffic.keeping import Letter
from streams.traffic.metrics import SamplerMetrics

log = logging.getLogger(__name__)

KEPT = 600.0
"""Seconds: what is an hour late is left out anyway."""


class Posting:
    """The way to the broker."""

    def __init__(self, bootstrap: str, name: str, metrics: SamplerMetrics) -> None:
        self._metrics = metrics
        self._away = False
        self._producer = Producer(
            {
                "bootstrap.servers": bootstrap,
                "client.id": name,
                "acks": "all",
                "enable.idempotence": True,
                "linger.ms": 5,
                "message.timeout.ms": int(KEPT * 1_000),
                "reconnect.backoff.max.ms": 1_000,
                "allow.auto.create.topics": False,
                "log_level": 0,  # what goes wrong is said by error_cb
                "error_cb": self._failed,
            }
        )

    @property
    def away(self) -> bool:
        """Whether no broker can be reached."""
        return self._away

    def post(self, letter: Letter) -> None:
        """Hand a record over; one too many is left out."""
        try:
            self._producer.produce(
                letter.topic,
                letter.value,
                letter.key,
                letter.partition,
                on_delivery=self._delivered,
                headers=list(letter.headers),
            )
        except (BufferError, KafkaException) as fault:
            self._lose(letter.topic, str(fault))
        self.serve()

    def serve(self) -> None:
        """Hear what became of what was sent."""
        self._producer.poll(0)
        self._metrics.undelivered.set(len(self._producer))

    def close(self, within: float) -> None:
        """Send what is left."""
        left = self._producer.flush(within)
        if left:
            log.warning("%d records did not reach the broker", left)

    def _delivered(self, error: KafkaError | None, message: Any) -> None:
        if error is None:
            self._away = False
        else:
            self._lose(message.topic(), error.str())

    def _lose(self, topic: str, why: str) -> None:
        self._metrics.lost.inc()
        log.warning("not sent to %s: %s", topic, why)

    def _failed(self, error: KafkaError) -> None:
        if error.code() == KafkaError._ALL_BROKERS_DOWN and not self._away:  # noqa: SLF001
            log.warning("no broker can be reached: what is seen is kept for %g s", KEPT)
            self._away = True
