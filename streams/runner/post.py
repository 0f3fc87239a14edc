"""
How does what a runner says get into the log?

Beats, claims and pieces of output are sent once: what is late is worth nothing. Reports and
declines are kept until the broker has them, however long that is away, and sent again; the id of
each says that it is the same one. Belongs to the loop's thread.
"""

from __future__ import annotations

import logging
from collections.abc import Hashable, Iterable
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from schemas.units import SECOND
from streams.clock import Deadline, SystemClock, boottime
from streams.runner.letters import Letter

log = logging.getLogger(__name__)

SENT_WITHIN = 10.0
"""Seconds after which the client gives a record up, and it is sent again or is not worth it."""
AGAIN_AFTER = SECOND // 2


def producer_options(bootstrap: str, name: str) -> dict[str, Any]:
    """What order and completeness rest on, set by hand."""
    return {
        "bootstrap.servers": bootstrap,
        "client.id": name,
        "acks": "all",
        "enable.idempotence": True,
        "linger.ms": 0,
        "message.timeout.ms": int(SENT_WITHIN * 1_000),
        "retry.backoff.ms": 20,
        "reconnect.backoff.max.ms": 1_000,
        "allow.auto.create.topics": False,
        "log_level": 0,  # what goes wrong is said by error_cb
    }


class Post:
    """What is on its way to the broker."""

    def __init__(self, bootstrap: str, name: str) -> None:
        self._options = producer_options(bootstrap, name)
        self._clock = SystemClock()
        self._broken = False
        self._away = False
        self._kept: dict[Hashable, Letter] = {}
        self._again: dict[Hashable, int] = {}
        """What was not delivered, and when it is sent again; monotonic microseconds."""
        self._arrived: list[Hashable] = []
        self._began = self._clock.wall() - boottime()
        """When this machine began, by the broker's clock once that is known: ours may be wrong."""
        self._producer = self._connected()

    @property
    def undelivered(self) -> int:
        """How many letters are kept."""
        return len(self._kept)

    def now(self) -> int:
        """What time it is for those who read what is sent: that of the broker; from any thread."""
        return self._began + boottime()

    def send(self, letter: Letter) -> None:
        """Send it once."""
        try:
            self._produce(letter, _sent)
        except BufferError:
            log.warning("the queue to the broker is full: not sent to %s", letter.topic)
        except KafkaException as fault:
            self._note(fault)

    def keep(self, name: Hashable, letter: Letter) -> None:
        """Send it until the broker has it; `name` tells it from all others."""
        self._kept[name] = letter
        self._try(name)

    def look(self) -> list[Hashable]:
        """Hear of what was sent, send again what was not; the names of what has arrived."""
        self._producer.poll(0)
        if self._broken:
            self._broken = False
            log.warning("a new producer takes the place of one that broke")
            self._producer.purge()
            self._producer = self._connected()
            self._again = dict.fromkeys(self._kept, 0)
        now = self._clock.monotonic()
        for name in [name for name, at in self._again.items() if at <= now]:
            del self._again[name]
            self._try(name)
        arrived, self._arrived = self._arrived, []
        return arrived

    def deliver(self, letters: Iterable[Letter], within: float) -> bool:
        """Send these, and wait until the broker has all of them; False: not in time."""
        names = []
        for letter in letters:
            names.append(object())
            self.keep(names[-1], letter)
        deadline = Deadline.after(within)
        while any(name in self._kept for name in names):
            if deadline.over:
                return False
            self._producer.poll(0.05)
            self.look()
        return True

    def close(self, within: float) -> None:
        """Wait for what is kept, and send nothing more."""
        deadline = Deadline.after(within)
        while self._kept and not deadline.over:
            self._producer.poll(0.05)
            self.look()
        if self._kept:
            log.error("%d reports could not be sent; their runs are interrupted", len(self._kept))
        self._producer.flush(deadline.left)
        self._producer.purge()

    def _connected(self) -> Producer:
        return Producer(self._options | {"error_cb": self._on_error})

    def _try(self, name: Hashable) -> None:
        letter = self._kept.get(name)
        if letter is None:
            return

        def answered(error: KafkaError | None, sent: Message) -> None:
            if error is None:
                self._away = False
                self._began = sent.timestamp()[1] * 1_000 - boottime()
                if self._kept.pop(name, None) is not None:
                    self._arrived.append(name)
            elif name in self._kept:
                log.warning("not delivered so far, sent again: %s", error.str())
                self._again[name] = self._clock.monotonic() + AGAIN_AFTER

        try:
            self._produce(letter, answered)
        except BufferError:
            self._again[name] = self._clock.monotonic() + AGAIN_AFTER
        except KafkaException as fault:
            self._note(fault)
            self._again[name] = self._clock.monotonic() + AGAIN_AFTER

    def _note(self, fault: KafkaException) -> None:
        """The client took nothing: one that is broken says so here before it says so by itself."""
        error = fault.args[0]
        log.warning("not sent: %s", error.str())
        self._broken = self._broken or error.code() == KafkaError._FATAL  # noqa: SLF001 - the client's own name

    def _produce(self, letter: Letter, answered: Any) -> None:
        self._producer.produce(
            letter.topic,
            letter.value,
            letter.key,
            letter.partition,
            on_delivery=answered,
            headers=list(letter.headers),
        )

    def _on_error(self, error: KafkaError) -> None:
        is_away = error.code() == KafkaError._ALL_BROKERS_DOWN  # noqa: SLF001 - the client's own name
        # Each attempt to connect fails anew, many times a second.
        if error.fatal() or not self._away:
            log.warning("producer: %s", error.str())
        self._away = self._away or is_away
        self._broken = self._broken or error.fatal()


def _sent(error: KafkaError | None, message: Message) -> None:
    if error is not None:
        log.warning("not sent to %s: %s", message.topic(), error.str())
