"""
Which command is this JSON, under a key with this word?

What a person or a service may write beside definitions (reading_definitions.py): each field by its
name, of its kind and inside its limits. Commands about a subject are reading_subjects.py. Back to
JSON is command_json.py.
"""

from __future__ import annotations

from collections.abc import Callable

from schemas.command_limits import (
    MOST_ASKED,
    check_backfill,
    check_edit,
    check_skip,
)
from schemas.commands import (
    Backfill,
    Beat,
    Beating,
    CancelBackfill,
    Command,
    EditScopes,
    Pause,
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
    symbol_reader,
)
from schemas.reading_policies import read_overlap_mode, read_scopes
from schemas.reading_subjects import (
    SUBJECT_READERS,
    read_from_zero,
    read_word,
    reason_of,
)

_catch_up = symbol_reader(CatchUpMode)
_edit = symbol_reader(ScopeEdit)


def read_asked(kind: type[Command], data: object) -> Command:
    """The command of this kind in plain data; raises FieldFault."""
    allowed, read = _READERS[kind]
    return read(Fields(data, "", allowed))


def _pause(fields: Fields) -> Pause:
    return Pause(reason_of(fields), fields.take("until", or_null(read_instant), None))


def _resume(fields: Fields) -> Resume:
    return Resume(reason_of(fields), fields.take("catch_up", or_null(_catch_up), None))


def _trigger(fields: Fields) -> Trigger:
    return Trigger(
        reason_of(fields),
        fields.take("force", read_truth, False),  # noqa: FBT003
        fields.take("overlap", or_null(read_overlap_mode), None),
    )


def _skip(fields: Fields) -> Skip:
    fields.only_one_of(("count", "instant"), needed=True)
    return check_skip(
        Skip(
            fields.take("count", or_null(read_count), None),
            fields.take("instant", or_null(read_instant), None),
            reason_of(fields),
        )
    )


def _unskip(fields: Fields) -> Unskip:
    return Unskip(fields.take("instant", or_null(read_instant), None), reason_of(fields))


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
            reason=reason_of(fields),
        )
    )


def _cancel_backfill(fields: Fields) -> CancelBackfill:
    return CancelBackfill(fields.need("backfill", read_word), reason_of(fields))


def _scopes(fields: Fields) -> EditScopes:
    edit, scopes = fields.need("edit", _edit), fields.need("scopes", read_scopes)
    return check_edit(EditScopes(edit, scopes, reason_of(fields)))


def read_beat(data: object) -> Beat:
    """What a runner says of itself, in plain data; raises FieldFault."""
    fields = Fields(data, "", ("boot", "runs", "leaving", "slots", "pools"))
    return Beat(
        boot=fields.need("boot", read_from_zero),
        runs=fields.take("runs", _beating, ()),
        leaving=fields.take("leaving", read_truth, False),  # noqa: FBT003
        slots=fields.take("slots", read_from_zero, 0),
        pools=fields.take("pools", _texts, ()),
    )


def _beating(data: object, path: str) -> tuple[Beating, ...]:
    return () if data == [] else tuple(read_list(data, path, _beating_one))


def _beating_one(data: object, path: str) -> Beating:
    fields = Fields(data, path, ("subject", "run"))
    return Beating(fields.need("subject", read_text), fields.need("run", read_text))


def _texts(data: object, path: str) -> tuple[str, ...]:
    return () if data == [] else tuple(read_list(data, path, read_text))


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
    **SUBJECT_READERS,
}
