"""From the offer to the report, on a real broker, between real processes."""

from __future__ import annotations

import pytest

from schemas.events import RunGranted
from schemas.run_events import RunStatus
from tests.acceptance.stage import Stage
from tests.runner.ordered import program
from tests.runner.schedules import asking_for, ended, told_of

pytestmark = pytest.mark.broker


def test_what_is_due_is_offered_claimed_granted_begun_and_reported(stage: Stage) -> None:
    stage.processor("p")
    stage.runner("r")
    stage.await_processors("p")

    stage.cluster.define("billing/close", asking_for(program("sh", "-c", "echo out; exit 3")))

    [end] = ended(stage.cluster)
    assert (end.status, end.detail, end.attempt) == (RunStatus.FAILED, "ended with 3", 1)
    assert end.result is not None
    assert (end.result.exit_code, end.result.output) == (3, "out\n")
    [granted, over] = told_of(stage.cluster)
    assert isinstance(granted, RunGranted)
    assert granted.runner == "r"
    assert over == end
