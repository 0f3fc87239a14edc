"""
Why did a schedule run at some instant, or why not?

Reads what the ledger has of the schedule, once, and puts together what is known of the instant: its
class, the definition in force, pauses and holds, what became of the occurrence. How that is said is
horae/reasons_told.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from horae.past import Past, Place
from schemas.events import GlobalChanged, ScheduleChanged, ScheduleDefined, Stamp
from schemas.identity import subject_of
from streams.account.classing import Class, Finding, Span, Verdict
from streams.account.history import History, Rest
from streams.account.placing import Placed, place
from streams.account.walking import Begin, Walk
from streams.account.worlds import Worlds
from streams.calendar.policy import Policy, Skipped
from streams.calendar.wall_time import resolve
from streams.calendar.zones import zone_clock, zone_data_number

_BOTH = Policy(Skipped.LOST, twice=True)
_HELD = "everything is held"
"""How worldview.py says it in the ledger."""


@dataclass(frozen=True, slots=True)
class Explained:
    """All that is known of one instant of one schedule."""

    history: History
    classes: tuple[Class, ...]
    """None: it is no instant of a definition; more than one: something is wrong."""
    findings: tuple[Finding, ...]
    placed: Placed | None
    everything: Rest | None
    """The hold over everything in which the instant lies."""
    begin: Begin | None
    now: int

    @property
    def is_known(self) -> bool:
        """Whether there was ever such a schedule, as far as the ledger goes back."""
        history = self.history
        return bool(history.chapters) or (history.first is not None and self.begin is not None)


def find_zone(past: Past, schedule: str, wall: int) -> str:
    """The zone of the definition that is in force about then, or of the first one; UTC if none."""
    found, here = "UTC", _place(past, schedule)
    is_first = True
    for event, stamp in past.events(here):
        if isinstance(event, ScheduleDefined | ScheduleChanged) and event.schedule == schedule:
            if is_first or stamp.decided_at <= wall:
                found = event.definition.zone
            is_first = False
    if is_first:
        plan = past.plans(schedule.__eq__).get(schedule)
        found = found if plan is None else plan.definition.zone
    return found


def instants_of(wall: int, zone: str) -> list[int]:
    """What a wall time of a zone means: no instant, one, or both passes."""
    return [tick.instant for tick in resolve(zone_clock(zone), wall, _BOTH)]


def explain(past: Past, schedule: str, instant: int, now: int) -> Explained:
    """What is known of that instant."""
    here = _place(past, schedule)
    worlds = Worlds(past.globals(), zone_data_number())
    walk = Walk(here.partition, worlds, Span(instant, instant + 1, now), schedule.__eq__)
    history = History(schedule, instant)
    about = {schedule, f"{subject_of(schedule)}/"}
    for event, stamp in past.events(here):
        if walk.is_new and stamp.sequence > 0:
            walk.rows = past.plans(schedule.__eq__)
        walk.take(event, stamp)
        if not isinstance(event, GlobalChanged) and event.schedule in about:
            history.take(event, stamp)
    account = walk.finish()
    tallies = [one for one in account.tallies if one.schedule == schedule]
    classes = tuple(found for tally in tallies for found in tally.counts)
    return Explained(
        history=history,
        classes=classes,
        findings=tuple(one for one in account.findings if one.schedule == schedule),
        placed=_placed(history, worlds, excluded=Class(Verdict.EXCLUDED) in classes),
        everything=_hold_over_everything(past, instant),
        begin=account.begin,
        now=now,
    )


def _place(past: Past, schedule: str) -> Place:
    return past.of([subject_of(schedule)])[0]


def _placed(history: History, worlds: Worlds, *, excluded: bool) -> Placed | None:
    """Where the instant lies in the calendar as it was; what excluded it may be gone by now."""
    chapter = history.in_force()
    if chapter is None:
        return None
    decided = _decided_under(history, worlds)
    found = place(history.schedule, chapter, history.instant, worlds.at(decided))
    exclude = chapter.definition.exclude
    if not excluded or exclude is None or found.why_not is not None:
        return found
    before = chapter.since.globals_offset
    for world in worlds.between(before, decided, exclude.calendars):
        other = place(history.schedule, chapter, history.instant, world)
        if other.is_excluded:
            return other
    return found


def _decided_under(history: History, worlds: Worlds) -> int:
    """The globals under which the instant was decided, or else the next one was."""
    for kept in (*history.ends, *history.deferrals, history.after):
        if kept is not None:
            return kept.stamp.globals_offset
    return worlds.newest.globals_offset


def _hold_over_everything(past: Past, instant: int) -> Rest | None:
    """The ledger's own record of holds, which the owner of partition 0 writes."""
    since: tuple[Stamp, str] | None = None
    for event, stamp in past.events(past.places[0]):
        if not isinstance(event, GlobalChanged) or event.name != "hold":
            continue
        if event.summary.startswith(_HELD):
            since = since or (stamp, event.summary.partition(": ")[2])
        elif since is not None:
            if since[0].decided_at <= instant <= stamp.decided_at:
                begun, reason = since
                return Rest(reason, begun.decided_at, None, begun, stamp, stamp.decided_at)
            since = None
    if since is None or instant < since[0].decided_at:
        return None
    begun, reason = since
    return Rest(reason, begun.decided_at, None, begun)
