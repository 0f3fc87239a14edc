"""
Who else may be at work on the broker?

A transactional producer and a member of the group that are no processors of ours, for what a
processor could be frozen in the middle of.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from confluent_kafka import Consumer, Producer

from schemas.topics import COMMANDS
from tests.processor.cluster import GROUP, Cluster, await_that


@contextmanager
def stranger(cluster: Cluster) -> Iterator[Producer]:
    """A transactional producer that is no processor of ours."""
    producer = Producer(
        {
            "bootstrap.servers": cluster.bootstrap,
            "transactional.id": "stranger",
            "transaction.timeout.ms": 30_000,
            "log_level": 0,
        }
    )
    producer.init_transactions(10)
    yield producer
    producer.purge()
    producer.close()


@contextmanager
def member_of_the_group(cluster: Cluster) -> Iterator[Consumer]:
    """A member of the processors' group."""
    consumer = Consumer(
        {
            "bootstrap.servers": cluster.bootstrap,
            "group.id": GROUP,
            "partition.assignment.strategy": "cooperative-sticky",
            "log_level": 0,
        }
    )
    consumer.subscribe([COMMANDS])
    await_that(lambda: consumer.poll(0.1) or len(consumer.assignment()) == 2, "it has joined")
    yield consumer
    consumer.close()
