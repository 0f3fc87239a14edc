"""
How are the client's connections set up?

Every option that matters is set by hand, none is left to a default that a library's next release
may change.
"""

from __future__ import annotations

import logging

Options = dict[str, str | int | float | bool | logging.Logger]

_LOG = logging.getLogger("horae.client.kafka")
_LOG.addHandler(logging.NullHandler())
# The library reports each failed connection; what matters of that arrives as a fault.
_LOG.propagate = False

RECORD_LIMIT = 1_048_576


def connection(bootstrap: str) -> Options:
    """What every connection has in common."""
    return {
        "bootstrap.servers": bootstrap,
        "client.id": "horae-client",
        "socket.timeout.ms": 10_000,
        "socket.connection.setup.timeout.ms": 5_000,
        "socket.keepalive.enable": True,
        "reconnect.backoff.ms": 50,
        "reconnect.backoff.max.ms": 1_000,
        "allow.auto.create.topics": False,
        "logger": _LOG,
    }


def producer(bootstrap: str, within: float) -> Options:
    """Orders are confirmed by all replicas, in order and once."""
    return {
        **connection(bootstrap),
        "acks": "all",
        "enable.idempotence": True,
        "max.in.flight.requests.per.connection": 5,
        "retries": 2_147_483_647,
        "retry.backoff.ms": 50,
        "message.timeout.ms": max(1, int(within * 1_000)),
        "message.max.bytes": RECORD_LIMIT,
        # A single order waits for the next one no longer than a person notices.
        "linger.ms": 2,
        "queue.buffering.max.messages": 100_000,
        "queue.buffering.max.kbytes": 65_536,
        "compression.type": "none",
        "partitioner": "murmur2_random",
    }


def consumer(bootstrap: str) -> Options:
    """Replies are read once they are final; no group is joined and nothing is committed."""
    return {
        **connection(bootstrap),
        # The library demands a name, even where no group is joined.
        "group.id": "horae-client",
        "isolation.level": "read_committed",
        # A position that is gone must be seen as an error, never moved in silence.
        "auto.offset.reset": "error",
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
        "enable.partition.eof": False,
        "check.crcs": True,
        "fetch.min.bytes": 1,
        "fetch.wait.max.ms": 100,
        "fetch.error.backoff.ms": 50,
        "queued.max.messages.kbytes": 16_384,
    }
