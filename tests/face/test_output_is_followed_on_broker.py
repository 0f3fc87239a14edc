"""Is what a run writes read from the real topic, its own only, to the end?"""

from __future__ import annotations

import secrets

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from horae import output_tail
from horae.client.faults import NoTopic
from horae.local.kafka import Broker
from horae.output_tail import OutputTail
from schemas.codec import encode
from schemas.identity import partition_of
from schemas.orders import OutputChunk
from streams.clock import Deadline, SystemClock

PARTITIONS = 3
HOUR = 3_600_000_000


@pytest.fixture
def topic(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> str:
    """A topic of its own in the place of horae.output."""
    name = f"output-{secrets.token_hex(4)}"
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    admin.create_topics([NewTopic(name, PARTITIONS, 1)])[name].result()
    producer = Producer({"bootstrap.servers": broker.bootstrap})
    for partition in range(PARTITIONS):  # each has its leader once it has taken a record
        producer.produce(name, key=b"jr_before", value=b"", partition=partition)
    assert producer.flush(30) == 0
    monkeypatch.setattr(output_tail, "OUTPUT", name)
    return name


def write(broker: Broker, topic: str, run: str, subject: str, *texts: str) -> None:
    producer = Producer({"bootstrap.servers": broker.bootstrap})
    where = partition_of(subject, PARTITIONS)
    for number, text in enumerate(texts):
        chunk = OutputChunk(run, 1, number, text, SystemClock().wall())
        producer.produce(topic, key=run.encode(), value=encode(chunk), partition=where)
    producer.produce(topic, key=run.encode(), value=b"no chunk", partition=where)
    assert producer.flush(10) == 0


def read_to(tail: OutputTail, end: int) -> list[str]:
    found: list[str] = []
    deadline = Deadline.after(20.0)
    while not tail.is_at(end):
        assert not deadline.over
        found += [chunk.text for chunk in tail.read(0.2)]
    return found


def test_all_that_a_run_wrote_since_it_began_is_read_and_nothing_of_others(
    broker: Broker, topic: str
) -> None:
    begun = SystemClock().wall() - HOUR
    write(broker, topic, "jr_one", "shop", "a", "b")
    write(broker, topic, "jr_two", "shop", "not this")
    with OutputTail(broker.bootstrap, "shop", "jr_one", begun) as tail:
        before = read_to(tail, tail.end())
        write(broker, topic, "jr_one", "shop", "c")
        after = read_to(tail, tail.end())

    assert (before, after) == (["a", "b"], ["c"])


def test_of_a_topic_that_has_nothing_so_late_only_what_comes_is_read(
    broker: Broker, topic: str
) -> None:
    write(broker, topic, "jr_one", "shop", "old")
    with OutputTail(broker.bootstrap, "shop", "jr_one", SystemClock().wall() + HOUR) as tail:
        write(broker, topic, "jr_one", "shop", "new")
        found = read_to(tail, tail.end())

    assert found == ["new"]


@pytest.mark.usefixtures("topic")
@pytest.mark.parametrize("later", [-HOUR, HOUR], ids=["from before", "from its end on"])
def test_the_end_is_reached_where_a_run_has_written_nothing(broker: Broker, later: int) -> None:
    with OutputTail(broker.bootstrap, "shop", "jr_one", SystemClock().wall() + later) as tail:
        assert read_to(tail, tail.end()) == []


def test_a_topic_that_is_missing_is_said_to_be_so(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output_tail, "OUTPUT", "no-such-output")

    with pytest.raises(NoTopic):
        OutputTail(broker.bootstrap, "shop", "jr_one", 0)
