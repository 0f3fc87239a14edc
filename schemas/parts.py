"""
Which records and words are parts of messages?

By the names that their schemas have for them, so that a schema finds the class of each part. What a
message is, and its bytes, is codec.py.
"""

from __future__ import annotations

from schemas.actions import Act, App, Exec, Follow, Fresh, Http, Program, Setting, Verb, Volume
from schemas.commands import (
    Beating,
    ReportStatus,
    ScopeEdit,
)
from schemas.definition import (
    Basis,
    CatchUp,
    CatchUpMode,
    Cron,
    Definition,
    Dialect,
    Dst,
    Emit,
    Exclude,
    Hours,
    Interval,
    Once,
    OnExcluded,
    Weekly,
    Window,
)
from schemas.deployments import (
    Call,
    ContainerDriver,
    Deployment,
    DeploymentState,
    HttpDriver,
    Metrics,
    Vllm,
)
from schemas.events import Outcome, Reason, ScopeResult
from schemas.globals import YearlyRange
from schemas.orders import Deployed
from schemas.policies import (
    Across,
    Filter,
    FilterKind,
    Full,
    Gate,
    Manual,
    Overlap,
    OverlapMode,
    Preset,
    Retry,
    Scope,
    Tracking,
)
from schemas.proposals import (
    IdleWindow,
    Proposal,
    ProposalNote,
    ProposalSource,
    ProposalStatus,
)
from schemas.replies import Verdict
from schemas.run_events import Result, RunStatus
from schemas.schedule import PauseNote, Status
from schemas.snapshot import (
    Activity,
    BackfillNote,
    FailureCount,
    Insight,
    PastHold,
    RunPhase,
    Standing,
    SubjectHold,
)
from schemas.subject_events import InsightKind
from schemas.traffic import MinuteKind, Sample

PARTS: dict[str, type] = {
    part.__name__: part
    for part in (
        *(Definition, Cron, Interval, Once, Weekly, CatchUp, Emit, PauseNote, ScopeResult),
        *(Exclude, Window, Hours, YearlyRange),
        *(Tracking, Overlap, Retry, Scope, Filter, Gate),
        *(SubjectHold, PastHold, Activity, FailureCount, BackfillNote, Insight),
        *(Http, Follow, Program, Exec, Fresh, Setting, App, Volume, Result, Beating),
        *(Act, Deployment, Vllm, HttpDriver, Call, ContainerDriver, Metrics, Deployed, Standing),
        *(Proposal, IdleWindow, ProposalNote, Sample),
        *(Dst, Dialect, Basis, CatchUpMode, OnExcluded, Reason, Outcome, Verdict, Status),
        *(OverlapMode, Across, Full, FilterKind, Manual, Preset, ScopeEdit, ReportStatus),
        *(RunStatus, RunPhase, InsightKind, Verb, DeploymentState, MinuteKind),
        *(ProposalSource, ProposalStatus),
    )
} | {"Header": tuple}
"""By their names in the schemas."""
