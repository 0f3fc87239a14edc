"""Does a sampler learn of each deployment that has metrics, with what is usual now?"""

from __future__ import annotations

from dataclasses import replace

from horae.sampled import sampled_in, watched_in
from schemas.deployments import Deployment, Metrics, Vllm
from schemas.events import ActivityNoted, DeploymentDefined, Event
from schemas.traffic import MinuteKind
from streams.traffic.sampler import Watched
from tests.read_models.ledger import DAY, MINUTE, Notebook, stamp, this_minute, traffic_minute
from tests.read_models.tables import tables_in

METRICS = Metrics("http://llama:8000/metrics")
LLAMA = Deployment(Vllm("http://llama:8000"), metrics=METRICS)


def test_a_sampler_is_told_of_those_with_metrics(database: str) -> None:
    with tables_in(database) as tables:
        book, now = Notebook(), this_minute()
        told: tuple[Event, ...] = (
            DeploymentDefined("llama/", LLAMA),
            DeploymentDefined("silent/", replace(LLAMA, metrics=None)),
            ActivityNoted("llama/", now - MINUTE, 0, 1, now - MINUTE, 812, None, None),
        )
        assert tables.take([book.event(one, stamp(n, now)) for n, one in enumerate(told)]) == []
        week_ago = now - 7 * DAY
        minutes = [
            book.minute("llama", traffic_minute(week_ago + n * MINUTE, MinuteKind.ACTIVE, 400_000))
            for n in range(2)
        ]
        tables.take(minutes)
        tables.writer.compute_profiles()

        found = tables.reads.look(lambda views: watched_in(views, week_ago + 7 * DAY))

    assert found == [Watched("llama", METRICS, 812, now - MINUTE, 400_000)]


def test_the_views_are_asked_anew_each_time(database: str) -> None:
    with tables_in(database) as tables:
        listed = sampled_in(database)
        assert listed() == []
        book = Notebook()
        tables.take([book.event(DeploymentDefined("llama/", LLAMA), stamp(0, this_minute()))])

        assert listed() == [Watched("llama", METRICS)]
