"""
What would these definitions change, beside the ones in force?

Lets both go through the same stretch of time, as the preview does, puts them side by side, and
looks up in the ledger what really became of what would go away. What differs is streams/account.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from horae.past import Past
from horae.preview_rules import Asked
from horae.previewing import Coming, preview
from schemas.definition import Definition
from schemas.events import Fired, GlobalChanged
from schemas.globals import Calendar
from schemas.identity import subject_of
from schemas.instants import format_instant
from streams.account.classing import Span
from streams.account.differing import Difference, End, Ends, Pair, Planned, differ
from streams.account.worlds import Worlds
from streams.calendar.wall_time import wall_of
from streams.calendar.zones import zone_clock, zone_data_number
from streams.decider.state import Plan, grid_origin

MOST = 10_000
"""Instants of one definition that are looked at."""
OUT_OF_SCOPE = (
    "both run as if processors had been up all the time, with the calendars as they are now: "
    "catch-up, holds, freezes, overlap and gates are not looked at"
)


@dataclass(frozen=True, slots=True)
class Change:
    """One schedule under the definition in force, and under another one."""

    schedule: str
    old: Definition | None
    """None: there is no such schedule now."""
    new: Definition
    version: int | None
    difference: Difference
    really: Mapping[int, End]
    """What became of instants that would go away or move, as far as they are past."""
    truncated: bool
    remarks: tuple[str, ...]


def what_if(past: Past, wanted: Mapping[str, Definition], span: Span) -> list[Change]:
    """What each of these definitions would change in the span; TimingRefused if one makes none."""
    worlds = Worlds(past.globals(), zone_data_number())
    plans = past.plans(wanted.__contains__)
    ends = {name: Ends(span.begin, min(span.end, span.now)) for name in plans}
    if span.begin < span.now:
        _read(past, ends)
    look = _Look(worlds.newest.calendars, span)
    return [
        look.change(name, plans.get(name), definition, ends.get(name))
        for name, definition in wanted.items()
    ]


def _read(past: Past, ends: Mapping[str, Ends]) -> None:
    """What really happened."""
    for place in past.of([subject_of(name) for name in ends]) if ends else ():
        for event, stamp in past.events(place):
            if not isinstance(event, GlobalChanged) and event.schedule in ends:
                ends[event.schedule].take(event, stamp)


@dataclass(frozen=True, slots=True)
class _Look:
    """What is the same for all of them."""

    calendars: Mapping[str, Calendar]
    span: Span

    def change(
        self, schedule: str, plan: Plan | None, new: Definition, ends: Ends | None
    ) -> Change:
        """One schedule under both definitions."""
        created = self.span.now if plan is None else plan.created_at
        # Neither has an instant before the schedule was there; a new one may be tried on the past.
        after = self._planned(schedule, new, created, since=0 if plan is None else created)
        before = _NOTHING
        if plan is not None:
            before = self._planned(schedule, plan.definition, created, since=created)
        difference = differ(before.instants, after.instants)
        away = [one.instant for one in difference.removed]
        away += [pair.old.instant for pair in (*difference.moved, *difference.altered)]
        return Change(
            schedule=schedule,
            old=None if plan is None else plan.definition,
            new=new,
            version=None if plan is None else plan.version,
            difference=difference,
            really={} if ends is None else ends.by_instant(away),
            truncated=before.truncated or after.truncated,
            remarks=tuple(self._remarks(plan, (*before.remarks, *after.remarks), ends)),
        )

    def _remarks(
        self, plan: Plan | None, remarks: tuple[str, ...], ends: Ends | None
    ) -> Iterator[str]:
        if plan is None:
            yield "there is no such schedule now, so all of its instants are new"
        elif plan.changed_at > self.span.begin:
            changed = format_instant(plan.changed_at)
            yield f"it changed last at {changed}; here as if version {plan.version} had always been"
        for one in dict.fromkeys(remarks):
            if plan is None or not one.startswith(_OF_NEW_ONES):
                yield one
        if ends is not None and ends.truncated:
            yield f"what really happened is known of the first {len(ends.found)} ends only"

    def _planned(
        self, schedule: str, definition: Definition, created: int, *, since: int
    ) -> _Planned:
        span = self.span
        found = preview(
            Asked(
                definition=definition,
                schedule=schedule,
                after=max(span.begin - 1, since),
                up_to=span.end - 1,
                limit=MOST,
                calendars=self.calendars,
                origin=grid_origin(created),
            )
        )
        clock = zone_clock(definition.zone)
        instants = [
            Planned(one.instant, wall_of(clock, one.instant), _starts(one), one.skipped, one.marks)
            for one in found.coming
        ]
        return _Planned(instants, found.truncated, found.remarks)


class _Planned(NamedTuple):
    """The instants of one definition."""

    instants: list[Planned]
    truncated: bool
    remarks: tuple[str, ...]


_NOTHING = _Planned([], truncated=False, remarks=())
_OF_NEW_ONES = "an interval without an anchor"
"""How the preview says that it takes a definition for a new one."""


def _starts(one: Coming) -> int:
    return one.due if one.starts is None else one.starts


def ending_words(end: End | None) -> str:
    """What really became of an instant; empty: nothing is known."""
    if end is None:
        return ""
    if isinstance(end.event, Fired):
        return "fired as a catch-up" if end.event.late else "fired"
    return f"skipped ({end.event.reason.value})"


def change_json(change: Change) -> dict[str, Any]:
    """The change as plain data; instants as text in UTC."""
    found, really = change.difference, change.really
    return {
        "schedule": change.schedule,
        "version_in_force": change.version,
        "counts": {
            "same": found.same,
            "altered": len(found.altered),
            "moved": len(found.moved),
            "added": len(found.added),
            "removed": len(found.removed),
        },
        "altered": [_pair_json(one, really) for one in found.altered],
        "moved": [_pair_json(one, really) for one in found.moved],
        "added": [_planned_json(one) for one in found.added],
        "removed": [_planned_json(one, really) for one in found.removed],
        "truncated": change.truncated,
        "remarks": list(change.remarks),
        "not_looked_at": OUT_OF_SCOPE,
    }


def _pair_json(pair: Pair, really: Mapping[int, End]) -> dict[str, Any]:
    return {"from": _planned_json(pair.old, really), "to": _planned_json(pair.new)}


def _planned_json(one: Planned, really: Mapping[int, End] | None = None) -> dict[str, Any]:
    found: dict[str, Any] = {
        "instant": format_instant(one.instant),
        "starts": None if one.is_skipped else format_instant(one.starts),
        "marks": list(one.marks),
    }
    end = None if really is None else really.get(one.instant)
    if end is not None:
        found["really"] = ending_words(end)
        found["decided_at"] = format_instant(end.decided_at)
    return found
