"""
How is a deployment reached: by a request, through the container engine, by a program?

What all drivers have in common. A look has its own patience, since what does not answer tells
nothing; what is done to a deployment may take as long as its attempt. Each address, program and
container is held against the allow-list right before it is used.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from schemas.actions import Program, Setting
from schemas.commands import ReportStatus
from schemas.identity import subject_of
from streams.runner.allowed import Allowed
from streams.runner.asking import Answer, Asker, Header, Request
from streams.runner.engine import Connection, Engine, EngineAway, EngineFault, Missing
from streams.runner.faults import Locked, Misfit, NoAnswer, NoRoom, NotToBeHad
from streams.runner.program import Programs
from streams.runner.work import Job

LOOK: Final = 10.0
"""Seconds for one look at a state, or at metrics."""
HELD: Final = frozenset({409, 423})
"""Answers that say that somebody else is at it."""
NO_ROOM: Final = 507
_MOST_SAID: Final = 300
"""Characters of an answer that are told."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ways:
    """What a runner has to reach deployments with."""

    allowed: Allowed
    programs: Programs
    engine: Engine


class Reach:
    """The ways to the deployment of one attempt; used inside of one event loop."""

    def __init__(self, job: Job, ways: Ways, asker: Asker, is_killed: Callable[[], bool]) -> None:
        self.subject = subject_of(job.order.schedule)
        self._job = job
        self._ways = ways
        self._asker = asker
        self._is_killed = is_killed
        self.is_answer_due = False
        """Something is being done by the other side."""
        self.status: int | None = None
        """What was answered to the last that was done."""

    @property
    def job(self) -> Job:
        """The attempt's."""
        return self._job

    def headers(self, settings: Iterable[Setting]) -> tuple[Header, ...]:
        """The headers of a request, secrets looked up."""
        return tuple(
            Header(
                one.name.lower().encode(),
                self._job.secrets.value_of(one).encode("utf-8", "surrogateescape"),
                one.secret is not None,
            )
            for one in settings
        )

    def say(self, line: str) -> None:
        """Leave a line in what the attempt has written."""
        self._job.output.write(f"{line}\n".encode())

    async def look(self, request: Request) -> Answer:
        """Ask for something that changes nothing; NoAnswer if it does not come soon."""
        try:
            async with asyncio.timeout(LOOK):
                return await self._asker.ask(request)
        except TimeoutError:
            raise NoAnswer(f"{request.url} gave no answer within {LOOK:g} s") from None

    async def act(self, request: Request) -> None:
        """Have the other side do something; Locked, NoRoom and Misfit for its refusals."""
        self.status, self.is_answer_due = None, True
        try:
            answer = await self._asker.ask(request)
        finally:
            self.is_answer_due = False
        self.status = answer.status
        told = f"{request.method} {request.url} {told_of(answer)}"
        self.say(told)
        if answer.status in HELD:
            raise Locked(told)
        if answer.status == NO_ROOM:
            raise NoRoom(told)
        if not answer.good:
            raise Misfit(told)

    async def ask_engine(self, question: Callable[[Connection], T]) -> T:
        """Ask the container engine; NotToBeHad if it is not reached or knows no such container."""
        engine = self._ways.engine

        def asked() -> T:
            with engine.connected() as connection:
                return question(connection)

        try:
            # A connection belongs to one thread, and the engine's own patience ends the question.
            return await asyncio.to_thread(asked)
        except EngineAway as fault:
            where = f"the container engine at {engine.address} is not reached"
            raise NotToBeHad(f"{where}: {fault}") from fault
        except Missing as fault:
            raise NotToBeHad(str(fault)) from fault
        except EngineFault as fault:
            raise Misfit(f"the container engine refuses: {fault}") from fault

    async def have_engine(self, what: str, question: Callable[[Connection], None]) -> None:
        """Have the container engine do something."""
        self.is_answer_due = True
        try:
            await self.ask_engine(question)
        finally:
            self.is_answer_due = False
        self.say(what)

    def check_container(self, name: str) -> None:
        """Refuse a container that is not allowed here; NotToBeHad."""
        objection = self._ways.allowed.container(name)
        if objection is not None:
            raise NotToBeHad(objection)

    async def run(self, argv: tuple[str, ...]) -> None:
        """Run a program to its end, as a `command` is; Misfit if it fails."""
        objection = self._ways.allowed.program(argv[0])
        if objection is not None:
            raise NotToBeHad(objection)
        order = replace(self._job.order, work=Program(argv))
        attempt = self._ways.programs.attempt(replace(self._job, order=order, timeout=None))
        running = asyncio.get_running_loop().run_in_executor(None, attempt.run)
        given_up: asyncio.CancelledError | None = None
        while not running.done():
            try:
                await asyncio.shield(running)
            except asyncio.CancelledError as fault:
                # Nothing of it is left behind: it is asked to end, and killed after the grace.
                attempt.stop("it was given up", kill=self._is_killed() or given_up is not None)
                given_up = given_up or fault
        if given_up is not None:
            raise given_up
        outcome = running.result()
        if outcome.status is ReportStatus.UNAVAILABLE:
            raise NotToBeHad(outcome.detail)
        if outcome.status is not ReportStatus.SUCCESS:
            raise Misfit(f"{argv[0]} {outcome.detail}")
        self.say(f"{argv[0]} is over")


def told_of(answer: Answer) -> str:
    """What was answered, with the beginning of its words if it is a refusal."""
    note = f"; {answer.note}" if answer.note else ""
    words = "" if answer.good else " ".join(answer.body.decode("utf-8", "replace").split())
    return f"answered {answer.status}{': ' if words else ''}{words[:_MOST_SAID]}{note}"
