"""
What does a text with `{placeholders}` hold?

Takes it apart into literal text and placeholders; a brace that is meant is doubled. Which values
they get, and how a value is escaped where it goes, is the runner's (streams/runner/templates.py).
Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from difflib import get_close_matches
from functools import lru_cache
from typing import Final, NamedTuple

from schemas.faults import FieldFault

NAMES: Final = ("scope", "schedule", "subject", "nominal", "run", "attempt", "components")
"""What a request can be told about its run."""
FOLLOWING: Final = (*NAMES, "task")
"""What the address of a status can be told."""

_BRACE: Final = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_WHOLE: Final = re.compile(r"\{[a-z]+\}")


class Placeholder(NamedTuple):
    """A name that gives way to its value."""

    name: str


Part = str | Placeholder


@lru_cache(maxsize=1024)
def parts_of(text: str) -> tuple[Part, ...]:
    """Literal texts and placeholders in their order; ValueError for a brace that stands alone."""
    parts: list[Part] = []
    at = 0
    for brace in _BRACE.finditer(text):
        parts.append(text[at : brace.start()])
        at = brace.end()
        match brace.group():
            case "{{" | "}}" as doubled:
                parts.append(doubled[0])
            case "{" | "}" as alone:
                raise ValueError(f"a {alone} that is meant is written {alone}{alone}")
            case _:
                parts.append(Placeholder(brace.group(1)))
    parts.append(text[at:])
    return tuple(part for part in parts if part)


def placeholders(text: str) -> tuple[str, ...]:
    """The names in a template, as often as they stand there; ValueError for a lone brace."""
    return tuple(part.name for part in parts_of(text) if isinstance(part, Placeholder))


def check_template(text: str, path: str, allowed: Collection[str] = NAMES) -> str:
    """Give a template back if each placeholder in it is one of these; FieldFault if not."""
    try:
        found = placeholders(text)
    except ValueError as fault:
        raise FieldFault(path, str(fault)) from fault
    for name in found:
        if name not in allowed:
            near = get_close_matches(name, allowed, n=1)
            known = ", ".join(f"{{{one}}}" for one in allowed)
            hint = f"did you mean {{{near[0]}}}?" if near else f"there are {known}"
            shown = f"{{{name[:40]}}}"
            raise FieldFault(path, f"there is no {shown}; {hint} (a brace that is meant: {{{{)")
    return text


def json_template(data: object) -> str:
    """The template of a JSON body whose texts are templates.

    A text that is nothing but a placeholder becomes its value: `{attempt}` is a number then,
    `{components}` an object.
    """
    match data:
        case dict():
            pairs = (f"{_quoted(str(key))}:{json_template(value)}" for key, value in data.items())
            return f"{{{{{','.join(pairs)}}}}}"
        case list():
            return f"[{','.join(json_template(one) for one in data)}]"
        case str() if _WHOLE.fullmatch(data):
            return data
        case str():
            return _quoted(data)
        case _:
            return json.dumps(data, allow_nan=False)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
