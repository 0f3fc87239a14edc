"""
How is the interface over HTTP set up?

Read once at start from the environment (`HORAE_API_…`); where broker and database are is said by
horae/settings.py.
"""

from __future__ import annotations

from ipaddress import ip_address
from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

TOKENS_FILE = "tokens.json"


class ApiSettings(BaseSettings):
    """What `horae api` and `horae token` need to know."""

    model_config = SettingsConfigDict(env_prefix="HORAE_", frozen=True)

    api_host: str = "127.0.0.1"
    """On which address; any other than loopback needs tokens, and should stand behind TLS."""

    api_port: int = Field(default=18080, ge=0, le=65_535)
    """Where the interface over HTTP is served."""

    api_tokens: Path | None = None
    """The file with the hashes of the tokens. Default: `tokens.json` in the data folder."""

    api_connections: int = Field(default=8, ge=1, le=64)
    """So many commands wait for their replies at once; further ones wait for their turn."""

    api_pools: str = "*"
    """Pools that have runners, as patterns with `*`, separated by commas; a trigger of work for
    another one is answered 501."""

    api_canary_topic: str = "canary"
    """What the test schedules of `/health?deep=1` name as their topic; they never write to it."""

    @property
    def pools(self) -> tuple[str, ...]:
        """The patterns of the pools that have runners."""
        return tuple(each.strip() for each in self.api_pools.split(",") if each.strip())


def is_loopback(host: str) -> bool:
    """Whether nobody but this machine reaches the address."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def tokens_file(settings: ApiSettings, data: Path) -> Path:
    """Where the tokens are kept."""
    return settings.api_tokens or data / TOKENS_FILE
