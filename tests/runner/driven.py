"""
How does a test have something done to a deployment, without a broker or a processor?

By a runner that may do everything on loopback, with an order as a processor would give it out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

import httpx

from schemas.actions import Act, Verb
from schemas.deployments import Deployment, DeploymentState, Driver, Metrics
from schemas.orders import Deployed
from streams.runner.allowed import Allowed
from streams.runner.deployments import DeploymentAttempt, Deployments
from streams.runner.engine import Engine
from streams.runner.output import Output
from streams.runner.program import Programs
from streams.runner.reaching import Ways
from streams.runner.remembered import Remembered
from streams.runner.secrets import resolve
from streams.runner.work import Job, Outcome
from streams.settings import RunnerSettings
from tests.examples.model_servers import Server, serving
from tests.examples.task_managers import await_that
from tests.runner.ordered import order
from tests.runner.rigs import RUNNING, SUBJECT

EVERYTHING = {
    "allow_actions": "deployment",
    "allow_urls": "http://127.0.0.1:*/",
    "allow_programs": "env",
    "allow_containers": "*",
    "allow_secrets": "env:*",
}


@dataclass
class Runner:
    """What carries out the orders about one deployment."""

    folder: Path
    deployment: Deployment
    engine: str = "unix:///nowhere/engine.sock"
    allows: dict[str, str] = field(default_factory=lambda: dict(EVERYTHING))
    environ: dict[str, str] = field(default_factory=dict)
    text: str = ""
    """What the last attempt wrote."""

    def attempt(
        self,
        verb: str,
        noted: DeploymentState = RUNNING,
        *,
        level: int | None = None,
        served: int | None = None,
        quiet: bool = False,
        timeout: float | None = 30.0,
        grace: float = 1.0,
    ) -> DeploymentAttempt:
        """An attempt that has not begun; `noted` is what was told of its state."""
        allowed = Allowed(RunnerSettings(**self.allows))  # type: ignore[arg-type] # by their names
        deployed = Deployed(self.deployment, noted, quiet, served)
        asked = order(Act(Verb(verb), level), schedule=f"{SUBJECT}/night", scope=SUBJECT,
                      deployed=deployed)  # fmt: skip
        assert allowed.objection_to(asked) is None
        secrets = resolve(asked, allowed, self.environ)
        self.output = Output(64 * 1024, secrets.values())
        programs = Programs(Remembered(self.folder), 1, os.environ)
        ways = Ways(allowed, programs, Engine(self.engine))
        return Deployments(ways, every=0.05).attempt(
            Job(asked, self.output, secrets, timeout, grace)
        )

    def act(self, verb: str, noted: DeploymentState = RUNNING, **given: Any) -> Outcome:
        """Have it done to its end."""
        outcome = self.attempt(verb, noted, **given).run()
        self.output.end()
        self.text = self.output.kept().text
        return outcome


def stopped_once(
    attempt: DeploymentAttempt, ready: Callable[[], bool], *, kill: bool = False
) -> Outcome:
    """How an attempt ends that is to stop once this holds."""
    found: list[Outcome] = []
    thread = Thread(target=lambda: found.append(attempt.run()))
    thread.start()
    await_that(ready)
    attempt.stop("enough of it", kill=kill)
    thread.join(30)
    [outcome] = found
    return outcome


def measured(driver: Driver, traffic: Server | None) -> Deployment:
    """A deployment whose requests are counted there."""
    metrics = None if traffic is None else Metrics(f"{traffic.url}/metrics")
    return Deployment(driver, metrics=metrics)


@contextmanager
def one_request() -> Iterator[Server]:
    """A server with a request that is under way until this is left."""
    with serving() as traffic:

        def ask() -> None:
            with suppress(httpx.TransportError):  # the server ends before it is answered
                traffic.ask(15)

        thread = Thread(target=ask)
        thread.start()
        await_that(lambda: traffic.counts.in_flight == 1)
        yield traffic
    thread.join(20)
