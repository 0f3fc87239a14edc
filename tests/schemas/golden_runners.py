"""
Which bytes must mean which work, and which words between processor and runners, for ever?

Entries of golden_values.py about what runners do: in definitions, in the orders they get, in what
they answer, and in what is kept of it. Each kind of work and each symbol that came with them is in
one of them, so that none can change its place.
"""

from __future__ import annotations

from dataclasses import replace

from schemas.actions import App, Exec, Follow, Fresh, Http, Program, Setting, Volume
from schemas.codec import Message, Recorded
from schemas.commands import (
    Beat,
    Beating,
    ClaimRun,
    DeclineRun,
    Define,
    DefineApp,
    ReportRun,
    ReportStatus,
)
from schemas.definition import DAY, HOUR, MINUTE, SECOND, Cron, Definition, Emit
from schemas.events import (
    AppDefined,
    Event,
    InsightRaised,
    InsightResolved,
    RunEnded,
    RunGranted,
    RunOffered,
    RunRetries,
    ScheduleChanged,
    ScheduleDefined,
    Stamp,
)
from schemas.globals import GlobalSettings
from schemas.orders import Denial, Grant, Order, OutputChunk, Stop
from schemas.policies import Filter, FilterKind, Overlap, OverlapMode, Preset, Tracking
from schemas.run_events import Result, RunStatus
from schemas.schedule import ScheduleRow, Status
from schemas.snapshot import FailureCount, Insight, Run, RunnerNote, RunPhase, SubjectNotes
from schemas.subject_events import InsightKind

_AT = 1_798_761_600_123_456  # 2027-01-01T00:00:00.123456Z
_TIMER = Stamp(_AT, 3, None, -1, 70_000, "schedule:app/nightly")
_ASKED = Stamp(_AT + 1, 11, 1 << 40, 17, 0, "user:ada", "cmd-1", "00-0af7-01")
_RUN = "jr_abcdefghijkl"
_BOOT = 1_798_761_600_000_001
_OF_RUN = ("app/nightly", 9, 5, _RUN, "rack-a", _AT, None, 2)
_SETTINGS = (Setting("LANG", "de_DE"), Setting("TOKEN", "", "env:API_TOKEN"), Setting("EMPTY"))
_FOLLOWED = Http(
    "https://tasks.example/v1/{scope}",
    "PUT",
    (Setting("Authorization", "", "file:/run/secrets/task"), Setting("X-Run", "{run}")),
    '{"components": {components}}',
    Follow("https://tasks.example/v1/tasks/{task}", "/task/id", "/state", ("ok",), ("bad",), 9),
    "https://inventory.example/{scope}",
    "racks",
)
_HTTP = Http("http://127.0.0.1:8080/")
_PROGRAM = Program(("backup", "--to", ""), "/srv", _SETTINGS, "nobody", "node-1")
_EXEC = Exec(("php", "artisan", "a b"), _SETTINGS, "1000:1000", "/app", "node-2")
_FRESH = Fresh(("true",), _SETTINGS[1:], "node-3")
_APP = App(
    "shop:1.2",
    "shop-1",
    _SETTINGS,
    (Volume("data", "/data", read_only=True), Volume("/srv/in", "/in")),
    *("backend", "1000", "/app", 512 * 1024 * 1024, 500, "node-1"),
)
_RESULT = Result(137, "last words \u2028", True, "task-7", _AT, _AT + SECOND)


def _defined(work: Http | Program | Exec | Fresh, pool: str) -> Definition:
    action = Emit(f"horae.orders.{pool}", tracked=Tracking(30 * SECOND), work=work)
    return Definition((Cron("30 2 * * *"),), action)


_SMALL = _defined(_HTTP, "default")
_LARGE = replace(
    _defined(_FOLLOWED, "racks"),
    overlap=Overlap(OverlapMode.QUEUE),
    timeout=90 * MINUTE,
    preset=Preset.INFRA,
    start_within=15 * MINUTE,
)
_ORDER = Order(
    *(_RUN, 2, 3, "app/nightly", 9, 5, "rack-a", Filter(FilterKind.TYPES, ("compute",))),
    *(_AT, _AT + 9, "trigger:cmd-1.77", _AT + 10, _AT + 10 + 5 * SECOND, _EXEC, _APP, HOUR),
    "00-0af7-01",
)
_MESSAGES: dict[str, Message] = {
    "Define.4": Define(_LARGE, 4),
    "Define.4.http": Define(_SMALL),
    "Define.4.program": Define(_defined(_PROGRAM, "node-1")),
    "Define.4.exec": Define(_defined(_EXEC, "node-2")),
    "Define.4.fresh": Define(_defined(_FRESH, "node-3")),
    "Define.4.emit": Define(Definition((Cron("30 2 * * *"),), Emit("runs"))),
    "ScheduleRow.4": ScheduleRow(9, 5, _AT, _AT + 1, "user:ada", Status.ENABLED, _LARGE),
    "GlobalSettings.4": GlobalSettings(
        ("runs",), _AT, 12, 200, 3, HOUR, 5, SECOND, 10 * MINUTE, 7 * DAY
    ),
    "DefineApp.1": DefineApp(_APP),
    "DefineApp.1.plain": DefineApp(App("shop:1.2")),
    "ClaimRun.1": ClaimRun(_RUN, 2, 3, "host-1", _BOOT),
    "DeclineRun.1": DeclineRun(_RUN, 2, 3, "host-1", _BOOT, "it was granted too late"),
    "Beat.1": Beat(
        _BOOT, (Beating("app", _RUN), Beating("b\u00fcro", "jr_mnopqrstuvwx")), True, 4, ("a", "b")
    ),
    "Beat.1.first": Beat(_BOOT),
    "ReportRun.2": ReportRun(_RUN, ReportStatus.FAILED, 2, "", "host-1", _BOOT, _RESULT),
    **{
        f"ReportRun.2.{status.value}": ReportRun(_RUN, status, 2, "", "host-1", _BOOT, Result())
        for status in (
            *(ReportStatus.INTERRUPTED, ReportStatus.UNAVAILABLE),
            *(ReportStatus.CONTAINER_NOT_RUNNING, ReportStatus.DOES_NOT_FIT),
            *(ReportStatus.ALREADY_THERE, ReportStatus.BUSY),
        )
    },
    "Order.1": _ORDER,
    "Order.1.http": replace(_ORDER, work=_FOLLOWED, app=None, timeout=None, filter=None),
    "Order.1.program": replace(_ORDER, work=_PROGRAM, origin=None),
    "Order.1.fresh": replace(_ORDER, work=_FRESH, trace=None),
    "Grant.1": Grant(_RUN, 2, 3, _BOOT),
    "Denial.1": Denial(_RUN, 2, 3, _BOOT, "another runner has it"),
    "Denial.2": Denial(_RUN, 2, 3, _BOOT, "it has begun a later life", _BOOT + 1),
    "Stop.1": Stop(_RUN, 2, _BOOT, "newer"),
    "OutputChunk.1": OutputChunk(_RUN, 2, 0, "one\ntwo", _AT),
    "Run.3": Run(
        *(_RUN, "app/nightly", 9, 5, "rack-a", _AT, _AT + 9, None, RunPhase.STARTED, _AT, 3, _AT),
        lease_until=_AT + 30 * SECOND,
        issue=3,
        runner="host-1",
        boot=_BOOT,
    ),
    "Run.3.offered": Run(
        *(_RUN, "app/nightly", 9, 5, "rack-a", _AT, _AT + 9, None, RunPhase.OFFERED, _AT),
        until=_AT + 5 * SECOND,
        issue=1,
        start_until=_AT + HOUR,
    ),
    "Run.3.expired": Run(
        *(_RUN, "app/nightly", 9, 5, "rack-a", _AT, _AT + 9, None, RunPhase.ENDED, _AT),
        status=RunStatus.EXPIRED,
    ),
    "RunnerNote.1": RunnerNote("host-1", _BOOT, _AT, leaving=True, slots=4, pools=("default", "a")),
    "SubjectNotes.3": SubjectNotes(
        failures=(FailureCount("app/nightly", 2, 3),),
        app=_APP,
        insights=tuple(
            Insight(kind, "app/nightly", "3 in a row", _AT)
            for kind in (
                *(InsightKind.OTHER, InsightKind.FAILING),
                *(InsightKind.PAUSED, InsightKind.NO_RUNNER),
            )
        ),
    ),
}
_EVENTS: dict[str, Event] = {
    "ScheduleDefined.4": ScheduleDefined("app/nightly", 5, 5, _LARGE, _AT, _AT + DAY, _AT + DAY),
    "ScheduleChanged.4": ScheduleChanged("app/nightly", 9, 5, 5, _SMALL, _AT, _AT + HOUR, None),
    "RunOffered.1": RunOffered(*_OF_RUN, 3, _AT + 20 * SECOND, "nobody took it"),
    "RunGranted.1": RunGranted(*_OF_RUN, 3, "host-1", _BOOT),
    "RunRetries.3": RunRetries(*_OF_RUN, RunStatus.FAILED, _AT + HOUR, "exit code 1", _RESULT),
    "RunEnded.3": RunEnded(*_OF_RUN, RunStatus.SUCCESS, _AT, "", None, replace(_RESULT, cut=False)),
    **{
        f"RunEnded.3.{status.value}": RunEnded(*_OF_RUN, status, None, "", None, Result())
        for status in (
            *(RunStatus.CONTAINER_NOT_RUNNING, RunStatus.DOES_NOT_FIT),
            *(RunStatus.ALREADY_THERE, RunStatus.BUSY, RunStatus.EXPIRED),
        )
    },
    "AppDefined.1": AppDefined("app/", _APP),
    "InsightRaised.1": InsightRaised("app/", InsightKind.FAILING, "app/nightly", "3 in a row"),
    "InsightRaised.1.no_runner": InsightRaised("app/", InsightKind.NO_RUNNER, "app/nightly", ""),
    "InsightResolved.1": InsightResolved("app/", InsightKind.PAUSED, "app/nightly", "resumed"),
}
RUNNERS: dict[str, Message | Recorded] = {
    **_MESSAGES,
    **{
        name: Recorded(event, _TIMER if name.startswith("Run") else _ASKED)
        for name, event in _EVENTS.items()
    },
}
