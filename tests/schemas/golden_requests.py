"""
Which bytes must mean which requests, runs and subjects for ever?

Entries of golden_values.py about what is asked of schedules and subjects beside definitions, what
happens then, and what a processor keeps of it. Each symbol of each choice is in one of them, so
that none can change its place.
"""

from __future__ import annotations

from schemas.codec import Message, Recorded
from schemas.commands import (
    Backfill,
    CancelBackfill,
    CancelRun,
    EditScopes,
    HoldSubject,
    ReleaseSubject,
    RemoveSubject,
    RemoveTarget,
    ReportActivity,
    ReportRun,
    ReportStatus,
    Resume,
    ScopeEdit,
    Skip,
    Trigger,
    Unskip,
)
from schemas.definition import HOUR, CatchUpMode
from schemas.events import (
    ActivityNoted,
    BackfillEnded,
    BackfillProgressed,
    BackfillStarted,
    Deferred,
    Event,
    Fired,
    Outcome,
    Reason,
    RunCancelling,
    RunEnded,
    RunNoted,
    RunQueued,
    RunRetries,
    RunStarted,
    ScopeResult,
    Skipped,
    SkipsChanged,
    Stamp,
    SubjectHeld,
    SubjectReleased,
    SubjectRemoved,
)
from schemas.policies import Filter, FilterKind, OverlapMode, Scope
from schemas.replies import Reply, Verdict
from schemas.run_events import RunStatus
from schemas.snapshot import (
    Activity,
    BackfillNote,
    FailureCount,
    PastHold,
    Run,
    RunPhase,
    SubjectHold,
    SubjectNotes,
)

_AT = 1_798_761_600_123_456  # 2027-01-01T00:00:00.123456Z
_TIMER = Stamp(_AT, 3, None, -1, 70_000, "schedule:app/nightly")
_ASKED = Stamp(_AT + 1, 11, 1 << 40, 17, 0, "user:ada", "cmd-1", "00-0af7-01")
_RUN = "jr_abcdefghijkl"
_BACKFILL = "cmd-5.77"
_OCCURRENCE = f"2026-12-31T00:00:00Z+{_BACKFILL}"
_OF_RUN = ("app/nightly", 9, 5, _RUN, "rack-a", _AT, _OCCURRENCE, 2)
_SCOPES = (Scope("rack-a", Filter(FilterKind.TYPES, ("compute",))), Scope("rack-b"))
_COMMANDS: dict[str, Message] = {
    "Resume.2": Resume("", CatchUpMode.ALL),
    "Trigger.2": Trigger("by hand", force=True, overlap=OverlapMode.QUEUE),
    "Skip.1": Skip(3, None, "Feiertag"),
    "Skip.1.instant": Skip(None, _AT),
    "Unskip.1": Unskip(_AT, "after all"),
    "Unskip.1.all": Unskip(),
    "Backfill.1": Backfill(
        *(_AT, _AT + HOUR, (), True, 7, OverlapMode.ALLOW, True, "lost"),
    ),
    "Backfill.1.instants": Backfill(instants=(-1, _AT, _AT + HOUR)),
    "CancelBackfill.1": CancelBackfill("cmd-5", "enough"),
    **{
        f"EditScopes.1.{edit.value}": EditScopes(edit, _SCOPES[i:], "moved")
        for i, edit in enumerate((ScopeEdit.ADD, ScopeEdit.REMOVE))
    },
    "EditScopes.1": EditScopes(ScopeEdit.UPDATE, _SCOPES),
    "HoldSubject.1": HoldSubject("move", _AT, actions_only=True),
    "ReleaseSubject.1": ReleaseSubject("moved"),
    "RemoveSubject.1": RemoveSubject("sold", cancel=True),
    "RemoveTarget.1": RemoveTarget("rack-a", "gone"),
    "ReportActivity.1": ReportActivity(3, 1 << 40, _AT, _AT - 1),
    "ReportActivity.1.idle": ReportActivity(0, 0, _AT),
    "ReportRun.1": ReportRun(_RUN, ReportStatus.RUNNING, 2, "half"),
    **{
        f"ReportRun.1.{status.value}": ReportRun(_RUN, status)
        for status in (
            *(ReportStatus.SUCCESS, ReportStatus.FAILED),
            *(ReportStatus.TIMEOUT, ReportStatus.CANCELLED),
        )
    },
    "CancelRun.1": CancelRun(_RUN, "enough"),
    "Reply.2": Reply(
        *("app/nightly", "trigger", Verdict.SKIPPED, _AT, 3, 77, 9, 5, _AT),
        *("app/nightly~5@trigger:cmd-1.77", None, f"{_RUN} runs"),
    ),
}
_EVENTS: dict[str, Event] = {
    "Fired.3": Fired(
        *("app/nightly", 9, 5, _AT, _AT + 9, _AT, 0, _OCCURRENCE, False),
        (
            ScopeResult("rack-a", _RUN, Outcome.WAITING),
            ScopeResult("rack-b", "jr_mnopqrstuvwx", Outcome.SKIPPED, Reason.BUSY),
        ),
        *(_AT + HOUR, _AT + HOUR),
    ),
    "Skipped.3": Skipped(
        *("app/nightly", 9, 5, _AT, _AT, 1, Reason.BUSY, _AT, 0, _AT + HOUR, _AT + HOUR),
        *(None, _AT, 60, "2 in flight"),
    ),
    "Deferred.3": Deferred(
        "app/nightly", 9, 5, _AT, _AT, Reason.BUSY, _AT + HOUR, _AT, 3, "2 in flight"
    ),
    "Deferred.4": Deferred(
        *("app/nightly", 9, 5, _AT, _AT, Reason.BUSY, _AT + HOUR, _AT, 3, "2 in flight"),
        *(_AT + HOUR, 1),
    ),
    "SkipsChanged.1": SkipsChanged("app/nightly", 9, 5, (_AT, _AT + HOUR), "Feiertag"),
    "BackfillStarted.1": BackfillStarted(
        "app/nightly", 9, 5, _BACKFILL, (_AT, _AT - HOUR), OverlapMode.REPLACE, "lost"
    ),
    "BackfillProgressed.1": BackfillProgressed("app/nightly", 9, 5, _BACKFILL, 1, 2),
    "BackfillProgressed.2": BackfillProgressed(
        "app/nightly", 9, 5, _BACKFILL, 1, 2, _AT + HOUR, "run jr_abcdefghijkl goes on"
    ),
    "BackfillEnded.1": BackfillEnded(
        "app/nightly", 9, 5, _BACKFILL, 1, 2, cancelled=True, reason="enough"
    ),
    "RunQueued.1": RunQueued(*_OF_RUN, _AT, _AT + HOUR, OverlapMode.LATEST, "jr_mnopqrstuvwx"),
    "RunStarted.1": RunStarted(*_OF_RUN),
    "RunRetries.1": RunRetries(*_OF_RUN, RunStatus.TIMEOUT, _AT + HOUR, "slow"),
    "RunCancelling.1": RunCancelling(*_OF_RUN, "newer", "jr_mnopqrstuvwx"),
    "RunNoted.1": RunNoted(*_OF_RUN, "running", _AT + HOUR),
    "RunNoted.1.ignored": RunNoted(*_OF_RUN, "success", None, "it is over"),
    "RunEnded.1": RunEnded(*_OF_RUN, RunStatus.DROPPED, None, "waited", Reason.QUEUE_TIMEOUT),
    **{
        f"RunEnded.1.{status.value}": RunEnded(*_OF_RUN, status, _AT)
        for status in (
            *(RunStatus.OTHER, RunStatus.SUCCESS, RunStatus.FAILED, RunStatus.TIMEOUT),
            *(RunStatus.CANCELLED, RunStatus.REPLACED, RunStatus.INTERRUPTED),
        )
    },
    "RunRetries.2": RunRetries(*_OF_RUN, RunStatus.UNAVAILABLE, _AT + HOUR, "it is gone"),
    "RunEnded.2": RunEnded(*_OF_RUN, RunStatus.UNAVAILABLE, _AT, "it is gone"),
    "SubjectHeld.1": SubjectHeld("app/", "move", _AT, _AT + HOUR, actions_only=True),
    "SubjectReleased.1": SubjectReleased("app/", "moved", actions_only=False),
    "SubjectRemoved.1": SubjectRemoved("app/", "sold"),
    "ActivityNoted.1": ActivityNoted("app/", _AT - 1, 3, 1, _AT),
}
_STATE: dict[str, Message] = {
    "Run.1": Run(
        *(_RUN, "app/nightly", 9, 5, "rack-a", _AT, _AT + 9, _OCCURRENCE, RunPhase.ENDED, _AT),
        *(3, _AT, OverlapMode.SKIP, "jr_mnopqrstuvwx", _AT + 1, _AT + 2, _AT + 3),
        RunStatus.REPLACED,
    ),
    **{
        f"Run.1.{phase.value}": Run(_RUN, "app/nightly", 9, 5, "app", _AT, _AT, None, phase, _AT)
        for phase in (
            *(RunPhase.WAITING, RunPhase.STARTED, RunPhase.RETRYING, RunPhase.CANCELLING),
        )
    },
    "Run.2": Run(
        *(_RUN, "app/nightly", 9, 5, "rack-a", _AT, _AT + 9, None, RunPhase.ENDED, _AT, 3, _AT),
        status=RunStatus.UNAVAILABLE,
    ),
    "SubjectNotes.1": SubjectNotes(
        SubjectHold("move", "user:ada", _AT, _AT + HOUR),
        SubjectHold("", "system", _AT),
        Activity(_AT - 1, 3, 1, _AT),
        (FailureCount("app/nightly", 2), FailureCount("app/weekly", 1)),
        (BackfillNote(_BACKFILL, "app/nightly", (_AT,), 2, None, "user:ada"),),
        PastHold(_AT - HOUR, _AT),
    ),
    "SubjectNotes.2": SubjectNotes(
        backfills=(BackfillNote(_BACKFILL, "app/nightly", (_AT,), 2, None, "user:ada", _AT + HOUR),)
    ),
    "SubjectNotes.1.empty": SubjectNotes(),
}
REQUESTS: dict[str, Message | Recorded] = {
    **_COMMANDS,
    **{
        name: Recorded(event, _TIMER if name.startswith("Run") else _ASKED)
        for name, event in _EVENTS.items()
    },
    **_STATE,
}
