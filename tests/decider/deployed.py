"""
How does a deployment play out, with nothing but the decider?

A crew whose subject is a registered deployment, with the schedules that act on it, each with the
defaults of its preset; what samplers see of it, what is told of its state, and runners that carry
out what they are offered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from schemas.actions import Act, Verb
from schemas.commands import Define, DefineDeployment, ReportActivity, ReportState, ReportStatus
from schemas.definition import Definition, offering
from schemas.deployments import Deployment, DeploymentState, Vllm
from schemas.events import ScheduleEvent
from schemas.policies import Preset
from schemas.presets import defaults_for
from schemas.snapshot import Run
from tests.decider.crew import Crew
from tests.decider.stage import MINUTE, SECOND, at, rule

MODEL = Deployment(Vllm("http://127.0.0.1:8000"))
SLEEP, STOP, WAKE, START = "shop/1-sleep", "shop/2-stop", "shop/3-wake", "shop/4-start"
NAMES = {Verb.SLEEP: SLEEP, Verb.STOP: STOP, Verb.WAKE: WAKE, Verb.START: START}
RUNNING, ASLEEP = DeploymentState.RUNNING, DeploymentState.ASLEEP
STOPPED, STARTING = DeploymentState.STOPPED, DeploymentState.STARTING
NIGHT, MORNING = "0 22 * * *", "0 7 * * *"
DOWN = (Verb.SLEEP, Verb.STOP)
E = TypeVar("E", bound=ScheduleEvent)


def act(verb: Verb, *timings: object, **more: object) -> Definition:
    """A definition that acts on a deployment; in the evening, or in the morning for a wake."""
    work = Act(verb)
    usual = defaults_for(Preset.DEPLOYMENT, work)
    default = MORNING if verb in {Verb.WAKE, Verb.START} else NIGHT
    known: dict[str, object] = {
        "catch_up": usual.catch_up,
        "overlap": usual.overlap,
        "gate": usual.gate,
        "start_within": usual.start_within,
        "hold_on_failure": usual.hold_on_failure,
        "preset": Preset.DEPLOYMENT,
    }
    return rule(*(timings or (default,)), emit=offering(work), **(known | more))  # type: ignore[arg-type]


def at_times(timing: str, verb: Verb = Verb.STOP, **more: object) -> Define:
    """The same act at another time."""
    return Define(act(verb, timing, **more))


@dataclass
class Place(Crew):
    """A deployment, and runners."""

    def register(self, when: str, deployment: Deployment = MODEL) -> list[ScheduleEvent]:
        """Somebody says what it is."""
        return self.ask(when, DefineDeployment(deployment), None)

    def note(
        self, when: int | str, state: DeploymentState, actor: str | None = None, detail: str = ""
    ) -> list[ScheduleEvent]:
        """Somebody says in which state it is."""
        return self.ask(when, ReportState(state, actor, detail), None)

    def see(self, when: int | str, last: str | None = None, **more: int) -> list[ScheduleEvent]:
        """A sampler looks: nothing in flight and nothing waiting unless told otherwise."""
        now = at(when) if isinstance(when, str) else when
        request = None if last is None else at(last)
        seen = {"in_flight": 0, "waiting": 0, **more}
        return self.ask(now, ReportActivity(sampled_at=now, last_request=request, **seen), None)

    def live(
        self, since: str, until: str, busy_until: str = "00:00"
    ) -> list[tuple[int, ScheduleEvent]]:
        """Time passes with a sample each 15 s; up to a time a request is in each of them."""
        events: list[tuple[int, ScheduleEvent]] = []
        last: int | None = None
        for now in range(at(since), at(until) + 1, 15 * SECOND):
            last = now if now <= at(busy_until) else last
            self.ask(now, ReportActivity(0, 0, now, last), None)
            before = len(self.history)
            self.wait(now)
            events += [(stamp.decided_at, event) for event, stamp in self.history[before:]]
        return events

    def the_offered(self, schedule: str) -> Run:
        """The one run of a schedule that is offered."""
        (run,) = self.offered(schedule)
        return run

    def acts(
        self, when: int | str, run: str, status: ReportStatus = ReportStatus.SUCCESS, why: str = ""
    ) -> list[ScheduleEvent]:
        """A runner takes it, and says at once how it ended."""
        return self.claim(when, run) + self.says(when, run, status, why)


def place(*verbs: Verb, state: DeploymentState | None = RUNNING, **more: object) -> Place:
    """A registered deployment, in the state that was told of it, with these schedules."""
    found = Place()
    found.register("00:00")
    if state is not None:
        found.note("00:00", state, "service:deployer")
    for verb in verbs:
        found.ask("00:01", Define(act(verb, **more)), NAMES[verb])
    return found


def acted(
    verb: Verb, status: ReportStatus, state: DeploymentState | None = RUNNING, why: str = ""
) -> tuple[Place, list[ScheduleEvent]]:
    """A fire of the calendar whose act ended like this, and what followed."""
    found = place(verb, state=state)
    if verb in DOWN:
        found.live("21:40", "22:00")
    else:
        found.wait("07:00")
    run = found.the_offered(NAMES[verb]).id
    found.claim(found.now + 1, run)
    return found, found.says(found.now + MINUTE, run, status, why)


def only(events: list[ScheduleEvent], kind: type[E]) -> list[E]:
    """Those of one kind."""
    return [one for one in events if isinstance(one, kind)]
