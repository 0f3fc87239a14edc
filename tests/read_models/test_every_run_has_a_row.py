"""Is what became of each run, and of each of its attempts, there to be read?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from projections.run_queries import RunFilter
from projections.run_rows import SHOWN_AS
from schemas.events import Event, Outcome
from schemas.run_events import Result, RunStatus
from tests.read_models.ledger import (
    MINUTE,
    NIGHTLY,
    NOON,
    SECOND,
    Notebook,
    defined,
    stamp,
)
from tests.read_models.tables import Tables, tables_in
from tests.read_models.works import (
    COMMAND,
    FIRST,
    TRACKED,
    Life,
    book_after,
    only_run,
    tell,
    whole,
)

LIFE = Life()
BY_HAND = "trigger:c.9"
ONCE_MORE = "2026-11-28T12:00:00Z+b.7"


@pytest.fixture
def tables(database: str) -> Iterator[Tables]:
    with tables_in(database) as made:
        yield made


def test_a_run_is_there_as_soon_as_it_is_given_out(tables: Tables) -> None:
    """AJ-057: its row stands before anybody has begun it."""
    tell(tables, [defined(rule=COMMAND), LIFE.fired()])
    run, (attempt,) = only_run(tables)

    assert (run.run, run.status, run.shown_as) == (FIRST, "offered", "open")
    assert (run.given_out_at, run.started_at) == (NOON + SECOND, None)
    assert (run.due, run.fired_at, run.actor) == (NOON, NOON + SECOND, "user:ada")
    assert (attempt.attempt, attempt.status, attempt.offers) == (1, "offered", 1)


def test_a_grant_says_who_runs_it_and_how_late(tables: Tables) -> None:
    """AJ-057: it is running before its command has started."""
    tell(tables, [defined(rule=COMMAND), LIFE.fired(), LIFE.granted("r-1")])
    run, (attempt,) = only_run(tables)

    assert (run.status, run.runner, run.started_at) == ("started", "r-1", NOON + 2 * SECOND)
    assert (run.lateness, run.queue_time, run.duration) == (2 * SECOND, SECOND, None)
    assert (attempt.runner, attempt.granted_at) == ("r-1", NOON + 2 * SECOND)


def test_runs_by_hand_are_told_from_the_calendars(tables: Tables) -> None:
    """AJ-056: manual without an instant, schedule with one; ids of their own."""
    runs = (
        LIFE,
        replace(LIFE, run="jr_by-hand_0001", origin=BY_HAND),
        replace(LIFE, run="jr_once-more_02", origin=ONCE_MORE),
    )
    tell(tables, [defined(rule=TRACKED), *(life.fired() for life in runs)])
    found = {run.kind: run for run in tables.reads.runs().rows}

    assert found["schedule"].scheduled_for == NOON
    assert found["manual"].scheduled_for is None
    assert found["backfill"].scheduled_for == NOON
    assert found["manual"].occurrence == f"{NIGHTLY}~5@{BY_HAND}"
    assert all(re.fullmatch(r"jr_[A-Za-z0-9_-]{12}", one.run) for one in found.values())


def test_every_attempt_is_listed_and_a_late_word_changes_nothing(tables: Tables) -> None:
    """ANC-19: one run, three attempts with what became of each."""
    failed = Result(1, "no\n", started_at=NOON + 5, ended_at=NOON + 9)
    told: list[Event] = [
        defined(rule=COMMAND),
        LIFE.fired(),
        LIFE.granted("r-1"),
        LIFE.retries(1, RunStatus.TIMEOUT),
        LIFE.started(2),
        LIFE.granted("r-2", attempt=2),
        LIFE.retries(2, RunStatus.FAILED, result=failed),
        LIFE.started(3),
        LIFE.granted("r-1", attempt=3),
        LIFE.ended(attempt=3, started_at=NOON + 2 * SECOND, result=Result(0, "yes\n")),
        LIFE.ignored("failed"),
    ]
    tell(tables, told)
    run, attempts = only_run(tables)

    assert (run.status, run.shown_as, run.attempt) == ("success", "succeeded", 3)
    assert (run.exit_code, run.duration) == (0, 7 * SECOND)
    assert [(one.status, one.runner, one.exit_code, one.output) for one in attempts] == [
        ("timeout", "r-1", None, None),
        ("failed", "r-2", 1, "no\n"),
        ("success", "r-1", 0, "yes\n"),
    ]
    assert (attempts[1].started_at, attempts[1].ended_at) == (NOON + 5, NOON + 9)
    output = tables.reads.output(FIRST)
    assert output is not None
    assert output.output == "yes\n"


def test_an_offer_that_is_made_again_counts_and_says_why(tables: Tables) -> None:
    told: list[Event] = [
        defined(rule=COMMAND),
        LIFE.fired(),
        LIFE.granted(),
        LIFE.offered(2, "it is draining"),
    ]
    tell(tables, told)
    run, (attempt,) = only_run(tables)

    assert (run.status, run.detail, run.until) == ("offered", "it is draining", NOON + MINUTE)
    assert (attempt.status, attempt.offers) == ("offered", 2)


def test_a_run_that_waits_and_never_begins_has_no_attempt(tables: Tables) -> None:
    told: list[Event] = [
        defined(rule=TRACKED),
        LIFE.fired(Outcome.WAITING),
        LIFE.queued(NOON + MINUTE, "jr_0"),
    ]
    tell(tables, told)
    waiting, attempts = only_run(tables)
    ended = LIFE.ended(RunStatus.DROPPED, None, detail="it waited too long")
    tell(tables, [ended], book_after(told))
    dropped, _ = only_run(tables)

    assert (waiting.status, waiting.reason, waiting.until) == (
        "waiting",
        "behind jr_0",
        NOON + MINUTE,
    )
    assert (dropped.status, dropped.shown_as, dropped.started_at) == ("dropped", "skipped", None)
    assert (attempts, tables.reads.attempts(FIRST), dropped.attempt) == ([], [], 0)


def test_an_attempt_that_could_not_begin_is_none(tables: Tables) -> None:
    put_off = LIFE.retries(1, RunStatus.UNAVAILABLE)
    tell(
        tables,
        [
            defined(rule=TRACKED),
            LIFE.fired(),
            LIFE.retries(1),
            put_off,
            LIFE.retries(0, RunStatus.UNAVAILABLE),
        ],
    )
    run, attempts = only_run(tables)

    assert [(one.attempt, one.status) for one in attempts] == [(1, "failed")]
    assert (run.status, run.reason, run.attempt) == ("retrying", "unavailable", 1)


def test_an_attempt_whose_turn_it_was_not_is_tried_again_and_counts_once(tables: Tables) -> None:
    busy = LIFE.retries(0, RunStatus.BUSY)
    tell(tables, [defined(rule=COMMAND), LIFE.fired(), LIFE.granted("r-1"), busy])
    put_off, (attempt,) = only_run(tables)
    book = book_after([busy] * 4)
    tell(tables, [LIFE.started(), LIFE.granted("r-2"), LIFE.ended()], book)
    run, (same,) = only_run(tables)

    assert (put_off.status, put_off.reason, attempt.status) == ("retrying", "busy", "retrying")
    assert (run.attempt, run.runner, same.runner, same.status) == (1, "r-2", "r-2", "success")


def test_a_run_that_is_cancelled_between_attempts_leaves_the_last_as_it_ended(
    tables: Tables,
) -> None:
    told: list[Event] = [
        defined(rule=TRACKED),
        LIFE.fired(),
        LIFE.retries(1),
        LIFE.ended(RunStatus.CANCELLED),
    ]
    tell(tables, told)
    run, (attempt,) = only_run(tables)

    assert (run.status, attempt.status) == ("cancelled", "failed")


def test_a_run_that_is_asked_to_stop_says_so(tables: Tables) -> None:
    tell(tables, [defined(rule=TRACKED), LIFE.fired(), LIFE.cancelling("", "jr_2"), LIFE.noted()])
    run, _ = only_run(tables)

    assert (run.status, run.reason, run.until) == ("cancelling", "for jr_2", NOON + MINUTE)


@pytest.mark.parametrize("status", list(RunStatus), ids=lambda one: one.value)
def test_what_nothing_was_to_be_done_for_is_a_skip_and_no_failure(
    tables: Tables, status: RunStatus
) -> None:
    tell(tables, [defined(rule=COMMAND), *whole(LIFE, status)])
    run, _ = only_run(tables)
    skips = {"does_not_fit", "already_there", "container_not_running", "busy", "dropped"}
    skips.add("not_stopped_by_schedule")

    assert run.status == status.value
    assert (run.shown_as == "skipped") is (status.value in skips)
    assert run.shown_as == SHOWN_AS[status]


def test_what_no_column_can_hold_is_replaced_and_long_output_is_whole(tables: Tables) -> None:
    long = "é" * 32 * 1024
    end = LIFE.ended(
        RunStatus.FAILED,
        detail="a\0b",
        result=Result(2, long[:-1] + "\0", cut=True, reference="c\0"),
    )
    tell(tables, [defined(rule=COMMAND), LIFE.fired(), end])
    run, (attempt,) = only_run(tables)

    assert (run.detail, run.reference, run.output_cut) == ("a\ufffdb", "c\ufffd", True)
    assert attempt.output == long[:-1] + "\ufffd"


def test_an_event_that_no_table_can_hold_takes_no_other_with_it(tables: Tables) -> None:
    book = Notebook()
    other = replace(LIFE, run="jr_other")
    events: list[Event] = [
        defined(rule=TRACKED),
        LIFE.fired(),
        LIFE.queued(until=1 << 62),
        *whole(other),
        LIFE.ended(),
    ]
    parked = tables.take([book.event(event, stamp(i)) for i, event in enumerate(events)])

    assert [(one.record.offset(), one.sqlstate) for one in parked] == [(2, "22008")]
    assert {run.run: run.status for run in tables.reads.runs().rows} == {
        FIRST: "success",
        "jr_other": "success",
    }


def test_pages_of_runs_stay_stable_while_runs_are_added_and_taken_away(tables: Tables) -> None:
    lives = [replace(LIFE, run=f"jr_{i}", nominal=NOON + i) for i in range(5)]
    other = replace(LIFE, run="jr_else", schedule="other/job")
    tell(
        tables,
        [
            defined(rule=TRACKED),
            defined("other/job", rule=TRACKED),
            *(life.fired() for life in lives),
            other.fired(),
            lives[4].ended(RunStatus.FAILED),
        ],
    )
    book = Notebook(records=book_after([defined()] * 10).records)
    first = tables.reads.runs(limit=2)
    tell(tables, [replace(LIFE, run="jr_new", nominal=NOON + 99).fired()], book)
    second = tables.reads.runs(after=first.following, limit=2)
    third = tables.reads.runs(after=second.following, limit=2)
    ids = [[run.run for run in page.rows] for page in (first, second, third)]

    assert ids == [["jr_else", "jr_4"], ["jr_3", "jr_2"], ["jr_1", "jr_0"]]
    assert third.following is None
    by_schedule = tables.reads.runs(RunFilter(schedule="other/job")).rows
    assert [run.run for run in by_schedule] == ["jr_else"]
    assert [run.run for run in tables.reads.runs(RunFilter(status="failed")).rows] == ["jr_4"]
    assert len(tables.reads.runs(RunFilter(status="open", subject="shop")).rows) == 5
    since = RunFilter(since=NOON + 6 * SECOND, before=NOON + 7 * SECOND)
    assert [run.run for run in tables.reads.runs(since).rows] == ["jr_4"]
