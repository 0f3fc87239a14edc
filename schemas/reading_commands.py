"""
Which command is this JSON, under a key with this word?

What a person or a service may write beside definitions (reading_definitions.py): each field by its
name, of its kind and inside its limits. Back to JSON is command_json.py.
"""

from __future__ import annotations

from collections.abc import Callable

from schemas.command_limits import (
    MOST_ASKED,
    check_backfill,
    check_edit,
    check_result,
    check_skip,
    check_word,
)
from schemas.commands import (
    Backfill,
    Beat,
    Beating,
    CancelBackfill,
    CancelRun,
    ClaimRun,
    Command,
    DeclineRun,
    DefineApp,
    EditScopes,
    HoldSubject,
    Pause,
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
from schemas.definition import CatchUpMode
from schemas.fields import (
    Fields,
    or_null,
    read_count,
    read_instant,
    read_list,
    read_text,
    read_truth,
    read_whole,
    symbol_reader,
)
from schemas.limits import check_least
from schemas.policy_limits import check_target
from schemas.reading_definitions import read_note
from schemas.reading_policies import read_overlap_mode, read_scopes
from schemas.reading_works import APP_FIELDS, app_of
from schemas.run_events import Result

_catch_up = symbol_reader(CatchUpMode)
_edit = symbol_reader(ScopeEdit)
_status = symbol_reader(ReportStatus)
_RESULT = ("exit_code", "output", "cut", "reference", "started_at", "ended_at")


def read_asked(kind: type[Command], data: object) -> Command:
    """The command of this kind in plain data; raises FieldFault."""
    allowed, read = _READERS[kind]
    return read(Fields(data, "", allowed))


def _pause(fields: Fields) -> Pause:
    return Pause(_reason(fields), fields.take("until", or_null(read_instant), None))


def _resume(fields: Fields) -> Resume:
    return Resume(_reason(fields), fields.take("catch_up", or_null(_catch_up), None))


def _trigger(fields: Fields) -> Trigger:
    return Trigger(
        _reason(fields),
        fields.take("force", read_truth, False),  # noqa: FBT003
        fields.take("overlap", or_null(read_overlap_mode), None),
    )


def _skip(fields: Fields) -> Skip:
    fields.only_one_of(("count", "instant"), needed=True)
    return check_skip(
        Skip(
            fields.take("count", or_null(read_count), None),
            fields.take("instant", or_null(read_instant), None),
            _reason(fields),
        )
    )


def _unskip(fields: Fields) -> Unskip:
    return Unskip(fields.take("instant", or_null(read_instant), None), _reason(fields))


def _backfill(fields: Fields) -> Backfill:
    return check_backfill(
        Backfill(
            first=fields.take("first", or_null(read_instant), None),
            last=fields.take("last", or_null(read_instant), None),
            instants=fields.take("instants", _instants, ()),
            newest_first=fields.take("newest_first", read_truth, False),  # noqa: FBT003
            most=fields.take("max", read_count, MOST_ASKED),
            overlap=fields.take("overlap", or_null(read_overlap_mode), None),
            dry_run=fields.take("dry_run", read_truth, False),  # noqa: FBT003
            reason=_reason(fields),
        )
    )


def _cancel_backfill(fields: Fields) -> CancelBackfill:
    return CancelBackfill(fields.need("backfill", _word), _reason(fields))


def _scopes(fields: Fields) -> EditScopes:
    edit, scopes = fields.need("edit", _edit), fields.need("scopes", read_scopes)
    return check_edit(EditScopes(edit, scopes, _reason(fields)))


def _hold(fields: Fields) -> HoldSubject:
    return HoldSubject(
        _reason(fields),
        fields.take("until", or_null(read_instant), None),
        fields.take("actions_only", read_truth, False),  # noqa: FBT003
    )


def _release(fields: Fields) -> ReleaseSubject:
    return ReleaseSubject(_reason(fields))


def _remove(fields: Fields) -> RemoveSubject:
    return RemoveSubject(_reason(fields), fields.take("cancel", read_truth, False))  # noqa: FBT003


def _remove_target(fields: Fields) -> RemoveTarget:
    return RemoveTarget(fields.need("target", _target), _reason(fields))


def _activity(fields: Fields) -> ReportActivity:
    return ReportActivity(
        in_flight=fields.need("in_flight", _from_zero),
        waiting=fields.need("waiting", _from_zero),
        sampled_at=fields.need("sampled_at", read_instant),
        last_request=fields.take("last_request", or_null(read_instant), None),
    )


def _report(fields: Fields) -> ReportRun:
    return ReportRun(
        fields.need("run", _word),
        fields.need("status", _status),
        fields.take("attempt", or_null(read_count), None),
        fields.take("detail", read_note, ""),
        fields.take("runner", or_null(_word), None),
        fields.take("boot", or_null(_from_zero), None),
        fields.take("result", or_null(_result), None),
    )


def _result(data: object, path: str) -> Result:
    fields = Fields(data, path, _RESULT)
    return check_result(
        Result(
            exit_code=fields.take("exit_code", or_null(read_whole), None),
            output=fields.take("output", read_text, ""),
            cut=fields.take("cut", read_truth, False),  # noqa: FBT003
            reference=fields.take("reference", or_null(read_text), None),
            started_at=fields.take("started_at", or_null(read_instant), None),
            ended_at=fields.take("ended_at", or_null(read_instant), None),
        )
    )


def _cancel(fields: Fields) -> CancelRun:
    return CancelRun(fields.need("run", _word), _reason(fields))


def _claim(fields: Fields) -> ClaimRun:
    return ClaimRun(*_attempt(fields))


def _decline(fields: Fields) -> DeclineRun:
    return DeclineRun(*_attempt(fields), fields.need("why", read_note))


def _attempt(fields: Fields) -> tuple[str, int, int, str, int]:
    """Which attempt of which run, by which offer, and the runner with its life."""
    return (
        fields.need("run", _word),
        fields.need("attempt", read_count),
        fields.need("issue", read_count),
        fields.need("runner", _word),
        fields.need("boot", _from_zero),
    )


def _app(fields: Fields) -> DefineApp:
    return DefineApp(app_of(fields))


def read_beat(data: object) -> Beat:
    """What a runner says of itself, in plain data; raises FieldFault."""
    fields = Fields(data, "", ("boot", "runs", "leaving", "slots", "pools"))
    return Beat(
        boot=fields.need("boot", _from_zero),
        runs=fields.take("runs", _beating, ()),
        leaving=fields.take("leaving", read_truth, False),  # noqa: FBT003
        slots=fields.take("slots", _from_zero, 0),
        pools=fields.take("pools", _texts, ()),
    )


def _beating(data: object, path: str) -> tuple[Beating, ...]:
    return () if data == [] else tuple(read_list(data, path, _beating_one))


def _beating_one(data: object, path: str) -> Beating:
    fields = Fields(data, path, ("subject", "run"))
    return Beating(fields.need("subject", read_text), fields.need("run", read_text))


def _texts(data: object, path: str) -> tuple[str, ...]:
    return () if data == [] else tuple(read_list(data, path, read_text))


def _reason(fields: Fields) -> str:
    return fields.take("reason", read_note, "")


def _word(data: object, path: str) -> str:
    return check_word(read_text(data, path), path)


def _target(data: object, path: str) -> str:
    return check_target(read_text(data, path), path)


def _from_zero(data: object, path: str) -> int:
    return check_least(read_whole(data, path), 0, path)


def _instants(data: object, path: str) -> tuple[int, ...]:
    return tuple(read_list(data, path, read_instant))


_READERS: dict[type[Command], tuple[tuple[str, ...], Callable[[Fields], Command]]] = {
    Pause: (("reason", "until"), _pause),
    Resume: (("reason", "catch_up"), _resume),
    Trigger: (("reason", "force", "overlap"), _trigger),
    Skip: (("count", "instant", "reason"), _skip),
    Unskip: (("instant", "reason"), _unskip),
    Backfill: (
        ("first", "last", "instants", "newest_first", "max", "overlap", "dry_run", "reason"),
        _backfill,
    ),
    CancelBackfill: (("backfill", "reason"), _cancel_backfill),
    EditScopes: (("edit", "scopes", "reason"), _scopes),
    HoldSubject: (("reason", "until", "actions_only"), _hold),
    ReleaseSubject: (("reason",), _release),
    RemoveSubject: (("reason", "cancel"), _remove),
    RemoveTarget: (("target", "reason"), _remove_target),
    ReportActivity: (("last_request", "in_flight", "waiting", "sampled_at"), _activity),
    ReportRun: (("run", "status", "attempt", "detail", "runner", "boot", "result"), _report),
    CancelRun: (("run", "reason"), _cancel),
    ClaimRun: (("run", "attempt", "issue", "runner", "boot"), _claim),
    DeclineRun: (("run", "attempt", "issue", "runner", "boot", "why"), _decline),
    DefineApp: (APP_FIELDS, _app),
}
