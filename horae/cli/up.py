"""
How does all of Horae come up on this machine, and go down again?

Broker and database, then topics and views, then the processes; a line that says where everything
is; and one Ctrl-C that ends all in order. Which processes these are is up_roles.py, what another
release left up_views.py, what runs the servers horae/local, what is shown with --demo demo.py.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horae.cli import up_roles
from horae.cli.endings import CODES
from horae.cli.output import say
from horae.cli.up_roles import Wanted
from horae.cli.up_views import prepare_views

if TYPE_CHECKING:
    from horae.local import LocalStack, Ports
    from horae.local.stack import Progress

EPILOG = f"Example: horae up --demo. {CODES}"


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
    metrics: Mapping[str, int]


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
            prepare_views(stack.endpoints, tell)
            write_stack(plan.data, stack.endpoints.bootstrap, stack.endpoints.dsn)
            running = Running(stack, up_roles.start(stack, _wanted(plan)))
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


def _wanted(plan: Plan) -> Wanted:
    return Wanted(plan.data, plan.processors, plan.api_port, demo=plan.demo)


def _say_where(running: Running, plan: Plan, seconds: float) -> None:
    from horae.cli.config import masked
    from horae.settings import STACK_FILE

    stack = running.stack
    say(f"Ready in {seconds:.1f} s")
    say(f"  Kafka     {stack.endpoints.bootstrap}")
    say(f"  Postgres  {masked(stack.endpoints.dsn)} (password in {plan.data / STACK_FILE})")
    say(f"  HTTP      http://{up_roles.LOOPBACK}:{running.metrics[up_roles.API]}/v1")
    say(f"  logs      {stack.logs}")
    for name, port in running.metrics.items():
        say(f"  metrics   http://{up_roles.LOOPBACK}:{port}/metrics ({name})")
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
