"""
How does a task end that a request only began?

Its status is asked for until it is one of those that end it. A service that answers nothing, or
nothing that can be read, is asked again for a while: it may just be starting anew. What the task
does meanwhile is its own affair; nothing here ends it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple

from schemas.actions import Follow
from schemas.commands import ReportStatus
from schemas.units import SECOND
from streams.clock import Deadline
from streams.runner.asking import Answer
from streams.runner.faults import Misfit, NoAnswer, RunnerFault
from streams.runner.output import Output

PATIENCE: Final = 120.0
"""Seconds for which the status of a task may not be seen."""
LOOK: Final = 10.0
"""Seconds for one look at it."""
MOST_TASKS: Final = 100
"""That one request may begin."""

Look = Callable[[str], Awaitable[Answer]]
"""Asks for the status of a task by its id."""


class Seen(NamedTuple):
    """How all tasks of a request have ended."""

    status: ReportStatus
    detail: str


def task_ids(body: bytes, pointer: str) -> tuple[str, ...]:
    """The tasks that an answer names, one or a list of them; Misfit if it names none."""
    found = looked_up(body, pointer)
    ids = [_id(one) for one in (found if isinstance(found, list) else [found])]
    if not ids:
        raise Misfit(f"the answer names no task: an empty list at {pointer!r}")
    if len(ids) > MOST_TASKS:
        raise Misfit(f"the answer names {len(ids)} tasks; at most {MOST_TASKS} are followed")
    return tuple(dict.fromkeys(ids))


def as_line(body: bytes) -> bytes:
    """An answer, so that what is said next begins on a line of its own."""
    return body if not body or body.endswith(b"\n") else body + b"\n"


class Following:
    """The tasks of one request, on their way to their ends."""

    def __init__(self, tasks: Sequence[str], how: Follow, look: Look, output: Output) -> None:
        self._open = list(tasks)
        self._how = how
        self._look = look
        self._output = output
        self._last: dict[str, str] = {}
        """The last status of each that was seen."""
        self._trouble = ""
        """Why one of them could not be seen in the last round."""

    async def end(self, patience: float) -> Seen:
        """Wait for the end of all; of one that is not seen for `patience` seconds: unavailable."""
        unseen = Deadline.after(patience)
        while True:
            await self._look_at_all()
            if not self._open:
                return self._sum()
            if not self._trouble:
                unseen = Deadline.after(patience)
            elif unseen.over:
                return self._lost(patience)
            await asyncio.sleep(self._how.every / SECOND)

    async def _look_at_all(self) -> None:
        self._trouble = ""
        await asyncio.gather(*(self._look_at(task) for task in self._open))

    async def _look_at(self, task: str) -> None:
        try:
            async with asyncio.timeout(LOOK):
                answer = await self._look(task)
            self._see(task, answer)
        except TimeoutError:
            self._trouble = f"no answer within {LOOK:g} s"
        except RunnerFault as fault:
            self._trouble = str(fault)

    def _see(self, task: str, answer: Answer) -> None:
        if not answer.good:
            raise NoAnswer(f"the status of task {task} was answered {answer.status}")
        status = _status(answer.body, self._how.status)
        if self._last.get(task) != status:
            self._last[task] = status
            self._output.write(f"task {task}: {status}\n".encode())
        if _is_in(status, (*self._how.succeeded, *self._how.failed)):
            self._open.remove(task)
            self._output.write(as_line(answer.body))

    def _sum(self) -> Seen:
        bad = [one for one, status in self._last.items() if _is_in(status, self._how.failed)]
        told = ", ".join(f"task {one} ended {self._last[one]}" for one in bad or self._last)
        return Seen(ReportStatus.FAILED if bad else ReportStatus.SUCCESS, told)

    def _lost(self, patience: float) -> Seen:
        told = ", ".join(self._open)
        return Seen(
            ReportStatus.UNAVAILABLE,
            f"the end of task {told} was not to be seen for {patience:g} s, it may go on: "
            f"{self._trouble}",
        )


def _id(data: object) -> str:
    if isinstance(data, str) and data:
        return data
    if isinstance(data, int) and not isinstance(data, bool):
        return str(data)
    raise Misfit("the answer names a task by something that is no id")


def _status(body: bytes, pointer: str) -> str:
    found = looked_up(body, pointer)
    if not isinstance(found, str):
        raise Misfit(f"the status of a task is no text at {pointer!r}")
    return found


def _is_in(status: str, words: Sequence[str]) -> bool:
    return status.casefold() in {word.casefold() for word in words}


def looked_up(body: bytes, pointer: str) -> object:
    """What stands at a JSON pointer (RFC 6901); Misfit if nothing does."""
    try:
        found: object = json.loads(body)
    except (ValueError, RecursionError) as fault:
        raise Misfit(f"the answer is no JSON: {fault}") from fault
    for token in pointer.split("/")[1:]:
        found = _inner(found, token.replace("~1", "/").replace("~0", "~"), pointer)
    return found


def _inner(data: object, name: str, pointer: str) -> object:
    match data:
        case dict() if name in data:
            return data[name]
        case list() if name.isascii() and name.isdigit() and int(name) < len(data):
            return data[int(name)]
        case _:
            raise Misfit(f"the answer has nothing at {pointer!r}")
