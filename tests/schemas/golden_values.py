"""
Which bytes must mean what for ever?

Each entry is a message as `golden/<name>.hex` holds it, named after the schema and its published
version. Entries are added and never changed: a new field shows up here with its default.
`python -m tests.schemas.golden_values` writes the files of new entries.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from schemas.codec import Message, Recorded, encode, encode_event
from schemas.commands import Define, Pause, Resume, Trigger
from schemas.definition import (
    DAY,
    HOUR,
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
from schemas.events import (
    CommandRefused,
    CommandUnchanged,
    Deferred,
    Event,
    Fired,
    GlobalChanged,
    Outcome,
    Reason,
    ScheduleChanged,
    ScheduleCompleted,
    ScheduleDefined,
    SchedulePaused,
    ScheduleRecomputed,
    ScheduleRemoved,
    ScheduleResumed,
    ScopeResult,
    Skipped,
    Stamp,
)
from schemas.globals import Calendar, ClockAccepted, Freeze, GlobalSettings, Hold, YearlyRange
from schemas.rejected import Rejected
from schemas.replies import Reply, Verdict
from schemas.schedule import PauseNote, ScheduleRow, Status
from schemas.snapshot import Answer, Cursor, Owner, WallTime
from tests.schemas.golden_deployments import DEPLOYMENTS
from tests.schemas.golden_policies import POLICIES
from tests.schemas.golden_requests import REQUESTS
from tests.schemas.golden_runners import RUNNERS

FOLDER = Path(__file__).parent / "golden"

_AT = 1_798_761_600_123_456  # 2027-01-01T00:00:00.123456Z
_TIMER = Stamp(_AT, 3, None, -1, 70_000, "schedule:app/nightly")
_ASKED = Stamp(_AT + 1, 11, 1 << 40, 17, 0, "user:ada", "cmd-1", "00-0af7-01")
_SMALL = Definition((Cron("30 2 * * *"),), Emit("runs"))
_LARGE = Definition(
    timings=(
        Cron("0 30 2 ? * MON", Dialect.QUARTZ),
        Interval(1, 2, 6 * HOUR, _AT, Basis.AFTER_FIRE),
        Once(_AT - 456),
    ),
    action=Emit("runs", b"\x00k", b"", (("h", None), ("i", b"\xff"), ("h", b""))),
    zone="Europe/Berlin",
    dst=Dst.VIXIE,
    start_at=-1,
    end_at=_AT,
    catch_up=CatchUp(CatchUpMode.ALL, None, 0, 7),
    description="Grüße",
)
_TIMED = replace(
    _LARGE,
    timings=(Weekly(0b1_1111, 22 * 3600 + 30), Once(_AT - 456), Weekly(64, 0)),
    exclude=Exclude(("bank-holidays", "Feiertage"), (20_811, -1), OnExcluded.NEXT_BUSINESS_DAY),
    window=Window((Hours(84_600, 14_400, 31), Hours(0, 86_400)), 0, DAY),
    jitter=5 * 60_000_000,
    max_fires=3,
)
_SCOPES = (
    ScopeResult("app", "jr_abcdefghijkl", Outcome.STARTED),
    ScopeResult("app", "jr_mnopqrstuvwx", Outcome.SKIPPED, Reason.OVERLAP),
)
_CURSOR = Cursor(_AT, _AT + HOUR, _AT + DAY, _AT + DAY + 9, 0, 4_000_000_000, 65_535, 2026, 1)
_EVENTS: tuple[Event, ...] = (
    ScheduleDefined("app/nightly", 5, 5, _SMALL, _AT, _AT + DAY),
    ScheduleChanged("app/nightly", 9, 5, 5, _LARGE, _AT, _AT + HOUR),
    ScheduleRemoved("app/nightly", 10, 5),
    SchedulePaused("app/nightly", 5, 5, "freeze", _AT, None),
    ScheduleResumed("app/nightly", 5, 5, "", _AT, _AT + DAY),
    ScheduleCompleted("app/nightly", 5, 5),
    Fired(
        *("app/nightly", 5, 5, _AT, _AT + 9, _AT + HOUR, 1, "trigger:cmd-1.77", True),
        *(_SCOPES, _AT + DAY, _AT + DAY + 9, _AT - 1, 3, "busy"),
    ),
    Skipped("app/nightly", 5, 5, _AT, _AT + DAY, 2, Reason.MISSED, _AT, 0, _AT + HOUR, _AT),
    Deferred("app/nightly", 5, 5, _AT, _AT, Reason.TARGET_UNAVAILABLE, _AT + 1, _AT, 1),
    CommandUnchanged("app/nightly", "define", 5, 5, (1 << 63) - 1),
    CommandRefused("app/nightly", "define", "timings[0].cron", "never matches", 5),
    GlobalChanged("hold", 17, "held by user:ada"),
)
_MESSAGES: tuple[Message, ...] = (
    Define(_LARGE, 4),
    Pause("holiday", _AT),
    Resume(""),
    Trigger("by hand"),
    ScheduleRow(
        *(9, 5, _AT, _AT + 1, "user:ada", Status.PAUSED, _LARGE),
        PauseNote("holiday", "user:ada", _AT, None),
    ),
    _CURSOR,
    Owner("host-1", 77, "dG9waWM", 1_000_000, 70_001, 17, _AT),
    Answer(_AT, bytes(range(16)), b"\xc3\x01"),
    Reply(
        "app/nightly", "define", Verdict.REFUSED, _AT, 3, 77, None, None, None, None, "zone", "?"
    ),
    Hold(held=True, reason="power", actor="user:ada", at=_AT, command_id="cmd-2"),
    GlobalSettings(("runs", "billing.*"), _AT),
    ClockAccepted("user:ada", "leap", _AT),
    Rejected("horae.commands", 3, 78, "no JSON", None, b"{", 1, _AT, _AT + 1),
)

GOLDEN: dict[str, Message | Recorded] = {
    **{f"{type(message).__name__}.1": message for message in _MESSAGES},
    **{f"{type(event).__name__}.1": Recorded(event, _ASKED) for event in _EVENTS},
    "Fired.1.plain": Recorded(
        Fired("app/nightly", 5, 5, _AT, _AT, _AT, 0, None, False, _SCOPES[:1], _AT, _AT), _TIMER
    ),
    "Define.1.plain": Define(_SMALL),
    "GlobalSettings.2": GlobalSettings(("runs", "billing.*"), _AT, 12),
    "ScheduleRecomputed.1": Recorded(
        ScheduleRecomputed("app/nightly", 5, 5, "zone data 2026c", _AT + DAY, _AT + DAY + 9), _TIMER
    ),
    "Calendar.1": Calendar(
        *((20_811, -1), 0b110_0000, (YearlyRange(1224, 106),), ("* 12 * * *",), ("base", "b2")),
        *("Betriebsruhe", False, "user:ada", _AT, "cmd-3"),
    ),
    "Calendar.1.removed": Calendar(removed=True),
    "Freeze.1": Freeze(("app", "billing*"), _AT, _AT + DAY, "audit", True, "user:ada", _AT, "c-4"),
    "Define.2": Define(_TIMED, 4),
    "Define.2.plain": Define(_SMALL),
    "ScheduleRow.2": ScheduleRow(9, 5, _AT, _AT + 1, "user:ada", Status.ENABLED, _TIMED),
    "ScheduleDefined.2": Recorded(
        ScheduleDefined("app/nightly", 5, 5, _TIMED, _AT, _AT + DAY, _AT + DAY + 9), _ASKED
    ),
    "ScheduleChanged.2": Recorded(
        ScheduleChanged("app/nightly", 9, 5, 5, _TIMED, _AT, _AT + HOUR, _AT + HOUR + 9), _ASKED
    ),
    "ScheduleResumed.2": Recorded(
        ScheduleResumed("app/nightly", 5, 5, "", _AT, _AT + DAY, _AT + DAY + 9), _TIMER
    ),
    "Fired.2": Recorded(
        Fired(
            *("app/nightly", 5, 5, _AT, _AT + 9, _AT + HOUR, 1, None, True),
            *((ScopeResult("app", "jr_mnopqrstuvwx", Outcome.SKIPPED, Reason.WINDOW),), _AT, _AT),
        ),
        _TIMER,
    ),
    "Skipped.2": Recorded(
        Skipped("app/nightly", 5, 5, _AT, _AT, 1, Reason.WINDOW, _AT, 0, _AT + HOUR, _AT), _TIMER
    ),
    "Deferred.2": Recorded(
        Deferred("app/nightly", 5, 5, _AT, _AT + 9, Reason.WINDOW, _AT + HOUR, _AT, 1), _TIMER
    ),
    "Cursor.2": _CURSOR,
    "Cursor.2.waiting": _CURSOR._replace(waiting=WallTime(_AT + DAY, 1)),
    **POLICIES,
    **REQUESTS,
    **RUNNERS,
    **DEPLOYMENTS,
}


def write_missing() -> None:
    """Write the bytes of entries that have none yet."""
    FOLDER.mkdir(exist_ok=True)
    for name, message in GOLDEN.items():
        path = FOLDER / f"{name}.hex"
        if not path.exists():
            data = encode_event(*message) if isinstance(message, Recorded) else encode(message)
            path.write_text(data.hex() + "\n")


if __name__ == "__main__":
    write_missing()
