"""Is a profile computed when something has changed, and otherwise left alone?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from prometheus_client import generate_latest

from projections import traffic_queries
from projections.local_hours import hour_of_week
from projections.metrics import Telemetry
from projections.profiling import Pace, Profiler
from schemas.deployments import Deployment, Vllm
from schemas.events import DeploymentDefined, Event, SubjectRemoved
from schemas.profiles import Profile
from schemas.traffic import MinuteKind
from tests.read_models.ledger import (
    DAY,
    MINUTE,
    SECOND,
    Notebook,
    stamp,
    this_minute,
    traffic_minute,
)
from tests.read_models.tables import Tables, tables_in

LLAMA = Deployment(Vllm("http://llama:8000"), 70)


@pytest.fixture
def tables(database: str) -> Iterator[Tables]:
    with tables_in(database) as made:
        yield made


def take(tables: Tables, book: Notebook, *events: Event) -> None:
    now = this_minute()
    records = [book.event(event, stamp(len(book.records), now)) for event in events]
    assert tables.take(records) == []


def measure(tables: Tables, book: Notebook, *subjects: str, days: int = 1) -> None:
    begin = this_minute() - days * DAY
    rate = 400_000
    tables.take(
        [
            book.minute(subject, traffic_minute(begin + at * MINUTE, MinuteKind.ACTIVE, rate))
            for subject in subjects
            for at in range(60)
        ]
    )


def age(tables: Tables, seconds: int) -> None:
    """As if the profiles had been computed so long ago."""
    tables.connection.execute(
        "UPDATE traffic_subjects SET computed_at = computed_at - make_interval(secs => %s),"
        " changed_at = changed_at - make_interval(secs => %s)",
        (seconds, seconds),
    )


def profile(tables: Tables, subject: str = "llama") -> Profile | None:
    return tables.reads.look(lambda views: traffic_queries.profile(views, subject))


@pytest.mark.case("DP-056")
def test_a_deployment_has_a_row_for_each_hour_of_the_week_that_was_seen(tables: Tables) -> None:
    book = Notebook()
    take(tables, book, DeploymentDefined("llama/", replace(LLAMA, zone="Asia/Kolkata")))
    measure(tables, book, "llama")
    computed = tables.writer.compute_profiles()
    found = profile(tables)
    begin = (this_minute() - DAY) // SECOND
    hours = {hour_of_week("Asia/Kolkata", begin + at * 60) for at in range(60)}

    assert (computed.subjects, computed.left) == (1, False)
    assert found is not None
    assert (found.zone, found.priority) == ("Asia/Kolkata", 70)
    assert {hour.hour for hour in found.hours} == hours
    assert sum(hour.minutes for hour in found.hours) == 60
    assert {(hour.p50, hour.p95, hour.active) for hour in found.hours} == {
        (400_000, 400_000, 1_000)
    }
    assert tables.reads.look(lambda v: list(traffic_queries.profiles(v))) == [found]


def test_traffic_of_what_is_no_deployment_has_no_profile_until_it_is_one(tables: Tables) -> None:
    book = Notebook()
    measure(tables, book, "llama")
    assert tables.writer.compute_profiles().subjects == 0

    take(tables, book, DeploymentDefined("llama/", LLAMA))
    assert tables.writer.compute_profiles().subjects == 1


def test_a_profile_follows_its_traffic_at_most_so_often(tables: Tables) -> None:
    book = Notebook()
    take(tables, book, DeploymentDefined("llama/", LLAMA))
    measure(tables, book, "llama")
    assert tables.writer.compute_profiles().subjects == 1
    measure(tables, book, "llama", days=2)
    assert tables.writer.compute_profiles().subjects == 0

    age(tables, 901)
    measure(tables, book, "llama", days=2)
    assert tables.writer.compute_profiles().subjects == 1
    found = profile(tables)
    assert found is not None
    assert sum(hour.minutes for hour in found.hours) == 120


def test_without_traffic_a_profile_is_computed_once_a_day(tables: Tables) -> None:
    book = Notebook()
    take(tables, book, DeploymentDefined("llama/", LLAMA))
    measure(tables, book, "llama")
    tables.writer.compute_profiles()
    age(tables, 86_000)
    assert tables.writer.compute_profiles().subjects == 0
    age(tables, 500)
    assert tables.writer.compute_profiles().subjects == 1


def test_what_is_older_than_thirty_days_leaves_with_the_next_day(tables: Tables) -> None:
    book = Notebook()
    take(tables, book, DeploymentDefined("llama/", LLAMA))
    measure(tables, book, "llama", days=2)
    tables.writer.compute_profiles()
    assert profile(tables) is not None
    tables.connection.execute("UPDATE traffic_hours SET hour = hour - interval '29 days'")
    age(tables, 86_401)
    tables.writer.compute_profiles()

    assert profile(tables) is None


def test_another_zone_is_another_profile_at_once(tables: Tables) -> None:
    book = Notebook()
    take(tables, book, DeploymentDefined("llama/", LLAMA))
    measure(tables, book, "llama")
    tables.writer.compute_profiles()
    take(tables, book, DeploymentDefined("llama/", replace(LLAMA, zone="Asia/Tokyo")))
    tables.writer.compute_profiles()
    found = profile(tables)

    assert found is not None
    assert found.zone == "Asia/Tokyo"
    assert tables.writer.compute_profiles().subjects == 0


def test_a_slice_ends_when_its_time_is_over_and_the_rest_is_not_forgotten(tables: Tables) -> None:
    book, names = Notebook(), [f"m{i}" for i in range(5)]
    take(tables, book, *(DeploymentDefined(f"{name}/", LLAMA) for name in names))
    measure(tables, book, *names)
    ticks = iter(range(1_000))
    profiler = Profiler(tables.connection, Pace(900, 1.5), clock=lambda: float(next(ticks)))
    slices = []
    for _ in names:
        with tables.connection.transaction():
            slices.append(profiler.compute())

    assert [one.subjects for one in slices] == [2, 2, 1, 0, 0]
    assert [one.left for one in slices] == [True, True, False, False, False]
    assert len(tables.reads.look(lambda v: list(traffic_queries.profiles(v)))) == 5


def test_the_usual_rate_is_that_of_the_local_hour_of_the_week(tables: Tables) -> None:
    book = Notebook()
    tokyo = replace(LLAMA, zone="Asia/Tokyo")
    take(tables, book, DeploymentDefined("llama/", LLAMA), DeploymentDefined("tokyo/", tokyo))
    measure(tables, book, "llama", "tokyo", days=7)
    tables.writer.compute_profiles()
    week_later, subjects = this_minute() + MINUTE, ["llama", "tokyo", "nobody"]

    def usual(now: int) -> dict[str, int]:
        return tables.reads.look(lambda v: traffic_queries.usual_now(v, subjects, now))

    assert usual(week_later) == {"llama": 400_000, "tokyo": 400_000}
    assert usual(week_later + 3 * 60 * MINUTE) == {}


def test_a_removed_deployment_has_no_profile_of_what_comes_late(tables: Tables) -> None:
    book = Notebook()
    take(tables, book, DeploymentDefined("llama/", LLAMA))
    measure(tables, book, "llama")
    tables.writer.compute_profiles()
    take(tables, book, SubjectRemoved("llama/", "sold"))
    tables.take([book.minute("llama", traffic_minute(this_minute() + 2 * MINUTE))])

    assert tables.writer.compute_profiles().subjects == 0
    assert profile(tables) is None


def test_how_many_were_computed_and_whether_more_are_due_is_measured() -> None:
    from projections.profiling import Profiled

    telemetry = Telemetry(lambda: 0.0)
    telemetry.profiled(Profiled(8, left=True))
    telemetry.profiled(Profiled(3, left=False))
    said = generate_latest(telemetry.registry).decode().splitlines()

    assert "horae_profiles_computed_total 11.0" in said
    assert "horae_profiles_left 0.0" in said
