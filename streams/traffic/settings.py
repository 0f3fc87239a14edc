"""
How are the two processes of the traffic set up?

From the environment, read once at start. Durations are seconds.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import gettempdir
from typing import Any

from pydantic import AliasChoices, Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from streams.settings import RUNNER_NAME


def _of(role: str, name: str, default: Any, **bounds: Any) -> Any:
    """A setting of one role, `HORAE_<role>_<name>` in the environment."""
    aliases = AliasChoices(f"HORAE_{role}_{name.upper()}", name)
    return Field(default=default, validation_alias=aliases, **bounds)


class TrafficSettings(BaseSettings):
    """The settings of `horae traffic`."""

    model_config = SettingsConfigDict(
        env_prefix="HORAE_", frozen=True, extra="ignore", populate_by_name=True
    )

    bootstrap: str = "127.0.0.1:19092"
    """The brokers, as host:port[,host:port]."""

    instance: str | None = _of("TRAFFIC", "instance", None, pattern=RUNNER_NAME)
    """The name of this worker in its group, the same after every start. Default: <host>-<n>."""

    locks: Path = _of("TRAFFIC", "locks", Path(gettempdir()) / "horae-traffic")
    """Where workers on one machine agree on their numbers."""

    group: str = _of("TRAFFIC", "group", "horae-traffic")
    """The consumer group that shares the partitions of the samples."""

    session_timeout: float = _of("TRAFFIC", "session_timeout", 6.0, ge=1)
    """A worker that is silent for so long loses its partitions."""

    gather: float = _of("TRAFFIC", "gather", 0.2, gt=0)
    """How long samples are gathered; the most that a minute is late on a quiet day."""

    batch_cap: int = _of("TRAFFIC", "batch_cap", 1_000, gt=0)
    """Most samples that are put together at once."""

    watch: float = _of("TRAFFIC", "watch", 2.0, gt=0)
    """How often it looks whether somebody else wrote into its partitions."""

    port: int = _of("TRAFFIC", "port", 0, ge=0, lt=65536)
    """Where /metrics and /healthz are served; 0: nowhere."""

    host: str = _of("TRAFFIC", "host", "127.0.0.1")
    """On which address; whoever reaches it can read them."""


class SamplerSettings(BaseSettings):
    """The settings of `horae sampler`; with empty allow-lists it looks at nothing."""

    model_config = SettingsConfigDict(
        env_prefix="HORAE_", frozen=True, extra="ignore", populate_by_name=True
    )

    bootstrap: str = "127.0.0.1:19092"
    """The brokers, as host:port[,host:port]."""

    interval: float = _of("SAMPLER", "interval", 15.0, ge=1, le=60)
    """How often each deployment is looked at."""

    timeout: float = _of("SAMPLER", "timeout", 5.0, gt=0, le=60)
    """How long one look may take."""

    at_once: int = _of("SAMPLER", "at_once", 64, ge=1, le=10_000)
    """How many are under way at the same time."""

    refresh: float = _of("SAMPLER", "refresh", 10.0, gt=0)
    """How often the list of deployments is read from the views."""

    allow_urls: str = _of("SAMPLER", "allow_urls", "")
    """Beginnings of urls that are asked for metrics, with `*` for any text:
    `http://127.0.0.1:*/`."""

    allow_secrets: str = _of("SAMPLER", "allow_secrets", "")
    """References to secrets that headers may hold, as patterns with `*`: `env:METRICS_*`."""

    port: int = _of("SAMPLER", "port", 0, ge=0, lt=65536)
    """Where /metrics and /healthz are served; 0: nowhere."""

    host: str = _of("SAMPLER", "host", "127.0.0.1")
    """On which address; whoever reaches it can read them."""
