"""
Which bytes must mean which deployment, its traffic and what is proposed for it, for ever?

Entries of golden_values.py about what sleeps and wakes: in definitions, in orders, in what is told
and what is kept of it. Each kind of driver and each symbol that came with them is in one of them,
so that none can change its place.
"""

from __future__ import annotations

from dataclasses import replace

from schemas.actions import Act, App, Setting, Verb
from schemas.codec import Message, Recorded
from schemas.commands import (
    AcceptProposal,
    Define,
    DefineDeployment,
    DismissProposal,
    Propose,
    ReportActivity,
    ReportRun,
    ReportState,
    ReportStatus,
    WithdrawProposal,
)
from schemas.definition import DAY, HOUR, MINUTE, SECOND, Cron, Definition, Emit, Weekly
from schemas.deployments import (
    Call,
    ContainerDriver,
    Deployment,
    DeploymentState,
    HttpDriver,
    Metrics,
    Vllm,
)
from schemas.events import (
    ActivityNoted,
    Event,
    InsightRaised,
    InsightResolved,
    RunEnded,
    RunRetries,
    ScheduleChanged,
    ScheduleDefined,
    Stamp,
)
from schemas.orders import Deployed, Order
from schemas.policies import Gate, Preset, Tracking
from schemas.proposals import (
    IdleWindow,
    Proposal,
    ProposalAccepted,
    ProposalDismissed,
    ProposalMade,
    ProposalNote,
    ProposalSource,
    ProposalStatus,
    ProposalWithdrawn,
)
from schemas.run_events import Result, RunStatus
from schemas.schedule import ScheduleRow, Status
from schemas.snapshot import Activity, Insight, Run, RunPhase, Standing, SubjectHold, SubjectNotes
from schemas.subject_events import DeploymentDefined, DeploymentStateNoted, InsightKind
from schemas.traffic import MinuteKind, Sample, TrafficMinute

_AT = 1_798_761_600_123_456  # 2027-01-01T00:00:00.123456Z
_TIMER = Stamp(_AT, 3, None, -1, 70_000, "schedule:llama/night")
_ASKED = Stamp(_AT + 1, 11, 1 << 40, 17, 0, "user:ada", "cmd-1", "00-0af7-01")
_RUN = "jr_abcdefghijkl"
_OF_RUN = ("llama/night", 9, 5, _RUN, "llama", _AT, None, 2)
_HEADERS = (Setting("Authorization", "", "env:API_TOKEN"), Setting("X-Team", "gpu"))
_VLLM = Vllm("http://10.0.0.5:8000", _HEADERS, 2, "llama-1", ("start", "llama"), ("stop", "llama"))
_HTTP = HttpDriver(
    "https://control.example/llama",
    _HEADERS,
    Call("/sleep", "PUT", '{"level": 1}'),
    Call("/stop"),
    Call("/wake"),
    Call("/start"),
    Call("/fits", "GET"),
    Call("/status", "GET"),
    "/data/state",
)
_METRICS = Metrics("http://10.0.0.5:8000/metrics", _HEADERS, "a", "b", "c", "d")
_FULL = Deployment(_VLLM, 90, "Europe/Berlin", _METRICS, "gpu-1")
_PLAIN = Deployment(ContainerDriver())
_WINDOWS = (
    IdleWindow(0, 22 * 3600, 1, 7 * 3600 + 45 * 60, 600, 3, 3),
    IdleWindow(6, 0, 0, 86_399, 1_440, 12, 11),
)
_PROPOSAL = Proposal(
    *("p-1", _WINDOWS, "Europe/Berlin", ProposalSource.MODEL, 810, "nobody asks at night"),
    *("Hours of llama: …", '{"answer": "propose"}'),
)


def _acting(act: Act, pool: str = "default") -> Definition:
    action = Emit(f"horae.orders.{pool}", tracked=Tracking(30 * SECOND), work=act)
    return Definition((Weekly(31, 22 * 3600),), action, preset=Preset.DEPLOYMENT)


_SLEEP = replace(
    _acting(Act(Verb.SLEEP, 2, "gpu-1"), "gpu-1"),
    gate=Gate(),
    start_within=15 * MINUTE,
    hold_on_failure=True,
)
_ORDER = Order(
    *(_RUN, 2, 3, "llama/night", 9, 5, "llama", None, _AT, _AT + 9, None, _AT + 10),
    *(_AT + 10 + 5 * SECOND, Act(Verb.SLEEP), App("shop:1.2"), HOUR, "00-0af7-01"),
    Deployed(_FULL, DeploymentState.RUNNING, True, 1_234),
)
_ACTIVITY = Activity(_AT - HOUR, 1, 2, _AT, 1_234, 3_000, 400_000)
_MESSAGES: dict[str, Message] = {
    "Define.5": Define(_SLEEP, 4),
    **{f"Define.5.{verb.value}": Define(_acting(Act(verb))) for verb in Verb},
    "Define.5.emit": Define(Definition((Cron("30 2 * * *"),), Emit("runs"))),
    "ScheduleRow.5": ScheduleRow(9, 5, _AT, _AT + 1, "user:ada", Status.ENABLED, _SLEEP),
    "DefineDeployment.1": DefineDeployment(_FULL),
    "DefineDeployment.1.plain": DefineDeployment(_PLAIN),
    "DefineDeployment.1.http": DefineDeployment(Deployment(_HTTP, 0)),
    "DefineDeployment.1.named": DefineDeployment(Deployment(ContainerDriver("llama-1"), 100)),
    **{
        f"ReportState.1.{state.value}": ReportState(state, "user:ada", "by hand")
        for state in (
            *(DeploymentState.UNKNOWN, DeploymentState.RUNNING, DeploymentState.ASLEEP),
            *(DeploymentState.STOPPED, DeploymentState.STARTING),
        )
    },
    "ReportState.1": ReportState(DeploymentState.STOPPED),
    "Propose.1": Propose(_PROPOSAL),
    "Propose.1.rules": Propose(replace(_PROPOSAL, source=ProposalSource.RULES, confidence=1_000)),
    "Propose.1.other": Propose(replace(_PROPOSAL, source=ProposalSource.OTHER, prompt="")),
    "AcceptProposal.1": AcceptProposal("p-1", "try it"),
    "DismissProposal.1": DismissProposal("p-1", "no"),
    "WithdrawProposal.1": WithdrawProposal("p-1", "it was busy on Tuesday"),
    "ReportActivity.2": ReportActivity(1, 2, _AT, _AT - HOUR, 1_234, 3_000, 400_000),
    "ReportActivity.2.plain": ReportActivity(0, 0, _AT),
    "ReportRun.3": ReportRun(
        _RUN, ReportStatus.NOT_STOPPED_BY_SCHEDULE, 2, "", "host-1", _AT, Result()
    ),
    "Order.2": _ORDER,
    "Order.2.http": replace(
        _ORDER,
        work=Act(Verb.WAKE, None, "gpu-1"),
        deployed=Deployed(Deployment(_HTTP), DeploymentState.STOPPED, False, None),
    ),
    "Order.2.plain": replace(_ORDER, deployed=None),
    "Run.4": Run(
        *(_RUN, "llama/night", 9, 5, "llama", _AT, _AT + 9, None, RunPhase.ENDED, _AT),
        status=RunStatus.NOT_STOPPED_BY_SCHEDULE,
    ),
    "SubjectNotes.4": SubjectNotes(
        actions_hold=SubjectHold("the sleep failed", "schedule:llama/night", _AT),
        activity=_ACTIVITY,
        insights=tuple(
            Insight(kind, "llama/night", "so it is", _AT)
            for kind in (
                *(InsightKind.OTHER, InsightKind.FAILING, InsightKind.PAUSED),
                *(InsightKind.NO_RUNNER, InsightKind.DOES_NOT_FIT, InsightKind.HELD),
            )
        ),
        deployment=_FULL,
        standing=Standing(DeploymentState.STOPPED, "user:ada", _AT, "user:ada"),
        proposals=tuple(
            ProposalNote(f"p-{i}", status, _WINDOWS[:1], "UTC", _AT)
            for i, status in enumerate(
                (
                    *(ProposalStatus.OPEN, ProposalStatus.ACCEPTED),
                    *(ProposalStatus.DISMISSED, ProposalStatus.WITHDRAWN),
                )
            )
        ),
    ),
    "SubjectNotes.4.plain": SubjectNotes(standing=Standing(DeploymentState.ASLEEP, None, _AT)),
    "Sample.1": Sample(_AT, 1, 2, 3, 4_000_000),
    "Sample.1.plain": Sample(_AT, 0, 0),
    **{
        f"TrafficMinute.1.{kind.value}": TrafficMinute(
            *(_AT, kind, 3_000, 1, 2, 3, 4_000_000),
            (Sample(_AT, 1, 2, 3, 4_000_000), Sample(_AT + 15 * SECOND, 0, 0)),
        )
        for kind in (MinuteKind.UNKNOWN, MinuteKind.IDLE, MinuteKind.ACTIVE)
    },
    "TrafficMinute.1": TrafficMinute(_AT, MinuteKind.UNKNOWN, None, 0, 0, None, None),
}
_EVENTS: dict[str, Event] = {
    "ScheduleDefined.5": ScheduleDefined("llama/night", 5, 5, _SLEEP, _AT, _AT + DAY, _AT + DAY),
    "ScheduleChanged.5": ScheduleChanged("llama/night", 9, 5, 5, _SLEEP, _AT, _AT + HOUR, None),
    "RunRetries.4": RunRetries(*_OF_RUN, RunStatus.UNAVAILABLE, _AT + HOUR, "", None),
    "RunEnded.4": RunEnded(*_OF_RUN, RunStatus.NOT_STOPPED_BY_SCHEDULE, _AT, "user:ada did"),
    "ActivityNoted.2": ActivityNoted("llama/", _AT - HOUR, 1, 2, _AT, 1_234, 3_000, 400_000),
    "InsightRaised.2": InsightRaised("llama/", InsightKind.DOES_NOT_FIT, "llama/morning", "full"),
    "InsightRaised.2.held": InsightRaised("llama/", InsightKind.HELD, "llama/night", "it failed"),
    "InsightResolved.2": InsightResolved("llama/", InsightKind.HELD, "llama/night", "released"),
    "DeploymentDefined.1": DeploymentDefined("llama/", _FULL),
    "DeploymentDefined.1.http": DeploymentDefined("llama/", Deployment(_HTTP)),
    "DeploymentStateNoted.1": DeploymentStateNoted(
        "llama/", DeploymentState.ASLEEP, "schedule:llama/night", _RUN, "level 2"
    ),
    "DeploymentStateNoted.1.plain": DeploymentStateNoted("llama/", DeploymentState.RUNNING, None),
    "ProposalMade.1": ProposalMade("llama/", _PROPOSAL),
    "ProposalAccepted.1": ProposalAccepted(
        "llama/", "p-1", ("llama/sleep-p-1", "llama/wake-p-1"), "try it"
    ),
    "ProposalDismissed.1": ProposalDismissed("llama/", "p-1", "no"),
    "ProposalWithdrawn.1": ProposalWithdrawn("llama/", "p-1", "it was busy on Tuesday"),
}
DEPLOYMENTS: dict[str, Message | Recorded] = {
    **_MESSAGES,
    **{
        name: Recorded(event, _TIMER if name.startswith("Run") else _ASKED)
        for name, event in _EVENTS.items()
    },
}
