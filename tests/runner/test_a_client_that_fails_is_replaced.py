"""An error of the Kafka client costs a runner neither what it has to say nor its hearing."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError, KafkaException

from streams.runner import readers
from streams.runner.letters import Letter
from streams.runner.post import Post
from streams.runner.readers import Reader
from tests.processor.cluster import await_that


def test_a_letter_that_the_client_does_not_take_is_sent_by_a_new_one(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    post = Post("127.0.0.1:1", "one")
    broken, tried = post._producer, []

    def produce(letter: Letter, _: object) -> None:
        tried.append((letter, post._producer is broken))
        if post._producer is broken:
            raise KafkaException(KafkaError(KafkaError._FATAL))

    monkeypatch.setattr(post, "_produce", produce)
    letter = Letter("horae.commands", 0, b"k", b"v")
    post.send(letter)
    post.keep("report", letter)
    post.look()

    assert tried == [(letter, True), (letter, True), (letter, False)]
    assert post.undelivered == 1
    assert "not sent" in caplog.text
    post.close(0)


def test_a_reader_that_failed_reads_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Nobody:
        """A consumer of nothing."""

        def __init__(self, _: object) -> None: ...

        def close(self) -> None: ...

    seen: list[Nobody] = []

    class Source:
        """Fails once."""

        def attach(self, consumer: Nobody) -> None:
            seen.append(consumer)
            if len(seen) == 1:
                raise LookupError("a mistake")
            reader.ask_to_close()

        def take(self, *_: object) -> None: ...

    monkeypatch.setattr(readers, "Consumer", Nobody)
    reader = Reader("orders", {}, Source())  # type: ignore[arg-type]
    reader.begin()
    await_that(lambda: len(seen) == 2, "it reads anew")
    reader.close(5)

    assert "a mistake" in caplog.text
