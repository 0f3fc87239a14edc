"""
How is a process set up?

One frozen table, read once at start from the environment (`HORAE_…`); nothing else looks at it.
Durations are seconds unless the name says otherwise.
"""

from __future__ import annotations

import logging
import os
import re
from pathlib import Path
from tempfile import gettempdir
from typing import Annotated, Any

from pydantic import AliasChoices, BeforeValidator, Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from schemas.durations import parse_elapsed
from schemas.units import SECOND

log = logging.getLogger(__name__)

DEFAULT_OUTPUT = 64 * 1024
MOST_OUTPUT = 256 * 1024
"""An event holds it, and the broker takes no more than 1 MiB at once."""
RUNNER_NAME = r"^[A-Za-z0-9._-]{1,100}$"


def _positive(value: object) -> int:
    """A limit, or none where the text is not one: a process is not kept from starting by that."""
    if value == 0:  # the default; what the environment says is text
        return 0
    try:
        limit = int(str(value))
    except ValueError:
        limit = 0
    if limit <= 0:
        log.warning("%r is no limit (a whole number above 0): there is none", value)
    return max(limit, 0)


def _span(value: object) -> float:
    """The seconds of a length such as 5m, or of a plain number; none where it is neither."""
    if value == 0:
        return 0.0
    text = str(value).strip()
    try:
        seconds = float(text) if _PLAIN.fullmatch(text) else parse_elapsed(text) / SECOND
    except ValueError:
        seconds = 0.0
    if seconds <= 0:
        log.warning("%r is no length of time such as 5m or 90: there is none", value)
    return max(seconds, 0.0)


_PLAIN = re.compile(r"-?[0-9]{1,12}(\.[0-9]{1,6})?")
Limit = Annotated[int, BeforeValidator(_positive)]
Span = Annotated[float, BeforeValidator(_span)]


def _limit(name: str) -> Any:
    """A limit of the jobs, from the environment under both of its names; 0: none."""
    aliases = AliasChoices(f"HORAE_JOBS_{name}", f"APP_JOBS_{name}")
    return Field(default=0, validation_alias=aliases)


def _output_bytes(value: object) -> int:
    """How much output is kept; what is no positive number is the default."""
    try:
        most = int(str(value))
    except ValueError:
        most = 0
    if most <= 0:
        log.warning("%r is no number of bytes: %d are kept", value, DEFAULT_OUTPUT)
        return DEFAULT_OUTPUT
    return min(most, MOST_OUTPUT)


def lasting_folder() -> Path:
    """Where what a runner remembers is still there when the machine was started anew."""
    if os.geteuid() == 0:
        return Path("/var/lib/horae/runners")
    chosen, home = (Path(os.environ.get(name) or "") for name in ("XDG_STATE_HOME", "HOME"))
    for folder in (chosen, home / ".local" / "state"):
        if folder.is_absolute():
            return folder / "horae" / "runners"
    return Path(gettempdir()) / "horae-runners"


def _of_runner(name: str, default: Any, **bounds: Any) -> Any:
    """A setting of the runner, `HORAE_RUNNER_<name>` in the environment."""
    aliases = AliasChoices(f"HORAE_RUNNER_{name.upper()}", name)
    return Field(default=default, validation_alias=aliases, **bounds)


class ProcessorSettings(BaseSettings):
    """The settings of `horae processor`."""

    model_config = SettingsConfigDict(env_prefix="HORAE_", frozen=True, extra="ignore")

    bootstrap: str = "127.0.0.1:19092"
    """The brokers, as host:port[,host:port]."""

    instance: str | None = None
    """The name of this instance: its transactional id and client id. Default: <host>-<number>."""

    locks: Path = Path(gettempdir()) / "horae-instances"
    """Where instances on one machine agree on their numbers."""

    group: str = "horae-processor"
    """The consumer group that shares the partitions of the inbox."""

    group_protocol: str = Field(default="classic", pattern="^(classic|consumer)$")
    """`classic` with cooperative-sticky, or the broker's own `consumer` protocol."""

    session_timeout: float = Field(default=6.0, gt=0)
    """A processor that is silent for so long loses its partitions."""

    max_poll_interval: float = Field(default=60.0, gt=1)
    """An iteration that takes longer loses the partitions too."""

    transaction_timeout: float = Field(default=10.0, gt=0)
    """The broker aborts a transaction that was left open for so long."""

    gap: float = Field(default=0.01, ge=0)
    """Least pause between two transactions: under 10 ms the broker's retry waits dominate."""

    batch_cap: int = Field(default=10_000, gt=0)
    """Most fires in one transaction. More adds latency, hardly throughput."""

    emit_topics: str = "*"
    """Topics that emits may write to, as patterns with `*`, separated by commas."""

    max_per_app: Limit = _limit("MAX_PER_APP")
    """The most schedules of one subject; 0, or what is no positive number: no limit."""

    max_concurrent_per_app: Limit = _limit("MAX_CONCURRENT_PER_APP")
    """The most runs of one subject at once; 0, or what is no positive number: no limit."""

    default_timeout: Span = _limit("DEFAULT_TIMEOUT")
    """How long an attempt of a runner may take whose schedule does not say, such as `5m`, or
    seconds; 0: as long as it likes."""

    max_retries: Limit = _limit("MAX_RETRIES")
    """The most further attempts inside a run, whatever its schedule says; 0: no limit."""

    retry_backoff: Span = _limit("RETRY_BACKOFF")
    """The least wait before a further attempt; 0: as the schedule says."""

    retry_backoff_max: Span = _limit("RETRY_BACKOFF_MAX")
    """The longest wait before a further attempt; 0: as the schedule says."""

    catch_up_lookback: Span = _limit("CATCH_UP_LOOKBACK")
    """The oldest age at which anything late still runs; 0: as the schedule says."""

    clock_alarm: float = Field(default=2.0, gt=0)
    """A difference to the broker's clock above this is an alarm."""

    clock_limit: float = Field(default=60.0, gt=0)
    """Above this nothing fires until `horae clock accept`."""

    clock_probe: float = Field(default=10.0, gt=0)
    """How often the difference is measured."""

    adopt_inbox: str | None = None
    """The topic id of an inbox that replaces the one the state was made from, for one start."""

    restore_deadline: float = Field(default=300.0, gt=0)
    """A partition that is not restored by then stops the process."""

    port: int = Field(default=0, ge=0, lt=65536, alias="HORAE_PROCESSOR_PORT")
    """Where /metrics and /healthz are served; 0: nowhere."""

    host: str = Field(default="127.0.0.1", alias="HORAE_PROCESSOR_HOST")
    """On which address; whoever reaches it can read them."""


class RunnerSettings(BaseSettings):
    """The settings of `horae runner`; with empty allow-lists it does nothing."""

    model_config = SettingsConfigDict(
        env_prefix="HORAE_", frozen=True, extra="ignore", populate_by_name=True
    )

    bootstrap: str = "127.0.0.1:19092"
    """The brokers, as host:port[,host:port]."""

    name: str | None = Field(
        default=None, validation_alias=AliasChoices("HORAE_RUNNER_ID", "name"), pattern=RUNNER_NAME
    )
    """Its id, the same after every start; no two runners share one. Default: <host>-<number>."""

    state: Path = Field(
        default_factory=lasting_folder, validation_alias=AliasChoices("HORAE_RUNNER_STATE", "state")
    )
    """The folder in which a runner finds, after a crash, what it has left."""

    pools: str = _of_runner("pools", "default")
    """The pools that it works for, separated by commas."""

    slots: int = _of_runner("slots", 4, ge=1, le=1_000)
    """How many attempts it carries out at once."""

    drain: float = _of_runner("drain", 30.0, ge=0)
    """How long, asked to end, it lets go on what runs; then that is stopped."""

    grace: float = _of_runner("grace", 10.0, ge=0)
    """How long what is stopped may take to end by itself; then it is killed."""

    allow_actions: str = _of_runner("allow_actions", "")
    """What it carries out at all, of http, command, exec, fresh and deployment, separated by
    commas."""

    allow_programs: str = _of_runner("allow_programs", "")
    """Programs for `command`, and to start and stop deployments: names found in its PATH or full
    paths, as patterns with `*`."""

    allow_images: str = _of_runner("allow_images", "")
    """Images for `exec` and `fresh`, as patterns with `*`."""

    allow_urls: str = _of_runner("allow_urls", "")
    """Beginnings of urls for `http` and for deployments, those of their metrics too, with `*` for
    any text: `http://127.0.0.1:*/`."""

    allow_containers: str = _of_runner("allow_containers", "")
    """Names of containers that a `deployment` may be: they are paused, stopped and started;
    patterns with `*`."""

    allow_secrets: str = _of_runner("allow_secrets", "")
    """References to secrets, as patterns with `*`: `env:JOB_*,file:/run/secrets/*`."""

    allow_volumes: str = _of_runner("allow_volumes", "")
    """Sources of volumes for `fresh`, as patterns with `*`."""

    allow_networks: str = _of_runner("allow_networks", "")
    """Networks that apps may name for `fresh`, as patterns with `*`; `none` always is."""

    engine: str | None = _of_runner("engine", None)
    """Where the container engine is: `unix://…`. Default: DOCKER_HOST, or the usual sockets."""

    max_output_bytes: Annotated[int, BeforeValidator(_output_bytes)] = Field(
        default=DEFAULT_OUTPUT,
        validation_alias=AliasChoices(
            "HORAE_JOBS_MAX_OUTPUT_BYTES", "APP_JOBS_MAX_OUTPUT_BYTES", "max_output_bytes"
        ),
    )
    """How much of the end of an attempt's output is kept; 256 KiB at most."""

    session_timeout: float = _of_runner("session_timeout", 6.0, gt=0)
    """A runner that is silent for so long loses its share of the orders."""

    port: int = _of_runner("port", 0, ge=0, lt=65536)
    """Where /metrics and /healthz are served; 0: nowhere."""

    host: str = _of_runner("host", "127.0.0.1")
    """On which address; whoever reaches it can read them."""
