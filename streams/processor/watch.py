"""
May this process trust its clock?

A probe record every few seconds gives the difference to the broker's clock. A large difference
stops all firing until an operator accepts it; a sudden jump of the wall clock stops it until a
fresh probe has answered: a jump that the broker shares is downtime, and lateness rules apply.
"""

from __future__ import annotations

import logging
from typing import Any

from confluent_kafka import KafkaError, Message, Producer

from schemas.definition import HOUR, SECOND
from schemas.globals import ClockAccepted
from schemas.topics import CONTROL
from streams.clock import Clock
from streams.settings import ProcessorSettings

log = logging.getLogger(__name__)

JUMP = SECOND
"""Wall minus monotonic time may move by this much between two looks."""
PROBE_TIMEOUT = 5.0
WORD_HOLDS = 24 * HOUR
"""An acceptance that is older, by the broker's clock, says nothing about today's difference."""


class Watch:
    """The difference between our clock and the broker's, and what it allows."""

    def __init__(self, settings: ProcessorSettings, name: str, clock: Clock) -> None:
        self._clock = clock
        self._alarm = int(settings.clock_alarm * SECOND)
        self._limit = int(settings.clock_limit * SECOND)
        self._every = int(settings.clock_probe * SECOND)
        self._name = name.encode()
        self._offset = clock.wall() - clock.monotonic()
        self._jumped = True
        self._jumps = 0
        self._probing_since: int | None = None
        self._last_probe: int | None = None
        self._accepted = 0
        self._acceptance: ClockAccepted | None = None
        self.difference: int | None = None
        """The broker's clock minus ours, in microseconds; None before the first answer."""
        self._producer = Producer(
            {
                "bootstrap.servers": settings.bootstrap,
                "client.id": f"{name}-probe",
                "acks": "all",
                "linger.ms": 0,
                "message.timeout.ms": int(PROBE_TIMEOUT * 1000),
                "log_level": 3,
            }
        )

    def look(self, acceptance: ClockAccepted | None) -> None:
        """Notice jumps, send a probe when one is due, and take its answer."""
        wall, monotonic = self._clock.wall(), self._clock.monotonic()
        if abs(wall - monotonic - self._offset) > JUMP:
            moved = (wall - monotonic - self._offset) / SECOND
            log.warning("the wall clock moved by %+.3f s; waiting for a fresh probe", moved)
            self._jumped = True
            self._jumps += 1
            self._probing_since = None
        self._offset = wall - monotonic
        self._accept(acceptance)
        if self._is_probe_due(monotonic):
            self._probe(wall, monotonic)
        self._producer.poll(0)

    @property
    def trusted(self) -> bool:
        """Whether anything may fire."""
        return self.objection is None

    @property
    def objection(self) -> str | None:
        """Why nothing may fire, for health and logs."""
        if self._jumped or self.difference is None:
            return "the clock is being compared with the broker's"
        if any(abs(self.difference - fine) <= self._limit for fine in (0, self._accepted)):
            return None
        seconds = self.difference / SECOND
        return f"the broker's clock differs by {seconds:+.1f} s; see `horae clock accept`"

    def close(self) -> None:
        """Send nothing more."""
        self._producer.purge()
        del self._producer

    def _accept(self, acceptance: ClockAccepted | None) -> None:
        """An operator's word counts for the difference that there is when it is first heard.

        A word from long ago, read again after a start, was said about another difference.
        """
        if acceptance is self._acceptance or acceptance is None:
            return
        if self.difference is None or self._jumped:
            return  # not known yet what it would be about
        self._acceptance = acceptance
        age = self._clock.wall() + self.difference - acceptance.at
        if abs(age) > abs(self.difference) + WORD_HOLDS:
            log.warning("an acceptance of %d h ago does not count any more", age // HOUR)
            return
        self._accepted = self.difference
        level = logging.WARNING if abs(self.difference) > self._alarm else logging.INFO
        log.log(level, "a difference of %+.1f s is accepted", self.difference / SECOND)

    def _is_probe_due(self, monotonic: int) -> bool:
        if self._probing_since is not None:
            return monotonic - self._probing_since > PROBE_TIMEOUT * SECOND
        if self._jumped or self._last_probe is None:
            return True
        return monotonic - self._last_probe >= self._every

    def _probe(self, wall: int, monotonic: int) -> None:
        self._probing_since = monotonic
        jumps = self._jumps

        def answered(error: KafkaError | None, message: Message) -> None:
            if error is not None or self._jumps != jumps:
                self._probing_since = None
                return
            self._take(message.timestamp()[1] * 1_000, wall)

        options: dict[str, Any] = {"key": b"#probe:" + self._name, "value": b"", "partition": 0}
        self._producer.produce(CONTROL, on_delivery=answered, **options)

    def _take(self, appended: int, sent: int) -> None:
        arrived = self._clock.wall()
        self.difference = _outside(appended, sent, arrived)
        self._probing_since = None
        self._last_probe = self._clock.monotonic()
        self._jumped = False
        if abs(self.difference) > self._alarm:
            log.error("the broker's clock differs by %+.3f s", self.difference / SECOND)


def _outside(appended: int, sent: int, arrived: int) -> int:
    """How far the broker's time lies outside the span in which it was asked; 0: inside."""
    if appended < sent - 1_000:  # its clock ticks in milliseconds
        return appended - sent
    return max(0, appended - arrived)
