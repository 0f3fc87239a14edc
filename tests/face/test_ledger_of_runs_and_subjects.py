"""How do events about runs, backfills and subjects look to a person, and to a program?"""

from __future__ import annotations

import json
from typing import get_args

import pytest

from horae.ledger import event_json, event_line
from horae.ledger_lines import LINES
from schemas.actions import App, Setting
from schemas.codec import Recorded
from schemas.deployments import (
    ContainerDriver,
    Deployment,
    DeploymentState,
    HttpDriver,
    Vllm,
)
from schemas.events import (
    ActivityNoted,
    AppDefined,
    BackfillEnded,
    BackfillEvent,
    BackfillProgressed,
    BackfillStarted,
    DeploymentDefined,
    DeploymentStateNoted,
    Event,
    InsightRaised,
    InsightResolved,
    ProposalAccepted,
    ProposalDismissed,
    ProposalMade,
    ProposalWithdrawn,
    Reason,
    RunCancelling,
    RunEnded,
    RunEvent,
    RunGranted,
    RunNoted,
    RunOffered,
    RunQueued,
    RunRetries,
    RunStarted,
    SkipsChanged,
    Stamp,
    SubjectEvent,
    SubjectHeld,
    SubjectReleased,
    SubjectRemoved,
)
from schemas.policies import OverlapMode
from schemas.proposals import IdleWindow, Proposal, ProposalSource
from schemas.run_events import Result, RunStatus
from schemas.subject_events import InsightKind

NOON = 1_798_804_800_000_000  # 2027-01-01T12:00:00Z
HOUR = 3_600_000_000
STAMP = Stamp(NOON + 12_500, 3, None, -1, 7, "system")
RUN = ("a/b", 4, 2, "jr_1", "a", NOON, None)
RACK = ("a/b", 4, 2, "jr_1", "rack-1", NOON, "trigger:x.9")
AT_NOON = "jr_1 of 2027-01-01T12:00:00Z"
AT_ONE = "2027-01-01T13:00:00Z"
HOURS = [f"2027-01-01T{hour}:00:00Z" for hour in (12, 13, 14)]

NIGHT = IdleWindow(0, 79_200, 1, 27_900, 600, 3, 3)
PROPOSAL = Proposal(
    "p1", (NIGHT, NIGHT), "Europe/Berlin", ProposalSource.MODEL, 815, "nobody asks at night"
)

TOLD: dict[str, tuple[Event, str]] = {
    "a run that waits": (
        RunQueued(*RUN, 1, NOON, NOON + HOUR, OverlapMode.QUEUE, "jr_0"),
        f"RunQueued a/b {AT_NOON} behind jr_0 until {AT_ONE}",
    ),
    "a run that waits for any": (
        RunQueued(*RACK, 1, NOON, NOON + HOUR),
        f"RunQueued a/b jr_1 for rack-1 of trigger:x.9 until {AT_ONE}",
    ),
    "a run that begins": (RunStarted(*RUN, 1), f"RunStarted a/b {AT_NOON}"),
    "a further attempt": (RunStarted(*RUN, 2), f"RunStarted a/b {AT_NOON}, attempt 2"),
    "an attempt that failed": (
        RunRetries(*RUN, 1, RunStatus.FAILED, NOON + HOUR, "exit 1"),
        f"RunRetries a/b {AT_NOON}, attempt 1 failed, attempt 2 at {AT_ONE}: exit 1",
    ),
    "an attempt that is offered again": (
        RunOffered(*RUN, 1, 2, NOON + HOUR, "nobody took it"),
        f"RunOffered a/b {AT_NOON}, attempt 1, offer 2 until {AT_ONE}: nobody took it",
    ),
    "an attempt that a runner has": (
        RunGranted(*RUN, 2, 1, "hall-3", 7),
        f"RunGranted a/b {AT_NOON}, attempt 2 to hall-3",
    ),
    "an attempt that a runner tells of": (
        RunRetries(*RUN, 1, RunStatus.FAILED, NOON + HOUR, "no disk", Result(3)),
        f"RunRetries a/b {AT_NOON}, attempt 1 failed (exit 3), attempt 2 at {AT_ONE}: no disk",
    ),
    "a run that is to stop": (
        RunCancelling(*RUN, 1, "", "jr_2"),
        f"RunCancelling a/b {AT_NOON} is asked to stop for jr_2",
    ),
    "a run that somebody stops": (
        RunCancelling(*RUN, 1, "enough"),
        f"RunCancelling a/b {AT_NOON} is asked to stop: enough",
    ),
    "a sign of life": (
        RunNoted(*RUN, 1, "running", NOON + HOUR),
        f"RunNoted a/b {AT_NOON} running, lease until {AT_ONE}",
    ),
    "a report without lease": (
        RunNoted(*RUN, 1, "running"),
        f"RunNoted a/b {AT_NOON} running",
    ),
    "a late report": (
        RunNoted(*RUN, 1, "success", None, "it is over"),
        f"RunNoted a/b {AT_NOON}, success ignored: it is over",
    ),
    "a run that went well": (
        RunEnded(*RUN, 1, RunStatus.SUCCESS, NOON),
        f"RunEnded a/b {AT_NOON} success",
    ),
    "a run that failed for good": (
        RunEnded(*RUN, 3, RunStatus.FAILED, NOON, "exit 1"),
        f"RunEnded a/b {AT_NOON} failed after 3 attempts: exit 1",
    ),
    "a run that never began": (
        RunEnded(*RUN, 1, RunStatus.DROPPED, None, "", Reason.QUEUE_TIMEOUT),
        f"RunEnded a/b {AT_NOON} dropped (queue_timeout)",
    ),
    "a run that a runner tells of": (
        RunEnded(*RUN, 2, RunStatus.FAILED, NOON, "", None, Result(1, "a line\n", cut=True)),
        f"RunEnded a/b {AT_NOON} failed (exit 1) after 2 attempts",
    ),
    "what containers are made of": (
        AppDefined("a/", App("shop:4", node="hall-3")),
        "AppDefined a/ shop:4 on hall-3",
    ),
    "a deployment": (
        DeploymentDefined("a/", Deployment(Vllm("http://gpu"), 90, "Europe/Berlin", None, "gpu")),
        "DeploymentDefined a/ vllm, priority 90, zone Europe/Berlin, pool gpu",
    ),
    "a deployment that is a container": (
        DeploymentDefined("a/", Deployment(ContainerDriver())),
        "DeploymentDefined a/ container, priority 50, zone UTC",
    ),
    "a deployment with a control plane": (
        DeploymentDefined("a/", Deployment(HttpDriver("http://control"))),
        "DeploymentDefined a/ http, priority 50, zone UTC",
    ),
    "the state that a run brought about": (
        DeploymentStateNoted("a/", DeploymentState.ASLEEP, "schedule:a/night", "jr_1", "level 2"),
        "DeploymentStateNoted a/ asleep by schedule:a/night (jr_1): level 2",
    ),
    "a state that somebody found": (
        DeploymentStateNoted("a/", DeploymentState.RUNNING, None),
        "DeploymentStateNoted a/ running by nobody knows who",
    ),
    "a proposal": (
        ProposalMade("a/", PROPOSAL),
        "ProposalMade a/ p1, 2 windows, model at 81.5 %: nobody asks at night",
    ),
    "a proposal by rules": (
        ProposalMade("a/", Proposal("p1", (NIGHT,), "UTC", ProposalSource.RULES, 1_000)),
        "ProposalMade a/ p1, 1 window, rules at 100 %",
    ),
    "a proposal that somebody wants": (
        ProposalAccepted("a/", "p1", ("a/sleep-p1", "a/wake-p1"), "try it"),
        "ProposalAccepted a/ p1: a/sleep-p1, a/wake-p1: try it",
    ),
    "a proposal that nobody wants": (
        ProposalDismissed("a/", "p1", "no"),
        "ProposalDismissed a/ p1: no",
    ),
    "a proposal that does not fit": (
        ProposalWithdrawn("a/", "p1"),
        "ProposalWithdrawn a/ p1",
    ),
    "what somebody should know": (
        InsightRaised("a/", InsightKind.NO_RUNNER, "a/b", "run jr_1 expired"),
        "InsightRaised a/ no runner, a/b: run jr_1 expired",
    ),
    "what is so no longer": (
        InsightResolved("a/", InsightKind.FAILING, "a/b", "run jr_2 succeeded"),
        "InsightResolved a/ failing, a/b: run jr_2 succeeded",
    ),
    "instants to skip": (
        SkipsChanged("a/b", 4, 2, tuple(NOON + i * HOUR for i in range(5)), "move"),
        f"SkipsChanged a/b to be skipped: {', '.join(HOURS)} and 2 more (move)",
    ),
    "nothing to skip": (
        SkipsChanged("a/b", 4, 2, (), ""),
        "SkipsChanged a/b nothing is to be skipped",
    ),
    "a backfill": (
        BackfillStarted("a/b", 4, 2, "b.7", (NOON, NOON + HOUR), OverlapMode.ALLOW, "r"),
        f"BackfillStarted a/b b.7, 2 instants: 2027-01-01T12:00:00Z, {AT_ONE}",
    ),
    "how far a backfill is": (
        BackfillProgressed("a/b", 4, 2, "b.7", 1, 2),
        "BackfillProgressed a/b b.7, 1 of 2",
    ),
    "the end of a backfill": (
        BackfillEnded("a/b", 4, 2, "b.7", 2, 2, cancelled=False, reason=""),
        "BackfillEnded a/b b.7 done with 2 of 2",
    ),
    "a backfill that was cancelled": (
        BackfillEnded("a/b", 4, 2, "b.7", 1, 2, cancelled=True, reason="enough"),
        "BackfillEnded a/b b.7 cancelled after 1 of 2: enough",
    ),
    "a hold": (
        SubjectHeld("a/", "move", NOON, NOON + HOUR, actions_only=False),
        f"SubjectHeld a/ all of it until {AT_ONE}: move",
    ),
    "a hold over sleep and wake": (
        SubjectHeld("a/", "", NOON, None, actions_only=True),
        "SubjectHeld a/ its sleep and wake",
    ),
    "the end of a hold": (
        SubjectReleased("a/", "moved", actions_only=False),
        "SubjectReleased a/ all of it: moved",
    ),
    "the end of a hold over sleep and wake": (
        SubjectReleased("a/", "", actions_only=True),
        "SubjectReleased a/ its sleep and wake",
    ),
    "a subject that is gone": (SubjectRemoved("a/", "sold"), "SubjectRemoved a/ sold"),
    "what a sampler saw": (
        ActivityNoted("a/", NOON, 2, 1, NOON + HOUR),
        "ActivityNoted a/ 2 in flight, 1 waiting, last request 2027-01-01T12:00:00Z",
    ),
    "a subject nobody ever asked for anything": (
        ActivityNoted("a/", None, 0, 0, NOON),
        "ActivityNoted a/ 0 in flight, 0 waiting, last request never",
    ),
}


def test_each_of_them_has_its_words() -> None:
    every = {*get_args(RunEvent), *get_args(SubjectEvent), *get_args(BackfillEvent), SkipsChanged}

    assert set(LINES) == every == {type(event) for event, _ in TOLD.values()}


@pytest.mark.parametrize(("event", "line"), TOLD.values(), ids=TOLD.keys())
def test_an_event_is_one_line(event: Event, line: str) -> None:
    shown = " ".join(event_line(Recorded(event, STAMP)).split())

    assert shown == f"2027-01-01T12:00:00.012500Z {line}"


@pytest.mark.parametrize("event", [event for event, _ in TOLD.values()], ids=TOLD.keys())
def test_an_event_is_plain_data(event: Event) -> None:
    found = json.loads(json.dumps(event_json(Recorded(event, STAMP)), allow_nan=False))

    assert found["event"] == type(event).__name__
    assert not [value for value in found.values() if isinstance(value, int) and value > NOON // 2]


def test_instants_are_texts_wherever_they_stand() -> None:
    backfill = event_json(Recorded(TOLD["a backfill"][0], STAMP))
    retries = event_json(Recorded(TOLD["an attempt that failed"][0], STAMP))
    ended = event_json(Recorded(TOLD["a run that never began"][0], STAMP))

    assert backfill["instants"] == ["2027-01-01T12:00:00Z", AT_ONE]
    assert backfill["overlap"] == "allow"
    assert retries["again_at"] == AT_ONE
    assert (ended["started_at"], ended["reason"]) == (None, "queue_timeout")


def test_what_a_runner_found_and_an_app_are_plain_data_too() -> None:
    result = Result(1, "a line\n", cut=True, started_at=NOON, ended_at=NOON + HOUR)
    end = RunEnded(*RUN, 1, RunStatus.FAILED, NOON, "", None, result)
    app = App("shop:4", env=(Setting("KEY", "", "env:KEY"),))
    found = event_json(Recorded(end, STAMP))["result"]
    made_of = event_json(Recorded(AppDefined("a/", app), STAMP))["app"]

    assert (found["exit_code"], found["output"], found["ended_at"]) == (1, "a line\n", AT_ONE)
    assert made_of["env"] == [{"name": "KEY", "value": "", "secret": "env:KEY"}]


def test_deployments_and_proposals_are_written_as_they_are_asked_for() -> None:
    defined = event_json(Recorded(TOLD["a deployment"][0], STAMP))
    made = event_json(Recorded(TOLD["a proposal"][0], STAMP))
    accepted = event_json(Recorded(TOLD["a proposal that somebody wants"][0], STAMP))

    assert defined["deployment"] == {
        "vllm": "http://gpu",
        "priority": 90,
        "zone": "Europe/Berlin",
        "pool": "gpu",
    }
    assert made["proposal"]["confidence"] == 0.815
    assert made["proposal"]["windows"][0]["sleep_at"] == "22:00"
    assert accepted["schedules"] == ["a/sleep-p1", "a/wake-p1"]
