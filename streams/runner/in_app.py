"""
How does a command run inside the container of an app that is up?

The container is the one the app names, or the first by name with the app's label; that there is
none, that it is stopped or paused, or that its engine cannot be reached is an outcome of its own,
and nothing was started then (AJ-023). What follows once it was started is watching.py, how it is
made to end inside.py. A command that ends by itself may leave others in the container: they belong
to the app then, as with every command that is run there by hand.
"""

from __future__ import annotations

from schemas.actions import App, Exec
from schemas.commands import ReportStatus
from schemas.identity import subject_of
from streams.runner.allowed import Allowed
from streams.runner.engine import (
    STOPPED,
    Command,
    Connection,
    Container,
    Engine,
    EngineAway,
    Missing,
    Refused,
)
from streams.runner.fresh import RUN
from streams.runner.inside import LOOK, MARK, Inside
from streams.runner.program import told
from streams.runner.watching import Ended, Settling, Watch, Wish
from streams.runner.wire import Wire
from streams.runner.work import Job, Outcome

APP = "horae.app"
"""The label of an app's containers; its value is the subject."""
_NOT_STARTED = (126, 127)
"""What engines say of a program that could not be executed; shells use the same numbers."""
_OF_THE_ENGINE = ("OCI runtime", "OCI permission")
"""What only engines write then, in place of the program."""


class NotRunning(Exception):
    """There is no container to run it in."""


class InAppAttempt:
    """One process inside the container of an app."""

    def __init__(
        self, engine: Engine, allowed: Allowed, job: Job, mark: str, *, from_outside: bool = True
    ) -> None:
        self._engine = engine
        self._allowed = allowed
        self._job = job
        self._mark = mark
        self._from_outside = from_outside
        self._wish = Wish()

    def run(self) -> Outcome:
        """Find the container, start the command there, and watch it to its end."""
        if self._wish.why is not None:
            return self._wish.withdrawn()
        try:
            with self._engine.connected() as connection:
                return self._run(connection)
        except NotRunning as fault:
            return Outcome(ReportStatus.CONTAINER_NOT_RUNNING, str(fault))
        except Refused as fault:
            return Outcome(ReportStatus.UNAVAILABLE, str(fault))
        except EngineAway as fault:
            where = f"the container engine at {self._engine.address} is not reached"
            return Outcome(ReportStatus.CONTAINER_NOT_RUNNING, f"{where}: {fault}")

    def stop(self, why: str, *, kill: bool) -> None:
        """Have it asked to end, or with `kill` ended."""
        self._wish.say(why, kill=kill)

    def _run(self, connection: Connection) -> Outcome:
        order, work = self._job.order, self._job.order.work
        if not isinstance(work, Exec):
            return Outcome(ReportStatus.UNAVAILABLE, f"{type(work).__name__} is no exec")
        container = container_of(connection, order.app, subject_of(order.schedule))
        # Not what the app says of itself: any container could be named as the one that runs.
        objection = self._allowed.image(container.image)
        if objection is not None:
            return Outcome(ReportStatus.UNAVAILABLE, objection, reference=container.name)
        env = {each.name: self._job.secrets.value_of(each) for each in work.env}
        marked = {**told(order), **env, MARK: self._mark}
        command = Command(work.argv, marked, work.user, work.folder)
        inside = Inside(container.id, self._mark, work.user, from_outside=self._from_outside)
        try:
            process = connection.prepare(container.id, command)
            if self._wish.why is not None:
                return self._wish.withdrawn()
            running = _InApp(connection, container, process, inside)
            wire = running.begin()
        except Refused as fault:
            return self._refused(connection, container, fault)
        return self._named(Watch(running, wire, self._job, self._wish).to_its_end(), container)

    def _refused(self, connection: Connection, container: Container, refusal: Refused) -> Outcome:
        now = connection.find(container.id)
        if now is None or now.state != "running":
            raise NotRunning(f"its container {container.name} ended just now") from refusal
        return Outcome(ReportStatus.UNAVAILABLE, str(refusal), reference=container.name)

    def _named(self, outcome: Outcome, container: Container) -> Outcome:
        status, detail = outcome.status, outcome.detail
        if status is ReportStatus.FAILED and outcome.exit_code in _NOT_STARTED:
            said = self._job.output.kept().text
            if not said or any(word in said[:1_000] for word in _OF_THE_ENGINE):
                status, detail = ReportStatus.UNAVAILABLE, "it could not be started there"
        return Outcome(status, detail, outcome.exit_code, container.name)


class _InApp:
    """A process inside a container, as its watch sees it."""

    def __init__(
        self, connection: Connection, container: Container, process: str, inside: Inside
    ) -> None:
        self._connection = connection
        self._container = container
        self._id = process
        self._inside = inside
        self._signalled = False
        self._doubtful = False
        """Whether it was started at all is not known."""
        self._settling = Settling()

    def begin(self) -> Wire | None:
        """Start it. Refused: it did not start; no wire: it may have."""
        try:
            return self._connection.begin(self._id)
        except EngineAway:
            self._doubtful = True
            return None

    def look(self) -> Ended | None:
        try:
            found = self._connection.look(self._id)
        except Missing:
            return self._of_container()
        if found.goes_on:
            self._doubtful = False
            return self._of_container()
        if self._doubtful and not found.exit_code:
            return self._settling.look()
        if not self._signalled:
            return Ended(found.exit_code)
        left = self._inside.send(self._connection, LOOK)
        if left is None:
            return Ended(found.exit_code, "whether it left processes behind cannot be seen")
        return None if left else Ended(found.exit_code)

    def signal(self, name: str) -> bool:
        self._signalled = True
        return self._inside.send(self._connection, name) is not None

    def listen(self) -> Wire | None:
        return None

    def _of_container(self) -> Ended | None:
        """With its container everything in it ends."""
        now = self._connection.find(self._container.id)
        if now is None or now.state in STOPPED or now.life != self._container.life:
            return Ended(None, f"its container {self._container.name} ended under it")
        return None


def container_of(connection: Connection, app: App | None, subject: str) -> Container:
    """The running container of an app; NotRunning says why there is none."""
    if app is None:
        raise NotRunning(f"{subject} was never deployed: no app is defined for it")
    if app.container is not None:
        found = connection.find(app.container)
        if found is None:
            raise NotRunning(f"there is no container {app.container}")
        return _running([found])
    labelled = connection.labelled(f"{APP}={subject}")
    # A container of a run may have the label from its image: it is no replica of the app.
    replicas = [each for each in labelled if RUN not in each.labels]
    if not replicas:
        raise NotRunning(f"there is no container with the label {APP}={subject}")
    return _running(replicas)


def _running(found: list[Container]) -> Container:
    running = next((each for each in found if each.state == "running"), None)
    if running is None:
        states = ", ".join(f"{each.name} is {each.state}" for each in found)
        raise NotRunning(f"its container does not run: {states}")
    return running
