"""
How does a command run in a container of its own, made from what its app is made of?

Its name follows from the run, so that what an attempt has left is found and removed by the next
one, and its labels say which runner and which life of that made it. It has no label of the app, and
a suffix that is no hexadecimal number, so that nobody takes it for a replica (AJ-021). It is always
removed; as long as it is not known to have ended, the attempt has not either.
"""

from __future__ import annotations

import logging
import re

from docker.types import Mount

from schemas.actions import Fresh, Volume
from schemas.commands import ReportStatus
from schemas.identity import subject_of
from streams.clock import Deadline, pause
from streams.runner.engine import (
    STOPPED,
    Connection,
    Engine,
    EngineAway,
    EngineFault,
    Plan,
    Refused,
)
from streams.runner.program import told
from streams.runner.watching import AGAIN, Ended, Settling, Watch, Wish
from streams.runner.wire import Wire
from streams.runner.work import Job, Outcome, Runner

log = logging.getLogger(__name__)

RUN = "horae.run"
RUNNER = "horae.runner"
BOOT = "horae.boot"
SUBJECT = "horae.subject"
PREFIX = "horae"
REMOVED_WITHIN = 30.0
"""Seconds in which the removal of a container that has ended is tried again."""
_NOT_BEGUN = frozenset({"created", "configured", "initialized"})
_LONGEST = 40
"""Characters of the subject in a name."""


class FreshAttempt:
    """One process in a container of its own."""

    def __init__(self, engine: Engine, runner: Runner, job: Job) -> None:
        self._engine = engine
        self._runner = runner
        self._job = job
        self._wish = Wish()

    def run(self) -> Outcome:
        """Make the container, start it, watch it to its end, and remove it."""
        order = self._job.order
        if order.app is None:
            return _unavailable(
                f"{subject_of(order.schedule)} was never deployed: no app says what it is made of"
            )
        if self._wish.why is not None:
            return self._wish.withdrawn()
        try:
            plan = plan_of(self._job, self._runner)
            with self._engine.connected() as connection:
                return self._run(connection, plan)
        except EngineAway as fault:
            return _unavailable(f"the container engine at {self._engine.address}: {fault}")
        except EngineFault as fault:
            return _unavailable(str(fault))

    def stop(self, why: str, *, kill: bool) -> None:
        """Have it asked to end, or with `kill` ended."""
        self._wish.say(why, kill=kill)

    def _run(self, connection: Connection, plan: Plan) -> Outcome:
        left = _removed(connection, plan, self._wish)
        if left is not None:
            return _unavailable(f"{plan.name} is in the way: {left}")
        within, ended = 0.0, True
        try:
            connection.make(plan)
            # Before it is started: nothing that it writes is missed.
            wire = connection.attach(plan.name)
            if self._wish.why is not None:
                wire.close()
                outcome = self._wish.withdrawn()
            else:
                ended = False
                outcome = self._watched(connection, plan, wire)
                # Where nobody knows whether it began, it has ended only when it is removed.
                within = REMOVED_WITHIN
                ended = outcome.status is not ReportStatus.INTERRUPTED
        finally:
            left = _removed(connection, plan, self._wish, within, ended=ended)
        detail = outcome.detail
        if left is not None:
            detail += f"; its container {plan.name} could not be removed: {left}"
        return Outcome(outcome.status, detail.removeprefix("; "), outcome.exit_code, plan.name)

    def _watched(self, connection: Connection, plan: Plan, wire: Wire) -> Outcome:
        try:
            connection.start(plan.name)
        except Refused as fault:
            wire.close()
            return _unavailable(str(fault))
        except EngineAway as fault:
            log.warning("it is not known whether %s was started: %s", plan.name, fault)
        return Watch(_Own(connection, plan.name), wire, self._job, self._wish).to_its_end()


class _Own:
    """The first process of a container, as its watch sees it."""

    def __init__(self, connection: Connection, name: str) -> None:
        self._connection = connection
        self._name = name
        self._settling = Settling()

    def look(self) -> Ended | None:
        found = self._connection.find(self._name)
        if found is None:
            return Ended(None, "somebody else removed its container")
        if found.state in _NOT_BEGUN:
            return self._settling.look()
        if found.state not in STOPPED:
            return None
        note = "it had no memory left" if found.out_of_memory else ""
        return Ended(found.exit_code, note)

    def signal(self, name: str) -> bool:
        self._connection.signal(self._name, f"SIG{name}")
        return True

    def listen(self) -> Wire | None:
        return self._connection.attach(self._name)


def name_of(subject: str, run: str) -> str:
    """The name of the container of a run, the same for all its attempts."""
    plain = re.sub(r"[^A-Za-z0-9_.-]", "-", f"{subject[:_LONGEST]}-{run}")
    return f"{PREFIX}-{plain}"


def plan_of(job: Job, runner: Runner) -> Plan:
    """The container of an attempt, after what its app is made of."""
    order, app, work = job.order, job.order.app, job.order.work
    if app is None or not isinstance(work, Fresh):
        raise Refused("nothing says what its container is made of")
    subject = subject_of(order.schedule)
    env = {each.name: job.secrets.value_of(each) for each in (*app.env, *work.env)}
    labels = {RUN: order.run, RUNNER: runner.name, BOOT: str(runner.boot), SUBJECT: subject}
    return Plan(
        name=name_of(subject, order.run),
        image=app.image,
        argv=work.argv,
        env={**told(order), **env},
        labels=labels,
        mounts=tuple(_mount(each) for each in app.volumes),
        network=app.network,
        user=app.user,
        folder=app.folder,
        memory=app.memory,
        nano_cpus=None if app.cpus is None else app.cpus * 1_000_000,
    )


def _mount(volume: Volume) -> Mount:
    return Mount(
        volume.target,
        volume.source,
        type="bind" if volume.source.startswith("/") else "volume",
        read_only=volume.read_only,
    )


def _removed(
    connection: Connection, plan: Plan, wish: Wish, within: float = 0.0, *, ended: bool = True
) -> str | None:
    """None, once no container of the run is left; else why there is one.

    For so many seconds it is tried again, and without end as long as something in it may run; once
    at least, and no more when it has to end at once.
    """
    until = Deadline.after(within)
    while True:
        try:
            found = connection.find(plan.name)
            if found is None:
                return None
            if found.labels.get(RUN) != plan.labels[RUN]:
                return "a container that is not of this run has its name"
            ended = ended or found.state in STOPPED
            connection.remove(found.id)
        except EngineFault as fault:
            why = str(fault)
        else:
            continue
        if (until.over and ended) or wish.kill:
            log.error("%s is left: %s", plan.name, why)
            return why
        pause(AGAIN)


def _unavailable(why: str) -> Outcome:
    return Outcome(ReportStatus.UNAVAILABLE, why)
