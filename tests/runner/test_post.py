"""Is what a runner has to say kept until the log has it?"""

from __future__ import annotations

import logging
from collections.abc import Hashable

import pytest

from horae.local.kafka import Broker
from schemas.actions import Http
from schemas.codec import decode_as
from schemas.commands import ReportRun, ReportStatus
from streams.runner import post
from streams.runner.letters import Letter, Span, Writer
from streams.runner.output import Kept
from streams.runner.post import Post
from streams.runner.work import Outcome, Runner
from tests.processor.cluster import await_that, fresh_cluster
from tests.runner.orders import order_of

pytestmark = pytest.mark.broker


def report(partitions: int) -> Letter:
    """The report that a task was begun and has ended."""
    outcome = Outcome(ReportStatus.SUCCESS, "task t1 ended completed", 202, "t1")
    writer = Writer(Runner("node-1", 1), partitions)
    return writer.report(order_of(Http("x")), outcome, Kept("", cut=False), Span(1, 2))


def test_the_id_of_a_task_is_written_once_however_often_that_failed(
    broker: Broker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """IT-032: writing it fails twice, then works; where it never works, an error is logged."""
    monkeypatch.setattr(post, "SENT_WITHIN", 0.3)
    with fresh_cluster(broker.bootstrap, 2) as cluster, caplog.at_level(logging.WARNING):
        letter = report(2)
        sender = Post(broker.bootstrap, "node-1")
        broker.kill()
        try:
            sender.keep("the report", letter)
            arrived: list[Hashable] = []

            def failures() -> int:
                arrived.extend(sender.look())
                return sum("sent again" in one.getMessage() for one in caplog.records)

            await_that(lambda: failures() >= 2, "two failures")
            assert arrived == []
            hopeless = Post(broker.bootstrap, "node-2")
            hopeless.keep("the report", letter)
            hopeless.close(within=0.5)
        finally:
            broker.start()
        monkeypatch.setattr(post, "SENT_WITHIN", 10.0)
        await_that(lambda: failures() and arrived, "the report in the log", within=30)
        sender.close(within=5)

        found = cluster.read(letter.topic)
        assert arrived == ["the report"]
        assert sender.undelivered == 0
        assert {one.key for one in found} == {letter.key}
        said = decode_as(found[0].value or b"", ReportRun)
        assert said.result is not None
        assert said.result.reference == "t1"
    errors = [one.getMessage() for one in caplog.records if one.levelno == logging.ERROR]
    assert errors == ["1 reports could not be sent; their runs are interrupted"]
