"""Is each minute of traffic in the views as it was seen best, whatever came when?"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import psycopg
import pytest

from projections import traffic_queries
from projections.history import Keeping
from projections.rebuild import Progress, rebuild
from projections.shown_traffic import MinuteShown
from schemas.codec import encode
from schemas.deployments import Deployment, Vllm
from schemas.events import DeploymentDefined, SubjectRemoved
from schemas.traffic import MinuteKind, TrafficMinute
from tests.read_models.conftest import Views
from tests.read_models.ledger import (
    DAY,
    MINUTE,
    NOON,
    SECOND,
    Notebook,
    Written,
    stamp,
    this_minute,
    traffic_minute,
)
from tests.read_models.tables import Tables, tables_in

IDLE, ACTIVE, UNKNOWN = MinuteKind.IDLE, MinuteKind.ACTIVE, MinuteKind.UNKNOWN


@pytest.fixture
def tables(database: str) -> Iterator[Tables]:
    with tables_in(database) as made:
        yield made


def seen(tables: Tables, subject: str = "llama") -> list[MinuteShown]:
    return tables.reads.look(
        lambda views: traffic_queries.minutes(views, subject, NOON - 400 * DAY, NOON + 400 * DAY)
    )


def take(tables: Tables, *said: TrafficMinute, book: Notebook | None = None) -> None:
    book = book or Notebook()
    assert tables.take([book.minute("llama", one) for one in said]) == []


def test_minutes_are_shown_in_their_order_with_what_was_seen(tables: Tables) -> None:
    take(
        tables,
        traffic_minute(NOON + 59 * MINUTE, ACTIVE, 400_500),
        traffic_minute(NOON + 60 * MINUTE, UNKNOWN, None, 1),
        traffic_minute(NOON, IDLE, 0),
    )
    assert seen(tables) == [
        (NOON, "idle", 0, 4),
        (NOON + 59 * MINUTE, "active", 400_500, 4),
        (NOON + 60 * MINUTE, "unknown", None, 1),
    ]
    rates = tables.rows("SELECT rate_per_minute FROM traffic_minutes ORDER BY minute")
    assert rates == [(0,), (400_500,), (None,)]


@pytest.mark.parametrize("at_once", [True, False])
def test_of_one_minute_the_record_with_more_samples_counts(tables: Tables, at_once: bool) -> None:
    said = [traffic_minute(NOON, ACTIVE, 7, 3), traffic_minute(NOON, IDLE, 0, 2)]
    said += [traffic_minute(NOON + MINUTE, IDLE, 0, 2), traffic_minute(NOON + MINUTE, ACTIVE, 9, 4)]
    book = Notebook()
    for part in [said] if at_once else [[one] for one in said]:
        take(tables, *part, book=book)

    assert seen(tables) == [(NOON, "active", 7, 3), (NOON + MINUTE, "active", 9, 4)]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_any_order_and_any_batches_come_to_the_same(tables: Tables, seed: int) -> None:
    dice = Random(seed)  # noqa: S311 - no secret
    said = [
        traffic_minute(NOON + place * MINUTE, kind, rate, samples)
        for place in range(0, 200, 3)
        for samples, kind, rate in ((1, UNKNOWN, None), (2, IDLE, 0), (4, ACTIVE, place))
    ]
    dice.shuffle(said)
    book = Notebook()
    while said:
        count = dice.randrange(1, 60)
        take(tables, *said[:count], book=book)
        said = said[count:]

    expected = [(NOON + place * MINUTE, "active", place, 4) for place in range(0, 200, 3)]
    assert seen(tables) == expected


def test_numbers_beyond_what_a_column_holds_are_the_most_it_holds(tables: Tables) -> None:
    take(tables, traffic_minute(NOON, ACTIVE, 1 << 40))
    assert seen(tables)[0].rate == (1 << 31) - 1


def test_a_bad_minute_is_parked_and_its_neighbours_are_there(tables: Tables) -> None:
    book, topic = Notebook(), Notebook().sources.traffic
    good = [book.minute("llama", traffic_minute(NOON + at * MINUTE)) for at in range(2)]
    other = encode(traffic_minute(NOON))
    bad = [
        book.raw(topic, b"llama|2026-11-29T12:01:00Z", other),
        book.raw(topic, b"|2026-11-29T12:00:00Z", other),
        book.raw(topic, b"llama", other),
        book.raw(topic, None, other),
        book.raw(topic, b"llama|2026-11-29T12:00:00Z", b"no minute"),
        book.minute("llama", traffic_minute(NOON + SECOND)),
        book.minute("llama", traffic_minute(NOON, ACTIVE, -1)),
        book.minute("ll\0ama", traffic_minute(NOON)),
    ]
    parked = tables.take([good[0], *bad, good[1]])

    assert [one.record.offset() for one in parked] == [one.offset() for one in bad]
    assert [one.minute for one in seen(tables)] == [NOON, NOON + MINUTE]
    assert len(tables.reads.parked()) == len(bad)


def test_a_record_without_a_value_takes_nothing_back(tables: Tables) -> None:
    book = Notebook()
    take(tables, traffic_minute(NOON), book=book)
    gone = book.raw(book.sources.traffic, b"llama|2026-11-29T12:00:00Z", None)

    assert tables.take([gone]) == []
    assert len(seen(tables)) == 1


@pytest.mark.parametrize("first", ["minutes", "removal", "both"])
def test_what_was_before_the_removal_of_a_subject_stays_out_whatever_is_read_first(
    tables: Tables, first: str
) -> None:
    """Two topics have no order between them."""
    book = Notebook()
    minutes = [book.minute("llama", traffic_minute(NOON + at * MINUTE)) for at in range(-70, 70)]
    removal = book.event(SubjectRemoved("llama/", "sold"), stamp(1, NOON + 90 * SECOND))
    batches: dict[str, list[list[Written]]] = {
        "minutes": [minutes, [removal]],
        "removal": [[removal], minutes],
        "both": [[*minutes, removal]],
    }
    for batch in batches[first]:
        tables.take(batch)

    assert [one.minute for one in seen(tables)] == [NOON + at * MINUTE for at in range(2, 70)]
    assert {one.kind for one in seen(tables)} == {"idle"}
    assert tables.rows("SELECT count(*) FROM traffic_hours WHERE 0 = ALL (kinds)") == [(0,)]


def test_minutes_that_are_no_longer_kept_are_taken_away(database: str) -> None:
    now = this_minute()
    with tables_in(database, keeping=Keeping(traffic_days=35)) as tables:
        old = [traffic_minute(now - 37 * DAY + at * MINUTE) for at in range(120)]
        take(tables, *old, traffic_minute(now - 34 * DAY))
        trimmed = tables.writer.trim()

        assert [one.minute for one in seen(tables)] == [now - 34 * DAY]
        assert (trimmed.traffic_hours, trimmed.left) in [(2, False), (3, False)]


@pytest.mark.broker
def test_a_projector_follows_traffic_and_a_rebuild_leaves_the_same(views: Views) -> None:
    now, ledger = this_minute(), views.ledger
    for subject in ("llama", "bert"):
        ledger.events(DeploymentDefined(f"{subject}/", Deployment(Vllm("http://x:1"))))
        for at in range(90):
            ledger.minute(subject, traffic_minute(now - at * MINUTE), partition=at % 2)
    views.project()
    lags = {lag.topic for lag in views.reads.lag() if lag.records == 0}
    before = views.reads.look(lambda v: list(traffic_queries.profiles(v)))
    steps: list[Progress] = []
    rebuilt = rebuild(views.settings, progress=steps.append, sources=ledger.sources)
    after = views.reads.look(lambda v: list(traffic_queries.profiles(v)))

    assert ledger.sources.traffic in lags
    assert sum(hour.minutes for one in after for hour in one.hours) == 180
    assert [one.subject for one in after] == ["bert", "llama"]
    assert {one.subject for one in before} <= {"bert", "llama"}
    assert rebuilt.counts == rebuilt.counts_before
    assert (rebuilt.counts["traffic_minutes"], rebuilt.counts["deployments"]) == (180, 2)
    assert steps[-1].done == steps[-1].total >= 182


@pytest.mark.broker
def test_views_without_traffic_are_rebuilt_into_some_with_it(views: Views) -> None:
    """As an older release left them."""
    now, ledger = this_minute(), views.ledger
    ledger.events(DeploymentDefined("llama/", Deployment(Vllm("http://x:1"))))
    ledger.minute("llama", traffic_minute(now))
    views.project()
    with psycopg.connect(views.dsn) as connection:
        connection.execute("DROP TABLE horae_v1.subject_notes, horae_v1.traffic_hours CASCADE")
        connection.execute("DROP TABLE horae_v1.proposals, horae_v1.traffic_profiles CASCADE")
        connection.execute("UPDATE horae.serving SET layout = 3")
    rebuilt = rebuild(views.settings, progress=lambda _: None, sources=ledger.sources)
    found = views.reads.look(lambda v: traffic_queries.deployment(v, "llama"))

    assert "traffic_hours" not in rebuilt.counts_before
    assert rebuilt.counts["traffic_minutes"] == 1
    assert found is not None
