"""
What does each event say of a run?

Turns the fire of a tracked action, and every event about a run, into what `runs` and `run_attempts`
are to hold. All that a fire leaves waiting or gives out has a row from its fire on; what it leaves
out never was a run. Whether an action is tracked is tracking.py, a draft's columns run_rows.py.
"""

from __future__ import annotations

from typing import assert_never

from projections import runners
from projections.folding import Batch
from projections.run_drafts import AttemptDraft, RunDraft
from projections.tracking import EMIT, Tracked
from schemas.events import Fired, Outcome, RunEvent, Stamp
from schemas.run_events import (
    RunCancelling,
    RunEnded,
    RunGranted,
    RunNoted,
    RunOffered,
    RunQueued,
    RunRetries,
    RunStarted,
    RunStatus,
)
from schemas.snapshot import RunPhase

_WAITING, _OFFERED, _STARTED = (
    RunPhase.WAITING.value,
    RunPhase.OFFERED.value,
    RunPhase.STARTED.value,
)
_RETRYING, _CANCELLING = RunPhase.RETRYING.value, RunPhase.CANCELLING.value


def fired(event: Fired, stamp: Stamp, tracked: Tracked, batch: Batch) -> None:
    """An occurrence of a schedule that is, or once was, tracked has fired."""
    work = tracked.work(event.schedule, event.version)
    if work is None:
        return
    for scope, run, outcome, _ in event.scopes:
        if outcome not in (Outcome.STARTED, Outcome.WAITING):
            continue
        draft = _draft((*event[:3], run, scope, event.nominal, event.origin), stamp, batch)
        if draft is None:
            continue
        draft.work, draft.due, draft.late = work, event.due, event.late
        draft.actor, draft.command_id = stamp.actor, stamp.command_id
        if outcome is Outcome.WAITING:
            draft.becomes(_WAITING)
        else:
            _given_out(draft, 1, stamp, batch)


def happened(event: RunEvent, stamp: Stamp, tracked: Tracked, batch: Batch) -> None:
    """Something happened to a run; what was said in vain changes nothing."""
    if isinstance(event, RunNoted) and event.ignored is not None:
        return
    named = (event.schedule, event.version, event.incarnation, event.run)
    draft = _draft((*named, event.scope, event.nominal, event.origin), stamp, batch)
    if draft is None:
        return
    draft.work = draft.work or tracked.work(event.schedule, event.version)
    if isinstance(event, RunStarted | RunOffered | RunGranted | RunRetries | RunEnded):
        _attempted(event, draft, stamp, batch)
    else:
        _waits_or_stops(event, draft)


def _attempted(
    event: RunStarted | RunOffered | RunGranted | RunRetries | RunEnded,
    draft: RunDraft,
    stamp: Stamp,
    batch: Batch,
) -> None:
    """What is said of one attempt, too."""
    match event:
        case RunStarted():
            _given_out(draft, event.attempt, stamp, batch)
        case RunOffered() | RunGranted():
            _order(event, draft, stamp, batch)
        case RunRetries():
            _retries(event, draft, stamp, batch)
        case RunEnded():
            _ended(event, draft, stamp, batch)
        case _:
            assert_never(event)


def _waits_or_stops(event: RunQueued | RunCancelling | RunNoted, draft: RunDraft) -> None:
    match event:
        case RunQueued():
            behind = None if event.behind is None else f"behind {event.behind}"
            draft.becomes(_WAITING, reason=behind, until=event.until)
            draft.due = event.due
        case RunCancelling():
            by = None if event.by is None else f"for {event.by}"
            draft.becomes(_CANCELLING, reason=by, detail=event.reason)
        case RunNoted():
            draft.until = event.lease_until
        case _:
            assert_never(event)


def _draft(
    named: tuple[str, int, int, str, str, int, str | None], stamp: Stamp, batch: Batch
) -> RunDraft | None:
    """The draft of that run; None: the batch has newer words about it."""
    schedule, version, incarnation, run, scope, nominal, origin = named
    draft = batch.runs.drafts.get(run)
    if draft is None:
        draft = batch.runs.drafts[run] = RunDraft(
            run=run,
            schedule=schedule,
            scope=scope,
            version=version,
            incarnation=incarnation,
            nominal=nominal,
            origin=origin,
            partition=stamp.partition,
            sequence=stamp.sequence,
            changed_at=stamp.decided_at,
            fired_at=stamp.decided_at,
        )
    elif stamp.sequence < draft.sequence:
        return None
    draft.version, draft.sequence, draft.changed_at = version, stamp.sequence, stamp.decided_at
    return draft


def _attempt(draft: RunDraft, attempt: int, batch: Batch) -> AttemptDraft:
    key = draft.run, attempt
    found = batch.run_attempts.drafts.get(key)
    if found is None:
        found = AttemptDraft(run=draft.run, attempt=attempt, sequence=draft.sequence)
        batch.run_attempts.drafts[key] = found
    found.sequence = draft.sequence
    return found


def _given_out(draft: RunDraft, number: int, stamp: Stamp, batch: Batch) -> None:
    """An attempt is offered to the runners, or its record is written for whoever reports."""
    draft.attempt = max(draft.attempt, number)
    draft.given_out_at = stamp.decided_at
    attempt = _attempt(draft, number, batch)
    attempt.given_out_at = stamp.decided_at
    if draft.work in (EMIT, None):
        draft.becomes(_STARTED)
        draft.started_at = draft.started_at or stamp.decided_at
        attempt.started_at = stamp.decided_at
    else:
        draft.becomes(_OFFERED)
        attempt.offers = max(attempt.offers, 1)
    attempt.status = draft.status or ""


def _order(event: RunOffered | RunGranted, draft: RunDraft, stamp: Stamp, batch: Batch) -> None:
    draft.attempt = max(draft.attempt, event.attempt)
    attempt = _attempt(draft, event.attempt, batch)
    attempt.offers = max(attempt.offers, event.issue)
    if isinstance(event, RunOffered):
        draft.becomes(_OFFERED, detail=event.why, until=event.until)
        attempt.status, attempt.detail = _OFFERED, event.why
        return
    draft.becomes(_STARTED)
    draft.runner = attempt.runner = event.runner
    draft.started_at = draft.started_at or stamp.decided_at
    attempt.boot, attempt.status, attempt.detail = event.boot, _STARTED, ""
    attempt.granted_at = attempt.started_at = stamp.decided_at
    runners.granted(event, stamp, batch)


def _retries(event: RunRetries, draft: RunDraft, stamp: Stamp, batch: Batch) -> None:
    """An attempt is over, or the one behind it is put off: then it is over already."""
    draft.becomes(_RETRYING, reason=event.status.value, detail=event.detail, until=event.again_at)
    draft.attempt = max(draft.attempt, event.attempt)
    if event.status is RunStatus.BUSY:
        put_off = _attempt(draft, event.attempt + 1, batch)
        put_off.status, put_off.detail = _RETRYING, event.detail
    elif event.attempt > 0:
        attempt = _attempt(draft, event.attempt, batch)
        attempt.end(stamp.decided_at, event.status, event.detail, event.result)


def _ended(event: RunEnded, draft: RunDraft, stamp: Stamp, batch: Batch) -> None:
    reason = None if event.reason is None else event.reason.value
    draft.becomes(event.status.value, reason=reason, detail=event.detail)
    draft.started_at, draft.ended_at = event.started_at, stamp.decided_at
    draft.result = event.result
    if event.attempt < 1:
        return
    is_new = (event.run, event.attempt) not in batch.run_attempts.drafts
    attempt = _attempt(draft, event.attempt, batch)
    attempt.end(stamp.decided_at, event.status, event.detail, event.result)
    if is_new:
        attempt.certain = event.started_at is not None
    if event.started_at is not None:
        draft.attempt = max(draft.attempt, event.attempt)
