"""Is what was told of a deployment in the views, the newest word of each kind, until it is gone?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from projections import traffic_queries
from projections.queries import AuditFilter
from projections.shown_traffic import DeploymentShown
from schemas.actions import Act, Setting, Verb
from schemas.definition import Definition, Emit, Weekly
from schemas.deployments import Deployment, DeploymentState, HttpDriver, Vllm
from schemas.deployments_json import deployment_json
from schemas.events import (
    ActivityNoted,
    DeploymentDefined,
    DeploymentStateNoted,
    Event,
    InsightRaised,
    InsightResolved,
    ScheduleRemoved,
    SubjectHeld,
    SubjectReleased,
    SubjectRemoved,
)
from schemas.policies import Tracking
from schemas.run_events import RunStatus
from schemas.subject_events import InsightKind
from tests.read_models.ledger import (
    MINUTE,
    NOON,
    SECOND,
    Notebook,
    defined,
    row,
    stamp,
    this_minute,
    traffic_minute,
)
from tests.read_models.tables import Tables, tables_in
from tests.read_models.works import Life

WHOSE = "llama/"
KEY = Setting("Authorization", "", "env:KEY")
VLLM = Deployment(Vllm("http://llama:8000", (KEY,)))
SLEEP = Definition(
    (Weekly(0b11, 22 * 3_600),),
    Emit("horae.orders.default", tracked=Tracking(MINUTE), work=Act(Verb.SLEEP)),
)


@pytest.fixture
def tables(database: str) -> Iterator[Tables]:
    with tables_in(database) as made:
        yield made


def take(
    tables: Tables, *batches: list[Event], book: Notebook | None = None, since: int = NOON
) -> Notebook:
    book = book or Notebook()
    for events in batches:
        records = []
        for event in events:
            at = len(book.records)
            records.append(book.event(event, stamp(at, since + at * SECOND, actor="user:ada")))
        assert tables.take(records) == []
    return book


def state(now: DeploymentState, actor: str | None = "user:ada") -> DeploymentStateNoted:
    return DeploymentStateNoted(WHOSE, now, actor)


def seen(in_flight: int, at: int = NOON) -> ActivityNoted:
    return ActivityNoted(WHOSE, at - MINUTE, in_flight, 1, at, 812, 3_000, 400_000)


def shown(tables: Tables, subject: str = "llama") -> DeploymentShown:
    found = tables.reads.look(lambda views: traffic_queries.deployment(views, subject))
    assert found is not None
    return found


def test_a_deployment_is_there_as_it_was_registered_last(tables: Tables) -> None:
    newer = replace(VLLM, priority=90, zone="Europe/Berlin")
    take(tables, [DeploymentDefined(WHOSE, VLLM)], [DeploymentDefined(WHOSE, newer)])
    found = shown(tables)
    [(driver, spec)] = tables.rows("SELECT driver, spec FROM deployments")

    assert found.deployment == newer
    assert (found.defined_at, found.defined_by) == (NOON + SECOND, "user:ada")
    assert (found.state, found.state_since, found.in_flight) == ("unknown", None, None)
    assert (driver, spec["vllm"]["url"], spec["zone"]) == ("vllm", "http://llama:8000", newer.zone)
    assert spec == deployment_json(newer)  # whoever reads it may register it again


def test_what_was_told_before_a_deployment_is_registered_counts_once_it_is(
    tables: Tables,
) -> None:
    told: list[Event] = [state(DeploymentState.ASLEEP), seen(3)]
    book = take(tables, [*told, SubjectHeld(WHOSE, "broken", NOON, None, actions_only=True)])
    assert tables.reads.look(traffic_queries.deployments) == []

    take(tables, [DeploymentDefined(WHOSE, VLLM)], book=book)
    found = shown(tables)
    assert (found.state, found.in_flight, found.actions_held_reason) == ("asleep", 3, "broken")


@pytest.mark.parametrize("at_once", [True, False])
def test_who_stopped_it_last_is_known_after_it_runs_again(tables: Tables, at_once: bool) -> None:
    events: list[Event] = [
        DeploymentDefined(WHOSE, VLLM),
        state(DeploymentState.STOPPED, "schedule:llama/night"),
        state(DeploymentState.STOPPED, "user:bob"),
        DeploymentStateNoted(WHOSE, DeploymentState.RUNNING, None, "jr_1", "by hand"),
    ]
    take(tables, *([events] if at_once else [[event] for event in events]))
    found = shown(tables)

    assert (found.state, found.state_actor, found.stopped_by) == ("running", None, "user:bob")
    assert (found.state_run, found.state_detail) == ("jr_1", "by hand")
    assert found.state_since == NOON + 3 * SECOND


def test_what_a_sampler_needs_is_the_last_that_was_seen(tables: Tables) -> None:
    take(tables, [DeploymentDefined(WHOSE, VLLM), seen(2)], [seen(0, NOON + MINUTE)])
    [found] = tables.reads.look(traffic_queries.sampled)
    row = shown(tables)

    assert found == ("llama", VLLM, 812, NOON + MINUTE)
    assert (row.in_flight, row.waiting, row.last_request) == (0, 1, NOON)
    assert (row.rate, row.usual) == (3_000, 400_000)


def test_a_hold_over_all_of_it_is_another_than_over_its_sleep_and_wake(tables: Tables) -> None:
    take(
        tables,
        [
            DeploymentDefined(WHOSE, VLLM),
            SubjectHeld(WHOSE, "repair", NOON, NOON + MINUTE, actions_only=False),
            SubjectHeld(WHOSE, "it failed", NOON, None, actions_only=True),
        ],
        [SubjectReleased(WHOSE, "repaired", actions_only=False)],
    )
    found = shown(tables)

    assert (found.held_since, found.held_reason) == (None, None)
    assert (found.actions_held_since, found.actions_held_by) == (NOON, "user:ada")


def test_an_older_word_changes_nothing(tables: Tables) -> None:
    book = Notebook()
    events: list[Event] = [
        DeploymentDefined(WHOSE, VLLM),
        seen(1),
        state(DeploymentState.ASLEEP),
        seen(2),
    ]
    records = [book.event(event, stamp(at)) for at, event in enumerate(events)]
    tables.take(records)
    tables.take([records[1]])

    assert shown(tables).in_flight == 2


def test_deployments_are_listed_by_subject_and_state(tables: Tables) -> None:
    other = Deployment(HttpDriver("http://x"), 10)
    take(
        tables,
        [DeploymentDefined(WHOSE, VLLM), DeploymentDefined("bert/", other)],
        [state(DeploymentState.ASLEEP)],
    )
    found = tables.reads.look(traffic_queries.deployments)
    asleep = tables.reads.look(lambda v: traffic_queries.deployments(v, state="asleep"))

    assert [one.subject for one in found] == ["bert", "llama"]
    assert [one.subject for one in asleep] == ["llama"]


@pytest.mark.case("DP-033")
def test_one_action_of_a_schedule_is_a_state_a_row_of_the_audit_and_a_last_result(
    tables: Tables,
) -> None:
    life = Life("jr_night", "llama/sleep", "llama")
    by = f"schedule:{life.schedule}"
    done = DeploymentStateNoted(WHOSE, DeploymentState.ASLEEP, by, life.run)
    told: list[Event] = [DeploymentDefined(WHOSE, VLLM), defined(life.schedule, rule=SLEEP)]
    told += [life.fired(), life.granted(), life.ended(), done]
    book = take(tables, told)
    tables.take([book.schedule(life.schedule, row(5, definition=SLEEP))])
    found, run = shown(tables), tables.reads.run(life.run)
    audit = tables.reads.audit(AuditFilter(schedule=WHOSE, outcome="deployment_state")).rows
    schedule = tables.reads.schedule(life.schedule)

    assert (found.state, found.state_actor, found.state_run) == ("asleep", by, life.run)
    assert [one.reason for one in audit] == [f"asleep by {by}: {life.run}"]
    assert run is not None
    assert (run.work, run.status, run.ended_at) == ("deployment", "success", NOON + 4 * SECOND)
    assert schedule is not None
    assert (schedule.last_nominal, schedule.last_state) == (NOON, "fired")


@pytest.mark.case("DP-041")
def test_with_a_deployment_its_profile_and_insights_are_gone_and_its_audit_stays(
    tables: Tables,
) -> None:
    both = ("llama/sleep", "llama/wake")
    raised = InsightRaised(WHOSE, InsightKind.HELD, both[0], "a sleep failed")
    fits_not = InsightRaised(WHOSE, InsightKind.DOES_NOT_FIT, both[1], "no room")
    told: list[Event] = [DeploymentDefined(WHOSE, VLLM), state(DeploymentState.ASLEEP), seen(0)]
    told += [defined(one, rule=SLEEP) for one in both]
    told += [raised, fits_not, InsightRaised("bert/", InsightKind.HELD, "bert/a", "failed")]
    now = this_minute()
    book = take(tables, told, since=now)
    tables.take([book.schedule(one, row(5, definition=SLEEP)) for one in both])
    tables.take([book.minute("llama", traffic_minute(now - MINUTE * at)) for at in range(90)])
    tables.writer.compute_profiles()
    before = tables.reads.look(lambda views: traffic_queries.profile(views, "llama"))

    gone: list[Event] = [ScheduleRemoved(one, 9, 5) for one in both]
    gone += [InsightResolved(WHOSE, one.kind, one.about, "removed") for one in (raised, fits_not)]
    take(tables, [*gone, SubjectRemoved(WHOSE, "sold")], book=book, since=now)
    tables.take([book.schedule(one, None) for one in both])
    audit = list(reversed(tables.reads.audit().rows))

    assert before is not None
    assert [one.outcome for one in audit][-5:] == [
        *("removed", "removed", "insight_resolved", "insight_resolved", "subject_removed")
    ]
    assert {one.schedule for one in audit if one.outcome == "removed"} == set(both)
    assert tables.reads.schedules().rows == ()
    assert tables.reads.look(traffic_queries.deployments) == []
    assert tables.reads.look(lambda views: traffic_queries.profile(views, "llama")) is None
    assert [one.subject for one in tables.reads.insights().rows] == ["bert"]
    assert tables.rows("SELECT subject FROM traffic_hours") == []
    assert tables.rows("SELECT subject FROM traffic_subjects") == []
    assert {"deployment_defined", "defined", "insight_raised"} <= {one.outcome for one in audit}


def test_a_deployment_that_is_registered_again_begins_anew(tables: Tables) -> None:
    take(
        tables,
        [DeploymentDefined(WHOSE, VLLM), state(DeploymentState.STOPPED), seen(3)],
        [SubjectRemoved(WHOSE, "sold"), DeploymentDefined(WHOSE, VLLM)],
    )
    found = shown(tables)

    assert (found.state, found.stopped_by, found.in_flight) == ("unknown", None, None)


@pytest.mark.parametrize(
    "status", [RunStatus.NOT_STOPPED_BY_SCHEDULE, RunStatus.DOES_NOT_FIT, RunStatus.ALREADY_THERE]
)
def test_a_wake_that_had_nothing_to_do_is_a_skip(tables: Tables, status: RunStatus) -> None:
    life = Life("jr_day", "llama/wake", "llama")
    take(tables, [defined(life.schedule, rule=SLEEP), life.fired(), life.ended(status, None)])
    found = tables.reads.run("jr_day")

    assert found is not None
    assert (found.shown_as, found.status) == ("skipped", status.value)
