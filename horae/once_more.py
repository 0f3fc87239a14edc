"""
Which instants of the past are to run once more: those without a fire, or those that failed?

Told by the ledger: the events of one schedule are taken in their order, and the instants that the
calendar has now are held against them. Asking for them is the command line's part; what becomes of
each is streams/decider/backfill.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from horae.past import Past
from schemas.events import (
    Deferred,
    Event,
    Fired,
    Outcome,
    RunEnded,
    RunStarted,
    ScheduleChanged,
    ScheduleCompleted,
    ScheduleDefined,
    SchedulePaused,
    ScheduleRecomputed,
    ScheduleRemoved,
    ScheduleResumed,
    Skipped,
)
from schemas.identity import subject_of
from schemas.run_events import RunStatus
from streams.account.worlds import Worlds
from streams.calendar.occurrences import NEVER
from streams.calendar.zones import zone_data_number
from streams.decider.agenda import agenda_of
from streams.decider.evolve import BY_HAND
from streams.decider.state import Plan, World

FAILED = frozenset({RunStatus.FAILED, RunStatus.TIMEOUT, RunStatus.INTERRUPTED})
"""Ends after which the work may be done again."""


class Turns:
    """What became of the instants of one schedule, over all of its incarnations."""

    def __init__(self) -> None:
        self.fired: set[int] = set()
        """Instants that fired, by themselves or once more."""
        self.pending = NEVER
        """The oldest instant that has its turn still to come; NEVER: none has by itself."""
        self._runs: dict[tuple[int, str], RunStatus | None] = {}
        """How the last run of each instant and target ended; None: it has not."""

    def take(self, event: Event) -> None:
        """Enter the next event of the schedule."""
        match event:
            case Fired():
                self.pending = event.next
                self._enter(event)
            case Skipped(origin=None):
                self.pending = event.next
            case Deferred():
                self.pending = event.nominal
            case ScheduleDefined() | ScheduleChanged() | ScheduleResumed() | ScheduleRecomputed():
                self.pending = event.next
            case SchedulePaused() | ScheduleCompleted() | ScheduleRemoved():
                self.pending = NEVER
            case RunStarted() if not _by_hand(event.origin):
                self._runs[event.nominal, event.scope] = None
            case RunEnded() if not _by_hand(event.origin):
                self._runs[event.nominal, event.scope] = event.status
            case _:
                pass

    def failed(self) -> set[int]:
        """Instants of which a target's last run failed."""
        return {instant for (instant, _), status in self._runs.items() if status in FAILED}

    def _enter(self, event: Fired) -> None:
        if _by_hand(event.origin):
            return
        self.fired.add(event.nominal)
        for scope, _, outcome, _ in event.scopes:
            if outcome is Outcome.STARTED:
                self._runs[event.nominal, scope] = None


class Chosen:
    """The instants that are meant, and what is to be said of others."""

    def __init__(
        self, instants: list[int], most: int, elsewhere: int = 0, *, is_known: bool = True
    ) -> None:
        self.instants = tuple(instants[-most:])
        """The newest so many, oldest first."""
        self.more = max(len(instants) - most, 0)
        """How many older ones there are."""
        self.elsewhere = elsewhere
        """How many failed at instants that are none of the calendar any more."""
        self.is_known = is_known
        """Whether there is such a schedule now."""


def find(past: Past, schedule: str, within: tuple[int, int], most: int, *, failed: bool) -> Chosen:
    """Read the ledger and choose; nothing is chosen of a schedule that is not there."""
    turns = Turns()
    for place in past.of([subject_of(schedule)]):
        for event, _ in past.events(place):
            if getattr(event, "schedule", None) == schedule:
                turns.take(event)
    plan = past.plans(schedule.__eq__).get(schedule)
    if plan is None:
        return Chosen([], most, is_known=False)
    world = Worlds(past.globals(), zone_data_number()).newest
    calendar = instants_of(plan, world, within)
    return (failures if failed else gaps)(turns, calendar, within, most)


def instants_of(plan: Plan, world: World, within: tuple[int, int]) -> Iterator[int]:
    """The instants of a schedule's calendar from the first to the last, both inclusive."""
    agenda = agenda_of(plan, world)
    if plan.rule is None or plan.counts_from_decisions:
        return
    first, last = within
    instant = agenda.next_tick(first - 1).instant
    while instant <= last and instant != NEVER:
        yield instant
        instant = agenda.next_tick(instant).instant


def gaps(turns: Turns, calendar: Iterable[int], _: tuple[int, int], most: int) -> Chosen:
    """Those of the calendar's instants that are over and never fired."""
    found = [one for one in calendar if one < turns.pending and one not in turns.fired]
    return Chosen(found, most)


def failures(turns: Turns, calendar: Iterable[int], within: tuple[int, int], most: int) -> Chosen:
    """Those of the calendar's instants whose last run failed, for one of the targets at least."""
    first, last = within
    failed = {one for one in turns.failed() if first <= one <= last}
    found = [one for one in calendar if one in failed]
    return Chosen(found, most, len(failed) - len(found))


def _by_hand(origin: str | None) -> bool:
    return origin is not None and origin.startswith(BY_HAND)
