"""
Which policies does this JSON describe?

Overlap, retries, gates, tracking, scopes and their filters: each form a person may write, and each
wrong value refused by its path with what is allowed. What is left out is as the preset says, each
value alone. Back to JSON is policies_json.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from schemas.faults import FieldFault
from schemas.fields import (
    Fields,
    kind_of,
    or_null,
    read_elapsed,
    read_list,
    read_text,
    read_truth,
    read_whole,
    shown,
    symbol_reader,
)
from schemas.policies import (
    NO_RETRY,
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
from schemas.policy_limits import (
    check_failures,
    check_gate,
    check_overlap,
    check_retry,
    check_scopes,
    check_span,
    check_target,
    check_tracking,
)

POLICY_FIELDS = (
    *("overlap", "retry", "timeout", "pause_on_failure", "scopes", "gate", "manual", "preset"),
    *("start_within", "hold_on_failure"),
)
_USUAL_TRACKING = Tracking()
_OVERLAP = ("mode", "limit", "max_wait", "across", "supersedes", "full")
_FILTERS = tuple(kind.value for kind in FilterKind)
_mode = symbol_reader(OverlapMode)
_across = symbol_reader(Across)
_full = symbol_reader(Full)
read_manual = symbol_reader(Manual)
"""`obey` or `ignore`."""
read_preset = symbol_reader(Preset)
"""The name of a preset."""


def read_overlap_mode(data: object, path: str) -> OverlapMode:
    """How a run beside another is met; `forbid` is another word for `skip`."""
    return OverlapMode.SKIP if data == "forbid" else _mode(data, path)


def overlap_reader(usual: Overlap) -> Callable[[object, str], Overlap]:
    """A reader of `"queue"`, or of an object with what is not as usual."""

    def read(data: object, path: str) -> Overlap:
        if not isinstance(data, dict):
            return check_overlap(replace(usual, mode=read_overlap_mode(data, path)), path)
        fields = Fields(data, path, _OVERLAP)
        found = Overlap(
            mode=fields.take("mode", read_overlap_mode, usual.mode),
            limit=fields.take("limit", or_null(read_whole), usual.limit),
            max_wait=fields.take("max_wait", read_elapsed, usual.max_wait),
            across=fields.take("across", _across, usual.across),
            supersedes=fields.take("supersedes", read_truth, usual.supersedes),
            full=fields.take("full", _full, usual.full),
        )
        return check_overlap(found, path)

    return read


def read_retry(data: object, path: str) -> Retry:
    """`{"max": 3, "backoff": "30s", "longest": "1h"}`; raises FieldFault, like all readers here."""
    fields = Fields(data, path, ("max", "backoff", "longest"))
    return check_retry(
        Retry(
            most=fields.take("max", read_whole, NO_RETRY.most),
            backoff=fields.take("backoff", read_elapsed, NO_RETRY.backoff),
            longest=fields.take("longest", read_elapsed, NO_RETRY.longest),
        ),
        path,
    )


def read_span(data: object, path: str) -> int:
    """A length of time that a timer can keep."""
    return check_span(read_elapsed(data, path), path)


def read_failures(data: object, path: str) -> int:
    """A number of failures in a row, 0 for never."""
    return check_failures(read_whole(data, path), path)


def gate_reader(usual: Gate | None) -> Callable[[object, str], Gate | None]:
    """A reader of `"quiet"`, of an object with what is not as usual, or of null: no gate."""
    base = usual or Gate()

    def read(data: object, path: str) -> Gate | None:
        if data is None:
            return None
        if data == "quiet":
            return base
        if not isinstance(data, dict):
            raise FieldFault(path, f'must be "quiet", an object or null, not {shown(data)}')
        fields = Fields(data, path, ("quiet", "fresh", "look", "max_wait"))
        found = Gate(
            quiet=fields.take("quiet", read_elapsed, base.quiet),
            fresh=fields.take("fresh", read_elapsed, base.fresh),
            look=fields.take("look", read_elapsed, base.look),
            max_wait=fields.take("max_wait", read_elapsed, base.max_wait),
        )
        return check_gate(found, path)

    return read


def read_tracked(data: object, path: str) -> Tracking | None:
    """`true`, `false`, or how long a silence may be."""
    if data is None or data is False:
        return None
    if data is True:
        return _USUAL_TRACKING
    if not isinstance(data, dict):
        raise FieldFault(path, f'must be true, false or {{"lease": "1h"}}, not {shown(data)}')
    fields = Fields(data, path, ("lease",))
    lease = fields.take("lease", read_elapsed, _USUAL_TRACKING.lease)
    return check_tracking(Tracking(lease), path)


def read_scopes(data: object, path: str) -> tuple[Scope, ...]:
    """A list of targets, each by its name or with what of it is meant."""
    if not isinstance(data, list):
        raise FieldFault(path, f"must be a list of targets, not {kind_of(data)}")
    scopes = tuple(_read_scope(one, f"{path}[{i}]") for i, one in enumerate(data))
    check_scopes(scopes, path)
    return scopes


def _read_scope(data: object, path: str) -> Scope:
    if not isinstance(data, dict):
        return Scope(check_target(read_text(data, path), path))
    fields = Fields(data, path, ("target", *_FILTERS))
    target = fields.need("target", read_text)
    kind = fields.only_one_of(_FILTERS)
    if kind is None:
        return Scope(target)
    return Scope(target, Filter(FilterKind(kind), fields.need(kind, _read_values)))


def _read_values(data: object, path: str) -> tuple[str, ...]:
    return tuple(read_list(data, path, read_text))
