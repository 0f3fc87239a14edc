"""
How is an order carried out that is a request?

The components it means are looked up, one request is sent, and if it only begins a task, the task
is followed to its end. It can be given up at any point: when its time is over, or when it is to
stop (own_loop.py). What the other side began goes on then; the detail says so.
"""

from __future__ import annotations

import asyncio
from functools import partial

from schemas.actions import Follow, Http
from schemas.commands import ReportStatus
from schemas.orders import Order
from schemas.policies import Filter
from streams.runner.allowed import Allowed
from streams.runner.asking import Answer, Asker
from streams.runner.faults import Misfit, NotToBeHad
from streams.runner.following import PATIENCE, Following, as_line, task_ids
from streams.runner.inventory import components_in, resolve
from streams.runner.own_loop import OwnLoop
from streams.runner.questions import Questions
from streams.runner.work import Job, Outcome


class Requests:
    """The executor of requests; between two attempts it keeps nothing."""

    def __init__(self, allowed: Allowed, patience: float = PATIENCE) -> None:
        self._allowed = allowed
        self._patience = patience

    def attempt(self, job: Job) -> RequestAttempt:
        """An attempt that has not begun."""
        return RequestAttempt(job, self._allowed, self._patience)

    def sweep(self) -> None:
        """Nothing of a request is left on this machine."""

    def close(self) -> None:
        """Nothing is held open."""


class RequestAttempt:
    """One request, and the tasks that it begins."""

    def __init__(self, job: Job, allowed: Allowed, patience: float) -> None:
        self._job = job
        self._work = _of(job.order)
        self._allowed = allowed
        self._patience = patience
        # A request on its way has the grace to be answered: its answer says which task goes on.
        self._own = OwnLoop(lambda: self._sent and self._answered is None, job.grace)
        self._sent = False
        self._answered: int | None = None
        self._tasks: tuple[str, ...] = ()

    def run(self) -> Outcome:
        """Send the request, and see what it began to its end."""
        outcome = self._own.run(self._within_time)
        return outcome or self._given_up(ReportStatus.CANCELLED, self._own.why or "")

    def stop(self, why: str, *, kill: bool) -> None:
        """Stop asking. A request on its way has the grace to be answered, unless it is killed."""
        self._own.stop(why, kill=kill)

    async def _within_time(self) -> Outcome:
        limit = self._job.timeout
        try:
            async with asyncio.timeout(limit):
                return await self._carry_out()
        except TimeoutError:
            return self._given_up(ReportStatus.TIMEOUT, f"it is not over after {limit} s")
        except NotToBeHad as fault:
            return self._outcome(ReportStatus.UNAVAILABLE, str(fault))
        except Misfit as fault:
            return self._outcome(ReportStatus.FAILED, str(fault))

    async def _carry_out(self) -> Outcome:
        work, output = self._work, self._job.output
        async with Asker(self._allowed) as asker:
            asked = Questions(self._job, await self._components(asker))
            request = asked.order()
            if work.follow is not None:
                # Nothing is begun whose end could not be seen.
                asker.check(asked.status(work.follow, "0").url)
            self._sent = True
            answer = await asker.ask(request)
            self._answered = answer.status
            output.write(as_line(answer.body) if work.follow else answer.body)
            if not answer.good:
                return self._outcome(ReportStatus.FAILED, _told(answer))
            if work.follow is None:
                return self._outcome(ReportStatus.SUCCESS, _told(answer))
            self._tasks = task_ids(answer.body, work.follow.task)
            if self._own.why is not None:
                return self._given_up(ReportStatus.CANCELLED, self._own.why)
            look = partial(_look, asker, asked, work.follow)
            seen = await Following(self._tasks, work.follow, look, output).end(self._patience)
            return self._outcome(seen.status, seen.detail)

    async def _components(self, asker: Asker) -> Filter | None:
        """Which components are meant: the filter as it is, or what the inventory makes of it."""
        order = self._job.order
        if order.filter is None or self._work.inventory is None:
            return order.filter
        answer = await asker.ask(Questions(self._job, order.filter).inventory(self._work.inventory))
        if not answer.good:
            raise NotToBeHad(f"the inventory {_told(answer)}")
        return resolve(order.filter, order.scope, components_in(answer.body))

    def _given_up(self, status: ReportStatus, why: str) -> Outcome:
        """An end that is only ours."""
        if self._tasks:
            left = f"task {', '.join(self._tasks)} goes on at the other side"
        elif self._sent:
            left = "the request was sent; whether it was done is not known"
        else:
            left = "nothing was sent"
        return self._outcome(status, f"{why}: {left}" if why else left)

    def _outcome(self, status: ReportStatus, detail: str) -> Outcome:
        return Outcome(status, detail, self._answered, ", ".join(self._tasks) or None)


async def _look(asker: Asker, asked: Questions, follow: Follow, task: str) -> Answer:
    return await asker.ask(asked.status(follow, task))


def _told(answer: Answer) -> str:
    note = f"; {answer.note}" if answer.note else ""
    return f"answered {answer.status}{note}"


def _of(order: Order) -> Http:
    if not isinstance(order.work, Http):
        raise TypeError(f"no request: {order.work!r}")
    return order.work
