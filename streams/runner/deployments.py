"""
How is an order carried out that has a deployment sleep, stop, wake or start?

Questions come first, in this order: is it there already, is it quiet, may it be started, does it
fit? Then it is done, and looked at until it is so. The runner trusts what it sees, and what was
told of the deployment only where it sees nothing. What is asked is for the drivers (driving.py).
"""

from __future__ import annotations

import asyncio
from typing import Final

from schemas.actions import Act, Verb
from schemas.commands import ReportStatus
from schemas.deployments import LEADS_TO, DeploymentState
from schemas.identity import subject_of
from schemas.orders import Deployed, Order
from streams.runner.asking import Asker
from streams.runner.driving import Driver, driver_of
from streams.runner.faults import (
    Locked,
    Misfit,
    NoAnswer,
    NoRoom,
    NotToBeHad,
    RunnerFault,
    Unreached,
)
from streams.runner.own_loop import OwnLoop
from streams.runner.quiet import unquiet
from streams.runner.reaching import Reach, Ways
from streams.runner.work import Job, Outcome

USUAL_TIMEOUT: Final = 600.0
"""Seconds for an attempt whose order has no limit: what does not come up by then does not."""
EVERY: Final = 1.0
"""Seconds between two looks at whether it has come about."""


class Deployments:
    """The executor of `deployment`; between two attempts it keeps nothing."""

    def __init__(self, ways: Ways, every: float = EVERY) -> None:
        self._ways = ways
        self._every = every

    def attempt(self, job: Job) -> DeploymentAttempt:
        """An attempt that has not begun."""
        return DeploymentAttempt(job, self._ways, self._every)

    def sweep(self) -> None:
        """Programs that were left are ended by theirs; nothing else is on this machine."""

    def close(self) -> None:
        """Nothing is held open."""


class DeploymentAttempt:
    """One deed on one deployment."""

    def __init__(self, job: Job, ways: Ways, every: float) -> None:
        self._job = job
        self._ways = ways
        self._every = every
        self._own = OwnLoop(lambda: self._reach is not None and self._reach.is_answer_due,
                            job.grace)  # fmt: skip
        self._reach: Reach | None = None
        self._begun = False
        """Something was done to the deployment."""
        self._seen: DeploymentState | None = None
        self._trouble = ""
        """Why it could not be looked at the last time."""

    def run(self) -> Outcome:
        """Ask what is to be asked, do it, and see that it has come about."""
        outcome = self._own.run(self._within_time)
        return outcome or self._given_up(ReportStatus.CANCELLED, self._own.why or "")

    def stop(self, why: str, *, kill: bool) -> None:
        """Do and ask nothing more; what is being done has the grace, unless it is killed."""
        self._own.stop(why, kill=kill)

    async def _within_time(self) -> Outcome:
        limit = USUAL_TIMEOUT if self._job.timeout is None else self._job.timeout
        try:
            async with asyncio.timeout(limit), Asker(self._ways.allowed) as asker:
                self._reach = Reach(self._job, self._ways, asker, lambda: self._own.kill)
                return await self._carry_out(self._reach)
        except TimeoutError:
            return self._given_up(ReportStatus.TIMEOUT, f"it is not over after {limit:g} s")
        except RunnerFault as fault:
            return self._outcome(_end_by(fault), str(fault))

    async def _carry_out(self, reach: Reach) -> Outcome:
        verb, deployed = _asked(self._job.order)
        driver = driver_of(deployed.deployment, reach)
        seen = await self._look(driver, deployed)
        reach.say(f"it is {seen.value}")
        if seen is LEADS_TO[verb] or (verb is Verb.SLEEP and seen is DeploymentState.STOPPED):
            return self._outcome(ReportStatus.ALREADY_THERE, f"it is {seen.value} already")
        if verb in (Verb.SLEEP, Verb.STOP):
            kept = await _kept_from_ending(reach, deployed, seen)
        elif seen is DeploymentState.STARTING:
            # Somebody else is at it, and what they do comes to the same.
            return await self._comes_up(driver)
        else:
            kept = await _kept_from_beginning(driver, deployed, seen)
        if kept is not None:
            return kept
        await self._do(driver, deployed, seen)
        if not driver.tells:
            return self._outcome(ReportStatus.SUCCESS, "it was asked for; its state is not told")
        await self._await(driver, LEADS_TO[verb])
        return self._outcome(ReportStatus.SUCCESS, f"it was {seen.value} and is "
                             f"{LEADS_TO[verb].value}")  # fmt: skip

    async def _look(self, driver: Driver, deployed: Deployed) -> DeploymentState:
        """What it is doing; one that was told to be stopped need not answer.

        Of one that never does, what was told is all that keeps a stop, by whoever, from being
        taken for the doing of a schedule, which would then start it again.
        """
        if deployed.state is DeploymentState.STOPPED and not driver.tells:
            self._seen = DeploymentState.STOPPED
            return self._seen
        try:
            self._seen = await driver.state()
        except Unreached:
            if deployed.state is not DeploymentState.STOPPED:
                raise
            self._seen = DeploymentState.STOPPED
        return self._seen

    async def _do(self, driver: Driver, deployed: Deployed, seen: DeploymentState) -> None:
        verb, work = _asked(self._job.order)[0], self._job.order.work
        self._begun = True
        try:
            match _step(verb, deployed.state if seen is DeploymentState.UNKNOWN else seen):
                case Verb.SLEEP:
                    await driver.sleep(work.level if isinstance(work, Act) else None)
                case Verb.STOP:
                    await driver.stop()
                case Verb.WAKE:
                    await driver.wake()
                case _:
                    await driver.start()
        except Unreached:
            raise
        except NoAnswer as fault:
            # It may be at it all the same: a wake outlives many a proxy's patience.
            if not driver.tells:
                raise
            self._say(str(fault))

    async def _await(self, driver: Driver, target: DeploymentState) -> None:
        """Return once it is so; what cannot be seen meanwhile may come yet."""
        while True:
            try:
                self._seen = await driver.state()
                self._trouble = ""
                if self._seen is target:
                    return
            except RunnerFault as fault:
                self._trouble = str(fault)
            await asyncio.sleep(self._every)

    async def _comes_up(self, driver: Driver) -> Outcome:
        await self._await(driver, DeploymentState.RUNNING)
        return self._outcome(ReportStatus.ALREADY_THERE, "it was starting already, and is running")

    def _given_up(self, status: ReportStatus, why: str) -> Outcome:
        """An end that is only ours."""
        if not self._begun:
            left = "nothing was done"
        elif self._seen is None:
            left = "what has become of it is not known"
        else:
            left = f"it was begun; last seen {self._seen.value}"
        parts = (why, left, self._trouble)
        return self._outcome(status, "; ".join(part for part in parts if part))

    def _say(self, line: str) -> None:
        if self._reach is not None:
            self._reach.say(line)

    def _outcome(self, status: ReportStatus, detail: str) -> Outcome:
        return Outcome(status, detail, None if self._reach is None else self._reach.status)


async def _kept_from_ending(
    reach: Reach, deployed: Deployed, seen: DeploymentState
) -> Outcome | None:
    """Why it is not put to sleep or stopped now."""
    if seen is DeploymentState.STARTING:
        return Outcome(ReportStatus.BUSY, "it is starting: somebody is at it")
    if not deployed.quiet:
        return None
    metrics, told = deployed.deployment.metrics, deployed.state
    if metrics is not None:
        rests = seen is DeploymentState.ASLEEP
        why = await unquiet(reach, metrics, deployed.served, rests=rests)
    elif told in (DeploymentState.ASLEEP, DeploymentState.STOPPED) and seen is not told:
        # It was not asked for quiet, since it was told to be at rest.
        why = f"it was told to be {told.value} and is {seen.value}: nobody has seen its requests"
    else:
        why = None
    return None if why is None else Outcome(ReportStatus.BUSY, why)


async def _kept_from_beginning(
    driver: Driver, deployed: Deployed, seen: DeploymentState
) -> Outcome | None:
    """Why it is not woken or started."""
    if seen is DeploymentState.STOPPED and deployed.state is not DeploymentState.STOPPED:
        return Outcome(
            ReportStatus.NOT_STOPPED_BY_SCHEDULE,
            f"it is stopped and was told to be {deployed.state.value}: nobody said who stopped it",
        )
    why = await driver.fits()
    return None if why is None else Outcome(ReportStatus.DOES_NOT_FIT, why)


def _end_by(fault: RunnerFault) -> ReportStatus:
    match fault:
        case Locked():
            return ReportStatus.BUSY
        case NoRoom():
            return ReportStatus.DOES_NOT_FIT
        case NotToBeHad():
            return ReportStatus.UNAVAILABLE
        case _:
            return ReportStatus.FAILED


def _step(verb: Verb, state: DeploymentState) -> Verb:
    """What is to be done for it: what is stopped is started, also where it is to wake."""
    if verb in (Verb.WAKE, Verb.START):
        if state is DeploymentState.STOPPED:
            return Verb.START
        if state is DeploymentState.ASLEEP:
            return Verb.WAKE
    return verb


def _asked(order: Order) -> tuple[Verb, Deployed]:
    """What is asked of which deployment."""
    if not isinstance(order.work, Act) or order.work.verb not in LEADS_TO:
        raise Misfit(f"nothing that is done to a deployment: {order.work!r}")
    if order.deployed is None:
        raise NotToBeHad(f"no deployment {subject_of(order.schedule)} is registered")
    return order.work.verb, order.deployed
