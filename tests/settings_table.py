"""
What does docs/reference/settings.md say between its marks?

The settings of every role as a table, from the code that reads them; `python -m
tests.settings_table` writes it anew, and a test compares.
"""

from __future__ import annotations

import ast
import inspect
import os
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

from pydantic import SecretStr
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings

from horae.api.settings import ApiSettings
from horae.cli.config import variable_of
from horae.proposing.settings import ProposingSettings
from horae.settings import FaceSettings
from projections.settings import ProjectorSettings
from streams.settings import ProcessorSettings, RunnerSettings
from streams.traffic.settings import SamplerSettings, TrafficSettings

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "settings.md"
BEGIN, END = "<!-- settings: begin -->", "<!-- settings: end -->"
ROLES: dict[str, type[BaseSettings]] = {
    "Everywhere": FaceSettings,
    "Processor": ProcessorSettings,
    "Projector": ProjectorSettings,
    "Runner": RunnerSettings,
    "Sampler": SamplerSettings,
    "Traffic": TrafficSettings,
    "API": ApiSettings,
    "Proposals": ProposingSettings,
}
GIVEN = {"bootstrap", "postgres_dsn"}
"""The command line gives these to the roles: they stand under *Everywhere*."""


def reasons(settings: type[BaseSettings]) -> dict[str, str]:
    """What stands below each field."""
    [cls] = ast.parse(inspect.getsource(settings)).body
    assert isinstance(cls, ast.ClassDef)
    found: dict[str, str] = {}
    waiting: list[str] = []
    for each in cls.body:
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            waiting.append(each.target.id)
        elif isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant):
            text = " ".join(str(each.value.value).split()).replace("<", "&lt;")
            found |= dict.fromkeys(waiting, text)
            waiting = []
        else:
            waiting = []
    return found


def default(name: str, field: FieldInfo) -> str:
    """The default as one would write it into the environment."""
    if name == "actor":
        return "`user:<your name>`"
    if name == "state":
        return "`/var/lib/horae/runners` for root, else `~/.local/state/horae/runners`"
    value: Any = field.get_default(call_default_factory=True, validated_data={})
    if value is None:
        return "none"
    if value == "":
        return "nothing"
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return f"`{text.replace(tempfile.gettempdir(), '<temporary folder>')}`"


def tables() -> str:
    """One table a role."""
    parts = []
    with patch.dict(os.environ, clear=True):
        for role, settings in ROLES.items():
            why = reasons(settings)
            rows = [
                f"| `{variable_of(name, field)}` | {default(name, field)} | {why[name]} |"
                for name, field in settings.model_fields.items()
                if role == "Everywhere" or name not in GIVEN
            ]
            parts.append("\n".join([f"## {role}", "", "| variable | default | |", "|---|---|---|"]))
            parts[-1] += "\n" + "\n".join(rows)
    return "\n\n".join(parts)


def shown() -> str:
    """What the page has now."""
    return PAGE.read_text().partition(BEGIN)[2].partition(END)[0].strip()


if __name__ == "__main__":
    before, _, rest = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{tables()}\n\n{END}{rest.partition(END)[2]}")
