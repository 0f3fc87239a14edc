"""
When would a definition fire, and what becomes of each instant on the way?

Walks the rule of a definition over a stretch of time, forward or back, and says of each instant
what moved it: a change of clocks, an excluded day, jitter, a window. Pure: calendars and the time
are handed in. What does not come is left_out.py; how all is shown is the command line's part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from horae.left_out import LeftOut, left_out
from horae.preview_rules import Asked, Rules, clock_text, counts_from_fires
from schemas.definition import DAY, Cron, Interval, OnExcluded, Timing
from schemas.durations import format_duration
from schemas.wall_times import format_date
from streams.calendar.cron import needs_id, settled
from streams.calendar.explain import explain
from streams.calendar.jitter import delay
from streams.calendar.occurrences import NEVER, Tick
from streams.calendar.ticks import FIRST_INSTANT, LAST_INSTANT
from streams.calendar.wall_time import wall_of
from streams.calendar.windows import opening


@dataclass(frozen=True, slots=True)
class Coming:
    """One nominal instant, when it is due, and what else becomes of it."""

    instant: int
    due: int
    starts: int | None = None
    """What waits for its window: when it starts. None: it waits for nothing."""
    skipped: bool = False
    """The window opens too late for it, or never, or an earlier one waits for it already."""
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Preview:
    """What was found; the newest first if it was asked backwards."""

    coming: tuple[Coming, ...]
    left_out: tuple[LeftOut, ...]
    truncated: bool
    """There are more in the stretch than the limit lets through."""
    remarks: tuple[str, ...] = ()


def preview(asked: Asked) -> Preview:
    """Look at the stretch; raises TimingRefused for what no schedule can have."""
    wanted, asked = asked.limit, _within_bounds(asked)
    rules = Rules(asked)
    ticks, truncated = rules.ticks()
    coming = tuple(_in_turn(rules, ticks))
    begin, end = asked.after, asked.up_to
    if truncated and ticks:
        begin, end = (ticks[0].instant, end) if asked.backwards else (begin, ticks[-1].instant)
    # Without an end nothing is said of what does not come after the last one.
    end = min(end, ticks[-1].instant) if ticks and end == LAST_INSTANT else end
    absent = tuple(left_out(rules, begin, end)) if end < LAST_INSTANT else ()
    if asked.backwards:
        coming, absent = coming[::-1], absent[::-1]
    # A limit of the definition's own leaves nothing to come.
    truncated = truncated and asked.limit == wanted != asked.definition.max_fires
    return Preview(coming, absent, truncated, tuple(_remarks(asked)))


def in_words(asked: Asked) -> str:
    """What the definition means, in plain English."""
    definition = replace(asked.definition, timings=tuple(_settled(asked)))
    return explain(definition, asked.up_to if asked.backwards else asked.after)


def _settled(asked: Asked) -> Iterator[Timing]:
    """The timings with a number for each `H`."""
    for timing in asked.definition.timings:
        if isinstance(timing, Cron) and needs_id(timing):
            yield settled(timing, asked.schedule)
        else:
            yield timing


def _within_bounds(asked: Asked) -> Asked:
    definition = asked.definition
    after, up_to, limit = asked.after, asked.up_to, asked.limit
    if definition.start_at is not None:
        after = max(after, definition.start_at - 1)
    if definition.end_at is not None:
        up_to = min(up_to, definition.end_at)
    if definition.max_fires is not None:
        limit = min(limit, definition.max_fires)
    if counts_from_fires(definition):
        limit = min(limit, 1)
    return replace(asked, after=after, up_to=up_to, limit=limit)


def _remarks(asked: Asked) -> Iterator[str]:
    definition = asked.definition
    if counts_from_fires(definition):
        yield "each one after the first counts from the fire before it"
    elif any(
        isinstance(timing, Interval) and timing.anchor is None for timing in definition.timings
    ):
        yield "an interval without an anchor counts from its definition; here as if that were now"
    if definition.max_fires is not None:
        yield f"after {definition.max_fires} fires it is completed"


def _in_turn(rules: Rules, ticks: list[Tick]) -> Iterator[Coming]:
    """What becomes of each, oldest first, if nothing waits for the window before the first one."""
    busy_until = FIRST_INSTANT
    for tick in ticks:
        marks = [*_moved_by_clocks(rules, tick), *_moved_by_exclusion(rules, tick)]
        due = tick.instant + _delay(rules, tick)
        if due <= busy_until:
            marks.append("skipped: an earlier one waits for the window")
            yield Coming(tick.instant, due, skipped=True, marks=tuple(marks))
            continue
        found = _coming(rules, tick, due, marks)
        if found.starts is not None and not found.skipped:
            busy_until = found.starts
        yield found


def _coming(rules: Rules, tick: Tick, due: int, marks: list[str]) -> Coming:
    """When an instant starts, and what moved it."""
    window = rules.definition.window
    if window is None:
        return Coming(tick.instant, due, marks=tuple(marks))
    opens = opening(window, rules.definition.zone, due)
    if opens is None:
        marks.append("skipped: the window does not open within eight weeks")
        return Coming(tick.instant, due, skipped=True, marks=tuple(marks))
    if opens.begins <= due:
        return Coming(tick.instant, due, marks=tuple(marks))
    room = min(window.spread, opens.ends - opens.begins)
    starts = opens.begins + delay(rules.asked.schedule, tick.instant, room, NEVER)
    late = starts - due > window.max_wait
    wait = format_duration(micros=window.max_wait)
    marks.append(
        f"skipped: it would wait for the window longer than {wait}"
        if late
        else "deferred to the opening of the window"
    )
    return Coming(tick.instant, due, starts, late, tuple(marks))


def _delay(rules: Rules, tick: Tick) -> int:
    jitter = rules.definition.jitter
    if not jitter:
        return 0
    following = rules.rule.next_after(tick.instant, rules.asked.origin).instant
    return delay(rules.asked.schedule, tick.instant, jitter, following)


def _moved_by_clocks(rules: Rules, tick: Tick) -> Iterator[str]:
    if not rules.follows(tick):
        return
    if tick.second_pass:
        yield f"again: clocks go back, {clock_text(tick.wall)} comes twice"
    elif tick.wall != wall_of(rules.clock, tick.instant):
        yield f"moved: clocks leap over {clock_text(tick.wall)}"


def _moved_by_exclusion(rules: Rules, tick: Tick) -> Iterator[str]:
    if rules.exclude is None or rules.exclude.on_excluded is OnExcluded.DROP:
        return
    origin = rules.asked.origin
    if rules.base.previous(tick.instant, origin).instant == tick.instant:
        return
    source = (
        rules.base.previous(tick.instant, origin)
        if rules.exclude.on_excluded is OnExcluded.NEXT_BUSINESS_DAY
        else rules.base.next_after(tick.instant, origin)
    )
    day = format_date(rules.wall(source) // DAY)
    yield f"moved from {day}, excluded by {rules.who(source)}"
