"""
Does the command line work against a real broker?

A stand-in answers commands; events are written by the test.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from confluent_kafka import Producer

from horae.local.kafka import Broker
from horae.tail import From, Tail
from schemas.codec import Recorded, encode_event
from schemas.events import ScheduleRemoved, Stamp
from schemas.identity import partition_of, subject_of
from schemas.topics import EVENTS, Planned
from streams.clock import SystemClock
from streams.topics_check import TopicsOf
from streams.topics_outlook import Wishes
from tests.face.answering import Answering, answering
from tests.face.typed import run

pytestmark = pytest.mark.broker


@pytest.fixture(autouse=True)
def bootstrap(broker: Broker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HORAE_BOOTSTRAP", broker.bootstrap)
    monkeypatch.delenv("HORAE_DATA", raising=False)
    topics = TopicsOf(broker.bootstrap)
    if topics.look().missing:
        topics.create(topics.look(Wishes(partitions=3)).missing)
    return broker.bootstrap


@pytest.fixture
def answers(bootstrap: str) -> Iterator[Answering]:
    with answering(bootstrap) as found:
        yield found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "two.yaml"
    path.write_text(
        "- {schedule: good/one, interval: 6h, emit: {topic: t}}\n"
        "- {schedule: refused/one, interval: 6h, emit: {topic: t}}\n"
    )
    return path


def test_what_was_accepted_and_what_was_refused_is_told_apart(
    answers: Answering, file: Path
) -> None:
    code, out, err = run("schedule", "define", "-f", str(file))

    assert (code, len(answers.seen)) == (1, 2)
    assert "good/one: define accepted, version" in out
    assert "refused/one: define refused: zone: no such zone" in err


@pytest.mark.usefixtures("answers")
def test_a_topic_that_is_not_there_is_told_and_one_that_is_there_is_not(
    file: Path, bootstrap: str
) -> None:
    missing, there = f"t{uuid4().hex}", f"t{uuid4().hex}"
    TopicsOf(bootstrap).create([Planned(there, 1, 1, {})])
    file.write_text(
        f"- {{schedule: good/one, interval: 6h, emit: {{topic: {missing}}}}}\n"
        f"- {{schedule: good/two, interval: 6h, emit: {{topic: {there}}}}}\n"
    )

    code, out, err = run("schedule", "define", "-f", str(file))

    assert (code, len(out.splitlines())) == (0, 2)
    assert err == (
        f"warning: topic '{missing}' does not exist at {bootstrap}: "
        "good/one cannot fire before it does\n"
    )


@pytest.mark.usefixtures("answers")
def test_replies_as_json(file: Path) -> None:
    code, out, _ = run("schedule", "define", "-f", str(file), "-o", "json")

    good, refused = json.loads(out)
    assert code == 1
    assert (good["verdict"], refused["verdict"]) == ("accepted", "refused")
    assert refused["field"] == "zone"


@pytest.mark.usefixtures("answers")
def test_single_commands_end_with_0() -> None:
    for arguments in (
        ("schedule", "pause", "a/b", "-r", "why", "--until", "2h"),
        ("schedule", "resume", "a/b"),
        ("schedule", "trigger", "a/b", "-o", "json"),
        ("schedule", "remove", "a/b"),
        ("hold", "all", "-r", "why"),
        ("hold", "lift"),
        ("clock", "accept"),
    ):
        code, out, err = run(*arguments)

        assert (code, err) == (0, ""), arguments
        assert "accepted" in out


@pytest.mark.usefixtures("answers")
def test_importing_a_crontab_twice_sends_the_same(answers: Answering, tmp_path: Path) -> None:
    table = tmp_path / "jobs"
    table.write_text("0 1 * * * backup --all\n@daily clean%up\n")

    first = run("import", "crontab", str(table), "--zone", "UTC")
    second = run("import", "crontab", str(table), "--zone", "UTC")

    records = [(message.key(), message.value()) for message in answers.seen]
    assert first[0] == second[0] == 0
    assert "2 mapped, 0 refused" in first[1]
    assert sorted(records[:2]) == sorted(records[2:])


def test_topics_are_planned_applied_and_checked() -> None:
    assert run("topics", "apply")[0] == 0
    assert run("topics", "check")[0] == 0
    code, out, _ = run("topics", "plan", "-o", "json")
    assert (code, json.loads(out)) == (0, {"create": [], "change": []})


def test_drift_ends_with_1_and_says_what_is_and_what_should_be() -> None:
    code, out, _ = run("topics", "check", "--partitions", "77", "-o", "json")

    found = {each["topic"]: each for each in json.loads(out)}
    assert code == 1
    assert found[EVENTS]["setting"] == "partitions"
    assert found[EVENTS]["should"] == "77"


def _write(bootstrap: str, schedule: str, count: int, since: int = 0) -> None:
    producer = Producer({"bootstrap.servers": bootstrap})
    partitions = len(producer.list_topics(EVENTS).topics[EVENTS].partitions)
    partition = partition_of(subject_of(schedule), partitions)
    for number in range(count):
        stamp = Stamp(since + 1_000_000 * number, partition, number, -1, number, "user:ann")
        event = ScheduleRemoved(schedule, number, number)
        producer.produce(
            EVENTS,
            key=f"{schedule}@{number}".encode(),
            value=encode_event(event, stamp),
            partition=partition,
        )
    producer.produce(EVENTS, key=b"x", value=b"no event", partition=partition)
    producer.flush(10)


def _all_that_is_there(tail: Tail) -> list[Recorded]:
    """What others left in its partition takes reads of its own, in which nothing is found."""
    found: list[Recorded] = []
    for _ in range(100):
        stretch = tail.read(1)
        found += stretch.events
        if stretch.caught_up:
            return found
    raise AssertionError("the end was never reached")


def test_the_ledger_of_one_schedule_is_read_from_its_beginning(bootstrap: str) -> None:
    schedule = f"s{uuid4().hex[:8]}/x"
    _write(bootstrap, schedule, 3)

    arguments = ("events", "tail", "--schedule", schedule, "--from", "beginning", "--no-follow")
    code, out, _ = run(*arguments, "-o", "json")
    few = run(*arguments, "-n", "2")

    assert code == 0
    assert [json.loads(line)["version"] for line in out.splitlines()] == [0, 1, 2]
    assert len(few[1].splitlines()) == 2


def test_from_an_instant_nothing_older_is_shown(bootstrap: str) -> None:
    schedule = f"s{uuid4().hex[:8]}/x"
    _write(bootstrap, schedule, 1)

    with Tail(bootstrap, 32_503_680_000_000_000, schedule) as later:
        assert later.read(0.5).events == ()
    with Tail(bootstrap, 0, schedule) as all_of_it:
        assert len(_all_that_is_there(all_of_it)) == 1


def test_from_the_end_only_what_comes_is_shown(bootstrap: str) -> None:
    schedule = f"s{uuid4().hex[:8]}/x"
    _write(bootstrap, schedule, 2)

    with Tail(bootstrap, From.END, schedule) as events:
        assert events.read(0.5).caught_up
        _write(bootstrap, schedule, 1)
        assert len(events.read(10).events) == 1


def test_what_was_there_is_shown_oldest_first_over_all_partitions(bootstrap: str) -> None:
    mark = uuid4().hex[:8]
    schedules = [f"{mark}{number}/x" for number in range(6)]
    assert len({partition_of(subject_of(each), 3) for each in schedules}) > 1
    since = SystemClock().wall()  # later than what other tests left in these partitions
    for number in range(18):
        _write(bootstrap, schedules[number % 6], 1, since=since + number)

    arguments = ("events", "tail", "--from", "beginning", "--no-follow", "-o", "json")
    _, out, _ = run(*arguments)

    events = [json.loads(line) for line in out.splitlines()]
    shown = [event["schedule"] for event in events if event.get("schedule") in schedules]
    assert shown == schedules * 3
    assert run(*arguments, "-n", "2")[1].splitlines() == out.splitlines()[:2]
