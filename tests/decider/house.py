"""
How does a whole subject play out, with nothing but the decider?

Its schedules, its runs and its timers, on the first of June 2026 in UTC unless a test says
otherwise: commands are asked at the times a test names, and `wait` lets every timer ring when it is
due, the schedules' and the subject's own, in the order in which a processor rings them. One
schedule alone is stage.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from schemas.commands import Asked, Command, ReportRun, ReportStatus
from schemas.definition import Definition
from schemas.events import Fired, Outcome, ScheduleEvent, Skipped, Stamp
from schemas.globals import GlobalSettings, Hold
from schemas.identity import subject_of
from schemas.policies import Tracking
from schemas.snapshot import Run, RunPhase
from streams.calendar.occurrences import NEVER
from streams.decider.decide import decide
from streams.decider.evolve import evolve
from streams.decider.evolve_subject import evolve_subject
from streams.decider.resting import hold_over
from streams.decider.runs import schedule_due, subject_due
from streams.decider.state import Schedule, World
from streams.decider.subject import Subject
from tests.decider.stage import EMIT, NIGHTLY, OPEN, at, rule

TRACKED = replace(EMIT, tracked=Tracking())


def tracked(*timings: object, lease: int | None = None, **more: object) -> Definition:
    """A definition whose work is reported about; texts are cron expressions."""
    emit = TRACKED if lease is None else replace(EMIT, tracked=Tracking(lease))
    return rule(*timings, emit=emit, **more)  # type: ignore[arg-type]


@dataclass
class House:
    """One subject."""

    subject: str = subject_of(NIGHTLY)
    world: World = OPEN
    schedules: dict[str, Schedule] = field(default_factory=dict)
    known: Subject = field(default_factory=Subject)
    offset: int = 0
    sequence: int = 0
    now: int = 0
    """When something was decided last."""
    history: list[tuple[ScheduleEvent, Stamp]] = field(default_factory=list)

    # ------------------------------------------------------------------ Siblings

    def ids(self) -> tuple[str, ...]:
        return tuple(sorted(self.schedules))

    def get(self, schedule: str) -> Schedule | None:
        return self.schedules.get(schedule)

    # ------------------------------------------------------------------ what is played

    def ask(
        self, now: int | str, command: Command, about: str | None = NIGHTLY, name: str = ""
    ) -> list[ScheduleEvent]:
        """Decide a command about a schedule, or with None about the subject, and what is due."""
        now = at(now) if isinstance(now, str) else now
        offset, self.offset = self.offset, self.offset + 1
        asked = Asked(
            *(about or f"{self.subject}/", command, name or f"id-{offset}", 0, offset, offset),
            *(now, "user:ann"),
        )
        state = self.schedules.get(asked.schedule)
        return self._take(decide(state, asked, self._around(), now), now, "user:ann", offset)

    def report(
        self, now: int | str, run: str, status: ReportStatus = ReportStatus.SUCCESS
    ) -> list[ScheduleEvent]:
        """Somebody says something about a run."""
        return self.ask(now, ReportRun(run, status), None)

    def wait(self, until: int | str) -> list[ScheduleEvent]:
        """Let every timer ring when it is due, up to `until`."""
        until = at(until) if isinstance(until, str) else until
        found: list[ScheduleEvent] = []
        while self.next_ring() <= until:
            now = max(self.next_ring(), self.now)  # what was held rings late
            events = self.ring(now)
            assert events, f"it rang at {now} and nothing came of it"
            found += events
        return found

    def ring(self, now: int | str) -> list[ScheduleEvent]:
        """Let all that is due ring once, at that time."""
        now = at(now) if isinstance(now, str) else now
        found = self.look(now)
        return found + (self.ring_subject(now) if self.known.looked_at() <= now else [])

    def ring_subject(self, now: int | str) -> list[ScheduleEvent]:
        """Let the timer of the subject alone ring, whether anything is due or not."""
        now = at(now) if isinstance(now, str) else now
        events = subject_due(self._around(), self.subject, now)
        return self._take(events, now, "system", None)

    def caps(self, *, schedules: int = 0, concurrent: int = 0) -> None:
        """The limits of a subject."""
        settings = self.world.settings or GlobalSettings(("jobs*",), 0)
        limits = replace(settings, max_schedules=schedules, max_concurrent=concurrent)
        self.world = replace(self.world, settings=limits)

    def tell_hold(self, now: int | str, reason: str = "works") -> None:
        """Hold everything."""
        now = at(now) if isinstance(now, str) else now
        self.world = replace(self.world, hold=Hold(held=True, reason=reason, actor="eve", at=now))

    def lift_hold(self) -> None:
        """Let everything go; nobody has looked at the subject yet."""
        self.world = replace(self.world, hold=None)

    def look(self, now: int | str) -> list[ScheduleEvent]:
        """Let the timers of schedules alone ring, as if none of the subject's were due."""
        now = at(now) if isinstance(now, str) else now
        found: list[ScheduleEvent] = []
        for name in sorted(self.schedules, key=lambda one: (self.schedules[one].cursor.due, one)):
            state = self.schedules.get(name)
            if state is not None and self._rings_at(state) <= now:
                events = schedule_due(state, self._around(), now)
                found += self._take(events, now, f"schedule:{name}", None)
        return found

    # ------------------------------------------------------------------ what is seen

    def runs(self, *phases: RunPhase) -> list[Run]:
        """The runs in these phases, by when they were due."""
        known = (*self.known.runs.values(), *self.known.over.values())
        found = (run for run in known if run.phase in phases)
        return sorted(found, key=lambda run: (run.due, run.schedule, run.scope))

    def going(self) -> list[Run]:
        """Those that have begun and are not over."""
        return self.runs(RunPhase.STARTED, RunPhase.RETRYING, RunPhase.CANCELLING)

    def waiting(self) -> list[Run]:
        return self.runs(RunPhase.WAITING)

    def run(self, name: str) -> Run:
        """One of them."""
        found = self.known.run(name)
        assert found is not None
        return found

    # ------------------------------------------------------------------

    def next_ring(self) -> int:
        """When the next timer rings; NEVER while everything is held."""
        if self.world.held:
            return NEVER
        return min(self.known.looked_at(), *map(self._rings_at, self.schedules.values()), NEVER)

    def _rings_at(self, state: Schedule) -> int:
        """When its timer rings; that of what is held is put aside."""
        return NEVER if hold_over(state.plan, self.known) is not None else state.cursor.due

    def _around(self) -> World:
        return replace(self.world, subject=self.known, siblings=self)

    def _take(
        self, events: tuple[ScheduleEvent, ...], now: int, actor: str, offset: int | None
    ) -> list[ScheduleEvent]:
        self.now = max(self.now, now)
        for event in events:
            stamp = Stamp(now, 0, offset, self.world.globals_offset, self.sequence, actor)
            self.sequence += 1
            self.history.append((event, stamp))
            before = self.schedules.get(event.schedule)
            plan = before.plan if before else None
            if not event.schedule.endswith("/"):
                after = evolve(before, event, stamp, self.world.zone_data)
                self.schedules.pop(event.schedule, None)
                if after is not None:
                    self.schedules[event.schedule] = after
            self.known = evolve_subject(self.known, plan, event, stamp)
        return list(events)


def outcomes(events: Iterable[ScheduleEvent]) -> list[tuple[int, str]]:
    """What became of each occurrence: its instant, and `started`, `waiting` or the reason."""
    found: list[tuple[int, str]] = []
    for event in events:
        if isinstance(event, Fired):
            found += [(event.nominal, str(one.reason or one.outcome)) for one in event.scopes]
        elif isinstance(event, Skipped):
            found.append((event.first, str(event.reason)))
    return found


STARTED = str(Outcome.STARTED)
WAITING = str(Outcome.WAITING)
