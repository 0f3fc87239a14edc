"""
Where do the faces find the broker and the database?

Read from the environment (`HORAE_…`), else from a file, else from the stack that runs on this
machine (`horae up` leaves `running.json` in its data folder), else the defaults below. What a
process that decides is told is streams/settings.py.
"""

from __future__ import annotations

import getpass
import json
import os
from pathlib import Path
from typing import Any

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)
from typing_extensions import override

DATA = Path(".horae")
STACK_FILE = "running.json"
FILE_VARIABLE = "HORAE_CONFIG"
DEFAULT_FILE = Path("horae.toml")
_OF_A_STACK = ("bootstrap", "postgres_dsn")


class BadSettings(ValueError):
    """A setting cannot be what it says."""


class FaceSettings(BaseSettings):
    """What the command line needs to know of its surroundings."""

    # A misspelt name in a file is a mistake, not a setting that is left at its default.
    model_config = SettingsConfigDict(env_prefix="HORAE_", frozen=True, extra="forbid")

    bootstrap: str = "127.0.0.1:19092"
    """The brokers, as host:port[,host:port]."""

    postgres_dsn: SecretStr | None = None
    """The database of the views; without one, lists and descriptions are not to be had."""

    data: Path = DATA
    """Where `horae up` keeps everything."""

    actor: str = Field(default_factory=lambda: f"user:{_user()}")
    """In whose name commands are sent."""

    reply_within: float = Field(default=10.0, gt=0)
    """Seconds of silence after which a reply is no longer waited for."""

    @classmethod
    @override
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What was said most deliberately comes first."""
        return (
            init_settings,
            env_settings,
            TomlConfigSettingsSource(settings_cls, toml_file=settings_file()),
            LocalStackSource(settings_cls),
        )


class LocalStackSource(PydanticBaseSettingsSource):
    """What `horae up` wrote down about the stack it runs."""

    @override
    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:
        """One field; all are read at once below."""
        return self().get(field_name), field_name, False

    @override
    def __call__(self) -> dict[str, Any]:
        """The broker and the database of the local stack, unless one of them was named."""
        if not self.current_state.keys().isdisjoint(_OF_A_STACK):
            # One stack's broker with another one's database would show what is not so.
            return {}
        folder = Path(os.environ.get("HORAE_DATA") or self.current_state.get("data") or DATA)
        return read_stack(folder)


def load_settings() -> FaceSettings:
    """The settings as they are now; BadSettings names the one at fault."""
    if os.environ.get(FILE_VARIABLE) and not settings_file().is_file():
        raise BadSettings(f"{settings_file()}: there is no such file ({FILE_VARIABLE} names it)")
    try:
        return FaceSettings()
    except ValidationError as fault:
        raise BadSettings(what_is_wrong(fault)) from fault
    except ValueError as fault:
        raise BadSettings(f"{settings_file()}: {fault}") from fault


def what_is_wrong(fault: ValidationError) -> str:
    """The first setting at fault, by the name that it is given by, and why."""
    [first, *_] = fault.errors()
    key = "_".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return f"{settings_file()}: {key}: there is no such setting"
    name = key if key.startswith("HORAE_") else f"HORAE_{key.upper()}"
    return f"{name}: {first['msg'].removeprefix('Value error, ')}"


def settings_file() -> Path:
    """The file that holds settings; it need not exist unless it was named."""
    return Path(os.environ.get(FILE_VARIABLE) or DEFAULT_FILE)


def read_stack(data: Path) -> dict[str, Any]:
    """What the running local stack wrote into its folder; nothing if none runs."""
    try:
        found = json.loads((data / STACK_FILE).read_text())
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: found[name] for name in _OF_A_STACK if name in found}


def write_stack(data: Path, bootstrap: str, postgres_dsn: str) -> None:
    """Let commands in this folder find the stack; only its owner may read the password."""
    path = data / STACK_FILE
    fresh = path.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    fresh.touch(mode=0o600)
    fresh.write_text(json.dumps({"bootstrap": bootstrap, "postgres_dsn": postgres_dsn}) + "\n")
    fresh.replace(path)


def forget_stack(data: Path) -> None:
    """The stack has ended."""
    (data / STACK_FILE).unlink(missing_ok=True)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
