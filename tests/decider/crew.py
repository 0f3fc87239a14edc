"""
How does work for runners play out, with nothing but the decider?

A house whose schedules ask for work, and the runners that claim it, beat and report; what a
partition knows of them is kept as the processor keeps it. The processor's side is
tests/processor/runners.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from typing_extensions import override

from schemas.actions import Program
from schemas.commands import ClaimRun, DeclineRun, Define, ReportRun, ReportStatus
from schemas.definition import Definition, offering
from schemas.events import CommandRefused, RunEnded, ScheduleEvent
from schemas.run_events import Result
from schemas.snapshot import Run, RunnerNote, RunPhase
from streams.decider.beats import interrupted, renewed
from streams.decider.state import World
from tests.decider.house import House
from tests.decider.stage import NIGHTLY, at, rule

WORK = offering(Program(("true",)))
R1 = "node-1"


def work(*timings: object, **more: object) -> Definition:
    """A definition that asks runners for something; texts are cron expressions."""
    return rule(*timings or ("*/5 * * * *",), emit=WORK, **more)  # type: ignore[arg-type]


@dataclass
class Crew(House):
    """A subject, and runners."""

    runners: dict[str, RunnerNote] = field(default_factory=dict)

    @override
    def _around(self) -> World:
        return replace(super()._around(), runners=self.runners)

    def offered(self, *names: str) -> list[Run]:
        """Those that no runner has."""
        found = self.runs(RunPhase.OFFERED)
        return [one for one in found if not names or one.schedule in names]

    def claim(
        self, now: int | str, run: str, runner: str = R1, boot: int = 1, issue: int | None = None
    ) -> list[ScheduleEvent]:
        """A runner asks for what is offered, by the present offer unless told otherwise."""
        known = self.run(run)
        number = known.issue if issue is None else issue
        return self.ask(now, ClaimRun(run, known.attempt, number, runner, boot), None)

    def decline(
        self, now: int | str, run: str, runner: str = R1, boot: int = 1, issue: int | None = None
    ) -> list[ScheduleEvent]:
        """A runner gives back what it was granted."""
        known = self.run(run)
        number = known.issue if issue is None else issue
        return self.ask(now, DeclineRun(run, known.attempt, number, runner, boot, "late"), None)

    def says(
        self,
        now: int | str,
        run: str,
        status: ReportStatus = ReportStatus.SUCCESS,
        detail: str = "",
        result: Result | None = None,
    ) -> list[ScheduleEvent]:
        """Whoever has a run reports about it."""
        known = self.run(run)
        report = ReportRun(run, status, known.attempt, detail, known.runner, known.boot, result)
        return self.ask(now, report, None)

    def beat(
        self, now: int | str, *runs: str, runner: str = R1, boot: int = 1, leaving: bool = False
    ) -> list[ScheduleEvent]:
        """A runner says that it is alive, and what it has."""
        now = at(now) if isinstance(now, str) else now
        known = self.runners.get(runner)
        if known is not None and known.boot > boot:
            return []
        self.runners[runner] = RunnerNote(runner, boot, now, leaving)
        found = self._take(interrupted(self._around(), runner, boot, now), now, runner, None)
        noted = renewed(self.known, runs, runner, boot, now)
        return found + self._take(noted, now, runner, None)

    def done(self, now: int | str, run: str, *ends: ReportStatus) -> list[ScheduleEvent]:
        """A runner takes one attempt after the other, each of which ends like this."""
        now = at(now) if isinstance(now, str) else now
        found: list[ScheduleEvent] = []
        for status in ends:
            if self.run(run).phase is RunPhase.RETRYING:
                until = self.run(run).until
                assert until is not None
                now = until
                found += self.ring_subject(now)
            found += self.claim(now, run)
            found += self.says(now, run, status)
        return found


def crew_with(definition: Definition | None = None, until: str = "00:05") -> tuple[Crew, str]:
    """A crew for whom the first run of a schedule is offered."""
    crew = Crew()
    crew.ask("00:01", Define(work() if definition is None else definition))
    crew.wait(until)
    (run,) = crew.offered(NIGHTLY)
    return crew, run.id


def refusal(events: list[ScheduleEvent]) -> str:
    """Why nothing came of it."""
    (event,) = events
    assert isinstance(event, CommandRefused)
    return event.message


def ends(events: list[ScheduleEvent]) -> list[tuple[str, str]]:
    """How runs ended: their targets and statuses."""
    return [(one.scope, str(one.status)) for one in events if isinstance(one, RunEnded)]
