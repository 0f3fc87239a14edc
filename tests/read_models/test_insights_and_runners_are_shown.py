"""Is what somebody should know there until it is so no longer, and who does the work?"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from prometheus_client import generate_latest

from projections.metrics import Telemetry
from projections.run_queries import InsightFilter
from schemas.actions import App, Setting, Volume
from schemas.events import (
    AppDefined,
    Event,
    InsightRaised,
    InsightResolved,
    SubjectRemoved,
)
from schemas.run_events import RunStatus
from schemas.subject_events import InsightKind
from tests.read_models.ledger import NOON, SECOND, Notebook, defined, stamp
from tests.read_models.tables import Tables, tables_in
from tests.read_models.works import COMMAND, Life

FAILING = InsightKind.FAILING
KEY = Setting("KEY", "", "env:KEY")
APP = App("shop:4", env=(KEY,), volumes=(Volume("data", "/data"),))


@pytest.fixture
def tables(database: str) -> Iterator[Tables]:
    with tables_in(database) as made:
        yield made


def take(tables: Tables, *batches: list[Event]) -> None:
    book = Notebook()
    for events in batches:
        records = []
        for event in events:
            at = len(book.records)
            records.append(book.event(event, stamp(at, NOON + at * SECOND, actor="user:ada")))
        assert tables.take(records) == []


def raised(about: str = "shop/a", kind: InsightKind = FAILING) -> InsightRaised:
    return InsightRaised("shop/", kind, about, f"3 runs of {about} failed")


def resolved(about: str = "shop/a", kind: InsightKind = FAILING) -> InsightResolved:
    return InsightResolved("shop/", kind, about, "it succeeded")


def test_an_insight_is_open_until_it_is_resolved(tables: Tables) -> None:
    take(tables, [raised(), raised("shop/b")], [resolved()])
    found = {one.about: one for one in tables.reads.insights().rows}
    still = tables.reads.insights(InsightFilter(only_open=True)).rows

    assert [one.about for one in still] == ["shop/b"]
    assert (found["shop/a"].raised_at, found["shop/a"].resolved_at) == (NOON, NOON + 2 * SECOND)
    assert (found["shop/a"].resolution, found["shop/a"].resolved_by) == ("it succeeded", "user:ada")
    assert found["shop/a"].message == "3 runs of shop/a failed"


def test_each_time_it_is_so_again_is_an_insight_of_its_own(tables: Tables) -> None:
    """In one batch or in many, each resolution ends the one before it."""
    take(tables, [raised(), resolved(), raised()], [resolved(), raised()])
    found = tables.reads.insights(InsightFilter(subject="shop", kind="failing")).rows

    ends = [one.resolved_at and (one.resolved_at - NOON) // SECOND for one in reversed(found)]
    assert ends == [1, 3, None]


def test_an_insight_of_another_kind_or_schedule_stays_open(tables: Tables) -> None:
    take(tables, [raised(), raised(kind=InsightKind.NO_RUNNER), raised("shop/b"), resolved()])
    still = tables.reads.insights(InsightFilter(only_open=True)).rows

    assert {(one.kind, one.about) for one in still} == {
        ("no_runner", "shop/a"),
        ("failing", "shop/b"),
    }


def test_with_a_subject_its_insights_and_its_app_are_gone(tables: Tables) -> None:
    other = InsightRaised("else/", FAILING, "else/a", "failed")
    take(tables, [AppDefined("shop/", APP), raised(), other], [SubjectRemoved("shop/", "sold")])
    still = tables.reads.insights(InsightFilter(only_open=True)).rows
    shown = tables.reads.subject("shop")

    assert [one.about for one in still] == ["else/a"]
    assert shown is not None
    assert shown.app is None


def test_pages_of_insights_are_stable(tables: Tables) -> None:
    take(tables, [raised(f"shop/{i}") for i in range(5)])
    first = tables.reads.insights(limit=2)
    second = tables.reads.insights(after=first.following, limit=2)
    third = tables.reads.insights(after=second.following, limit=2)

    names = [one.about for page in (first, second, third) for one in page.rows]
    assert names == [f"shop/{i}" for i in (4, 3, 2, 1, 0)]
    assert third.following is None


def test_what_a_subject_is_made_of_is_shown_without_its_secrets(tables: Tables) -> None:
    take(tables, [AppDefined("shop/", App("shop:3"))], [AppDefined("shop/", APP)])
    shown = tables.reads.subject("shop")

    assert shown is not None
    assert shown.app is not None
    assert (shown.app["image"], shown.actor) == ("shop:4", "user:ada")
    assert shown.app["env"] == [{"name": "KEY", "value": "", "secret": "env:KEY"}]
    assert tables.reads.subject("other") is None


def test_a_runner_is_known_by_its_newest_life_and_what_it_has(tables: Tables) -> None:
    one, two, three = (Life(f"jr_{i}", "shop/a", "shop") for i in range(3))
    told: list[Event] = [defined("shop/a", rule=COMMAND)]
    told += [life.fired() for life in (one, two, three)]
    told += [one.granted("r-1", boot=7), two.granted("r-2", boot=3), three.granted("r-1", boot=9)]
    take(tables, [*told, one.granted("r-1", boot=8)], [one.ended()])
    found = {runner.runner: runner for runner in tables.reads.runners()}

    assert (found["r-1"].boot, found["r-1"].run, found["r-1"].open_runs) == (9, "jr_2", 1)
    assert (found["r-2"].boot, found["r-2"].open_runs) == (3, 1)


def test_ends_of_runs_are_counted_and_measured(tables: Tables) -> None:
    book, telemetry = Notebook(), Telemetry(lambda: 0.0)
    lives = [Life(f"jr_{i}", "shop/a", "shop") for i in range(3)]
    events: list[Event] = [defined("shop/a", rule=COMMAND)]
    events += [life.fired() for life in lives]
    events += [lives[0].granted(), lives[1].granted()]
    events += [lives[0].ended(), lives[1].ended(RunStatus.FAILED, NOON + 4 * SECOND)]
    records = [book.event(event, stamp(i, NOON + i * SECOND)) for i, event in enumerate(events)]
    applied = tables.apply(records)
    telemetry.committed(len(records), 0.1, applied)
    telemetry.open_runs(tables.writer.open_runs())
    telemetry.committed(len(records), 0.1, tables.apply(records[:2]))
    said = generate_latest(telemetry.registry).decode().splitlines()

    assert 'horae_runs_ended_total{status="success"} 1.0' in said
    assert 'horae_runs_ended_total{status="failed"} 1.0' in said
    assert 'horae_runs_open{status="offered"} 1.0' in said
    assert 'horae_runs_open{status="started"} 0.0' in said
    assert 'horae_run_duration_seconds_sum{work="command"} 9.0' in said
    assert 'horae_run_queue_seconds_count{work="command"} 2.0' in said
