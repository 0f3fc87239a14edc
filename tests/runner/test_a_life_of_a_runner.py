"""Which life is it, when does it beat, and what does it put into the log?"""

from __future__ import annotations

import logging
import os
import tempfile
import threading
from pathlib import Path

import pytest

from schemas.codec import decode
from schemas.commands import Beat, Beating, ReportRun, ReportStatus
from schemas.identity import partition_of
from schemas.reading import read_beat, read_command
from schemas.topics import COMMANDS, OUTPUT
from schemas.units import SECOND
from streams.faults import Halt
from streams.instance import claim_instance
from streams.runner.beats import EVERY, Beats
from streams.runner.letters import Span, Writer
from streams.runner.main import pools_of
from streams.runner.output import Kept, Piece
from streams.runner.recovery import next_boot, sweep
from streams.runner.slots import Slots
from streams.runner.work import Attempt, Job, Outcome, Runner
from streams.settings import DEFAULT_OUTPUT, MOST_OUTPUT, RunnerSettings
from tests.runner.ordered import NOON, RUN, order, program

ORDER = order(program("true"), trace="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")


# ------------------------------------------------------------------ the number of a life


def test_each_life_has_a_larger_number(tmp_path: Path) -> None:
    first = next_boot(tmp_path, NOON)
    again = next_boot(tmp_path, NOON)
    after_the_clock_went_back = next_boot(tmp_path, NOON - SECOND)
    later = next_boot(tmp_path, NOON + SECOND)

    assert first == NOON
    assert first < again < after_the_clock_went_back < later


@pytest.mark.parametrize("spoilt", ["", "x", "-"])
def test_a_number_that_was_lost_is_made_up_for_by_the_clock(tmp_path: Path, spoilt: str) -> None:
    next_boot(tmp_path, NOON)
    (tmp_path / "boot").write_text(spoilt)

    assert next_boot(tmp_path, NOON + 1) == NOON + 1


@pytest.mark.case("IT-025", "IT-100")
def test_a_second_process_of_the_same_name_does_not_start(tmp_path: Path) -> None:
    first = claim_instance(tmp_path, "one")
    with pytest.raises(Halt, match="called 'one' already"):
        claim_instance(tmp_path, "one")
    first.release()
    first.release()

    claim_instance(tmp_path, "one").release()


class Engine:
    """An executor whose leftovers take as long as a test wants."""

    def __init__(self, answers: threading.Event, fault: Exception | None = None) -> None:
        self.answers = answers
        self.fault = fault
        self.swept = 0

    def attempt(self, job: Job) -> Attempt:
        raise NotImplementedError

    def sweep(self) -> None:
        self.answers.wait(10)
        self.swept += 1
        if self.fault is not None:
            raise self.fault

    def close(self) -> None: ...


@pytest.mark.case("AJ-045")
def test_an_engine_that_does_not_answer_holds_up_no_start(
    caplog: pytest.LogCaptureFixture,
) -> None:
    answers, now = threading.Event(), threading.Event()
    now.set()
    away, here, broken = Engine(answers), Engine(now), Engine(now, OSError("it broke"))

    with caplog.at_level(logging.WARNING):
        sweep([away, here, here, broken], within=0.2)

    assert (away.swept, here.swept, broken.swept) == (0, 1, 1)
    assert "still being removed" in caplog.text
    assert "it broke" in caplog.text
    answers.set()


# ------------------------------------------------------------------ beats


def test_beats_go_every_ten_seconds_to_where_there_are_runs() -> None:
    found = Beats(5, 12, 4, ("default",))
    held = [Beating("billing", "jr_1"), Beating("crm", "jr_2"), Beating("billing", "jr_3")]

    assert found.due(lambda: held, 0) == {}
    assert found.due(lambda: held, EVERY - 1) == {}
    assert found.due(lambda: held, EVERY) == {
        partition_of("billing", 12): Beat(5, (held[0], held[2]), False, 4, ("default",)),
        partition_of("crm", 12): Beat(5, (held[1],), False, 4, ("default",)),
    }
    assert found.due(lambda: held, EVERY + 1) == {}
    assert found.due(list, 2 * EVERY) == {}


def test_the_first_and_the_last_beat_go_to_every_partition() -> None:
    found = Beats(5, 3, 4, ("a", "b"))

    assert found.to_all([]) == {n: Beat(5, (), False, 4, ("a", "b")) for n in range(3)}
    assert all(beat.leaving for beat in found.to_all([], leaving=True).values())


# ------------------------------------------------------------------ letters


def test_a_letter_goes_to_the_partition_of_its_subject_with_its_id() -> None:
    writer = Writer(Runner("one", 5), 12)
    claim, decline = writer.claim(ORDER), writer.decline(ORDER, "no\0time")
    outcome = Outcome(ReportStatus.FAILED, "x" * 5_000, 3, "task-1")
    report = writer.report(ORDER, outcome, Kept("out", cut=True), Span(NOON, NOON + 1))

    for letter in (claim, decline, report):
        assert (letter.topic, letter.partition) == (COMMANDS, partition_of("billing", 12))
        assert dict(letter.headers) == {
            "horae-id": f"{RUN}.1.1.one.5".encode(),
            "horae-actor": b"service:runner/one",
            "traceparent": ORDER.trace.encode() if ORDER.trace else b"",
        }
    assert read_command(claim.key, claim.value)[0] == "billing/"
    assert "no\ufffdtime" in str(read_command(decline.key, decline.value)[1])
    said = read_command(report.key, report.value)[1]
    assert isinstance(said, ReportRun)
    assert said.result is not None
    assert (said.detail, said.result.reference) == ("x" * 4_096, "task-1")
    beat = writer.beat(3, Beat(5))
    assert (beat.partition, read_beat(beat.value)) == (3, Beat(5))
    piece = writer.piece(ORDER, Piece(7, "out"), NOON)
    assert (piece.topic, piece.key) == (OUTPUT, RUN.encode())
    assert "sequence=7" in str(decode(piece.value))


def test_what_two_runners_say_of_one_offer_is_never_taken_for_the_same() -> None:
    mine, others = Writer(Runner("one", 5), 12), Writer(Runner("two", 5), 12)
    said = Outcome(ReportStatus.FAILED), Kept("", cut=False), Span(None, NOON)

    assert mine.claim(ORDER).key != others.claim(ORDER).key
    assert mine.decline(ORDER, "late").key != others.decline(ORDER, "late").key
    assert mine.report(ORDER, *said).key != others.report(ORDER, *said).key


def test_the_largest_output_fits_into_a_record() -> None:
    """ANC-16: no event exceeds the message limit."""
    writer = Writer(Runner("one", 5), 12)
    text = "\ufffd" * (MOST_OUTPUT // 3)
    report = writer.report(
        ORDER, Outcome(ReportStatus.FAILED), Kept(text, cut=True), Span(None, NOON)
    )

    assert len(report.value) < 300_000
    read_command(report.key, report.value)


# ------------------------------------------------------------------ settings and slots


def test_a_slot_is_given_back_once() -> None:
    slots = Slots(2)
    for name in "ab":
        assert slots.wait(0)
        slots.take(name)
    assert not slots.wait(0)

    slots.give_back("a")
    slots.give_back("a")
    slots.give_back("never taken")

    assert slots.used == 1
    assert slots.wait(0)
    assert not slots.wait(0)
    slots.leave()
    assert slots.wait(0)


@pytest.mark.parametrize("variable", ["HORAE_JOBS_MAX_OUTPUT_BYTES", "APP_JOBS_MAX_OUTPUT_BYTES"])
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("1000", 1000),
        ("0", DEFAULT_OUTPUT),
        ("-1", DEFAULT_OUTPUT),
        ("lots", DEFAULT_OUTPUT),
        (str(MOST_OUTPUT + 1), MOST_OUTPUT),
    ],
)
def test_a_limit_of_output_that_is_none_is_the_default(
    variable: str, text: str, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under both of its names."""
    monkeypatch.setenv(variable, text)

    assert RunnerSettings().max_output_bytes == kept


@pytest.mark.parametrize(
    ("user", "given", "folder"),
    [
        (0, {"HOME": "/root", "XDG_STATE_HOME": "/x"}, "/var/lib/horae/runners"),
        (1000, {"HOME": "/home/ann", "XDG_STATE_HOME": "/x"}, "/x/horae/runners"),
        (
            1000,
            {"HOME": "/home/ann", "XDG_STATE_HOME": "x"},
            "/home/ann/.local/state/horae/runners",
        ),
        (1000, {"HOME": "/home/ann"}, "/home/ann/.local/state/horae/runners"),
        (1000, {"HOME": "/home/ann", "HORAE_RUNNER_STATE": "/mine"}, "/mine"),
        (1000, {}, f"{tempfile.gettempdir()}/horae-runners"),
    ],
)
def test_what_it_remembers_lies_where_a_restart_of_the_machine_leaves_it(
    user: int, given: dict[str, str], folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    for name in ("HOME", "XDG_STATE_HOME", "HORAE_RUNNER_STATE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)

    assert RunnerSettings().state == Path(folder)


def test_a_folder_that_cannot_be_made_ends_it_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(Halt, match=r"file/runners cannot be made: Not a directory"):
        claim_instance(tmp_path / "file" / "runners", "node-1")


def test_pools_are_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HORAE_RUNNER_POOLS", " node-1,default ,, node-1")

    assert pools_of(RunnerSettings()) == ("node-1", "default")
