"""
What does an event about runs, backfills or a subject say to a person, in a few words?

The end of the line that ledger.py makes of an event; what the line begins with is there, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from schemas.deployments_json import DRIVER_WORDS
from schemas.events import (
    ActivityNoted,
    AppDefined,
    BackfillEnded,
    BackfillProgressed,
    BackfillStarted,
    DeploymentDefined,
    DeploymentStateNoted,
    InsightRaised,
    InsightResolved,
    ProposalAccepted,
    ProposalDismissed,
    ProposalMade,
    ProposalWithdrawn,
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
    SubjectReleased,
    SubjectRemoved,
)
from schemas.identity import subject_of
from schemas.instants import LAST, format_instant
from schemas.run_events import OfRun, Result

_NAMED = 3


def written(instant: int) -> str:
    """An instant as text, or that it never comes."""
    return "never" if instant > LAST else format_instant(instant)


def listed(instants: tuple[int, ...]) -> str:
    """The first few of them, and how many others there are."""
    shown = ", ".join(map(written, instants[:_NAMED]))
    more = len(instants) - _NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def _run(event: OfRun) -> str:
    """Which run, for whom if that is not the subject, and which instant's."""
    scope = "" if event.scope == subject_of(event.schedule) else f" for {event.scope}"
    return f"{event.run}{scope} of {event.origin or written(event.nominal)}"


def _because(reason: str) -> str:
    return f": {reason}" if reason else ""


def _queued(event: RunQueued) -> str:
    behind = "" if event.behind is None else f" behind {event.behind}"
    return f"{_run(event)}{behind} until {written(event.until)}"


def _started(event: RunStarted) -> str:
    return _run(event) if event.attempt == 1 else f"{_run(event)}, attempt {event.attempt}"


def _offered(event: RunOffered) -> str:
    until = f"offer {event.issue} until {written(event.until)}"
    return f"{_run(event)}, attempt {event.attempt}, {until}{_because(event.why)}"


def _granted(event: RunGranted) -> str:
    return f"{_run(event)}, attempt {event.attempt} to {event.runner}"


def _retries(event: RunRetries) -> str:
    again = f"attempt {event.attempt + 1} at {written(event.again_at)}"
    how = f"attempt {event.attempt} {event.status}{_exit(event.result)}"
    return f"{_run(event)}, {how}, {again}{_because(event.detail)}"


def _cancelling(event: RunCancelling) -> str:
    by = "" if event.by is None else f" for {event.by}"
    return f"{_run(event)} is asked to stop{by}{_because(event.reason)}"


def _noted(event: RunNoted) -> str:
    if event.ignored is not None:
        return f"{_run(event)}, {event.status} ignored: {event.ignored}"
    lease = "" if event.lease_until is None else f", lease until {written(event.lease_until)}"
    return f"{_run(event)} {event.status}{lease}"


def _ended(event: RunEnded) -> str:
    reason = "" if event.reason is None else f" ({event.reason})"
    tries = f" after {event.attempt} attempts" if event.attempt > 1 else ""
    how = f"{event.status}{reason}{_exit(event.result)}{tries}"
    return f"{_run(event)} {how}{_because(event.detail)}"


def _exit(result: Result | None) -> str:
    """What a runner found, if that was a number; its output is not for a line."""
    return "" if result is None or result.exit_code is None else f" (exit {result.exit_code})"


def _skips(event: SkipsChanged) -> str:
    found = f"to be skipped: {listed(event.skips)}" if event.skips else "nothing is to be skipped"
    return f"{found} ({event.reason})" if event.reason else found


def _backfilled(event: BackfillStarted) -> str:
    return f"{event.id}, {len(event.instants)} instants: {listed(event.instants)}"


def _progressed(event: BackfillProgressed) -> str:
    waits = "" if event.waits is None else f", waits: {event.waits}"
    return f"{event.id}, {event.done} of {event.total}{waits}"


def _backfill_ended(event: BackfillEnded) -> str:
    how = "cancelled after" if event.cancelled else "done with"
    return f"{event.id} {how} {event.done} of {event.total}{_because(event.reason)}"


def _held(event: SubjectHeld) -> str:
    until = "" if event.until is None else f" until {written(event.until)}"
    what = "its sleep and wake" if event.actions_only else "all of it"
    return f"{what}{until}{_because(event.reason)}"


def _released(event: SubjectReleased) -> str:
    what = "its sleep and wake" if event.actions_only else "all of it"
    return f"{what}{_because(event.reason)}"


def _removed(event: SubjectRemoved) -> str:
    return event.reason


def _activity(event: ActivityNoted) -> str:
    last = "never" if event.last_request is None else written(event.last_request)
    return f"{event.in_flight} in flight, {event.waiting} waiting, last request {last}"


def _app(event: AppDefined) -> str:
    where = "" if event.app.node is None else f" on {event.app.node}"
    return f"{event.app.image}{where}"


def _deployment(event: DeploymentDefined) -> str:
    found = event.deployment
    pool = "" if found.pool is None else f", pool {found.pool}"
    word = DRIVER_WORDS[type(found.driver)]
    return f"{word}, priority {found.priority}, zone {found.zone}{pool}"


def _state(event: DeploymentStateNoted) -> str:
    by = "nobody knows who" if event.actor is None else event.actor
    run = "" if event.run is None else f" ({event.run})"
    return f"{event.state.value} by {by}{run}{_because(event.detail)}"


def _proposed(event: ProposalMade) -> str:
    found = event.proposal
    many = len(found.windows)
    windows = f"{many} window{'s' * (many > 1)}"
    share = f"{found.confidence / 10:g} %"
    return f"{found.id}, {windows}, {found.source.value} at {share}{_because(found.reason)}"


def _accepted(event: ProposalAccepted) -> str:
    return f"{event.proposal}: {', '.join(event.schedules)}{_because(event.reason)}"


def _settled(event: ProposalDismissed | ProposalWithdrawn) -> str:
    return f"{event.proposal}{_because(event.reason)}"


def _insight(event: InsightRaised | InsightResolved) -> str:
    return f"{event.kind.value.replace('_', ' ')}, {event.about}: {event.message}"


LINES: Mapping[type, Callable[[Any], str]] = {
    RunQueued: _queued,
    RunStarted: _started,
    RunOffered: _offered,
    RunGranted: _granted,
    RunRetries: _retries,
    RunCancelling: _cancelling,
    RunNoted: _noted,
    RunEnded: _ended,
    SkipsChanged: _skips,
    BackfillStarted: _backfilled,
    BackfillProgressed: _progressed,
    BackfillEnded: _backfill_ended,
    SubjectHeld: _held,
    SubjectReleased: _released,
    SubjectRemoved: _removed,
    ActivityNoted: _activity,
    AppDefined: _app,
    DeploymentDefined: _deployment,
    DeploymentStateNoted: _state,
    ProposalMade: _proposed,
    ProposalAccepted: _accepted,
    ProposalDismissed: _settled,
    ProposalWithdrawn: _settled,
    InsightRaised: _insight,
    InsightResolved: _insight,
}
"""By the event's type."""
