"""Is a log that is no longer the one that was read noticed, and never papered over?"""

from __future__ import annotations

import psycopg
import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient

from horae.local.kafka import Broker
from projections.continuity import Stored, starting_positions
from projections.faults import RebuildNeeded, StopsProjection
from projections.log import CONSUMER_SETTINGS, Extent, Place, Position
from tests.read_models.conftest import Views, await_that
from tests.read_models.ledger import fired, minutes

HERE = Place("horae.events", 0)


def stored(offset: int, topic_id: str = "one") -> dict[Place, Stored]:
    return {HERE: Stored(topic_id, Position(offset, 3))}


@pytest.mark.parametrize(
    ("known", "extent", "word"),
    [
        (stored(5_000), Extent("one", 9_000, 9_500), "4000 records are gone"),
        (stored(12_000), Extent("two", 0, 300), "another topic"),
        (stored(12_000), Extent("two", 0, 20_000), "another topic"),
        (stored(1_000), Extent("one", 0, 900), "truncated"),
        (stored(1_000), None, "the partition is gone"),
    ],
    ids=["KAF-037", "KAF-038 shorter", "KAF-038 longer", "KAF-039", "no partition"],
)
def test_a_gap_is_named(known: dict[Place, Stored], extent: Extent | None, word: str) -> None:
    """KAF-037, KAF-038, KAF-039."""
    with pytest.raises(RebuildNeeded, match=word):
        starting_positions(known, {} if extent is None else {HERE: extent})


def test_a_whole_log_is_read_on_from_where_the_rows_reach() -> None:
    fresh = Place("horae.events", 1)
    extents = {HERE: Extent("one", 100, 900), fresh: Extent("one", 40, 90)}

    assert starting_positions(stored(900), extents) == {
        HERE: Position(900, 3),
        fresh: Position(40),
    }


def test_the_consumer_never_jumps_and_never_commits() -> None:
    assert CONSUMER_SETTINGS["auto.offset.reset"] == "error"
    assert CONSUMER_SETTINGS["isolation.level"] == "read_committed"
    assert CONSUMER_SETTINGS["enable.auto.commit"] is False
    assert CONSUMER_SETTINGS["enable.auto.offset.store"] is False


def forget(views: Views, before: int) -> None:
    """Let the broker delete a part of the ledger."""
    admin = AdminClient({"bootstrap.servers": views.ledger.bootstrap})
    at = TopicPartition(views.ledger.sources.events, 0, before)
    for future in admin.delete_records([at]).values():
        future.result()


def replace_topic(views: Views) -> None:
    """Delete the ledger's topic, and create one of the same name."""
    name = views.ledger.sources.events
    views.ledger.delete(name)
    views.ledger.await_gone(name)
    views.ledger.create(name)


def expect_stop(views: Views, word: str) -> None:
    before = views.offsets()
    with pytest.raises(RebuildNeeded, match=word), views.projecting() as running:
        await_that(running.done)
    assert views.offsets() == before, "a stopped projection moves no offset"
    health = views.telemetry.health()
    assert (health.healthy, health.state) == (False, "stopped")
    assert "horae rebuild" in str(health.last_error)


def test_records_gone_before_they_were_read_stop_a_restarted_projector(views: Views) -> None:
    """KAF-037."""
    views.ledger.events(*(fired(nominal=at) for at in minutes(5)))
    views.project()
    views.ledger.events(*(fired(nominal=at) for at in minutes(20)))
    forget(views, 15)

    expect_stop(views, "10 records are gone")


def test_another_topic_of_the_same_name_stops_a_restarted_projector(views: Views) -> None:
    """KAF-038: longer than what was stored or not."""
    views.ledger.events(*(fired(nominal=at) for at in minutes(5)))
    views.project()
    replace_topic(views)
    views.ledger.events(*(fired(nominal=at) for at in minutes(20)))

    expect_stop(views, "another topic")


def test_another_topic_of_the_same_name_stops_a_running_projector(views: Views) -> None:
    """KAF-038: the client itself goes on reading in the new one without a word."""
    views.ledger.events(*(fired(nominal=at) for at in minutes(5)))

    def replaced_while_running() -> None:
        with views.projecting() as running:
            views.await_caught_up(running)
            replace_topic(views)
            views.ledger.events(*(fired(nominal=at) for at in minutes(20)))
            await_that(running.done)

    with pytest.raises(StopsProjection):
        replaced_while_running()


def test_a_log_that_ends_too_early_stops_a_restarted_projector(views: Views) -> None:
    """KAF-039."""
    views.ledger.events(*(fired(nominal=at) for at in minutes(5)))
    views.project()
    with psycopg.connect(views.dsn) as connection:
        connection.execute("UPDATE horae_v1.projection_offsets SET next_offset = next_offset + 100")

    expect_stop(views, "truncated")


def test_a_truncated_log_that_has_grown_again_stops_a_restarted_projector(
    views: Views, broker: Broker
) -> None:
    """KAF-039: the leader's epoch gives it away when the offsets no longer do."""
    views.ledger.events(*(fired(nominal=at) for at in minutes(5)))
    views.project()
    broker.kill()
    broker.start()  # a new leader's reign: the old one ended at offset 5
    views.ledger.events(*(fired(nominal=at) for at in minutes(20)))
    with psycopg.connect(views.dsn) as connection:
        connection.execute(
            "UPDATE horae_v1.projection_offsets SET next_offset = 15, leader_epoch = 0"
            " WHERE topic = %s AND partition = 0",
            [views.ledger.sources.events],
        )

    expect_stop(views, "no record at the place")
