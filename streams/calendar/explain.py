"""
When does a schedule run, told in plain English?

One paragraph for any definition that was taken: its timings, its zone, what the next change of
clocks does to it, and what else decides about when. Words for cron expressions are cron_words.py,
for changes of clocks clock_words.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, assert_never

from schemas.definition import (
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    Basis,
    Cron,
    Definition,
    Exclude,
    Hours,
    Interval,
    Once,
    OnExcluded,
    Timing,
    Weekly,
    Window,
)
from streams.calendar.clock_words import Change, date_text, next_change
from streams.calendar.cron import needs_id, read_cron, settled
from streams.calendar.cron_words import clock_text, cron_words, listed, weekday_words
from streams.calendar.occurrences import TimingRefused, kept_rule
from streams.calendar.refusals import quoted
from streams.calendar.ticks import DAY_SECONDS, MICROS
from streams.calendar.wall_time import wall_of
from streams.calendar.zones import ZoneClock, zone_clock

_CITIES: Final = frozenset(
    ("Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe")
) | {"Indian", "Pacific"}
_NO_CITIES: Final = frozenset(("ACT", "LHI", "NSW", "North", "South", "West"))
_UNITS: Final = ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"), (SECOND, "second"))
_DAY_MICROS: Final = DAY_SECONDS * MICROS


def explain(definition: Definition, after: int) -> str:
    """When the schedule runs; changes of clocks are looked for within 13 months after an instant.

    Never raises for a definition that was taken; one that cannot be read any more says why.
    """
    try:
        clock = zone_clock(definition.zone)
    except TimingRefused as refused:
        return f"It never runs: {refused.message} (zone {quoted(definition.zone)})."
    parts = [
        f"{_timings(definition, clock, after)}, {zone_text(definition.zone)}",
        *_change(definition, clock, after),
        *_bounds(definition, clock, after),
    ]
    text = " ".join("; ".join(parts).split())
    return f"{text[0].upper()}{text[1:]}."


def zone_text(zone: str) -> str:
    """A zone as one says it: New York time; in full where the last part alone names no place."""
    region, _, city = zone.rpartition("/")
    if zone == "UTC" or region.partition("/")[0] not in _CITIES or city in _NO_CITIES:
        return "UTC" if zone in {"UTC", "Etc/UTC"} else f"{zone} time"
    return f"{city.replace('_', ' ')} time"


def duration_text(micros: int) -> str:
    """A length of time as 1 hour and 30 minutes."""
    words = []
    for size, name in _UNITS:
        count, micros = divmod(micros, size)
        if count:
            words.append(_counted(count, name))
    if micros:
        words.append(_counted(micros, "microsecond"))
    return listed(words) or "no time"


def _counted(count: int, name: str) -> str:
    return f"{count} {name}{'' if count == 1 else 's'}"


def _timings(definition: Definition, clock: ZoneClock, after: int) -> str:
    words = [_timing(timing, clock, after) for timing in definition.timings]
    return listed(list(dict.fromkeys(words)))


def _timing(timing: Timing, clock: ZoneClock, after: int) -> str:
    match timing:
        case Cron():
            try:
                read_cron(settled(timing, "any"))
                return cron_words(timing)
            except TimingRefused as refused:
                return f"never by {quoted(timing.expression)}, since {refused.message}"
        case Interval():
            return _interval(timing, clock, after)
        case Once(at):
            return f"once, on {_instant(at, clock, after)}"
        case Weekly(days, at):
            named = [(day + 1) % 7 for day in range(7) if days >> day & 1]
            if not named:
                return "never, since no day of the week is named"
            return f"at {clock_text(at)} {_on(weekday_words(named))}"
        case _:
            assert_never(timing)


def _on(days: str) -> str:
    return days if days.startswith("every") else f"on {days}"


def _interval(interval: Interval, clock: ZoneClock, after: int) -> str:
    months, days = interval.months, interval.days
    years, months = divmod(months, 12)
    words = [
        _counted(count, name)
        for count, name in ((years, "year"), (months, "month"), (days, "day"))
        if count
    ]
    if interval.micros or not words:
        words.append(duration_text(interval.micros))
    length = listed(words)
    if interval.basis is Basis.AFTER_FIRE:
        return f"{length} after each fire"
    if interval.basis is Basis.AFTER_END:
        return f"{length} after each end"
    every = length.removeprefix("1 ") if length.count(" ") == 1 else length
    if interval.anchor is None:
        return f"every {every}, counted from its creation"
    return f"every {every}, counted from {_instant(interval.anchor, clock, after)}"


def _instant(instant: int, clock: ZoneClock, after: int) -> str:
    """An instant by the clock on the wall."""
    try:
        day, time = divmod(wall_of(clock, instant), _DAY_MICROS)
        today = wall_of(clock, after) // _DAY_MICROS
        seconds, fraction = divmod(time, MICROS)
        shown = f"{clock_text(seconds)}"
        if fraction:
            whole = shown if seconds % 60 else f"{shown}:00"
            shown = f"{whole}.{fraction:06d}".rstrip("0")
        return f"{date_text(day, today)} at {shown}"
    except (ValueError, OverflowError):
        return "an instant outside of the calendar"


def _change(definition: Definition, clock: ZoneClock, after: int) -> Iterator[str]:
    """What the next change of clocks does, if anything."""
    changes: list[Change] = []
    for timing in definition.timings:
        # What an `H` stands for is known with the schedule's id only.
        if isinstance(timing, Cron) and needs_id(timing):
            continue
        try:
            rule = kept_rule((timing,), definition.zone, definition.dst)
        except TimingRefused:
            continue
        found = next_change(rule.source, clock, after)
        if found is not None:
            changes.append(found)
    if changes:
        yield min(changes).words


def _bounds(definition: Definition, clock: ZoneClock, after: int) -> Iterator[str]:
    """What else decides about when."""
    if definition.exclude is not None:
        yield _exclude(definition.exclude)
    if definition.window is not None:
        yield _window(definition.window)
    if definition.jitter:
        yield f"each up to {duration_text(definition.jitter)} later, spread by a hash of its id"
    if definition.start_at is not None:
        yield f"not before {_instant(definition.start_at, clock, after)}"
    if definition.end_at is not None:
        yield f"for the last time on {_instant(definition.end_at, clock, after)}"
    if definition.max_fires is not None:
        yield f"at most {_counted(definition.max_fires, 'fire')}"


def _exclude(exclude: Exclude) -> str:
    names = [f"what the calendar {quoted(name)} excludes" for name in exclude.calendars]
    dates = [date_text(day) for day in exclude.dates]
    words = f"except {listed(names + dates)}" if names or dates else "except nothing"
    match exclude.on_excluded:
        case OnExcluded.NEXT_BUSINESS_DAY:
            return f"{words}, moved to the next open day at the same time"
        case OnExcluded.PREVIOUS_BUSINESS_DAY:
            return f"{words}, moved to the open day before at the same time"
        case OnExcluded.DROP:
            return words


def _window(window: Window) -> str:
    hours = listed([_hours(each) for each in window.hours], "or")
    words = f"it starts only {hours}" if hours else "it never starts, since its window never opens"
    return (
        f"{words}, and otherwise waits up to {duration_text(window.max_wait)} for the next"
        f" opening, spread over {duration_text(window.spread)}"
    )


def _hours(hours: Hours) -> str:
    closes = "24:00" if hours.closes == DAY_SECONDS else clock_text(hours.closes)
    days = [(day + 1) % 7 for day in range(7) if hours.days >> day & 1]
    named = "" if len(days) == 7 else f" {_on(weekday_words(days))}"
    night = " of the next day" if hours.closes <= hours.opens else ""
    return f"from {clock_text(hours.opens)} to {closes}{night}{named}"
