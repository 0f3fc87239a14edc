"""
Which whole days does a calendar file (ICS) name?

Events of whole days, also several in a row, those that come again (RRULE, RDATE, without EXDATE),
and single ones that were moved. What comes again without an end is written out within stated years.
An event with a time of day is no day off and is refused by its name. Sets of days are days_off.py.
"""

from __future__ import annotations

from calendar import monthrange
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, Final

from dateutil.rrule import rrulestr
from icalendar import Calendar, Event, vBroken

from horae.importers.days_off import DaysOff, Years

_DAY: Final = timedelta(days=1)
_LONGEST: Final = 3_660
_RATES: Final = ("YEARLY", "MONTHLY", "WEEKLY", "DAILY")
_OF_A_DAY: Final = ("BYHOUR", "BYMINUTE", "BYSECOND")
_DAILY: Final = frozenset(
    {"FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYMONTH", "BYMONTHDAY", "BYDAY"}
)
_WEEKDAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_NO_END: Final = 1 << 40
_MOST_LOOKED_AT: Final = 1_000_000
"""Days that all rules of a file together may be followed over, so that no file takes for ever."""
_PASSED_OVER: Final = ("VTODO", "VJOURNAL", "VFREEBUSY")


class NoCalendar(ValueError):
    """The file is no calendar; the message says why."""


@dataclass(slots=True)
class _Taking:
    """What is wanted of a file, what is found, and how many days were looked at for it."""

    years: Years
    found: DaysOff
    looked_at: int = 0

    def look(self) -> None:
        """Count one more day; raises NoCalendar for too many."""
        self.looked_at += 1
        if self.looked_at > _MOST_LOOKED_AT:
            raise NoCalendar(
                f"its rules go over more than {_MOST_LOOKED_AT:,} days; take fewer years or events"
            )


class _Refused(ValueError):
    """An event that names no whole days, or not in a way that is known here."""


def days_of_file(data: bytes, source: str, years: Years) -> DaysOff:
    """The days of a file; raises NoCalendar."""
    found = DaysOff(source)
    try:
        calendars = Calendar.from_ical(data.decode("utf-8-sig"), multiple=True)
    except UnicodeDecodeError as fault:
        raise NoCalendar(f"it is not UTF-8 ({fault.reason} at byte {fault.start})") from fault
    except (ValueError, IndexError, KeyError) as fault:
        raise NoCalendar(f"it is no calendar: {' '.join(str(fault).split())[:200]}") from fault
    if not calendars:
        raise NoCalendar("there is no calendar in it")
    taking = _Taking(years, found)
    for calendar in calendars:
        _take_calendar(calendar, taking)
    return found


def _take_calendar(calendar: Any, taking: _Taking) -> None:
    found = taking.found
    events = list(calendar.walk("VEVENT"))
    moved = _moved(events)
    for event in events:
        try:
            _take(event, moved, taking)
        except _Refused as fault:
            found.refused.append((_name(event), str(fault)))
    for kind in _PASSED_OVER:
        others = len(list(calendar.walk(kind)))
        if others:
            found.remarks.append(f"passed over: {others} of {kind}, which are no events")


def _moved(events: Iterable[Event]) -> dict[str, set[date]]:
    """The days of recurring events that a further event with the same UID stands for."""
    found: dict[str, set[date]] = defaultdict(set)
    for event in events:
        place = event.get("RECURRENCE-ID")
        instance = _when(event, "RECURRENCE-ID")
        if place is not None and isinstance(instance, date):
            found[str(event.get("UID", ""))].add(_day(instance))
    return found


def _take(event: Event, moved: dict[str, set[date]], taking: _Taking) -> None:
    found = taking.found
    if str(event.get("STATUS", "")).upper() == "CANCELLED":
        found.remarks.append(f"left out, it is cancelled: {_name(event)}")
        return
    place = event.get("RECURRENCE-ID")
    if place is not None and str(getattr(place, "params", {}).get("RANGE", "")):
        raise _Refused("it stands for all that come after it, which is not known here")
    first, length = _first(event), _length(event)
    begins: Iterable[date] = [first]
    if place is None:
        begins = _begins(event, first, taking)
        gone = _listed(event, "EXDATE") | moved.get(str(event.get("UID", "")), set())
        begins = [day for day in begins if day not in gone]
    name = _name(event)
    for begin in begins:
        found.add((begin + _DAY * offset for offset in range(length)), name)


def _when(event: Event, name: str) -> Any:
    """The date, instant or length that a property holds; None if there is none to be read."""
    try:
        return getattr(event.get(name), "dt", None)
    except ValueError:  # a broken property
        return None


def _first(event: Event) -> date:
    day = _when(event, "DTSTART")
    if not isinstance(day, date):
        raise _Refused("it has no DTSTART that can be read")
    if isinstance(day, datetime):
        raise _Refused("it has a time of day, and a calendar of days off holds whole days")
    return day


def _length(event: Event) -> int:
    """Days; the end is the day after the last one, and without an end it is one day."""
    first, end, span = _first(event), _when(event, "DTEND"), _when(event, "DURATION")
    if isinstance(end, datetime):
        raise _Refused("it ends at a time of day, and a calendar of days off holds whole days")
    if isinstance(end, date):
        span = end - first
    elif span is None:
        return 1
    if not isinstance(span, timedelta) or span % _DAY:
        raise _Refused("it is no whole number of days long")
    # Some programs write the last day as the end of an event of one day.
    days = max(span.days, 1) if span.days >= 0 else 0
    if not 1 <= days <= _LONGEST:
        raise _Refused(f"it is {span.days} days long; allowed are 1 to {_LONGEST}")
    return days


def _begins(event: Event, first: date, taking: _Taking) -> Iterator[date]:
    """The first days of all that the event stands for."""
    yield first
    yield from _listed(event, "RDATE")
    if event.get("EXRULE") is not None:
        raise _Refused("EXRULE is not known here; write its days as EXDATE")
    for rule in _several(event.get("RRULE")):
        yield from _by_rule(event, rule, first, taking)


def _by_rule(event: Event, rule: Any, first: date, taking: _Taking) -> Iterator[date]:
    years, text = taking.years, _rule_text(rule)
    try:
        # A rule of days that never match would be followed to the year 9999, day by day.
        daily = "FREQ=DAILY" in text
        days = _daily(rule, first, taking) if daily else _followed(text, first, taking)
        for day in days:
            if day.year > years.last:
                taking.found.remarks.append(f"it goes on after {years.last}: {_name(event)}")
                return
            if day in years:
                yield day
    except NoCalendar:
        raise
    except (ValueError, TypeError, OverflowError) as fault:
        raise _Refused(f"RRULE {text}: {fault}") from fault


def _followed(text: str, first: date, taking: _Taking) -> Iterator[date]:
    for moment in rrulestr(text, dtstart=datetime.combine(first, time())):
        taking.look()
        yield moment.date()


def _daily(rule: Any, first: date, taking: _Taking) -> Iterator[date]:
    """Every so many days those that match, up to the first one after the years."""
    for name in rule:
        if name.upper() not in _DAILY:
            raise ValueError(f"{name} has no meaning for days")
    [step, *_] = [int(each) for each in _several(rule.get("INTERVAL"))] or [1]
    [left, *_] = [int(each) for each in _several(rule.get("COUNT"))] or [_NO_END]
    [until, *_] = [_day(each) for each in _several(rule.get("UNTIL"))] or [date.max]
    for number in range(first.toordinal(), _first_after(taking.years, until), step):
        taking.look()
        day = date.fromordinal(number)
        if left and _is_one(day, rule):
            left -= 1
            yield day


def _first_after(years: Years, until: date) -> int:
    """One day after the last one to look at: some of the year after, to see that it goes on."""
    return min(until, date(min(years.last + 1, date.max.year), 12, 31)).toordinal() + 1


def _is_one(day: date, rule: Any) -> bool:
    length = monthrange(day.year, day.month)[1]
    in_month = {day.day, day.day - length - 1}
    months = {int(each) for each in _several(rule.get("BYMONTH"))}
    days = {int(each) for each in _several(rule.get("BYMONTHDAY"))}
    weekdays = {str(each).upper() for each in _several(rule.get("BYDAY"))}
    return (
        (not months or day.month in months)
        and (not days or bool(in_month & days))
        and (not weekdays or _WEEKDAYS[day.weekday()] in weekdays)
    )


def _rule_text(rule: Any) -> str:
    """The rule for whole days; one of hours is refused, and one that could never end, too."""
    if isinstance(rule, vBroken):
        why = " ".join(str(rule.parse_error).split())
        raise _Refused(f"RRULE {str(rule)[:200]}: it cannot be read: {why}")
    [rate, *_] = [str(each).upper() for each in _several(rule.get("FREQ"))] or [""]
    if rate not in _RATES:
        raise _Refused(f"RRULE: {rate or 'no FREQ'}; for whole days it is {', '.join(_RATES)}")
    if any(name in rule for name in _OF_A_DAY):
        raise _Refused("RRULE: it names times of day")
    if any(int(each) < 1 for each in _several(rule.get("INTERVAL"))):
        raise _Refused("RRULE: INTERVAL must be at least 1")
    parts = []
    for part in rule.to_ical().decode().split(";"):
        name, _, value = part.partition("=")
        # Of an end with a time only the day counts.
        parts.append(f"{name}={value[:8]}" if name == "UNTIL" else part)
    return ";".join(parts)


def _listed(event: Event, name: str) -> set[date]:
    days = set()
    for entry in _several(event.get(name)):
        try:
            moments = [each.dt for each in entry.dts]
        except ValueError as fault:
            raise _Refused(f"{name} cannot be read") from fault
        if not all(isinstance(moment, date) for moment in moments):
            raise _Refused(f"{name} holds a span of time")
        days |= {_day(moment) for moment in moments}
    return days


def _several(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list) else [value]


def _day(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


def _name(event: Event) -> str:
    text = " ".join(str(event.get("SUMMARY", "")).split())
    return text or str(event.get("UID", "")) or "(without a name)"
