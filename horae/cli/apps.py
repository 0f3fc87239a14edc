"""
How does an operator say what the containers of a subject are made of?

`subject app` reads one mapping from a file and asks for it; `exec` and `fresh` of the subject's
schedules are then done with it. What its fields mean is schemas/reading_works.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.asking import checked_subject, send
from horae.cli.endings import CODES, Said
from horae.cli.output import Form, Output

if TYPE_CHECKING:
    from schemas.actions import App

EPILOG = f"Example: horae subject app shop -f app.yaml. {CODES}"


def define_app(
    subject: Annotated[
        str,
        typer.Argument(
            metavar="SUBJECT",
            help="What stands before the slash of its schedules' ids, such as shop.",
            show_default=False,
        ),
    ],
    *,
    file: Annotated[
        Path,
        typer.Option(
            "--file",
            "-f",
            metavar="FILE",
            help="YAML or JSON with image and further fields, or - for input.",
            show_default=False,
        ),
    ],
    output: Output = Form.TABLE,
) -> None:
    """Say what the containers of a subject's work are made of; what runs goes on as it is."""
    from schemas.commands import DefineApp

    about = checked_subject(subject)
    send(about, DefineApp(read_app_file(file)), output, {})


def read_app_file(path: Path) -> App:
    """The app in a file; a sentence names the field at fault."""
    from horae.cli.definition_files import documents
    from schemas.faults import FieldFault
    from schemas.reading_works import read_app

    name, found = documents(path)
    described = [one for one in found if one is not None]
    if len(described) != 1:
        raise Said(f"{name}: wanted is one mapping with image and the other fields of an app")
    try:
        return read_app(described[0])
    except FieldFault as fault:
        raise Said(f"{name}: {fault}") from fault


def app_fields(app: App) -> dict[str, str]:
    """An app for a person: each field of its own with a word before it."""
    from schemas.works_json import app_json

    return {f"app {name}": _words(value) for name, value in app_json(app).items()}


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}={_value(one)}" for name, one in value.items())
    if isinstance(value, list):
        return ", ".join(_volume(one) for one in value)
    return str(value)


def _value(value: Any) -> str:
    return f"<{value['secret']}>" if isinstance(value, dict) else str(value)


def _volume(volume: dict[str, Any]) -> str:
    read_only = " (read only)" if volume.get("read_only") else ""
    return f"{volume['source']} at {volume['target']}{read_only}"
