"""
What can be set about the projector?

One frozen table, read once at start from the environment (HORAE_…); nothing else here looks at it.
Which topics there are is schemas/topics.py.
"""

from __future__ import annotations

import logging
from typing import Annotated, Any

from pydantic import AliasChoices, BeforeValidator, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from projections.history import Keeping
from projections.profiling import Pace
from schemas.durations import parse_elapsed
from schemas.units import SECOND

logger = logging.getLogger(__name__)

_DEFAULT = Keeping()


def _number(value: object) -> int:
    """How many, or the default where that makes no sense: nothing is kept from starting by it."""
    try:
        number = int(str(value))
    except ValueError:
        number = 0
    if number > 0:
        return number
    logger.warning("%r is no number above 0: %d are kept", value, _DEFAULT.runs)
    return _DEFAULT.runs


def _seconds(value: object) -> int:
    """A length such as 24h, or seconds; the default where it is none, or under a second."""
    text = str(value).strip()
    try:
        seconds = int(text) if text.lstrip("-").isdigit() else parse_elapsed(text) // SECOND
    except ValueError:
        seconds = 0
    if seconds > 0:
        return seconds
    logger.warning(
        "%r is no length of time such as 24h: %d s it is", value, _DEFAULT.output_seconds
    )
    return _DEFAULT.output_seconds


def _of_jobs(name: str, default: int) -> Any:
    """From the environment under both of its names."""
    names = AliasChoices(f"HORAE_JOBS_{name}", f"APP_JOBS_{name}", name.lower())
    return Field(default=default, validation_alias=names)


class ProjectorSettings(BaseSettings):
    """Where the projector reads, where it writes and how it paces itself."""

    model_config = SettingsConfigDict(
        env_prefix="HORAE_", frozen=True, extra="ignore", populate_by_name=True
    )

    bootstrap: str = "127.0.0.1:9092"
    """The brokers."""

    postgres_dsn: SecretStr = SecretStr("postgresql://127.0.0.1:5432/horae")
    """The database of the read models; several hosts are fine, the writable one is used."""

    projector_port: int = Field(default=9465, ge=0, le=65535)
    """Where /metrics and /healthz are served."""

    projector_host: str = "127.0.0.1"
    """On which address; whoever reaches it can read them."""

    batch_records: int = Field(
        default=10_000,
        ge=1,
        le=1_000_000,
        validation_alias=AliasChoices("HORAE_PROJECTOR_BATCH_RECORDS", "batch_records"),
    )
    """Most records in one transaction: at 2,000 a batch each row costs a third more."""

    gather_seconds: float = Field(
        default=0.1,
        gt=0,
        validation_alias=AliasChoices("HORAE_PROJECTOR_GATHER_SECONDS", "gather_seconds"),
    )
    """How long a batch may wait to be filled; the most that a row is late on a quiet day."""

    occurrence_retention_days: int | None = Field(default=None, ge=1)
    """Days of occurrences that are kept in the view; None keeps all. The ledger keeps its own."""

    history_keep: Annotated[int, BeforeValidator(_number)] = _of_jobs("HISTORY_KEEP", _DEFAULT.runs)
    """Ended runs of each schedule that are kept in the view, the newest; one that makes no sense
    is the default."""

    output_retention: Annotated[int, BeforeValidator(_seconds)] = _of_jobs(
        "OUTPUT_RETENTION", _DEFAULT.output_seconds
    )
    """How long the output of what ended is kept in the view, such as `24h`, or seconds; one that
    makes no sense is the default."""

    traffic_retention_days: int = Field(default=_DEFAULT.traffic_days, ge=31, le=35)
    """Days of traffic that are kept in the view, by the minute; profiles look at 30, and the topic
    keeps 35."""

    profile_seconds: int = Field(
        default=Pace().every_seconds,
        ge=1,
        validation_alias=AliasChoices("HORAE_PROJECTOR_PROFILE_SECONDS", "profile_seconds"),
    )
    """How often the profile of a deployment is computed anew while its traffic goes on."""

    beat_seconds: float = Field(
        default=1.0,
        gt=0,
        validation_alias=AliasChoices("HORAE_PROJECTOR_BEAT_SECONDS", "beat_seconds"),
    )
    """How often a quiet projector shows that it lives and looks whether it still serves."""

    continuity_seconds: float = Field(
        default=15.0,
        gt=0,
        validation_alias=AliasChoices("HORAE_PROJECTOR_CONTINUITY_SECONDS", "continuity_seconds"),
    )
    """How often it is asked whether the topics are still the same ones."""

    retry_first_seconds: float = Field(
        default=0.2,
        gt=0,
        validation_alias=AliasChoices("HORAE_PROJECTOR_RETRY_FIRST_SECONDS", "retry_first_seconds"),
    )
    retry_most_seconds: float = Field(
        default=15.0,
        gt=0,
        validation_alias=AliasChoices("HORAE_PROJECTOR_RETRY_MOST_SECONDS", "retry_most_seconds"),
    )
    """The pause after a transient fault doubles from the first to the most."""

    @property
    def keeping(self) -> Keeping:
        """How much of the past is kept."""
        return Keeping(self.history_keep, self.output_retention, self.traffic_retention_days)

    @property
    def pace(self) -> Pace:
        """How often profiles are computed."""
        return Pace(self.profile_seconds)
