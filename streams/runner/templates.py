"""
What does a request say about its run?

Puts the values of an order into the templates of its action, each escaped for where it goes:
percent signs in a url, JSON inside of JSON. What a template is made of is schemas/templates.py.
Pure.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from urllib.parse import quote

from schemas.identity import subject_of
from schemas.instants import format_instant
from schemas.orders import Order
from schemas.policies import Filter
from schemas.templates import Placeholder, parts_of
from streams.runner.faults import Misfit

Value = str | int | dict[str, list[str]] | None
Values = Mapping[str, Value]
Escape = Callable[[str], str]


def values_of(order: Order, components: Filter | None) -> dict[str, Value]:
    """What the placeholders of an order's templates stand for."""
    return {
        "scope": order.scope,
        "schedule": order.schedule,
        "subject": subject_of(order.schedule),
        "nominal": format_instant(order.nominal),
        "run": order.run,
        "attempt": order.attempt,
        "components": components_value(components),
    }


def components_value(filter_: Filter | None) -> dict[str, list[str]] | None:
    """Some components as JSON data, as in the header of an emitted record; None: all."""
    return None if filter_ is None else {str(filter_.kind.value): list(filter_.values)}


def fill_url(template: str, values: Values) -> str:
    """A url; no value adds a part to its path, a parameter, or a host of its own."""
    return _fill(template, values, lambda text: quote(text, safe=""))


def fill_text(template: str, values: Values) -> str:
    """Plain text, with the values as they are."""
    return _fill(template, values, lambda text: text)


def fill_json(template: str, values: Values) -> str:
    """A JSON text; Misfit if it is none.

    Inside of a JSON string a value is a part of it; elsewhere it is a value of its own kind.
    """
    filled: list[str] = []
    inside = False
    for part in _parts(template):
        if isinstance(part, Placeholder):
            value = _value(part, values)
            filled.append(json_text(_text(value))[1:-1] if inside else json_text(value))
        else:
            filled.append(part)
            inside = _ends_inside(part, inside=inside)
    text = "".join(filled)
    try:
        json.loads(text)
    except ValueError as fault:
        raise Misfit(f"the body is no JSON: {fault}") from fault
    return text


def json_text(value: object) -> str:
    """JSON data as compact text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _fill(template: str, values: Values, escape: Escape) -> str:
    return "".join(
        escape(_text(_value(part, values))) if isinstance(part, Placeholder) else part
        for part in _parts(template)
    )


def _parts(template: str) -> tuple[str | Placeholder, ...]:
    try:
        return parts_of(template)
    except ValueError as fault:
        raise Misfit(f"a template of the action cannot be read: {fault}") from fault


def _value(part: Placeholder, values: Values) -> Value:
    try:
        return values[part.name]
    except KeyError:
        raise Misfit(f"a template of the action names {{{part.name}}}, which is nothing") from None


def _text(value: Value) -> str:
    """A value where only text can stand."""
    match value:
        case None:
            return ""
        case str():
            return value
        case _:
            return json_text(value)


def _ends_inside(text: str, *, inside: bool) -> bool:
    """Whether a JSON string is open after a piece of JSON text."""
    escaped = False
    for char in text:
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = inside
        elif char == '"':
            inside = not inside
    return inside
