"""
Does a sender learn what became of its command, and what may have happened if nobody answers?

On a real broker, with a stand-in that answers where one is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest
from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

from horae.client import Client, NoReply, NoTopic, NotReachable, Order
from horae.local.kafka import Broker
from schemas import codec
from schemas.commands import Define, Pause, ReportActivity, Trigger
from schemas.definition import Definition, Emit, Interval
from schemas.faults import FieldFault
from schemas.globals import ClockAccepted, Hold
from schemas.identity import IdFault, partition_of
from schemas.reading_traffic import read_sample
from schemas.replies import Reply, Verdict
from schemas.topics import COMMANDS, GLOBALS, SAMPLES, Part
from schemas.traffic import Sample
from streams.topics_check import TopicsOf
from streams.topics_outlook import Wishes
from tests.face.answering import REFUSED, Answering, answering, headers_of

pytestmark = pytest.mark.broker

EVERY_MINUTE = Definition((Interval(micros=60_000_000),), Emit("out", value=b"x"))
WISHES = Wishes(partitions=3, parts=tuple(Part))
TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


@pytest.fixture(scope="module")
def bootstrap(broker: Broker) -> str:
    topics = TopicsOf(broker.bootstrap)
    topics.create(topics.look(WISHES).missing)
    return broker.bootstrap


@pytest.fixture
def answers(bootstrap: str) -> Iterator[Answering]:
    with answering(bootstrap) as found:
        yield found


@pytest.fixture
def client(bootstrap: str) -> Iterator[Client]:
    with Client(bootstrap, actor="user:ann", within=20) as found:
        yield found


@pytest.fixture
def schedule() -> str:
    return f"s{uuid4().hex[:8]}/nightly"


def test_a_definition_is_answered(client: Client, answers: Answering, schedule: str) -> None:
    reply = client.define(schedule, EVERY_MINUTE, expected_version=7)

    [message] = answers.seen
    assert (reply.verdict, reply.schedule) == (Verdict.ACCEPTED, schedule)
    assert (message.topic(), message.key()) == (COMMANDS, schedule.encode())
    assert codec.decode(message.value() or b"") == Define(EVERY_MINUTE, 7)
    assert headers_of(message)["horae-actor"] == b"user:ann"


def test_a_sample_lies_in_the_partition_of_its_subject(
    client: Client, bootstrap: str, schedule: str
) -> None:
    subject = schedule.partition("/")[0]
    sample = Sample(5, 1, 2, 3, 4)

    client.send_sample(subject, sample)
    with pytest.raises(FieldFault, match="in_flight"):
        client.send_sample(subject, Sample(5, -1, 0))
    with pytest.raises(IdFault):
        client.send_sample("a#b", sample)

    reader = Consumer({"bootstrap.servers": bootstrap, "group.id": "samples"})
    try:
        there = reader.list_topics(SAMPLES, timeout=20).topics[SAMPLES].partitions
        place = partition_of(subject, len(there))  # who made the topic first says how many
        reader.assign([TopicPartition(SAMPLES, place, OFFSET_BEGINNING)])
        read = (reader.poll(20) for _ in range(10_000))  # of other tests there may be some, too
        found = next(one for one in read if one is None or one.key() == subject.encode())
    finally:
        reader.close()
    assert found is not None
    assert read_sample(found.key(), found.value()) == (subject, sample)


def test_an_order_may_be_sent_in_the_name_of_somebody_else(
    client: Client, answers: Answering, schedule: str
) -> None:
    client.ask(Order(schedule, Trigger(), id="my-own", actor="token:ci"))
    client.tell("hold", Hold(False, "why", "token:ops", 5, "mine-too"))

    trigger, hold = map(headers_of, answers.seen)
    assert (trigger["horae-id"], trigger["horae-actor"]) == (b"my-own", b"token:ci")
    assert (hold["horae-id"], hold["horae-actor"]) == (b"mine-too", b"token:ops")


def test_a_command_goes_to_the_partition_of_its_subject(
    client: Client, answers: Answering, bootstrap: str, schedule: str
) -> None:
    client.define(schedule, EVERY_MINUTE)

    count = TopicsOf(bootstrap).look().partitions
    assert answers.seen[0].partition() == partition_of(schedule.partition("/")[0], count)


def test_a_removal_is_a_null_under_the_same_key(
    client: Client, answers: Answering, schedule: str
) -> None:
    client.remove(schedule)

    [message] = answers.seen
    assert (message.key(), message.value()) == (schedule.encode(), None)


def test_other_commands_have_a_key_of_their_own(
    client: Client, answers: Answering, schedule: str
) -> None:
    client.pause(schedule, "moving house", until=1_000_000)
    client.resume(schedule)
    client.trigger(schedule)

    keys = [(message.key() or b"").decode() for message in answers.seen]
    ids = [headers_of(message)["horae-id"].decode() for message in answers.seen]
    assert keys == [
        f"{schedule}#{kind}:{id_}"
        for kind, id_ in zip(("pause", "resume", "trigger"), ids, strict=True)
    ]
    assert codec.decode(answers.seen[0].value() or b"") == Pause("moving house", 1_000_000)


def test_what_a_subject_is_asked_goes_where_its_schedules_go(
    client: Client, answers: Answering, bootstrap: str, schedule: str
) -> None:
    subject = schedule.partition("/")[0]
    held = client.hold_subject(subject, "move")
    client.report_activity(subject, ReportActivity(1, 0, 5))

    hold, activity = answers.seen
    id_ = headers_of(hold)["horae-id"].decode()
    assert (held.schedule, hold.key()) == (f"{subject}/", f"{subject}/#hold:{id_}".encode())
    assert activity.key() == f"{subject}/#activity".encode()
    assert {hold.partition(), activity.partition()} == {
        partition_of(subject, TopicsOf(bootstrap).look().partitions)
    }


def test_the_trace_goes_along(client: Client, answers: Answering, schedule: str) -> None:
    client.ask(Order(schedule, Define(EVERY_MINUTE), trace=TRACE))

    assert headers_of(answers.seen[0])["traceparent"] == TRACE.encode()


def test_a_refusal_is_a_reply(client: Client, answers: Answering) -> None:
    reply = client.define(f"{REFUSED}/nightly", EVERY_MINUTE)

    assert len(answers.seen) == 1
    assert (reply.verdict, reply.field) == (Verdict.REFUSED, "zone")


def test_a_hold_goes_to_everyone_under_one_key(client: Client, answers: Answering) -> None:
    client.hold("freeze", at=5)
    client.lift(at=6)
    client.accept_clock("checked", at=7)

    records = [codec.decode(message.value() or b"") for message in answers.seen]
    assert {(message.topic(), message.partition()) for message in answers.seen} == {(GLOBALS, 0)}
    assert [message.key() for message in answers.seen] == [b"hold", b"hold", b"clock"]
    assert [type(record) for record in records] == [Hold, Hold, ClockAccepted]
    assert [r.held for r in records if isinstance(r, Hold)] == [True, False]


@pytest.mark.usefixtures("answers")
def test_thousands_are_asked_at_once_and_answered_in_order(client: Client) -> None:
    subject = uuid4().hex[:8]
    orders = [Order(f"{subject}-{n}/x", Define(EVERY_MINUTE)) for n in range(3_000)]
    told: list[tuple[int, int]] = []

    replies = client.ask_many(orders, lambda sent, answered: told.append((sent, answered)))

    assert [r.schedule for r in replies if isinstance(r, Reply)] == [o.schedule for o in orders]
    assert told[-1] == (3_000, 3_000)
    assert told == sorted(told)


def test_silence_says_where_the_command_is(bootstrap: str, schedule: str) -> None:
    with Client(bootstrap, within=0.5) as client, pytest.raises(NoReply) as caught:
        client.define(schedule, EVERY_MINUTE)

    assert caught.value.partition == partition_of(
        schedule.partition("/")[0], TopicsOf(bootstrap).look().partitions
    )
    assert "will be decided; nobody answered within 0.5 s" in str(caught.value)


def test_a_bad_id_is_refused_before_anything_is_sent(client: Client) -> None:
    with pytest.raises(IdFault):
        client.define("a#b", EVERY_MINUTE)


def test_no_broker_means_nothing_was_sent() -> None:
    with (
        Client("127.0.0.1:1", within=0.5) as client,
        pytest.raises(NotReachable, match="nothing was sent"),
    ):
        client.define("a", EVERY_MINUTE)


def test_no_topic_means_nothing_was_sent(bootstrap: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schemas.topics.COMMANDS", "horae.nowhere")
    with (
        Client(bootstrap, within=5) as client,
        pytest.raises(NoTopic, match=r"no topic horae\.nowhere"),
    ):
        client.define("a", EVERY_MINUTE)
