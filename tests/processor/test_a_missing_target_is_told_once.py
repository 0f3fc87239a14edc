"""Does the log say of a target that it is not there, and not twice a second?"""

from __future__ import annotations

import logging
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from schemas.definition import SECOND
from schemas.globals import GlobalSettings
from streams.decider.state import World
from streams.processor.targets import Targets

WORLD = World(settings=GlobalSettings(emit_topics=("*",), at=0))


class Admin:
    """A broker that has some topics."""

    def __init__(self) -> None:
        self.there: set[str] = set()

    def describe_configs(self, resources: list[Any], **_: object) -> dict[Any, Future[Any]]:
        """Settings of those that are there."""
        return {resource: self._answer(resource.name) for resource in resources}

    def _answer(self, name: str) -> Future[Any]:
        answer: Future[Any] = Future()
        if name in self.there:
            values = {"max.message.bytes": "1000000", "cleanup.policy": "delete"}
            answer.set_result({key: SimpleNamespace(value=text) for key, text in values.items()})
        else:
            error = KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART)
            answer.set_exception(KafkaException(error))
        return answer


def test_a_missing_target_is_told_once_until_it_is_there(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    admin = Admin()
    targets = Targets(admin, 1)  # type: ignore[arg-type]

    for now in range(0, 10 * SECOND, SECOND):
        targets.prepare(["here-not"], now, WORLD)
    [told] = caplog.records
    admin.there.add("here-not")
    targets.prepare(["here-not"], 20 * SECOND, WORLD)

    assert told.levelno == logging.WARNING
    assert "'here-not' does not exist" in told.getMessage()
    assert caplog.records[1:] == [caplog.records[-1]]
    assert "takes records now" in caplog.records[-1].getMessage()
