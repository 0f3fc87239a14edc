"""
Which definition does this JSON describe?

Every field is known, of its kind and inside its limits, or refused by its path with what is
allowed. Back to JSON is definition_json.py; whether the rule makes sense (zones, cron, dates that
never come) is asked of streams/calendar.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from schemas.definition import (
    Basis,
    CatchUp,
    CatchUpMode,
    Cron,
    Definition,
    Dialect,
    Dst,
    Interval,
    Once,
    Timing,
    offering,
)
from schemas.faults import FieldFault
from schemas.fields import (
    Fields,
    or_null,
    read_count,
    read_duration,
    read_elapsed,
    read_exact_instant,
    read_filled,
    read_instant,
    read_list,
    read_text,
    read_truth,
    symbol_reader,
)
from schemas.json_text import check_data
from schemas.limits import check_catch_up, check_note, check_once, check_size
from schemas.policies import NO_RETRY
from schemas.policy_limits import check_tracked
from schemas.presets import defaults_for, usual_overlap, usual_preset
from schemas.reading_emits import emit_reader
from schemas.reading_policies import (
    POLICY_FIELDS,
    gate_reader,
    overlap_reader,
    read_failures,
    read_manual,
    read_preset,
    read_retry,
    read_scopes,
    read_span,
)
from schemas.reading_times import (
    read_exclude,
    read_fires,
    read_jitter,
    read_weekly,
    read_window,
)
from schemas.reading_works import WORKS, work_reader
from schemas.time_limits import check_basis
from schemas.units import HOUR

ACTIONS = ("emit", *WORKS)
"""A definition has exactly one of them."""
DEFINITION_FIELDS = (
    *("cron", "dialect", "interval", "once", "weekly", "timings"),
    *("zone", "dst", "start_at", "end_at", "catch_up", "description"),
    *("exclude", "window", "jitter", "max_fires"),
    *ACTIONS,
    *POLICY_FIELDS,
)
_TIMINGS = ("cron", "interval", "once", "weekly")
_dialect = symbol_reader(Dialect)
_basis = symbol_reader(Basis)
_mode = symbol_reader(CatchUpMode)
_dst = symbol_reader(Dst)


def read_note(data: object, path: str) -> str:
    """A reason or a description."""
    return check_note(read_text(data, path), path)


def read_definition(data: object) -> Definition:
    """The definition; raises FieldFault."""
    check_data(data)
    return definition_of(Fields(data, "", DEFINITION_FIELDS))


def definition_of(fields: Fields) -> Definition:
    """The definition in fields that were checked as plain data."""
    word = fields.only_one_of(ACTIONS, needed=True)
    work = fields.need(word, work_reader(word)) if word is not None and word != "emit" else None
    preset = fields.take("preset", read_preset, usual_preset(work))
    usual = defaults_for(preset, work)
    action = fields.need("emit", emit_reader(usual.tracked)) if work is None else offering(work)
    start = HOUR if action.work is None else usual.start_within
    overlap = usual_overlap(usual, action.tracked)
    definition = Definition(
        timings=_timings(fields, usual.basis),
        action=action,
        zone=fields.take("zone", _zone_reader(usual.empty_zone), "UTC"),
        dst=fields.take("dst", _dst, usual.dst),
        start_at=fields.take("start_at", or_null(read_instant), None),
        end_at=fields.take("end_at", or_null(read_instant), None),
        catch_up=fields.take("catch_up", _catch_up_reader(usual.catch_up), usual.catch_up),
        description=fields.take("description", read_note, ""),
        exclude=fields.take("exclude", or_null(read_exclude), None),
        window=fields.take("window", or_null(read_window), None),
        jitter=fields.take("jitter", read_jitter, 0),
        max_fires=fields.take("max_fires", or_null(read_fires), None),
        overlap=fields.take("overlap", overlap_reader(overlap), overlap),
        retry=fields.take("retry", read_retry, NO_RETRY),
        timeout=fields.take("timeout", or_null(read_span), None),
        pause_on_failure=fields.take("pause_on_failure", read_failures, 0),
        scopes=fields.take("scopes", or_null(read_scopes), None),
        gate=fields.take("gate", gate_reader(usual.gate), usual.gate),
        manual=fields.take("manual", read_manual, usual.manual),
        preset=preset,
        start_within=fields.take("start_within", read_span, start),
        hold_on_failure=fields.take("hold_on_failure", read_truth, usual.hold_on_failure),
    )
    check_tracked(definition)
    _check_bases(definition, listed="timings" in fields)
    check_size(definition)
    return definition


def _check_bases(definition: Definition, *, listed: bool) -> None:
    alone, tracked = len(definition.timings) == 1, definition.action.tracked is not None
    for i, timing in enumerate(definition.timings):
        if isinstance(timing, Interval):
            path = f"timings[{i}].interval" if listed else "interval"
            check_basis(timing, path, alone=alone, tracked=tracked)


def _timings(fields: Fields, basis: Basis) -> tuple[Timing, ...]:
    """`basis` is that of an interval alone which says nothing of it."""
    if fields.only_one_of((*_TIMINGS, "timings"), needed=True) == "timings":
        if "dialect" in fields:
            raise FieldFault(fields.path_of("dialect"), "belongs beside the cron in timings")
        return tuple(fields.need("timings", _timings_reader(basis)))
    return _timings_beside(fields, basis)


def _timings_reader(basis: Basis) -> Callable[[object, str], list[Timing]]:
    def read(data: object, path: str) -> list[Timing]:
        usual = basis if isinstance(data, list) and len(data) == 1 else Basis.GRID
        return read_list(data, path, lambda one, where: _timing(one, where, usual))

    return read


def _timing(data: object, path: str, basis: Basis) -> Timing:
    fields = Fields(data, path, (*_TIMINGS, "dialect"))
    fields.only_one_of(_TIMINGS, needed=True)
    found = _timings_beside(fields, basis)
    if len(found) > 1:
        raise FieldFault(f"{path}.cron", "must be one expression; write further ones as timings")
    return found[0]


def _timings_beside(fields: Fields, basis: Basis) -> tuple[Timing, ...]:
    if "cron" in fields:
        dialect = fields.take("dialect", _dialect, Dialect.STANDARD)
        return tuple(Cron(expression, dialect) for expression in fields.need("cron", _crons))
    if "dialect" in fields:
        raise FieldFault(fields.path_of("dialect"), "only together with cron")
    if "interval" in fields:
        return (fields.need("interval", _interval_reader(basis)),)
    if "weekly" in fields:
        return (fields.need("weekly", read_weekly),)
    return (Once(fields.need("once", _once)),)


def _crons(data: object, path: str) -> list[str]:
    if isinstance(data, list):
        return read_list(data, path, read_filled)
    return [read_filled(data, path)]


def _once(data: object, path: str) -> int:
    return check_once(read_exact_instant(data, path), path)


def _interval_reader(usual: Basis) -> Callable[[object, str], Interval]:
    """`usual` is the basis of an interval that names neither a basis nor an anchor."""

    def read(data: object, path: str) -> Interval:
        if not isinstance(data, dict):
            return Interval(*read_duration(data, path), basis=usual)
        fields = Fields(data, path, ("every", "anchor", "phase", "basis"))
        anchor = fields.take("anchor", _anchor, None)
        if "phase" in fields:
            if anchor is None:
                raise FieldFault(
                    fields.path_of("phase"), 'only with an anchor: an instant or "epoch"'
                )
            anchor += fields.need("phase", read_elapsed)
        basis = Basis.GRID if "anchor" in fields else usual
        return Interval(
            *fields.need("every", read_duration),
            anchor=anchor,
            basis=fields.take("basis", _basis, basis),
        )

    return read


def _anchor(data: object, path: str) -> int | None:
    if data == "creation":
        return None
    if data == "epoch":
        return 0
    return read_instant(data, path)


def _zone_reader(empty: str | None) -> Callable[[object, str], str]:
    """A reader of a zone; `empty` is what an empty one means, if it is not refused."""

    def read(data: object, path: str) -> str:
        return empty if data == "" and empty is not None else read_filled(data, path)

    return read


def _catch_up_reader(usual: CatchUp) -> Callable[[object, str], CatchUp]:
    def read(data: object, path: str) -> CatchUp:
        if not isinstance(data, dict):
            return replace(usual, mode=_mode(data, path))
        fields = Fields(data, path, ("mode", "lookback", "grace", "max", "on_resume", "on_lifted"))
        return check_catch_up(
            CatchUp(
                mode=fields.take("mode", _mode, usual.mode),
                lookback=fields.take("lookback", or_null(read_elapsed), usual.lookback),
                grace=fields.take("grace", read_elapsed, usual.grace),
                limit=fields.take("max", read_count, usual.limit),
                on_resume=fields.take("on_resume", _mode, usual.on_resume),
                on_lifted=fields.take("on_lifted", or_null(_mode), usual.on_lifted),
            )
        )

    return read
