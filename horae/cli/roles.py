"""
How do the long-running processes start?

Thin wrappers: settings are read, the topics are checked, and the process's own loop takes over
until it is told to stop. What the loops do is streams/processor and projections; the worker of the
traffic is traffic.py.
"""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.endings import CODES, Ending, Said
from horae.cli.output import Form, Output, say, show_json
from horae.cli.views import NO_DATABASE

if TYPE_CHECKING:
    from horae.settings import FaceSettings
    from projections.settings import ProjectorSettings

_BROKER_WITHIN = 60.0
"""Started together with the broker, a process waits for it."""
_BROKER_AT_ONCE = 1.0
_LOG = logging.getLogger(__name__)


def processor(
    instance: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Its name in the group, the same after every start. Default: <host>-<n>.",
        ),
    ] = None,
) -> None:
    """
    Decide: fire, skip or defer what is due, and answer commands. Run as many as there are cores.

    SIGTERM or Ctrl-C ends it in order. Settings: `horae config`.
    """
    from streams.processor.main import run_processor
    from streams.settings import ProcessorSettings

    face = begin()
    given: dict[str, Any] = {"bootstrap": face.bootstrap}
    if instance is not None:
        given["instance"] = instance
    run_processor(ProcessorSettings(**given))


def runner(
    pool: Annotated[
        list[str] | None,
        typer.Option(
            metavar="POOL", help="A pool that it works for; may be repeated. Default: default."
        ),
    ] = None,
    slots: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=1000, help="How many runs at once. Default: 4."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            "--id", metavar="NAME", help="Its id, the same after every start. Default: <host>-<n>."
        ),
    ] = None,
) -> None:
    """
    Carry out what schedules ask of runners; only what its settings allow. Run as many as needed.

    SIGTERM or Ctrl-C ends it in order, a second one at once. Settings: `horae config`.
    """
    from streams.runner.allowed_words import allowed_words, complaints
    from streams.runner.main import run_runner
    from streams.settings import RunnerSettings

    face = begin()
    given: dict[str, Any] = {"bootstrap": face.bootstrap}
    if pool:
        given["pools"] = ",".join(pool)
    if slots is not None:
        given["slots"] = slots
    if name is not None:
        given["name"] = name
    settings = RunnerSettings(**given)
    _LOG.info("may do: %s", allowed_words(settings) or "nothing")
    for complaint in complaints(settings):
        _LOG.warning("%s", complaint)
    run_runner(settings)


def projector() -> None:
    """
    Keep the views in Postgres up to date. A second one stands by until the first is gone.

    SIGTERM or Ctrl-C ends it in order. Settings: `horae config`.
    """
    from projections.projector import main

    settings = _views(begin())
    # It reads the environment itself; what was found elsewhere goes in there.
    os.environ["HORAE_BOOTSTRAP"] = settings.bootstrap
    os.environ["HORAE_POSTGRES_DSN"] = settings.postgres_dsn.get_secret_value()
    main()


def sampler() -> None:
    """
    Look at the traffic of every deployment, only where its settings allow. Run one of it.

    SIGTERM or Ctrl-C ends it in order. Settings: `horae config`.
    """
    from horae.sampled import sampled_in
    from streams.traffic.sampler_main import run_sampler
    from streams.traffic.settings import SamplerSettings

    settings = _views(begin())
    run_sampler(
        SamplerSettings(bootstrap=settings.bootstrap),
        sampled_in(settings.postgres_dsn.get_secret_value()),
    )


def rebuild(
    *,
    force: Annotated[
        bool, typer.Option("--force", help="Swap even if the new views hold fewer rows.")
    ] = False,
    output: Output = Form.TABLE,
) -> None:
    """Build the views anew from Kafka, beside the serving ones, and swap them in."""
    from horae.cli.progress import filling
    from projections.rebuild import rebuild as build

    settings = _views(begin())
    with filling("Rebuilding the views") as told:
        done = build(settings, progress=lambda now: told(now.done, now.total), force=force)
    if output is Form.JSON:
        show_json({"version": done.version, "replaced": done.replaced, "rows": dict(done.counts)})
        return
    rows = ", ".join(f"{count} {name}" for name, count in done.counts.items())
    say(f"version {done.version} of the views serves now: {rows}")


EPILOGS = {
    "processor": f"Example: HORAE_BOOTSTRAP=kafka:9092 horae processor. {CODES}",
    "runner": f"Example: HORAE_RUNNER_ALLOW_ACTIONS=command horae runner --slots 8. {CODES}",
    "projector": f"Example: HORAE_POSTGRES_DSN=postgresql://db/horae horae projector. {CODES}",
    "sampler": "Example: HORAE_SAMPLER_ALLOW_URLS='http://10.0.0.*:*/metrics' horae sampler. "
    f"{CODES}",
    "rebuild": f"Example: horae rebuild. {CODES}",
}


def begin() -> FaceSettings:
    """Log to standard error, and go on only with topics that are as they must be."""
    from horae.settings import load_settings
    from streams.clock import Deadline
    from streams.topics_check import require_topics

    logging.basicConfig(
        level=os.environ.get("HORAE_LOG_LEVEL", "INFO").upper(),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    # Else it logs each request, and a runner looks at a task every two seconds.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    settings = load_settings()
    deadline = Deadline.after(_BROKER_WITHIN)
    _tell_if_away(settings.bootstrap)
    require_topics(settings.bootstrap, deadline=deadline)
    return settings


def _tell_if_away(bootstrap: str) -> None:
    from streams.topics_check import NoBroker, TopicsOf

    try:
        TopicsOf(bootstrap).names(_BROKER_AT_ONCE)
    except NoBroker:
        _LOG.warning("waiting for the broker at %s (up to %g s)", bootstrap, _BROKER_WITHIN)


def _views(face: FaceSettings) -> ProjectorSettings:
    from projections.settings import ProjectorSettings

    if face.postgres_dsn is None:
        raise Said(NO_DATABASE, Ending.UNREACHABLE)
    return ProjectorSettings(bootstrap=face.bootstrap, postgres_dsn=face.postgres_dsn)
