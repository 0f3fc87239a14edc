"""
What may a definition hold, whatever it was written in?

Asked of definitions that came as Avro, whose types are right and whose values may be anything, and
for the rules that JSON shares. Names the fields as reading.py does. Other commands are
command_limits.py; whether a rule makes sense (zones, cron, dates that never come) is asked of
streams/calendar.
"""

from __future__ import annotations

import re
from typing import assert_never

from schemas.codec import encode
from schemas.commands import Define
from schemas.definition import (
    DAY,
    CatchUp,
    Cron,
    Definition,
    Emit,
    Interval,
    Once,
    Timing,
    Weekly,
    offering,
)
from schemas.faults import FieldFault, TooLarge
from schemas.globals import Calendar, ClockAccepted, Freeze, GlobalRecord, GlobalSettings, Hold
from schemas.instants import check_instant
from schemas.json_text import check_text
from schemas.policy_limits import check_policies
from schemas.time_limits import (
    check_basis,
    check_calendar,
    check_freeze,
    check_times,
    check_weekly,
)
from schemas.work_limits import WORDS, check_work

MAX_DEFINITION_BYTES = 256 * 1024
MAX_GRACE = DAY
MAX_CAUGHT_UP = 10_000
MAX_NOTE_BYTES = 4 * 1024
"""Of a reason or a description: it comes back in events, replies and rows."""
MAX_NAME_BYTES = 512
"""Of an actor, and of a command's id in horae.globals."""
_LIMITS = (
    *("max_schedules", "max_concurrent", "default_timeout", "max_retries"),
    *("retry_backoff", "retry_backoff_max", "catch_up_lookback"),
)
"""Of GlobalSettings; 0 is for none."""
_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")


def check_definition(definition: Definition) -> None:
    """Refuse, by its name, a field that no definition may have."""
    if not definition.timings:
        raise FieldFault("timings", "must be a list with at least one entry")
    alone = len(definition.timings) == 1
    tracked = definition.action.tracked is not None
    for i, timing in enumerate(definition.timings):
        _check_timing(timing, f"timings[{i}]")
        if isinstance(timing, Interval):
            check_basis(timing, f"timings[{i}].interval", alone=alone, tracked=tracked)
    check_action(definition.action)
    check_filled(definition.zone, "zone")
    check_note(definition.description, "description")
    check_moment(definition.start_at, "start_at")
    check_moment(definition.end_at, "end_at")
    check_catch_up(definition.catch_up)
    check_times(definition)
    check_policies(definition)
    check_size(definition)


def check_global(record: GlobalRecord) -> None:
    """Refuse, by its name, a field of horae.globals that no record of ours could repeat."""
    check_moment(record.at, "at")
    match record:
        case GlobalSettings():
            for pattern in record.emit_topics:
                check_note(pattern, "emit_topics")
            for name in _LIMITS:
                check_least(getattr(record, name), 0, name)
        case Hold() | ClockAccepted():
            _check_said(record, record.reason, "reason")
        case Calendar():
            _check_said(record, record.description, "description")
            check_calendar(record)
        case Freeze():
            _check_said(record, record.reason, "reason")
            check_moment(record.begins_at, "begins_at")
            check_moment(record.ends_at, "ends_at")
            check_freeze(record)
        case _:
            assert_never(record)


def _check_said(record: Hold | ClockAccepted | Calendar | Freeze, text: str, path: str) -> None:
    """Who said it, and why."""
    check_note(text, path)
    check_note(record.actor, "actor", MAX_NAME_BYTES)
    if record.command_id is not None:
        check_note(record.command_id, "command_id", MAX_NAME_BYTES)


def check_note(text: str, path: str, most: int = MAX_NOTE_BYTES) -> str:
    """Give a text back if every store can keep it, and every record that repeats it."""
    size = len(check_text(text, path).encode())
    if size > most:
        raise FieldFault(path, f"has {most} bytes at most, this one has {size}")
    return text


def check_size(definition: Definition) -> None:
    """Refuse a definition that its topics could not hold together with what goes with it."""
    size = len(encode(Define(definition)))
    if size > MAX_DEFINITION_BYTES:
        raise TooLarge(
            "", f"a definition has {MAX_DEFINITION_BYTES} bytes at most, this one has {size}"
        )


def check_topic(topic: str, path: str) -> str:
    """Give the name of a topic back if Kafka allows it."""
    if not _TOPIC.fullmatch(topic) or topic in {".", ".."}:
        raise FieldFault(path, "a topic's name has 1 to 249 of A-Z, a-z, 0-9, '.', '_' and '-'")
    return topic


def check_once(at: int, path: str) -> int:
    """Give a one-time instant back if it is no finer than a millisecond."""
    if at % 1000:
        raise FieldFault(path, "a one-time instant is no finer than a millisecond")
    return at


def check_least(number: int, least: int, path: str) -> int:
    """Give a number back if it is large enough."""
    if number < least:
        raise FieldFault(path, f"must be at least {least}, not {number}")
    return number


def _check_timing(timing: Timing, path: str) -> None:
    match timing:
        case Cron():
            check_filled(timing.expression, f"{path}.cron")
        case Interval():
            for part in (timing.months, timing.days, timing.micros):
                check_least(part, 0, f"{path}.interval")
            check_moment(timing.anchor, f"{path}.interval.anchor")
        case Once():
            check_moment(timing.at, f"{path}.once")
            check_once(timing.at, f"{path}.once")
        case Weekly():
            check_weekly(timing, f"{path}.weekly")
        case _:
            assert_never(timing)


def check_action(emit: Emit) -> None:
    """Refuse, by its name, what no action may hold.

    Work has the record that runners are offered, and no record is said to be work that is not.
    """
    if emit.work is not None:
        check_work(emit.work)
        if emit != offering(emit.work):
            word = WORDS[type(emit.work)]
            raise FieldFault(word, f"has no emit but the one into {offering(emit.work).topic}")
        return
    check_topic(emit.topic, "emit.topic")
    for name, _ in emit.headers:
        check_filled(name, "emit.headers")


def check_catch_up(catch_up: CatchUp) -> CatchUp:
    """Give a catch-up rule back if no look at an outage can take for ever under it."""
    if catch_up.lookback is not None:
        check_least(catch_up.lookback, 0, "catch_up.lookback")
    check_least(catch_up.grace, 0, "catch_up.grace")
    check_least(catch_up.limit, 1, "catch_up.max")
    if catch_up.grace > MAX_GRACE:
        raise FieldFault("catch_up.grace", "at most 24 h: what is later is late")
    if catch_up.limit > MAX_CAUGHT_UP:
        raise FieldFault("catch_up.max", f"at most {MAX_CAUGHT_UP:,} missed instants are run")
    return catch_up


def check_filled(text: str, path: str) -> None:
    """Refuse a text that says nothing."""
    if not check_text(text, path).strip():
        raise FieldFault(path, "must not be empty")


def check_moment(micros: int | None, path: str) -> None:
    """Refuse an instant that has no text; None is none."""
    if micros is not None:
        try:
            check_instant(micros)
        except ValueError as fault:
            raise FieldFault(path, str(fault)) from fault
