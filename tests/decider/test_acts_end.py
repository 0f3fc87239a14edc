"""What the end of an act says of its deployment, and what somebody should know; in rows."""

from __future__ import annotations

import pytest

from schemas.actions import Verb
from schemas.commands import (
    Remove,
    ReportRun,
    ReportStatus,
)
from schemas.deployments import DeploymentState
from schemas.events import (
    DeploymentStateNoted,
    Fired,
    InsightRaised,
    InsightResolved,
    RunEnded,
    RunNoted,
)
from schemas.run_events import RunStatus
from schemas.snapshot import Standing
from schemas.subject_events import InsightKind
from tests.decider.crew import R1
from tests.decider.deployed import (
    ASLEEP,
    NAMES,
    RUNNING,
    STOP,
    STOPPED,
    WAKE,
    Place,
    acted,
    only,
    place,
)
from tests.decider.stage import at

S = ReportStatus


@pytest.mark.case("DP-033")
@pytest.mark.parametrize(
    ("verb", "before", "after"),
    [
        (Verb.SLEEP, RUNNING, ASLEEP),
        (Verb.STOP, RUNNING, STOPPED),
        (Verb.WAKE, ASLEEP, RUNNING),
        (Verb.START, ASLEEP, RUNNING),
        (Verb.SLEEP, None, ASLEEP),
        (Verb.SLEEP, ASLEEP, ASLEEP),
    ],
)
def test_what_succeeded_is_its_state_by_the_doing_of_its_schedule(
    verb: Verb, before: DeploymentState | None, after: DeploymentState
) -> None:
    """DP-033: the run has its end, and the deployment an event that names schedule and run."""
    found, (end, noted) = acted(verb, S.SUCCESS, before)

    assert isinstance(end, RunEnded)
    actor = f"schedule:{NAMES[verb]}"
    assert noted == DeploymentStateNoted("shop/", after, actor, end.run)
    standing = found.known.notes.standing
    assert standing is not None
    assert (standing.state, standing.actor) == (after, actor)


@pytest.mark.case("DP-035")
@pytest.mark.parametrize(
    ("verb", "status", "known", "after"),
    {
        "a sleep finds it asleep, as was known": (Verb.SLEEP, S.ALREADY_THERE, ASLEEP, None),
        "a sleep finds it asleep, which nobody had said": (
            *(Verb.SLEEP, S.ALREADY_THERE, RUNNING),
            ASLEEP,
        ),
        "a sleep finds it at rest, and it was stopped": (
            *(Verb.SLEEP, S.ALREADY_THERE, STOPPED),
            None,
        ),
        "a stop finds it stopped": (Verb.STOP, S.ALREADY_THERE, ASLEEP, STOPPED),
        "a wake finds it running, as was known": (Verb.WAKE, S.ALREADY_THERE, RUNNING, None),
        "a wake finds it running, and nothing was known": (
            *(Verb.WAKE, S.ALREADY_THERE, None),
            RUNNING,
        ),
        "a wake finds it stopped by somebody": (
            *(Verb.WAKE, S.NOT_STOPPED_BY_SCHEDULE, ASLEEP),
            STOPPED,
        ),
        "a cancelled one says nothing": (Verb.WAKE, S.CANCELLED, ASLEEP, None),
    }.values(),
)
def test_what_was_found_is_noted_if_nobody_had_said_it(
    verb: Verb,
    status: ReportStatus,
    known: DeploymentState | None,
    after: DeploymentState | None,
) -> None:
    """DP-035: nothing was to be done, and the run says so; by nobody's doing."""
    found, events = acted(verb, status, known)
    _, *noted = events

    if after is None:
        assert noted == []
    else:
        (one,) = only(events, DeploymentStateNoted)
        assert (one.state, one.actor) == (after, None)
    ends = [one for one, _ in found.history if isinstance(one, RunEnded)]
    assert [str(one.status) for one in ends] == [status.value]


@pytest.mark.case("DP-035")
def test_a_slot_that_is_looked_at_twice_has_one_end() -> None:
    found, _ = acted(Verb.SLEEP, S.ALREADY_THERE, ASLEEP)
    fires = [one for one, _ in found.history if isinstance(one, Fired)]
    assert len(fires) == 1

    assert found.ring("22:01:30") == []
    run = found.run(fires[0].scopes[0].run)
    (noted,) = found.says("22:01:40", run.id, S.ALREADY_THERE)
    assert isinstance(noted, RunNoted)
    assert noted.ignored is not None


def test_a_late_report_changes_nothing() -> None:
    """Its lease is over: the run is interrupted, and its success comes too late."""
    found = place(Verb.STOP)
    found.live("21:40", "22:00")
    run = found.the_offered(STOP).id
    found.claim("22:00:01", run)
    boot = found.run(run).boot
    found.wait("22:05")
    assert found.run(run).status is RunStatus.INTERRUPTED
    before = found.known.notes
    found.ask("22:05:01", _report(run, boot), None)

    assert found.known.notes == before


@pytest.mark.case("DP-023")
@pytest.mark.parametrize("verb", [Verb.WAKE, Verb.START])
def test_for_which_there_is_no_room_somebody_is_told_of_and_nothing_else_follows(
    verb: Verb,
) -> None:
    found, events = acted(verb, S.DOES_NOT_FIT, ASLEEP, "needs 2 GPUs, 1 is free")
    end, raised = events

    assert isinstance(end, RunEnded)
    assert raised == InsightRaised(
        *("shop/", InsightKind.DOES_NOT_FIT, NAMES[verb]),
        f"run {end.run}: needs 2 GPUs, 1 is free",
    )
    assert found.known.notes.actions_hold is None
    assert found.schedules[NAMES[verb]].plan.pause is None
    assert found.known.notes.standing == Standing(ASLEEP, "service:deployer", at("00:00"))


class TestWhatDidNotFit:
    """It is told of once, until it fits."""

    def crowded(self) -> Place:
        found, _ = acted(Verb.WAKE, S.DOES_NOT_FIT, ASLEEP)
        return found

    def test_is_not_said_again_while_it_lasts(self) -> None:
        found = self.crowded()
        found.wait("06-02T07:00")
        events = found.acts("06-02T07:00:01", found.the_offered(WAKE).id, S.DOES_NOT_FIT)

        assert only(events, InsightRaised) == []
        assert len(found.known.notes.insights) == 1

    def test_is_over_with_the_next_success(self) -> None:
        found = self.crowded()
        found.wait("06-02T07:00")
        events = found.acts("06-02T07:00:01", found.the_offered(WAKE).id)

        assert [one.kind for one in only(events, InsightResolved)] == [InsightKind.DOES_NOT_FIT]
        assert found.known.notes.insights == ()

    def test_is_over_once_somebody_says_that_it_runs(self) -> None:
        found = self.crowded()
        _, resolved = found.note("08:00", RUNNING, "user:42")

        assert resolved == InsightResolved("shop/", InsightKind.DOES_NOT_FIT, WAKE, "it runs")

    def test_is_over_once_it_is_found_running(self) -> None:
        found = self.crowded()
        found.wait("06-02T07:00")
        events = found.acts("06-02T07:00:01", found.the_offered(WAKE).id, S.ALREADY_THERE)

        assert len(only(events, InsightResolved)) == 1

    def test_goes_with_its_schedule(self) -> None:
        found = self.crowded()

        assert only(found.ask("08:00", Remove(), WAKE), InsightResolved)


def _report(run: str, boot: int | None) -> ReportRun:
    return ReportRun(run, S.SUCCESS, 1, "", R1, boot)
