"""
How is one field of a JSON object taken, or refused by its name?

`Fields` is an object that knows its path; each `take_…` gives a value of one kind and says what is
allowed when it is something else. Which fields there are is reading.py.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as Base64Fault
from collections.abc import Callable, Collection
from difflib import get_close_matches
from enum import StrEnum
from typing import TypeVar

from schemas.durations import Duration, parse_duration, parse_elapsed
from schemas.faults import FieldFault
from schemas.instants import parse_instant

Symbol = TypeVar("Symbol", bound=StrEnum)
Made = TypeVar("Made")
_FINER_THAN_MICROSECONDS = re.compile(r"(\.[0-9]{6})[0-9]+")
_ALIKE = 0.65
"""From there on a word is taken for another one misspelt; `request` is no `preset`."""
_NO_TIME = re.compile(r"(?:P|PT)?0+(?:ms|[smhdw])", re.IGNORECASE)


class Fields:
    """The fields of one JSON object, none of which is unknown."""

    def __init__(self, data: object, path: str, allowed: Collection[str]) -> None:
        if not isinstance(data, dict):
            raise FieldFault(path, f"must be an object with {', '.join(allowed)}")
        self.path = path
        self._data: dict[str, object] = data
        for name in data:
            if name not in allowed:
                near = get_close_matches(str(name), allowed, n=1, cutoff=_ALIKE)
                hint = f"did you mean {near[0]}?" if near else f"allowed: {', '.join(allowed)}"
                raise FieldFault(self.path_of(str(name)), f"there is no such field; {hint}")

    def __contains__(self, name: str) -> bool:
        return name in self._data

    def path_of(self, name: str) -> str:
        """The path of a field."""
        return f"{self.path}.{name}" if self.path else name

    def take(self, name: str, read: Callable[[object, str], Made], default: Made) -> Made:
        """A field by its reader; the default if it is missing."""
        if name not in self._data:
            return default
        return read(self._data[name], self.path_of(name))

    def need(self, name: str, read: Callable[[object, str], Made]) -> Made:
        """A field that must be there."""
        if name not in self._data:
            raise FieldFault(self.path_of(name), "is missing")
        return read(self._data[name], self.path_of(name))

    def only_one_of(self, names: Collection[str], *, needed: bool = False) -> str | None:
        """The name of the one field of these that is there."""
        found = [name for name in names if name in self._data]
        if len(found) > 1:
            raise FieldFault(self.path_of(found[1]), f"not together with {found[0]}")
        if needed and not found:
            raise FieldFault(self.path, f"needs one of {', '.join(names)}")
        return found[0] if found else None


def read_text(data: object, path: str) -> str:
    """Any text."""
    if not isinstance(data, str):
        raise FieldFault(path, f"must be a text, not {kind_of(data)}")
    return data


def read_filled(data: object, path: str) -> str:
    """A text that is not empty."""
    text = read_text(data, path)
    if not text.strip():
        raise FieldFault(path, "must not be empty")
    return text


def read_whole(data: object, path: str) -> int:
    """A whole number, which a truth value is not."""
    if not isinstance(data, int) or isinstance(data, bool):
        found = data if isinstance(data, float) else kind_of(data)
        raise FieldFault(path, f"must be a whole number, not {found}")
    return data


def read_count(data: object, path: str) -> int:
    """A whole number of at least 1."""
    count = read_whole(data, path)
    if count < 1:
        raise FieldFault(path, f"must be at least 1, not {count}")
    return count


def read_truth(data: object, path: str) -> bool:
    """True or false."""
    if not isinstance(data, bool):
        raise FieldFault(path, f"must be true or false, not {shown(data)}")
    return data


def symbol_reader(symbols: type[Symbol]) -> Callable[[object, str], Symbol]:
    """A reader of one of these words."""

    def read(data: object, path: str) -> Symbol:
        for symbol in symbols:
            if data == symbol.value:
                return symbol
        allowed = ", ".join(symbol.value for symbol in symbols)
        raise FieldFault(path, f"must be one of {allowed}, not {shown(data)}")

    return read


def read_instant(data: object, path: str) -> int:
    """An instant; a fraction finer than a microsecond is cut, never rounded into the next day."""
    if isinstance(data, str):
        data = _FINER_THAN_MICROSECONDS.sub(r"\1", data)
    return read_exact_instant(data, path)


def read_exact_instant(data: object, path: str) -> int:
    """An instant as it is written."""
    if isinstance(data, bool) or not isinstance(data, str | int | float):
        raise FieldFault(path, f"must be an instant like 2026-11-29T02:30:00Z, not {kind_of(data)}")
    try:
        return parse_instant(
            data if isinstance(data, str) else f"{data:.6f}".rstrip("0").rstrip(".")
        )
    except ValueError as fault:
        raise FieldFault(path, str(fault)) from fault


def read_duration(data: object, path: str) -> Duration:
    """Months, days and microseconds."""
    if not isinstance(data, str):
        raise FieldFault(path, f"must be a duration like 6h or PT6H, not {kind_of(data)}")
    try:
        return parse_duration(data)
    except ValueError as fault:
        raise FieldFault(path, str(fault)) from fault


def read_elapsed(data: object, path: str) -> int:
    """A duration in microseconds, which may be zero; a day is 24 hours of it."""
    if isinstance(data, str) and _NO_TIME.fullmatch(data):
        return 0
    if not isinstance(data, str):
        raise FieldFault(path, f"must be a duration like 6h or PT6H, not {kind_of(data)}")
    try:
        return parse_elapsed(data)
    except ValueError as fault:
        raise FieldFault(path, str(fault)) from fault


def read_base64(data: object, path: str) -> bytes:
    """Bytes, written as base64."""
    text = read_text(data, path)
    try:
        return b64decode(text, validate=True)
    except (Base64Fault, ValueError) as fault:
        raise FieldFault(path, f"is no base64: {fault}") from fault


def read_list(data: object, path: str, read: Callable[[object, str], Made]) -> list[Made]:
    """A list with at least one entry."""
    if not isinstance(data, list) or not data:
        raise FieldFault(path, f"must be a list with at least one entry, not {shown(data)}")
    return [read(one, f"{path}[{i}]") for i, one in enumerate(data)]


def or_null(read: Callable[[object, str], Made]) -> Callable[[object, str], Made | None]:
    """The same reader, which also takes null."""
    return lambda data, path: None if data is None else read(data, path)


def kind_of(data: object) -> str:
    """What JSON calls a value of this kind."""
    kinds = {bool: "a truth value", dict: "an object", list: "a list", str: "a text"}
    return "null" if data is None else kinds.get(type(data), "a number")


def shown(data: object) -> str:
    """A value for a person, at most a few words of it."""
    return repr(data)[:60] if isinstance(data, str) and data else kind_of(data)
