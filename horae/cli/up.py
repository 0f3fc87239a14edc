"""
How does all of Horae come up on this machine, and go down again?

Broker and database, then the topics, then the processes; a line that says where everything is; and
one Ctrl-C that ends all in order. What runs the servers is horae/local, what is shown with --demo
is demo.py.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horae.cli.endings import CODES, Said
from horae.cli.output import say

if TYPE_CHECKING:
    from horae.local import LocalStack, Ports
    from horae.local.stack import Progress

EPILOG = f"Example: horae up --demo. {CODES}"

_HEALTHY_WITHIN = 60.0
_PAUSE = 0.1
_METRICS = 9464
_API, _API_PORT = "api", 18080
_LOOPBACK = "127.0.0.1"
_RUNNER = "runner"
DEMO_PROGRAM = "df"
"""Of examples/disk_space.yaml."""
_NAMED = {"processor": "--instance", _RUNNER: "--id"}
"""Roles that have a name of their own, and how they are given it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to run."""

    data: Path
    ports: Ports
    processors: int
    partitions: int | None
    api_port: int | None
    demo: bool
    examples: Path | None


@dataclass(slots=True)
class Running:
    """What runs, and where its numbers are."""

    stack: LocalStack
    metrics: dict[str, int] = field(default_factory=dict)


def up(
    *,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The folder for everything. Default: .horae here."),
    ] = None,
    processors: Annotated[
        int, typer.Option(metavar="N", min=1, max=64, help="How many processors.")
    ] = 1,
    partitions: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=1000, help="Of the topics, at the first start. Default: 12."
        ),
    ] = None,
    kafka_port: Annotated[
        int | None, typer.Option(metavar="PORT", help="Default: 19092 if it is free.")
    ] = None,
    postgres_port: Annotated[
        int | None, typer.Option(metavar="PORT", help="Default: 15432 if it is free.")
    ] = None,
    api_port: Annotated[
        int | None, typer.Option(metavar="PORT", help="Default: 18080 if it is free.")
    ] = None,
    demo: Annotated[
        bool,
        typer.Option(
            "--demo", help="Define the examples and this machine's crontabs; show what fires."
        ),
    ] = False,
    examples: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="The definitions that --demo applies.", show_default=False
        ),
    ] = None,
) -> None:
    """
    Run everything here: a real Kafka, a real Postgres, and all processes, a runner among them.

    Needs neither Docker nor Java. The first start fetches the broker; later ones work offline. Data
    stay in the folder. Ctrl-C ends all in order.
    """
    from horae.local import Ports
    from horae.settings import load_settings

    plan = Plan(
        data=(data or load_settings().data).absolute(),
        ports=Ports(kafka=kafka_port, postgres=postgres_port),
        processors=processors,
        partitions=partitions,
        api_port=api_port,
        demo=demo,
        examples=examples,
    )
    with _stopping_in_order():
        _run(plan)


def _run(plan: Plan) -> None:
    from rich.console import Console

    from horae.local import LocalStack
    from horae.local.progress import shown
    from horae.settings import forget_stack, write_stack
    from streams.clock import SystemClock

    clock = SystemClock()
    begun = clock.monotonic()
    console = Console(stderr=True, highlight=False)
    with shown(console) as tell:
        stack = LocalStack.start(plan.data, progress=tell, ports=plan.ports)
    with stack:
        try:
            _prepare_topics(stack, plan, tell)
            write_stack(plan.data, stack.endpoints.bootstrap, stack.endpoints.dsn)
            running = _start_roles(stack, plan)
            seconds = (clock.monotonic() - begun) / 1_000_000
            _say_where(running, plan, seconds)
            _stay(running, plan)
        finally:
            # From here on another Ctrl-C must not break off what the first one began.
            for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(each, signal.SIG_IGN)
            forget_stack(plan.data)


def _prepare_topics(stack: LocalStack, plan: Plan, tell: Progress) -> None:
    from horae.local import Step
    from streams.topics_check import TopicsOf
    from streams.topics_outlook import Drifted, Wishes

    topics = TopicsOf(stack.endpoints.bootstrap)
    wishes = Wishes(partitions=plan.partitions)
    before = topics.look(wishes)
    if before.missing:
        tell(Step(f"Creating {len(before.missing)} topics"))
    topics.create(before.missing)
    topics.mend(before.drifted)
    after = topics.look(wishes)
    if after.differences:
        raise Drifted(after.differences)


def _start_roles(stack: LocalStack, plan: Plan) -> Running:
    from horae.local import Role, ports

    running = Running(stack)
    common = {
        "HORAE_BOOTSTRAP": stack.endpoints.bootstrap,
        "HORAE_POSTGRES_DSN": stack.endpoints.dsn,
        "HORAE_LOCKS": str(plan.data / "instances"),
        "HORAE_DATA": str(plan.data),
        "HORAE_API_HOST": _LOOPBACK,
        **runner_settings(plan.data, demo=plan.demo),
    }
    names = [f"processor-{number}" for number in range(plan.processors)]
    for offset, name in enumerate([*names, "projector", _RUNNER, _API]):
        preferred = (plan.api_port or _API_PORT) if name == _API else _METRICS + offset
        port = ports.choose(preferred=preferred, besides=running.metrics.values())
        running.metrics[name] = port
        role, _, _ = name.partition("-")
        options = [_NAMED[role], f"local-{name}"] if role in _NAMED else []
        stack.run(
            Role(
                name,
                argv=[sys.executable, "-m", "horae.cli", role, *options],
                env={**common, f"HORAE_{role.upper()}_PORT": str(port)},
            )
        )
    for name, port in running.metrics.items():
        _await_health(name, port, stack.logs / f"{name}.log")
    return running


def runner_settings(data: Path, *, demo: bool = False) -> dict[str, str]:
    """A runner that asks programs on this machine, and runs none; unless it was said otherwise.

    For the demo it runs the one program of its examples.
    """
    usual = {
        "HORAE_RUNNER_STATE": str(data / "runners"),
        "HORAE_RUNNER_ALLOW_ACTIONS": "http,command" if demo else "http",
        "HORAE_RUNNER_ALLOW_PROGRAMS": DEMO_PROGRAM if demo else "",
        "HORAE_RUNNER_ALLOW_URLS": "http://127.0.0.1:*/,http://localhost:*/,http://[::1]:*/",
        # Together less than it gets to end.
        "HORAE_RUNNER_DRAIN": "5",
        "HORAE_RUNNER_GRACE": "5",
    }
    return {name: os.environ.get(name, value) for name, value in usual.items()}


def _await_health(name: str, port: int, log: Path) -> None:
    from streams.clock import Deadline, pause

    deadline = Deadline.after(_HEALTHY_WITHIN)
    while not _is_healthy(port):
        if deadline.over:
            raise Said(f"{name} was not ready within {_HEALTHY_WITHIN:g} s (log: {log})")
        pause(_PAUSE)


def _is_healthy(port: int) -> bool:
    connection = HTTPConnection(_LOOPBACK, port, timeout=2)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _say_where(running: Running, plan: Plan, seconds: float) -> None:
    from horae.cli.config import masked
    from horae.settings import STACK_FILE

    stack = running.stack
    say(f"Ready in {seconds:.1f} s")
    say(f"  Kafka     {stack.endpoints.bootstrap}")
    say(f"  Postgres  {masked(stack.endpoints.dsn)} (password in {plan.data / STACK_FILE})")
    say(f"  HTTP      http://{_LOOPBACK}:{running.metrics[_API]}/v1")
    say(f"  logs      {stack.logs}")
    for name, port in running.metrics.items():
        say(f"  metrics   http://{_LOOPBACK}:{port}/metrics ({name})")
    say("  In another shell: horae schedule list, horae events tail. Ctrl-C ends all.")


def _stay(running: Running, plan: Plan) -> None:
    from horae.cli import demo
    from horae.local import wait_for_signal

    if plan.demo:
        demo.run(running.stack.endpoints.bootstrap, plan.examples)
    else:
        wait_for_signal()


def _stop(_number: int, _frame: object) -> None:
    """Say at once that it was heard: what has begun to start is waited for before it is ended."""
    with suppress(RuntimeError):  # in the middle of another line
        say("Stopping")
    raise KeyboardInterrupt


@contextmanager
def _stopping_in_order() -> Iterator[None]:
    """Whatever asks this process to end does so as Ctrl-C does; that is no failure."""
    before = {
        each: signal.signal(each, _stop) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    try:
        with suppress(KeyboardInterrupt):
            yield
        say("Stopped")
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
