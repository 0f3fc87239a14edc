"""
What can be set about the projector?

One frozen table, read once at start from the environment (HORAE_…); nothing else here looks at it.
Which topics there are is schemas/topics.py.
"""

from __future__ import annotations

from pydantic import AliasChoices, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


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
