"""
How is a process set up?

One frozen table, read once at start from the environment (`HORAE_…`); nothing else looks at it.
Durations are seconds unless the name says otherwise.
"""

from __future__ import annotations

import logging
from pathlib import Path
from tempfile import gettempdir
from typing import Annotated, Any

from pydantic import AliasChoices, BeforeValidator, Field
from pydantic_settings import BaseSettings, SettingsConfigDict

log = logging.getLogger(__name__)


def _positive(value: object) -> int:
    """A limit, or none where the text is not one: a process is not kept from starting by that."""
    try:
        limit = int(str(value))
    except ValueError:
        limit = -1
    if limit < 0:
        log.warning("%r is no limit (a whole number above 0): there is none", value)
    return max(limit, 0)


Limit = Annotated[int, BeforeValidator(_positive)]


def _limit(name: str) -> Any:
    """A limit of the jobs, from the environment under both of its names; 0: none."""
    aliases = AliasChoices(f"HORAE_JOBS_{name}", f"APP_JOBS_{name}")
    return Field(default=0, validation_alias=aliases)


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
