"""
Which bytes must mean which policies for ever?

Entries of golden_values.py about definitions with their policies, and what holds them: each symbol
of each choice is in one of them, so that none can change its place.
"""

from __future__ import annotations

from dataclasses import replace

from schemas.codec import Message, Recorded
from schemas.commands import Define
from schemas.definition import (
    DAY,
    HOUR,
    MINUTE,
    Basis,
    CatchUp,
    CatchUpMode,
    Cron,
    Definition,
    Emit,
    Interval,
)
from schemas.events import ScheduleChanged, ScheduleDefined, Stamp
from schemas.globals import GlobalSettings
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
from schemas.schedule import PauseNote, ScheduleRow, Status

_AT = 1_798_761_600_123_456  # 2027-01-01T00:00:00.123456Z
_ASKED = Stamp(_AT + 1, 11, 1 << 40, 17, 0, "user:ada", "cmd-1", "00-0af7-01")
_SMALL = Definition((Cron("30 2 * * *"),), Emit("runs"))
_TRACKED = Emit("runs", b"k", None, (("h", None),), Tracking(10 * MINUTE))
_LARGE = Definition(
    timings=(Interval(0, 0, 6 * HOUR, basis=Basis.AFTER_END),),
    action=_TRACKED,
    catch_up=CatchUp(
        *(CatchUpMode.NONE, None, 0, 7),
        on_resume=CatchUpMode.LATEST,
        on_lifted=CatchUpMode.ALL,
    ),
    overlap=Overlap(OverlapMode.QUEUE, 3, 2 * HOUR, Across.SUBJECT, supersedes=True),
    retry=Retry(4, MINUTE, DAY),
    timeout=90 * MINUTE,
    pause_on_failure=5,
    scopes=(
        Scope("rack-b", Filter(FilterKind.TYPES, ("compute", "power shelf"))),
        Scope("rack-ä", Filter(FilterKind.IDS, ("n2", "n1"))),
        Scope("rack-c"),
    ),
    gate=Gate(5 * MINUTE, MINUTE, 2 * MINUTE, 3 * HOUR),
    manual=Manual.IGNORE,
    preset=Preset.DEPLOYMENT,
)


def _with(mode: OverlapMode, preset: Preset) -> Define:
    return Define(replace(_SMALL, action=_TRACKED, overlap=Overlap(mode), preset=preset))


POLICIES: dict[str, Message | Recorded] = {
    "Define.3": Define(_LARGE, 4),
    "Define.3.plain": Define(_SMALL),
    "Define.3.allow": _with(OverlapMode.ALLOW, Preset.APP),
    "Define.3.latest": _with(OverlapMode.LATEST, Preset.INFRA),
    "Define.3.replace": _with(OverlapMode.REPLACE, Preset.NONE),
    "Define.3.oldest": Define(
        replace(_LARGE, overlap=Overlap(OverlapMode.QUEUE, 2_048, full=Full.OLDEST))
    ),
    "Define.3.no-target": Define(replace(_SMALL, scopes=())),
    "ScheduleRow.3": ScheduleRow(
        *(9, 5, _AT, _AT + 1, "user:ada", Status.PAUSED, _LARGE),
        PauseNote("holiday", "user:ada", _AT, None),
        (_AT + DAY, _AT + 2 * DAY),
    ),
    "ScheduleDefined.3": Recorded(
        ScheduleDefined("app/nightly", 5, 5, _LARGE, _AT, _AT + DAY, _AT + DAY + 9), _ASKED
    ),
    "ScheduleChanged.3": Recorded(
        ScheduleChanged("app/nightly", 9, 5, 5, _LARGE, _AT, _AT + HOUR, _AT + HOUR + 9), _ASKED
    ),
    "GlobalSettings.3": GlobalSettings(("runs", "billing.*"), _AT, 12, 200, 3),
}
