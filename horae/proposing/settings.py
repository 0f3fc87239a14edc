"""
Which model judges proposals, and from which confidence on is one made?

Read once at start from the environment (`HORAE_…`); where broker and database are is said by
horae/settings.py.
"""

from __future__ import annotations

from decimal import Decimal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


class ProposingSettings(BaseSettings):
    """What `horae propose` needs to know."""

    # So many begin with model_, which pydantic would keep for itself.
    model_config = SettingsConfigDict(env_prefix="HORAE_", frozen=True, protected_namespaces=())

    model_url: str | None = None
    """Of an OpenAI-compatible endpoint, up to its version: `http://127.0.0.1:8000/v1`; without one
    the rules alone propose what is beyond doubt."""

    model_name: str | None = Field(default=None, validate_default=True)
    """The model that is asked there; wanted where a URL is given."""

    model_key: SecretStr | None = None
    """Goes along as `Authorization: Bearer …`."""

    model_timeout: float = Field(default=30.0, gt=0, le=600)
    """Seconds in which the model has to have answered."""

    proposal_threshold: Decimal = Field(default=Decimal("0.8"), ge=0, le=1)
    """The model's confidence, 0 to 1, at or above which is proposed."""

    proposer_port: int = Field(default=0, ge=0, le=65535)
    """Where /metrics and /healthz of `horae propose --daily` are served; 0: nowhere."""

    proposer_host: str = "127.0.0.1"
    """On which address; whoever reaches it can read them."""

    @field_validator("model_url", "model_name", "model_key", mode="before")
    @classmethod
    def _nothing_is_none(cls, value: object) -> object:
        """A variable that is there and empty, as compose files make them, names nothing."""
        return None if value == "" else value

    @field_validator("model_url")
    @classmethod
    def _is_an_address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("wanted is an address such as http://127.0.0.1:8000/v1")
        if parts.query or parts.fragment or parts.username is not None:
            raise ValueError("takes no query, fragment or name; a key is HORAE_MODEL_KEY")
        return value.rstrip("/")

    @field_validator("model_name")
    @classmethod
    def _is_there_beside_a_url(cls, value: str | None, others: ValidationInfo) -> str | None:
        if value is None and others.data.get("model_url") is not None:
            raise ValueError("wanted beside HORAE_MODEL_URL")
        return value
