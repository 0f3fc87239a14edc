"""Does the end of an act say what was done, also if its schedule or its deployment went on?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.actions import Verb
from schemas.commands import Define, ReportStatus
from schemas.deployments import DeploymentState
from schemas.events import DeploymentStateNoted, RunOffered, ScheduleEvent
from schemas.snapshot import Standing
from streams.decider.acted import CHANGED
from tests.decider.deployed import (
    ASLEEP,
    MORNING,
    NAMES,
    RUNNING,
    SLEEP,
    STARTING,
    STOP,
    STOPPED,
    WAKE,
    Place,
    act,
    only,
    place,
)
from tests.decider.stage import at

UNKNOWN = DeploymentState.UNKNOWN


def noted(events: list[ScheduleEvent]) -> DeploymentStateNoted:
    (one,) = only(events, DeploymentStateNoted)
    return one


class TestAScheduleThatBecameAnother:
    """What its run did was what it was before: a stop is never taken for a wake."""

    def sleeping(self, verb: Verb = Verb.SLEEP) -> tuple[Place, str]:
        found = place(verb)
        found.live("21:40", "22:00")
        return found, found.the_offered(NAMES[verb]).id

    @pytest.mark.parametrize("verb", [Verb.SLEEP, Verb.STOP])
    def test_while_its_run_goes_on_leaves_nobody_knowing(self, verb: Verb) -> None:
        found, run = self.sleeping(verb)
        found.claim("22:00:01", run)
        found.ask("22:00:02", Define(act(Verb.WAKE, MORNING)), NAMES[verb])
        event = noted(found.says("22:00:05", run, ReportStatus.SUCCESS))

        assert event == DeploymentStateNoted("shop/", UNKNOWN, None, run, CHANGED)

    def test_before_a_runner_took_its_order_too(self) -> None:
        """The order that lies there is the old one, and is carried out as it is written."""
        found, run = self.sleeping()
        found.ask("22:00:01", Define(act(Verb.WAKE, "0 22 * * *")), SLEEP)
        event = noted(found.acts("22:00:02", run))

        assert (event.state, event.actor) == (UNKNOWN, None)

    def test_whose_order_was_written_anew_tells_what_that_says(self) -> None:
        found, run = self.sleeping(Verb.STOP)
        found.ask("22:00:01", Define(replace(act(Verb.STOP, "0 22 * * *"), description="x")), STOP)
        offered = [one for _, one in found.live("22:00:15", "22:00:45")]
        assert only(offered, RunOffered)
        event = noted(found.acts("22:00:46", run))

        assert (event.state, event.actor) == (STOPPED, f"schedule:{STOP}")

    def test_says_nothing_of_what_was_there_already(self) -> None:
        found, run = self.sleeping()
        found.claim("22:00:01", run)
        found.ask("22:00:02", Define(act(Verb.WAKE, MORNING)), SLEEP)

        assert (
            only(found.says("22:00:05", run, ReportStatus.ALREADY_THERE), DeploymentStateNoted)
            == []
        )


def test_what_a_person_saw_starting_runs_once_a_wake_has_seen_that() -> None:
    """Else it would be starting for ever: nothing wakes it, and nothing lets it sleep."""
    found = place(Verb.WAKE, state=ASLEEP)
    found.wait("07:00")
    run = found.the_offered(WAKE).id
    found.claim("07:00:01", run)
    found.note("07:00:05", STARTING, "user:42")
    event = noted(found.says("07:03", run, ReportStatus.SUCCESS))

    assert event.state is RUNNING
    actor = f"schedule:{WAKE}"
    assert found.known.notes.standing == Standing(RUNNING, actor, at("07:03"))
