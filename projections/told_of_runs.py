"""
What does an event about a run, a backfill or a subject tell the audit?

The run's or the backfill's id stands in the reason: the audit has one column for words. Signs of
life, samples and progress tell nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from projections.told_of_deployments import AboutDeployments, words_of_deployment
from schemas.events import (
    ActivityNoted,
    AppDefined,
    BackfillEnded,
    BackfillEvent,
    BackfillProgressed,
    BackfillStarted,
    InsightRaised,
    InsightResolved,
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
    SubjectEvent,
    SubjectHeld,
    SubjectReleased,
    SubjectRemoved,
)

AboutOthers = RunEvent | SubjectEvent | BackfillEvent | SkipsChanged


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What one event tells; the rest of the row is the stamp's."""

    outcome: str
    schedule: str | None
    command: str | None = None
    reason: str | None = None
    field: str | None = None
    version: int | None = None
    incarnation: int | None = None
    next: int | None = None
    next_due: int | None = None
    """None: as next."""
    until: int | None = None


def tell_of_others(event: AboutOthers) -> Told | None:
    """What the audit says of it; None: nothing."""
    match event:
        case RunQueued() | RunStarted() | RunRetries() | RunCancelling() | RunNoted() | RunEnded():
            return _tell_run(event)
        case RunOffered() | RunGranted():
            return _tell_order(event)
        case BackfillStarted() | BackfillEnded() | SkipsChanged():
            return _tell_request(event)
        case SubjectHeld() | SubjectReleased() | SubjectRemoved():
            return _tell_subject(event)
        case BackfillProgressed() | ActivityNoted():
            return None
        case _:
            return _tell_what_is_known(event)


def _tell_deployment(event: AboutDeployments) -> Told:
    outcome, words, command = words_of_deployment(event)
    return Told(outcome=outcome, schedule=event.schedule, command=command, reason=_words(*words))


def _tell_order(event: RunOffered | RunGranted) -> Told:
    if isinstance(event, RunGranted):
        return _of_run("run_granted", event, f"attempt {event.attempt} to {event.runner}")
    words = f"attempt {event.attempt}, offer {event.issue}"
    return _of_run("run_offered", event, _words(words, event.why), until=event.until)


def _tell_what_is_known(
    event: AppDefined | InsightRaised | InsightResolved | AboutDeployments,
) -> Told:
    if isinstance(event, AboutDeployments):
        return _tell_deployment(event)
    if isinstance(event, AppDefined):
        return _of_subject("app_defined", event, event.app.image, "app")
    outcome = "insight_raised" if isinstance(event, InsightRaised) else "insight_resolved"
    words = _words(event.kind.value, event.about, event.message)
    return Told(outcome=outcome, schedule=event.schedule, reason=words)


Going = RunQueued | RunStarted | RunRetries | RunCancelling | RunNoted | RunEnded


def _tell_run(event: Going) -> Told | None:  # noqa: PLR0911 - one exhaustive match
    match event:
        case RunQueued():
            behind = "" if event.behind is None else f"behind {event.behind}"
            return _of_run("run_queued", event, behind, until=event.until)
        case RunStarted():
            return _of_run("run_started", event, f"attempt {event.attempt}")
        case RunRetries():
            words = _words(event.status.value, event.detail)
            return _of_run("run_retries", event, words, following=event.again_at)
        case RunCancelling():
            words = _words("" if event.by is None else f"for {event.by}", event.reason)
            return _of_run("run_cancelling", event, words)
        case RunEnded():
            why = event.reason.value if event.reason is not None else ""
            return _of_run("run_ended", event, _words(event.status.value, why, event.detail))
        case RunNoted(ignored=str() as why):
            return _of_run("report_ignored", event, _words(event.status, why), command="report")
        case RunNoted():
            return None
        case _:
            assert_never(event)


def _of_run(
    outcome: str,
    event: RunEvent,
    words: str,
    *,
    command: str | None = None,
    following: int | None = None,
    until: int | None = None,
) -> Told:
    return Told(
        outcome=outcome,
        schedule=event.schedule,
        command=command,
        reason=f"{event.run} {words}".strip(),
        version=event.version,
        incarnation=event.incarnation,
        next=following,
        until=until,
    )


def _tell_request(event: BackfillStarted | BackfillEnded | SkipsChanged) -> Told:
    match event:
        case BackfillStarted():
            words = f"{event.id}, {len(event.instants)} instants"
            return _of_request("backfill_started", event, words, "backfill")
        case BackfillEnded():
            words = f"{event.id}, {event.done} of {event.total}"
            command = "cancel_backfill" if event.cancelled else None
            return _of_request("backfill_ended", event, words, command)
        case SkipsChanged():
            words = f"{len(event.skips)} instants to be skipped"
            return _of_request("skips_changed", event, words, "skip")
        case _:
            assert_never(event)


def _of_request(
    outcome: str,
    event: BackfillStarted | BackfillEnded | SkipsChanged,
    words: str,
    command: str | None,
) -> Told:
    return Told(
        outcome=outcome,
        schedule=event.schedule,
        command=command,
        reason=_words(words, event.reason),
        version=event.version,
        incarnation=event.incarnation,
    )


def _tell_subject(event: SubjectHeld | SubjectReleased | SubjectRemoved) -> Told:
    match event:
        case SubjectHeld():
            words = _words("sleep and wake" if event.actions_only else "", event.reason)
            return _of_subject("subject_held", event, words, "hold", event.until)
        case SubjectReleased():
            words = _words("sleep and wake" if event.actions_only else "", event.reason)
            return _of_subject("subject_released", event, words, "release")
        case SubjectRemoved():
            return _of_subject("subject_removed", event, event.reason, "remove")
        case _:
            assert_never(event)


def _of_subject(
    outcome: str, event: SubjectEvent, words: str, command: str, until: int | None = None
) -> Told:
    return Told(
        outcome=outcome, schedule=event.schedule, command=command, reason=words, until=until
    )


def _words(*parts: str) -> str:
    return ": ".join(filter(None, parts))
