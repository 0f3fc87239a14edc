"""Nothing but a superseded state of the same thing shares a key."""

from __future__ import annotations

import pytest

from schemas.deployments import Deployment, DeploymentState, Vllm
from schemas.events import (
    ActivityNoted,
    BackfillEnded,
    BackfillProgressed,
    BackfillStarted,
    DeploymentDefined,
    DeploymentStateNoted,
    Event,
    GlobalChanged,
    ProposalAccepted,
    ProposalDismissed,
    ProposalMade,
    ProposalWithdrawn,
    Reason,
    RunCancelling,
    RunEnded,
    RunGranted,
    RunNoted,
    RunOffered,
    RunQueued,
    RunRetries,
    RunStarted,
    SkipsChanged,
    SubjectHeld,
)
from schemas.instants import parse_instant
from schemas.proposals import Proposal, ProposalSource
from schemas.run_events import RunStatus
from streams.processor.keys import (
    answer_key,
    cursor_key,
    event_key,
    owner_key,
    run_key,
    subject_key,
)
from tests.decider.expected import deferred, fired, paused, refused, skipped, triggered

DAY = "2026-06-01T"
MODEL = Deployment(Vllm("http://127.0.0.1:8000"))


@pytest.mark.parametrize(
    ("event", "key"),
    {
        "a fire": (fired("10:00", None), f"shop/nightly~0@{DAY}10:00:00Z"),
        "a fire of another incarnation": (
            fired("10:00", None, incarnation=3),
            f"shop/nightly~3@{DAY}10:00:00Z",
        ),
        "a fire by hand": (triggered("10:00", None, 4), "shop/nightly~0@trigger:id-4.4"),
        "a deferral, superseded by the end": (
            deferred("10:00", "10:01", "10:00", 1, "gone"),
            f"shop/nightly~0@{DAY}10:00:00Z",
        ),
        "one skipped": (skipped("10:00", "10:00", 1, None), f"shop/nightly~0@{DAY}10:00:00Z"),
        "a run of skipped ones": (
            skipped("10:00", "12:00", 3, None, Reason.WITHDRAWN),
            f"shop/nightly~0@{DAY}10:00:00Z/{DAY}12:00:00Z",
        ),
        "a pause": (paused("10:00"), "shop/nightly#SchedulePaused:77"),
        "a refusal": (refused("pause", "until", "past"), "shop/nightly#CommandRefused:77"),
        "a global record": (GlobalChanged("hold", 5, "held"), "#global:hold@5"),
    }.values(),
)
def test_an_event_has_the_key_of_what_it_is_about(event: Event, key: str) -> None:
    assert event_key(event, 77) == key.encode()


def _run(attempt: int = 1) -> tuple[str, int, int, str, str, int, None, int]:
    return ("shop/nightly", 0, 0, "jr_1", "shop", 5, None, attempt)


@pytest.mark.parametrize(
    ("event", "key"),
    {
        "a run that waits": (RunQueued(*_run(), 5, 9), "shop/nightly#run:jr_1/queued"),
        "the start of an attempt": (RunStarted(*_run(2)), "shop/nightly#run:jr_1/2"),
        "a further offer of it": (
            RunOffered(*_run(2), 3, 9, "nobody took it"),
            "shop/nightly#run:jr_1/2/offered/3",
        ),
        "who has it by which offer": (
            RunGranted(*_run(2), 3, "node-1", 7),
            "shop/nightly#run:jr_1/2/granted/3",
        ),
        "the end of an attempt": (
            RunRetries(*_run(2), RunStatus.FAILED, 9),
            "shop/nightly#run:jr_1/2/ended",
        ),
        "an attempt that could not begin": (
            RunRetries(*_run(2), RunStatus.UNAVAILABLE, 9),
            "shop/nightly#run:jr_1/3/unavailable",
        ),
        "a sign of life": (RunNoted(*_run(), "running", 9), "shop/nightly#run:jr_1"),
        "the end of a run, which supersedes it": (
            RunEnded(*_run(2), RunStatus.SUCCESS, 5),
            "shop/nightly#run:jr_1",
        ),
        "a report that changes nothing": (
            RunNoted(*_run(), "failed", None, "it is over"),
            "shop/nightly#RunNoted:77",
        ),
        "a wish that it stops": (
            RunCancelling(*_run(), "enough"),
            "shop/nightly#RunCancelling:77",
        ),
        "the beginning of a backfill": (
            BackfillStarted("shop/nightly", 0, 0, "b.7", (5,), None, ""),
            "shop/nightly#backfill:b.7/started",
        ),
        "how far a backfill is": (
            BackfillProgressed("shop/nightly", 0, 0, "b.7", 1, 2),
            "shop/nightly#backfill:b.7",
        ),
        "the end of a backfill, which supersedes it": (
            BackfillEnded("shop/nightly", 0, 0, "b.7", 2, 2, cancelled=False, reason=""),
            "shop/nightly#backfill:b.7",
        ),
        "what is to be skipped": (
            SkipsChanged("shop/nightly", 0, 0, (5,), ""),
            "shop/nightly#SkipsChanged:77",
        ),
        "what a sampler saw last": (ActivityNoted("shop/", None, 0, 0, 5), "shop/#activity"),
        "what a deployment is": (DeploymentDefined("shop/", MODEL), "shop/#deployment"),
        "in which state it is, whoever brought it there": (
            DeploymentStateNoted("shop/", DeploymentState.STOPPED, "user:42"),
            "shop/#DeploymentStateNoted:77",
        ),
        "a proposal": (
            ProposalMade("shop/", Proposal("p1", (), "UTC", ProposalSource.RULES, 1_000)),
            "shop/#proposal:p1/made",
        ),
        "that it was accepted": (
            ProposalAccepted("shop/", "p1", ("shop/sleep-p1", "shop/wake-p1")),
            "shop/#proposal:p1/accepted",
        ),
        "that it was dismissed": (
            ProposalDismissed("shop/", "p1"),
            "shop/#proposal:p1/dismissed",
        ),
        "that it was withdrawn": (
            ProposalWithdrawn("shop/", "p1"),
            "shop/#proposal:p1/withdrawn",
        ),
        "a run that was found busy": (
            RunRetries(*_run(0), RunStatus.BUSY, 9),
            "shop/nightly#run:jr_1/1/busy",
        ),
        "a hold over a subject": (
            SubjectHeld("shop/", "move", 5, None, actions_only=False),
            "shop/#SubjectHeld:77",
        ),
    }.values(),
)
def test_what_happens_to_runs_and_subjects_keeps_what_no_later_event_repeats(
    event: Event, key: str
) -> None:
    assert event_key(event, 77) == key.encode()


def test_instants_with_a_fraction_keep_it() -> None:
    """AVR-007: the id is made from the very instant that is stored."""
    event = skipped("10:00:00.123456", "10:00:00.123456", 1, None)
    key = event_key(event, 1).decode()

    assert key == f"shop/nightly~0@{DAY}10:00:00.123456Z"
    assert parse_instant(key.partition("@")[2]) == event.first


def test_what_is_kept_to_start_from_has_a_letter_of_its_own() -> None:
    assert cursor_key("shop/a") == b"p|shop/a"
    assert owner_key(11) == b"o|11"
    assert run_key("jr_1") == b"r|jr_1"
    assert subject_key("shop") == b"u|shop"
    assert answer_key("shop/a#pause:1") == b"c|shop/a#pause:1"
