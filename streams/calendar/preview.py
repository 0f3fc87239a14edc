"""
What would a timing do, asked and answered in text?

One question is a dict as it stands in a JSON line: `expr`, `zone` (UTC), `after`, and if wanted `n`
(10), `dst` (shift), `dialect` (standard) and `schedule`, the id that `H` is made from. The answer
holds `instants` or `error`. Reading lines and printing answers is left to the command line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from schemas.definition import Cron, Dialect, Dst
from schemas.instants import format_instant, parse_instant
from streams.calendar.occurrences import rule_for
from streams.calendar.refusals import TimingRefused, quoted
from streams.calendar.ticks import LAST_INSTANT

MOST: Final = 10_000
"""Instants in one answer."""


def answer(line: Mapping[str, object]) -> dict[str, object]:
    """The next instants, or what is wrong with the question."""
    try:
        return {"instants": instants(line)}
    except TimingRefused as refused:
        field = refused.field.replace("cron", "expr")
        return {"error": f"{field}: {refused.message}"}


def instants(line: Mapping[str, object]) -> list[str]:
    """The next instants as text; raises TimingRefused."""
    cron = Cron(_text(line, "expr"), Dialect(_choice(line, "dialect", Dialect.STANDARD)))
    zone = _text(line, "zone", "UTC")
    dst = Dst(_choice(line, "dst", Dst.SHIFT))
    schedule = _text(line, "schedule", "") or None
    after = _instant(line, "after")
    rule = rule_for((cron,), zone, dst, schedule)
    stretch = rule.between(after, LAST_INSTANT, _number(line, "n", 10))
    return [format_instant(tick.instant) for tick in stretch.ticks]


def _text(line: Mapping[str, object], field: str, default: str | None = None) -> str:
    value = line.get(field)
    if value is None:
        value = default
    if not isinstance(value, str):
        raise TimingRefused(field, "is missing" if value is None else "must be a text")
    return value


def _choice(line: Mapping[str, object], field: str, default: Dst | Dialect) -> str:
    value = _text(line, field, default)
    allowed = [str(choice) for choice in type(default)]
    if value not in allowed:
        raise TimingRefused(field, f"{quoted(value)}; allowed are {', '.join(allowed)}")
    return value


def _instant(line: Mapping[str, object], field: str) -> int:
    try:
        return parse_instant(_text(line, field))
    except TimingRefused:
        raise
    except ValueError as wrong:
        raise TimingRefused(field, str(wrong)) from None


def _number(line: Mapping[str, object], field: str, default: int) -> int:
    value = line.get(field)
    if value is None:
        return default
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST:
        raise TimingRefused(field, f"must be a number from 0 to {MOST}")
    return value
