"""
How does a test operate a hall of racks, from a definition to what the task manager did?

Decisions are made on a desk, orders are carried out by the parts of a runner, over HTTP, against a
task manager that is running. Only Kafka is missing: what would go through it is handed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any

from schemas.actions import Http
from schemas.commands import Beat, Define, Trigger
from schemas.events import Event, RunEnded
from schemas.orders import Grant, Order
from schemas.reading_definitions import read_definition
from schemas.units import MINUTE
from streams.clock import SystemClock, boottime
from streams.runner.allowed import Allowed
from streams.runner.carrying import Carrier, Means
from streams.runner.claims import Begin, Claims
from streams.runner.http import Requests
from streams.runner.letters import Letter, Writer
from streams.runner.news import Ended, News
from streams.runner.work import Runner
from streams.settings import RunnerSettings
from tests.examples.task_managers import Manager, real_time
from tests.processor.desk import Desk, Written
from tests.processor.runners import control_in, orders_in

FIRST = 1_768_528_800_000_000 - 5 * MINUTE
"""2026-01-16T01:55:00Z"""
RUNNER = Runner("node-1", 1)
PATIENT = 30.0
"""Seconds that an attempt may take in a test."""


class Hall:
    """A desk, a runner and a task manager."""

    def __init__(self, manager: Manager) -> None:
        self.manager = manager
        self.desk = Desk(now=FIRST)
        self.writer = Writer(RUNNER, 1)
        self._claims = Claims(RUNNER.boot)
        self._news: SimpleQueue[News] = SimpleQueue()
        self._open: dict[str, Carrier] = {}
        allowed = Allowed(RunnerSettings(allow_actions="http", allow_urls=manager.url))
        self._means = Means(
            {Http: Requests(allowed)}, allowed, {}, SystemClock(), 64 * 1024, grace=5.0
        )
        self.put(self.writer.beat(0, Beat(RUNNER.boot)))

    def put(self, letter: Letter) -> None:
        """Let the inbox have what the runner says."""
        self.desk.put(letter.key, letter.value, letter.headers)

    def define(self, schedule: str, http: dict[str, Any], **other: Any) -> None:
        """Define a schedule, as its JSON says; it is due at two o'clock unless told otherwise."""
        when = {} if "interval" in other else {"cron": "0 2 * * *"}
        data = {**when, "preset": "infra", "http": http, **other}
        self.desk.ask(schedule, Define(read_definition(data)))
        self.desk.step()

    def trigger(self, schedule: str) -> list[Written]:
        """Fire by hand."""
        self.desk.ask(schedule, Trigger("try it"), "by-hand")
        return self.desk.step()

    def begin(self, written: Iterable[Written]) -> list[Order]:
        """Claim what is offered, and begin it as it is granted."""
        orders = orders_in(written)
        for order in orders:
            assert self._claims.ask(order, boottime()) is not None
            self.put(self.writer.claim(order))
        for grant in control_in(self.desk.step(), RUNNER.name):
            assert isinstance(grant, Grant)
            begin = self._claims.granted(grant, boottime())
            assert isinstance(begin, Begin)
            carrier = Carrier(begin.claim, self._means, self._news.put)
            self._open[begin.claim.order.run] = carrier
            carrier.begin()
        return orders

    def end(self, count: int) -> list[Letter]:
        """Wait for the end of so many attempts, and report them; the reports."""
        letters = []
        for _ in range(count):
            ended = self._news.get(timeout=PATIENT)
            assert isinstance(ended, Ended)
            order = ended.claim.order
            del self._open[order.run]
            letters.append(self.writer.report(order, ended.outcome, ended.kept, ended.span))
            self.put(letters[-1])
        self.desk.step()
        return letters

    def carry_out(self, written: Iterable[Written]) -> None:
        """All that is offered, to its end."""
        self.end(len(self.begin(written)))

    def close(self) -> None:
        """Stop what still goes on."""
        for carrier in self._open.values():
            carrier.stop("the test is over", kill=True)
        self.end(len(self._open))

    def ends(self) -> dict[str, RunEnded]:
        """The end of each run, by `schedule scope`."""
        events = [one for one in self.desk.events() if isinstance(one, RunEnded)]
        return {f"{one.schedule} {one.scope}": one for one in events}

    def events(self, kind: type[Event]) -> list[Event]:
        """The events of a kind."""
        return [one for one in self.desk.events() if isinstance(one, kind)]

    def tasks(self, rack: str) -> list[dict[str, Any]]:
        """What the task manager has done, or does, for a rack."""
        found: list[dict[str, Any]] = self.manager.client.get(
            "/tasks", params={"rack": rack}
        ).json()
        return found


@contextmanager
def hall(*racks: str, seconds: float = 0.05) -> Iterator[Hall]:
    """A hall with these racks, whose tasks take so long."""
    with real_time(*racks, seconds=seconds) as manager:
        here = Hall(manager)
        yield here
        here.close()


def operation(manager: Manager, word: str = "power_reset", **other: Any) -> dict[str, Any]:
    """The request that asks for an operation, and follows it."""
    return {
        "url": f"{manager.url}/tasks",
        "body": {
            "operation": word,
            "rack": "{scope}",
            "components": "{components}",
            "description": "not this",
            **other,
        },
        "follow": {"url": f"{manager.url}/tasks/{{task}}", "task": "/task_ids", "every": "1s"},
    }
