"""Are the newest runs kept, old outputs dropped, and what goes on never touched?"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from time import time_ns

import pytest

from projections import history
from projections.history import Keeping, Trimmed
from projections.settings import ProjectorSettings
from schemas.codec import encode_event
from schemas.events import Event
from schemas.run_events import Result
from schemas.units import DAY, HOUR
from tests.read_models.conftest import Views, await_that
from tests.read_models.ledger import Notebook, defined, stamp
from tests.read_models.tables import Tables, tables_in
from tests.read_models.test_a_rebuild_is_not_noticed_by_readers import build
from tests.read_models.works import COMMAND, TRACKED, Life

NOW = time_ns() // 1_000
A_DAY = 86_400
ALL = (
    "SELECT to_jsonb(r) FROM runs r ORDER BY run",
    "SELECT to_jsonb(a) FROM run_attempts a ORDER BY run, attempt",
)


def ended(name: str, schedule: str = "a/job") -> list[Event]:
    life = Life(f"jr_{name}", schedule, "a")
    return [life.fired(), life.ended(result=Result(0, f"out of {name}"))]


def tell(tables: Tables, book: Notebook, events: Sequence[Event], at: int = NOW) -> None:
    numbered = enumerate(events, len(book.records))
    records = [book.event(each, stamp(number, at)) for number, each in numbered]
    assert tables.take(records) == []


def trim(tables: Tables) -> list[Trimmed]:
    """Slice after slice, until nothing is left."""
    slices = [tables.writer.trim()]
    while slices[-1].left:
        assert len(slices) < 100
        slices.append(tables.writer.trim())
    return slices


def test_the_newest_runs_stay_and_old_outputs_go(database: str) -> None:
    """AJ-059: two rows go, three stay; the output of two days ago is blank, its row is not gone."""
    book = Notebook()
    with tables_in(database, keeping=Keeping(3, A_DAY)) as tables:
        tell(tables, book, [defined("a/job", rule=COMMAND), defined("b/job", rule=COMMAND)])
        for name in ("1", "2", "3"):
            tell(tables, book, ended(name), NOW - 2 * DAY)
        for name in ("4", "5"):
            tell(tables, book, ended(name), NOW - HOUR)
        tell(tables, book, ended("old", "b/job"), NOW - 2 * DAY)
        tell(tables, book, [Life("jr_goes_on", "a/job", "a").fired()], NOW - 3 * DAY)
        trim(tables)
        kept = {run.run: tables.reads.output(run.run) for run in tables.reads.runs().rows}
        attempts = {one.run for run in kept for one in tables.reads.attempts(run)}
        outputs = {run: None if one is None else one.output for run, one in kept.items()}
        dropped = {run for run, one in kept.items() if one is not None and one.output_dropped}

    assert outputs == {
        "jr_3": None,
        "jr_4": "out of 4",
        "jr_5": "out of 5",
        "jr_old": None,
        "jr_goes_on": None,
    }
    assert dropped == {"jr_3", "jr_old"}
    assert attempts == kept.keys()


def test_a_run_that_goes_on_is_never_taken_away(database: str) -> None:
    """AJ-059: however many have ended since it began."""
    book = Notebook()
    with tables_in(database, keeping=Keeping(1, A_DAY)) as tables:
        open_ones = [Life(f"jr_open{i}", "a/job", "a").fired() for i in range(4)]
        tell(tables, book, [defined("a/job", rule=TRACKED), *open_ones])
        tell(tables, book, [event for i in range(5) for event in ended(str(i))])
        trim(tables)
        left = {run.run for run in tables.reads.runs().rows}
        late = Life("jr_open0", "a/job", "a").ended()
        tell(tables, book, [late])
        trim(tables)
        after = {run.run for run in tables.reads.runs().rows}

    assert left == {"jr_open0", "jr_open1", "jr_open2", "jr_open3", "jr_4"}
    assert after == left - {"jr_4"}, "what ended last is the newest"


def test_a_large_past_goes_in_slices_that_are_bounded(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of all schedules that are there when a smaller number is set, and says how far it is."""
    monkeypatch.setattr(history, "_ROWS", 7)
    monkeypatch.setattr(history, "_SCHEDULES", 3)
    book = Notebook()
    names = [f"a/{i}" for i in range(8)]
    with tables_in(database) as first:
        tell(first, book, [defined(name, rule=COMMAND) for name in names])
        for name in names:
            tell(first, book, [e for i in range(6) for e in ended(f"{name}-{i}", name)])
    with tables_in(database, keeping=Keeping(2, A_DAY)) as second:
        slices = trim(second)
        left = sorted(run.run for run in second.reads.runs(limit=100).rows)
        attempts = second.rows("SELECT count(*) FROM run_attempts")

    assert left == sorted(f"jr_{name}-{i}" for name in names for i in (4, 5))
    assert attempts == [(16,)]
    assert sum(each.runs for each in slices) == 32
    assert max(each.runs for each in slices) <= 7
    assert [each.left for each in slices] == [True] * (len(slices) - 1) + [False]


def test_a_word_about_a_run_that_is_gone_does_not_bring_it_back(database: str) -> None:
    book = Notebook()
    with tables_in(database, keeping=Keeping(1, A_DAY)) as tables:
        tell(tables, book, [defined("a/job", rule=TRACKED), *ended("1"), *ended("2")])
        trim(tables)
        life = Life("jr_1", "a/job", "a")
        tell(tables, book, [life.ignored("failed"), life.noted()])
        left = [run.run for run in tables.reads.runs().rows]

    assert left == ["jr_2"]


def test_a_rebuild_keeps_the_same_runs_as_the_live_views(views: Views) -> None:
    """AJ-059: and so loses none."""
    views.settings = views.settings.model_copy(
        update={"history_keep": 2, "output_retention": A_DAY}
    )
    told: list[Event] = [defined("a/job", rule=COMMAND), defined("b/job", rule=TRACKED)]
    for schedule in ("a/job", "b/job"):
        told += [event for i in range(5) for event in ended(f"{schedule}{i}", schedule)]
        told.append(Life(f"jr_{schedule}_open", schedule, "a").fired())
    for i, event in enumerate(told):
        at = NOW - (2 * DAY if "a/" in getattr(event, "schedule", "") else 0)
        value = encode_event(event, stamp(i, at))
        views.ledger.write(views.ledger.sources.events, b"any", value, 0)
    views.ledger.events(defined("c/job", rule=TRACKED), partition=1)
    with views.projecting() as running:
        views.await_caught_up(running)
        await_that(lambda: views.rows("SELECT count(*) FROM runs") == [(6,)])
        await_that(lambda: views.rows("SELECT count(*) FROM runs WHERE output <> ''") == [(2,)])
        live = [views.rows(query) for query in ALL]
        done, told_of = build(views)
        await_that(lambda: views.telemetry.health().version == 2)

    assert [views.rows(query) for query in ALL] == live
    assert (done.counts["runs"], done.counts["run_attempts"]) == (6, 6)
    assert done.counts == done.counts_before
    assert told_of[-1].done == told_of[-1].total


@pytest.mark.parametrize("prefix", ["HORAE_JOBS_", "APP_JOBS_"])
def test_how_much_is_kept_is_set_under_both_names(
    monkeypatch: pytest.MonkeyPatch, prefix: str
) -> None:
    monkeypatch.setenv(f"{prefix}HISTORY_KEEP", "7")
    monkeypatch.setenv(f"{prefix}OUTPUT_RETENTION", "24h")

    assert ProjectorSettings().keeping == Keeping(7, A_DAY)


@pytest.mark.parametrize(
    ("keep", "retention"), [("abc", "never"), ("-1", "0"), ("0", "-5"), ("", "1ms")]
)
def test_what_makes_no_sense_is_the_default_with_a_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, keep: str, retention: str
) -> None:
    monkeypatch.setenv("HORAE_JOBS_HISTORY_KEEP", keep)
    monkeypatch.setenv("HORAE_JOBS_OUTPUT_RETENTION", retention)
    with caplog.at_level(logging.WARNING):
        found = ProjectorSettings().keeping

    assert found == Keeping(50, 14 * A_DAY)
    assert len(caplog.messages) == 2


def test_seconds_are_a_length_of_time_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_JOBS_OUTPUT_RETENTION", "90")

    assert ProjectorSettings().keeping.output_seconds == 90
