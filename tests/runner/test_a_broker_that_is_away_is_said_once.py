"""An outage is a line or two in the log of a runner, and not one for each attempt to connect."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from confluent_kafka import KafkaError

from streams.runner.post import Post
from streams.runner.readers import Reader

REFUSED = KafkaError(KafkaError._TRANSPORT, "connect failed")
ALL_DOWN = KafkaError(KafkaError._ALL_BROKERS_DOWN, "all down")
FATAL = KafkaError(KafkaError._FATAL, "it is over", fatal=True)


def post() -> Callable[[KafkaError], None]:
    """Of a client that nobody asks, so that it says nothing of its own."""
    return Post("127.0.0.1:1", "one")._on_error


def reader() -> Callable[[KafkaError], None]:
    class Nothing:
        """Is not read."""

        def attach(self, *_: object) -> None: ...

        def take(self, *_: object) -> None: ...

    return Reader("one", {"client.id": "one"}, Nothing())._on_error


@pytest.mark.parametrize("client", [post, reader])
def test_what_is_said_of_an_outage(
    client: Callable[[], Callable[[KafkaError], None]], caplog: pytest.LogCaptureFixture
) -> None:
    tell = client()
    for error in (REFUSED, ALL_DOWN, *[REFUSED, ALL_DOWN] * 50, FATAL):
        tell(error)

    said = [record.getMessage().partition(": ")[2] for record in caplog.records]
    assert said == ["connect failed", "all down", "it is over"]
