"""
What is a definition after a change of some of its fields?

A mask names the fields that are changed. One that it names and that is not given becomes its
default; one that is given and not named is refused, as it would be lost in silence. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from schemas.definition import Definition
from schemas.definition_json import definition_json
from schemas.faults import FieldFault
from schemas.reading import read_definition
from schemas.reading_definitions import DEFINITION_FIELDS

_NULL_IS_A_VALUE = frozenset({"gate"})
"""Here null says that there is none, whatever the preset has; elsewhere it is as if left out."""


def changed(before: Definition, mask: Sequence[str], given: Mapping[str, Any]) -> Definition:
    """The definition with these fields changed; FieldFault for what cannot be meant."""
    if not mask:
        raise FieldFault("mask", "must name at least one field")
    for i, name in enumerate(mask):
        _check_known(name, f"mask[{i}]")
    for name in given:
        _check_known(name, f"definition.{name}")
        if name not in mask:
            raise FieldFault(f"definition.{name}", "is given, but mask does not name it")
    written = definition_json(before)
    for name in mask:
        written.pop(name, None)
        if name in given and (given[name] is not None or name in _NULL_IS_A_VALUE):
            written[name] = given[name]
    try:
        return read_definition(written)
    except FieldFault as fault:
        raise type(fault)(_under(fault.field), fault.message) from fault


def _under(field: str) -> str:
    return f"definition.{field}" if field else "definition"


def _check_known(name: str, path: str) -> None:
    if name not in DEFINITION_FIELDS:
        near = get_close_matches(name, DEFINITION_FIELDS, n=1)
        hint = f"did you mean {near[0]}?" if near else "a mask names whole fields of a definition"
        raise FieldFault(path, f"there is no such field; {hint}")
