"""
Is a command decided once, whatever the client makes of its place in the inbox?

A partition is read from where its state goes on and from nowhere else, also when the broker dies
while the client is finding its place; and should the client go back all the same, nothing is
decided a second time.
"""

from __future__ import annotations

import logging
import os
import signal
import time

import pytest
from confluent_kafka import TopicPartition

from schemas.commands import Trigger
from schemas.events import CommandUnchanged, Fired
from schemas.topics import COMMANDS
from streams.faults import PartitionStopped
from streams.processor.inbox import Inbox
from tests.processor.cluster import Cluster, await_that
from tests.processor.lives import (
    far_ahead,
    living,
    settings_for,
    step_for,
    step_until,
    until_firing,
)
from tests.processor.wire import ProxiedBroker

pytestmark = pytest.mark.broker

SENT = 10


class Onlooker:
    """Owns nothing, and freezes the broker as soon as a partition comes."""

    def __init__(self, kafka: ProxiedBroker) -> None:
        self.kafka = kafka
        self.partitions: list[int] = []
        self.closing = False

    def taken(self, partitions: list[int]) -> None:
        """The client is about to find its place."""
        self.partitions += partitions
        assert self.kafka.pid is not None
        os.kill(self.kafka.pid, signal.SIGSTOP)

    def lost(self, partitions: list[int]) -> None:
        """Not while the session is as long as this test."""
        assert self.closing, f"{partitions} were lost"

    def stop(self, fault: PartitionStopped) -> None:
        """Nothing is wrong with the log."""
        raise AssertionError(str(fault))


def test_a_broker_that_dies_while_a_place_is_looked_up_does_not_send_anybody_back(
    cluster: Cluster, kafka: ProxiedBroker, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(SENT):
        cluster.define(f"{cluster.subject(0)}/a", far_ahead("out"))
    caplog.set_level(logging.CRITICAL, "streams.processor.inbox")  # the broker is away on purpose
    onlooker = Onlooker(kafka)
    inbox = Inbox(settings_for(cluster, session_timeout=40.0), "reader", onlooker)
    try:
        deadline = time.monotonic() + 20
        while not onlooker.partitions:
            assert time.monotonic() < deadline, "no partition came"
            inbox.poll(0.05, 1)
        inbox.poll(0.3, 1)
        inbox.go_on_from({0: SENT - 3})
        kafka.kill()
        kafka.start()
        read: list[int] = []
        deadline = time.monotonic() + 20
        while SENT - 1 not in read:
            assert time.monotonic() < deadline, f"only {read} were read"
            read += [one.offset for one in inbox.poll(0.05, 100) if one.partition == 0]
        settled = time.monotonic() + 2  # a look-up that failed is tried again after half a second
        while time.monotonic() < settled:
            read += [one.offset for one in inbox.poll(0.05, 100) if one.partition == 0]
    finally:
        kafka.start()
        onlooker.closing = True
        inbox.close()

    assert read == list(range(SENT - 3, SENT))


def test_a_client_that_goes_back_is_sent_on_and_nothing_is_decided_twice(cluster: Cluster) -> None:
    out, subject = cluster.target(), cluster.subject(0)
    with living(cluster) as life:
        until_firing(cluster, life)
        cluster.define(f"{subject}/a", far_ahead(out))
        cluster.ask(f"{subject}/a", Trigger(), "once")
        step_until(lambda: cluster.read(out), life)
        before = cluster.group_offsets()

        life.processor.inbox._consumer.seek(TopicPartition(COMMANDS, 0, 0))
        step_until(lambda: life.aborts("AbortBatch"), life)
        step_for(0.5, life)
        assert cluster.group_offsets() == before
        cluster.ask(f"{subject}/a", Trigger(), "twice")
        step_until(lambda: len(cluster.read(out)) == 2, life)

    assert len(cluster.events(Fired)) == 2
    assert cluster.events(CommandUnchanged) == []
    await_that(lambda: len(cluster.replies()["once"]) == 1, "one reply")
