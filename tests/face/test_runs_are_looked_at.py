"""Is what is known of runs shown to a person and to a program, with or without a database?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import cast

import pytest
from typer.testing import CliRunner

from horae.cli import run_lists, run_shown
from horae.cli.main import app
from projections.queries import InsightFilter, Reads, RunFilter
from projections.shown import Page
from projections.shown_runs import AttemptShown, InsightShown, OutputShown, RunShown
from schemas.orders import OutputChunk
from schemas.units import SECOND
from tests.read_models.ledger import NOON
from tests.read_models.works import FIRST

AT_NOON = "2026-11-29T12:00:00Z"
RUN = RunShown(
    *(FIRST, "shop/nightly", "shop", "shop", 7, 5, NOON, "", "schedule", NOON + 9 * SECOND, 2),
    *("failed", "failed", None, "no disk", None, "command", NOON, False, NOON, "system", None),
    *(NOON, NOON + SECOND, NOON + 9 * SECOND, "hall-3", 1, False, False, None),
    *(SECOND, SECOND, 8 * SECOND),
)
FIRST_ATTEMPT = AttemptShown(
    *(FIRST, 1, 2, NOON, "hall-2", NOON, NOON + SECOND, NOON + 2 * SECOND, "timeout", "too long"),
    *(None, None, False, False, None),
)
OUTPUT = OutputShown(FIRST, "disk full\x1b[2J\n", output_cut=True, output_dropped=False)
INSIGHT = InsightShown(
    *("shop", "no_runner", "shop/nightly", "run jr_1 expired", NOON, NOON + SECOND),
    *("run jr_2 began", "system", 0, 1),
)


class Known:
    """The views of a test: they say one thing after the other about a run."""

    def __init__(self, *states: RunShown, output: OutputShown | None = OUTPUT) -> None:
        self.states = list(states)
        self.written = output
        self.asked: list[object] = []

    def run(self, _: str) -> RunShown | None:
        return self.states.pop(0) if len(self.states) > 1 else next(iter(self.states), None)

    def runs(self, which: RunFilter, *, after: str | None, limit: int) -> Page[RunShown]:
        self.asked.append((which, after, limit))
        if after is not None:
            return Page((), None)
        found = self.states[:limit]
        return Page(tuple(found), None if len(found) == len(self.states) else "further")

    def attempts(self, _: str) -> list[AttemptShown]:
        return [FIRST_ATTEMPT]

    def output(self, _: str) -> OutputShown | None:
        return self.written

    def insights(
        self, which: InsightFilter, *, after: str | None, limit: int
    ) -> Page[InsightShown]:
        self.asked.append((which, after, limit))
        return Page((INSIGHT,), None)


def shown_by(monkeypatch: pytest.MonkeyPatch, known: Known) -> Known:
    @contextmanager
    def opened() -> Iterator[Reads]:
        yield cast("Reads", known)

    for module in (run_lists, run_shown):
        monkeypatch.setattr(module, "views", opened)
    return known


def ask(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, words)
    return result.exit_code, result.stdout, result.stderr


def test_each_run_is_a_line_and_more_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    other = replace(RUN, run="jr_other", kind="manual", status="does_not_fit", shown_as="skipped")
    other = replace(other, detail=f"{'it is too large ' * 10}\nin so many words")
    known = shown_by(monkeypatch, Known(RUN, other, RUN))
    code, out, err = ask("runs", "list", "shop", "--status", "failed", "--limit", "2")
    lines = [" ".join(line.split()) for line in out.splitlines()]

    first = f"{FIRST} shop/nightly shop {AT_NOON} failed {AT_NOON} 1.000 s 8.000 s 2 no disk"
    second = f"jr_other shop/nightly shop by hand does not fit, skipped {AT_NOON} 1.000 s 8.000 s 2"
    why = f"{'it is too large ' * 10}"[:79] + "…"
    assert (code, lines[2:]) == (0, [first, f"{second} {why}"])
    assert err == "there are more: --after further\n"
    assert known.asked == [(RunFilter(subject="shop", status="failed"), None, 2)]


def test_runs_of_a_schedule_from_some_time_on_go_on_where_a_page_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = shown_by(monkeypatch, Known(RUN))
    code, out, _ = ask(
        "runs", "list", "shop/nightly", "--since", AT_NOON, "--after", "p", "-o", "json"
    )

    which = RunFilter(schedule="shop/nightly", since=NOON)
    assert (code, json.loads(out), known.asked) == (0, [], [(which, "p", 50)])


def test_all_that_is_known_of_a_run_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    shown_by(monkeypatch, Known(RUN))
    code, out, err = ask("runs", "show", FIRST)
    lines = [" ".join(line.split()) for line in out.splitlines()]

    assert code == 0
    assert f"fired {AT_NOON}, by system" in lines
    started = "2026-11-29T12:00:01Z"
    late = "1.000 s after it was due, 1.000 s after it was fired"
    assert f"started {started}, {late}" in lines
    assert "ended 2026-11-29T12:00:09Z, took 8.000 s" in lines
    assert {"exit code 1", "runner hall-3", "status failed", "detail no disk"} <= set(lines)
    assert f"1 hall-2 {AT_NOON} {started} 2026-11-29T12:00:02Z timeout - too long" in lines
    assert lines[-3:-1] == ["", "wrote"]
    assert lines[-1] == r"disk full\x1b[2J", "nothing that steers a terminal"
    assert "left out" in err


def test_the_status_of_an_answer_is_no_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    shown_by(monkeypatch, Known(replace(RUN, work="http", exit_code=202)))
    _, out, _ = ask("runs", "show", FIRST)
    lines = [" ".join(line.split()) for line in out.splitlines()]

    assert "answered 202" in lines
    assert not any(line.startswith("exit code") for line in lines)


def test_a_program_gets_the_run_with_its_attempts_and_output(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown_by(monkeypatch, Known(RUN))
    _, out, _ = ask("runs", "show", FIRST, "-o", "json")
    found = json.loads(out)

    assert (found["run"], found["duration_seconds"], found["exit_code"]) == (FIRST, 8.0, 1)
    assert (found["attempts"][0]["runner"], found["output"]) == ("hall-2", OUTPUT.output)


def test_a_run_that_is_not_there_is_said_to_be_so(monkeypatch: pytest.MonkeyPatch) -> None:
    shown_by(monkeypatch, Known())

    assert ask("runs", "show", "jr_none")[0] == 1


def test_what_is_kept_of_a_run_that_is_over_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    shown_by(monkeypatch, Known(RUN))
    code, out, err = ask("runs", "tail", FIRST)

    assert (code, out) == (1, "disk full\\x1b[2J\n"), "1: it did not succeed"
    assert err.splitlines()[-1] == f"{FIRST} failed"
    shown_by(monkeypatch, Known(RUN, output=OutputShown(FIRST, None, False, True)))
    assert "no longer kept" in ask("runs", "tail", FIRST)[2]


@dataclass
class Chunks:
    """What a run writes, a reading at a time."""

    readings: list[list[OutputChunk]]
    ended_at: int | None = None

    def __enter__(self) -> Chunks:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def read(self, _: float) -> list[OutputChunk]:
        return self.readings.pop(0)

    def end(self) -> int:
        return len(self.readings)

    def is_at(self, _: int) -> bool:
        return not self.readings


def test_a_run_is_followed_until_it_is_over_and_all_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    goes_on = replace(RUN, status="started", shown_as="open", ended_at=None)
    done = replace(RUN, status="success", shown_as="succeeded")
    chunks = Chunks(
        [
            [OutputChunk(FIRST, 1, 0, "one\n", NOON)],
            [OutputChunk(FIRST, 1, 2, "three\n", NOON)],
            [OutputChunk(FIRST, 2, 0, "again\n", NOON)],
        ]
    )
    shown_by(monkeypatch, Known(goes_on, goes_on, done))
    monkeypatch.setattr("horae.output_tail.OutputTail", lambda *_: chunks)
    code, out, err = ask("runs", "tail", FIRST)

    assert (code, out) == (0, "one\nthree\nagain\n")
    assert err.splitlines() == [
        "something before this was left out",
        "attempt 2",
        f"{FIRST} success",
    ]


def test_insights_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    known = shown_by(monkeypatch, Known())
    code, out, _ = ask("insights", "--subject", "shop", "--all")
    [line] = [" ".join(line.split()) for line in out.splitlines()[2:]]

    assert (code, known.asked) == (0, [(InsightFilter(subject="shop"), None, 50)])
    until = "2026-11-29T12:00:01Z"
    assert line == f"shop/nightly no runner {AT_NOON} {until} run jr_1 expired; run jr_2 began"
    assert json.loads(ask("insights", "-o", "json")[1])[0]["kind"] == "no_runner"
    assert known.asked[-1] == (InsightFilter(only_open=True), None, 50)
