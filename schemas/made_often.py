"""
How is a record made that is made for every decision?

A frozen dataclass sets each of its fields through a check that refuses everybody else, which takes
most of the time of making one. `made_often` lets it be made and read as fast as a class that is not
frozen. That nobody changes it is then watched by mypy alone, to which it is as frozen as before.
"""

from __future__ import annotations

from dataclasses import Field, field, fields, make_dataclass
from typing import Any, TypeVar

T = TypeVar("T")


def made_often(cls: type[T]) -> type[T]:
    """Stands above `@dataclass(frozen=True, slots=True)`; all else stays as that makes it."""
    open_one = make_dataclass(cls.__name__, [_as_declared(each) for each in fields(cls)])  # type: ignore[arg-type]
    setattr(cls, "__init__", vars(open_one)["__init__"])  # noqa: B010 - mypy would not have it
    for name in ("__setattr__", "__delattr__"):
        setattr(cls, name, getattr(object, name))
    return cls


def _as_declared(each: Field[Any]) -> tuple[str, type, Any]:
    return (
        each.name,
        object,
        field(default=each.default, default_factory=each.default_factory, kw_only=each.kw_only),
    )
