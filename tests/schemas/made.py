"""
Any message there can be, made up, and the same as plain data for fastavro.

Strategies are derived from the dataclasses, so that a new field is tested without being named here.
"""

from __future__ import annotations

import types
import typing
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Any

from hypothesis import strategies as st

from schemas.codec import Message
from schemas.definition import Emit
from schemas.events import Event, Stamp
from schemas.snapshot import Cursor, WallTime

INT = st.integers(-(1 << 31), (1 << 31) - 1)
LONG = st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(1_600_000_000_000_000, 1 << 52)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_INT_FIELDS = {"partition", "second_pass", "dates"}
_UNIONS = {"timings", "work", "driver"}
"""Fields that hold one of several records."""

MESSAGES = [cls for cls in typing.get_args(Message) if cls is not Cursor]
EVENTS = list(typing.get_args(Event))


def field_names(cls: type) -> list[str]:
    return (
        [field.name for field in fields(cls)]
        if is_dataclass(cls)
        else list(getattr(cls, "_fields", ()))
    )


@cache
def made(hint: Any, name: str = "") -> st.SearchStrategy[Any]:
    """Any value of the annotated type."""
    simple: dict[Any, st.SearchStrategy[Any]] = {
        int: INT if name in _INT_FIELDS else LONG,
        str: TEXT,
        bytes: st.binary(max_size=20),
        bool: st.booleans(),
        type(None): st.none(),
    }
    if hint in simple:
        return simple[hint]
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return st.one_of(*(made(argument, name) for argument in arguments))
    if typing.get_origin(hint) is tuple:
        if arguments[-1] is Ellipsis:
            return st.lists(made(arguments[0], name), max_size=3).map(tuple)
        return st.tuples(*(made(argument) for argument in arguments))
    if issubclass(hint, StrEnum):
        return st.sampled_from(list(hint))
    hints = typing.get_type_hints(hint)
    return st.builds(hint, **{name: made(hints[name], name) for name in field_names(hint)})


messages = st.one_of(*(made(cls) for cls in MESSAGES))
stamps = made(Stamp)
cursors = st.builds(
    Cursor,
    mark=LONG,
    wall=LONG,
    nominal=LONG,
    due=LONG,
    deferred_at=LONG,
    fires=st.integers(0, (1 << 32) - 1),
    deferrals=st.integers(0, (1 << 16) - 1),
    zone_data=st.integers(0, (1 << 16) - 1),
    second_pass=st.integers(0, 255),
    waiting=st.none() | st.builds(WallTime, LONG, INT),
)


def plain(value: Any, *, branch: bool = False) -> Any:
    """The value as fastavro wants it; `branch` names the record, where a union has several."""
    if isinstance(value, StrEnum):
        return value.value
    names = field_names(type(value))
    if names:
        record = {name: plain(getattr(value, name), branch=name in _UNIONS) for name in names}
        if isinstance(value, Emit):
            record["headers"] = [{"name": n, "value": v} for n, v in value.headers]
        return (f"horae.{type(value).__name__}", record) if branch else record
    if isinstance(value, tuple):
        return [plain(one, branch=branch) for one in value]
    return value
