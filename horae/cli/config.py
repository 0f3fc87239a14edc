"""
With which settings would Horae run here, and where does each come from?

Every setting of every role with its variable, value and source; what is secret is masked.
"""

from __future__ import annotations

import os
import re
import tomllib
from typing import TYPE_CHECKING, Any

from horae.cli.endings import CODES
from horae.cli.output import Form, Output, show_json, show_table

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo
    from pydantic_settings import BaseSettings

EPILOG = f"Example: HORAE_BOOTSTRAP=kafka:9092 horae config -o json. {CODES}"
MASK = "***"
_PASSWORD = re.compile(r"(?<=://)([^:@/?]*):.*(?=@)", re.DOTALL)
"""Up to the last @: a password may have one in it, though it should not."""
_IN_QUERY = re.compile(r"([?&][^=&]*password[^=&]*=)[^&#]*", re.IGNORECASE)
_IN_PAIRS = re.compile(r"(password\w*\s*=\s*)('(?:[^'\\]|\\.)*'|\S+)", re.IGNORECASE)
_FROM_FACE = ("bootstrap", "postgres_dsn")


def config(output: Output = Form.TABLE) -> None:
    """Print all settings, their values here and where those come from; secrets are masked."""
    rows = [row for role, settings in _roles() for row in _rows(role, settings)]
    if output is Form.JSON:
        show_json(rows)
        return
    names = ("role", "variable", "value", "from")
    show_table(names, [[str(row[name]) for name in names] for row in rows], empty="no settings")


def _roles() -> list[tuple[str, BaseSettings]]:
    from horae.api.settings import ApiSettings
    from horae.proposing.settings import ProposingSettings
    from horae.settings import load_settings
    from projections.settings import ProjectorSettings
    from streams.settings import ProcessorSettings, RunnerSettings
    from streams.traffic.settings import SamplerSettings, TrafficSettings

    face = load_settings()
    found: list[tuple[str, BaseSettings]] = [("all", face)]
    found.append(("processor", ProcessorSettings(bootstrap=face.bootstrap)))
    found.append(("projector", ProjectorSettings()))
    found.append(("runner", RunnerSettings(bootstrap=face.bootstrap)))
    found.append(("sampler", SamplerSettings(bootstrap=face.bootstrap)))
    found.append(("traffic", TrafficSettings(bootstrap=face.bootstrap)))
    found.append(("api", ApiSettings()))
    found.append(("proposals", ProposingSettings()))
    return found


def _rows(role: str, settings: BaseSettings) -> list[dict[str, Any]]:
    rows = []
    for name, field in type(settings).model_fields.items():
        # Roles are given these by the command line, so they are the same for all.
        if role == "all" or name not in _FROM_FACE:
            variable = variable_of(name, field)
            rows.append(
                {
                    "role": role,
                    "variable": variable,
                    "value": shown(getattr(settings, name)),
                    "from": _source(role, name, variable),
                }
            )
    return rows


def variable_of(name: str, field: FieldInfo) -> str:
    """The environment variable of a setting."""
    choices = getattr(field.validation_alias, "choices", [field.validation_alias])
    named = next((each for each in choices if isinstance(each, str)), None)
    return named or f"HORAE_{name.upper()}"


def shown(value: Any) -> Any:
    """A value as it may be seen by whoever looks over a shoulder."""
    from pydantic import SecretStr

    if isinstance(value, SecretStr):
        return masked(value.get_secret_value())
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def masked(dsn: str) -> str:
    """A database's address without its password."""
    if "://" in dsn:
        # The query first: what is masked there holds no @ any more.
        return _PASSWORD.sub(rf"\1:{MASK}", _IN_QUERY.sub(rf"\1{MASK}", dsn))
    if "=" in dsn:
        return _IN_PAIRS.sub(rf"\1{MASK}", dsn)
    return MASK


def _source(role: str, name: str, variable: str) -> str:
    from horae.settings import load_settings, read_stack, settings_file

    if variable in os.environ:
        return "environment"
    if role != "all":
        return "default"
    path = settings_file()
    if path.is_file() and name in tomllib.loads(path.read_text()):
        return str(path)
    stack = read_stack(load_settings().data)
    if name in stack and not any(_is_given(each) for each in stack):
        return "local stack"
    return "default"


def _is_given(name: str) -> bool:
    from horae.settings import settings_file

    path = settings_file()
    in_file = path.is_file() and name in tomllib.loads(path.read_text())
    return in_file or f"HORAE_{name.upper()}" in os.environ
