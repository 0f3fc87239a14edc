"""
Do explain, audit and whatif answer from the ledger of a real broker?

What the decider decides about a schedule is written as a processor would, behind whatever the
ledger holds already; then the command line is asked.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from confluent_kafka import Producer

from horae.local.kafka import Broker
from horae.past import Past
from schemas.codec import encode, encode_event
from schemas.commands import Define, Pause, Resume, Trigger
from schemas.events import Event, Stamp
from schemas.identity import partition_of, subject_of
from schemas.snapshot import Run, RunPhase
from schemas.topics import EVENTS, SCHEDULES, STATE
from streams.processor.keys import event_key, run_key
from streams.processor.partitions import row_of
from streams.topics_check import TopicsOf
from streams.topics_outlook import Wishes
from tests.decider import stage as stages
from tests.decider.stage import RING, Stage, at, rule
from tests.face.typed import run

pytestmark = pytest.mark.broker

FIRES = ("12:00", "12:30", "13:00", "13:30")


@pytest.fixture(autouse=True)
def bootstrap(broker: Broker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HORAE_BOOTSTRAP", broker.bootstrap)
    monkeypatch.delenv("HORAE_DATA", raising=False)
    topics = TopicsOf(broker.bootstrap)
    if topics.look().missing:
        topics.create(topics.look(Wishes(partitions=3)).missing)
    return broker.bootstrap


@dataclass
class Ledger:
    """The part of the ledger that one test writes."""

    bootstrap: str
    schedule: str
    stage: Stage

    @property
    def partition(self) -> int:
        with Past(self.bootstrap) as past:
            return partition_of(subject_of(self.schedule), len(past.places))

    def write(self, *left_out: int) -> None:
        """Everything that was decided, but for some events, of which no number tells."""
        producer = Producer({"bootstrap.servers": self.bootstrap})
        partition, sequence = self.partition, self._following()
        history = [one for number, one in enumerate(self.stage.history) if number not in left_out]
        for number, (event, stamp) in enumerate(history):
            numbered = stamp._replace(partition=partition, sequence=sequence + number)
            self._put(producer, event, numbered)
        producer.produce(SCHEDULES, key=self.schedule, value=self._row(), partition=partition)
        producer.flush(10)

    def _row(self) -> bytes:
        assert self.stage.state is not None
        return encode(row_of(self.stage.state.plan))

    def _put(self, producer: Producer, event: Event, stamp: Stamp) -> None:
        key, value = event_key(event, stamp.sequence), encode_event(event, stamp)
        producer.produce(EVENTS, key=key, value=value, partition=stamp.partition)

    def _following(self) -> int:
        last = -1
        with Past(self.bootstrap) as past:
            for _, stamp in past.events(past.places[self.partition]):
                last = stamp.sequence
        return last + 1


@pytest.fixture
def ledger(bootstrap: str, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    """Defined at 11:50, four fires, one by hand, paused from 13:50 to 14:20, one more fire."""
    schedule = f"s{uuid4().hex[:8]}/half-hours"
    monkeypatch.setattr(stages, "NIGHTLY", schedule)
    stage = Stage()
    stage.play(Define(rule("*/30 * * * *", zone="Europe/Berlin")), at("11:50"))
    for when in FIRES:
        stage.play(RING, at(when))
    stage.play(Trigger(), at("13:40"))
    stage.play(Pause("lunch"), at("13:50"))
    stage.play(Resume(), at("14:20"))
    stage.play(RING, at("14:30"))
    return Ledger(bootstrap, schedule, stage)


def audited(ledger: Ledger, *more: str) -> tuple[int, str, str]:
    span = ("--from", "2026-06-01T11:00:00Z", "--to", "2026-06-01T14:31:00Z")
    return run("audit", *span, "--schedule", ledger.schedule, *more)


def test_an_audit_counts_what_became_of_each_instant(ledger: Ledger) -> None:
    ledger.write()

    code, out, _ = audited(ledger, "-o", "json")
    found = json.loads(out)
    of_subject = run(
        "audit", "--from", "2026-06-01T11:00:00Z", "--to", "2026-06-01T14:31:00Z",
        "--subject", f"{subject_of(ledger.schedule)[:-2]}*",
    )  # fmt: skip

    assert (code, found["unexplained"]) == (0, [])
    assert found["schedules"] == [
        {
            "schedule": ledger.schedule,
            "counts": {"on time": 5, "by hand": 1, "paused": 1},
            "reasons": {"by hand": {"trigger": 1}},
        }
    ]
    assert of_subject[0] == 0
    assert ledger.schedule in of_subject[1]


def test_an_audit_finds_what_is_missing_and_ends_with_1(ledger: Ledger) -> None:
    ledger.write(2)

    code, out, _ = audited(ledger)

    assert code == 1
    assert "the next instant was 2026-06-01T12:30:00Z" in out
    assert "unexplained" in out


def test_it_is_explained_why_it_ran(ledger: Ledger) -> None:
    ledger.write()

    code, out, err = run("explain", ledger.schedule, "--at", "2026-06-01T14:30")

    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0] == (
        f"{ledger.schedule} at 2026-06-01T14:30:00 Europe/Berlin (2026-06-01T12:30:00Z): on time"
    )
    assert "by user:ann (the command at offset 0 of partition " in lines[2]
    assert lines[3] == "It is one of its instants."
    assert lines[4] == (
        "It fired at 2026-06-01T14:30:00 Europe/Berlin (2026-06-01T12:30:00Z) by its timer, "
        "0.0 ms after it was due."
    )


def test_it_is_explained_why_it_did_not_run(ledger: Ledger) -> None:
    ledger.write()

    paused = run("explain", ledger.schedule, "--at", "2026-06-01T14:00:00Z")[1]
    none = run("explain", ledger.schedule, "--at", "2026-06-01T12:40:00Z")[1]
    early = run("explain", ledger.schedule, "--at", "2026-06-01T11:30:00Z")[1]
    answer = run("explain", ledger.schedule, "--at", "2026-06-01T13:40:00Z", "-o", "json")[1]
    by_hand = json.loads(answer)

    assert "It was paused from 2026-06-01T15:50:00 Europe/Berlin" in paused
    assert "by user:ann: lunch." in paused
    assert "It is none of its instants: its rule has no such instant." in none
    assert "(2026-06-01T12:30:00Z), which fired and" in none
    assert "There was no such schedule then: it was created at" in early
    assert by_hand["is_instant"] is False
    assert [event["event"] for event in by_hand["events"]] == ["Fired"]
    assert any(one.startswith("By hand it fired at") for one in by_hand["sentences"])


def test_wall_times_that_come_twice_or_never_are_told(ledger: Ledger) -> None:
    ledger.write()

    twice = run("explain", ledger.schedule, "--at", "2026-10-25T02:30")
    never = run("explain", ledger.schedule, "--at", "2026-03-29 02:30")
    wrong = run("explain", ledger.schedule, "--at", "yesterday")

    assert (twice[0], never[0], wrong[0]) == (1, 1, 2)
    assert "2026-10-25T00:30:00Z or 2026-10-25T01:30:00Z?" in twice[2]
    assert "clocks leap over it" in never[2]
    assert "(2026-03-29T01:00:00Z)" in never[2]
    assert "without an offset it is a time of the schedule's own clocks" in wrong[2]


def test_an_unknown_schedule_is_told_as_such() -> None:
    code, out, _ = run("explain", "nobody/knows", "--at", "2026-06-01T12:40:00Z")

    assert (code, "no such schedule\n" in out) == (1, True)


def test_an_audit_of_an_unknown_schedule_does_not_end_well(ledger: Ledger) -> None:
    """A misspelt name is not taken for one with which all is well."""
    ledger.write()
    span = ("--from", "2026-06-01T11:00:00Z", "--to", "2026-06-01T11:10:00Z")
    known = run("audit", *span, "--schedule", ledger.schedule)
    wrong = run("audit", *span, "--schedule", ledger.schedule, "--schedule", "nobody/knows")

    assert (known[0], known[2]) == (0, "")
    assert (wrong[0], wrong[2]) == (1, "the ledger knows no schedule nobody/knows\n")


def test_what_goes_on_is_read_from_the_state(ledger: Ledger) -> None:
    run_id, when = f"jr_{uuid4().hex[:12]}", at("12:00")
    phase = (RunPhase.STARTED, when)
    kept = Run(run_id, ledger.schedule, 1, 1, "rack-a", when, when, None, *phase)
    producer = Producer({"bootstrap.servers": ledger.bootstrap})
    producer.produce(STATE, key=run_key(run_id), value=encode(kept), partition=ledger.partition)
    producer.flush(10)

    code, out, _ = run("subject", "show", subject_of(ledger.schedule))

    assert code == 0
    assert run_id in out


def test_a_changed_definition_is_held_against_the_one_in_force(
    ledger: Ledger, tmp_path: Path
) -> None:
    ledger.write()
    file = tmp_path / "changed.yaml"
    file.write_text(
        f"- {{schedule: {ledger.schedule}, cron: '0 * * * *', zone: Europe/Berlin, "
        "emit: {topic: jobs}}\n"
        "- {schedule: new/one, cron: '15 14 * * *', emit: {topic: jobs}}\n"
    )
    span = ("--from", "2026-06-01T11:00:00Z", "--to", "2026-06-01T14:31:00Z")

    code, out, err = run("whatif", "-f", str(file), *span)
    changes = json.loads(run("whatif", "-f", str(file), *span, "-o", "json")[1])

    assert code == 0
    assert f"{ledger.schedule}: 3 stay, 3 go away" in out
    assert "new/one: 1 are added" in out
    assert "catch-up, holds, freezes, overlap and gates are not looked at" in err
    assert [one["counts"]["removed"] for one in changes] == [3, 0]
    assert [one["instant"] for one in changes[0]["removed"]] == [
        f"2026-06-01T{when}:00Z" for when in ("12:30", "13:30", "14:30")
    ]
    assert {one["really"] for one in changes[0]["removed"]} == {"fired"}


def test_a_span_that_makes_no_sense_is_refused() -> None:
    audit = run("audit", "--from", "1h", "--to", "2h")
    whatif = run("whatif", "-f", "/dev/null", "--to", "now")

    assert (audit[0], whatif[0]) == (2, 2)
    assert "--to: must be after --from" in audit[2]


def test_records_that_are_none_are_left_out_and_told(ledger: Ledger) -> None:
    ledger.write()
    producer = Producer({"bootstrap.servers": ledger.bootstrap})
    producer.produce(EVENTS, key=b"x", value=b"no event", partition=ledger.partition)
    producer.flush(10)

    code, out, err = audited(ledger)

    assert code == 0
    assert "records could not be read and were left out" in err
    assert ledger.schedule in out
