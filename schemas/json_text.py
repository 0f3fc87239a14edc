"""
How does a JSON text become plain data without harm?

Before the parser recurses the depth is counted; what JSON libraries let pass (doubled keys, NaN,
numbers of any length, escapes that make NUL or half a character) is found with the path to it.
What the data mean is reading.py.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import dataclass

from schemas.faults import FieldFault, Unreadable

MAX_DEPTH = 64
_TOO_DEEP = f"nested more than {MAX_DEPTH} deep"
_TOO_LARGE = "a whole number has 64 bits at most"
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_BRACKET = re.compile(rb"[][{}]")
_UNSAFE = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class _Misfit:
    """Stands where the text held something that is not allowed, until its path is known."""

    message: str


def parse_json(text: bytes) -> object:
    """The data; Unreadable if it is no JSON, FieldFault for what is not allowed in it."""
    _check_depth(text)
    try:
        data: object = json.loads(
            text.decode(),
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_int=_integer,
            parse_float=_fraction,
        )
    except UnicodeDecodeError as fault:
        raise Unreadable(f"the JSON is not UTF-8: {fault}") from fault
    except json.JSONDecodeError as fault:
        raise Unreadable(f"no JSON: {fault}") from fault
    check_data(data)
    return data


def check_data(data: object, path: str = "", depth: int = 0) -> None:
    """Refuse, by its path, what JSON may say but no store of ours could keep."""
    if depth >= MAX_DEPTH and isinstance(data, dict | list):
        raise FieldFault("", _TOO_DEEP)
    if isinstance(data, dict):
        for key, value in data.items():
            if not isinstance(key, str):
                raise FieldFault(path, f"the key {key!r} is not text")
            check_text(key, path)
            check_data(value, f"{path}.{key}" if path else key, depth + 1)
    elif isinstance(data, list):
        for i, value in enumerate(data):
            check_data(value, f"{path}[{i}]", depth + 1)
    else:
        _check_single(data, path)


def check_text(text: str, path: str) -> str:
    """Give a text back if every store can keep it."""
    found = _UNSAFE.search(text)
    if found:
        what = "a NUL character" if found.group() == "\0" else "half a surrogate pair"
        raise FieldFault(path, f"{what} is not allowed in a text")
    return text


def _check_single(data: object, path: str) -> None:
    if isinstance(data, str):
        check_text(data, path)
    elif isinstance(data, _Misfit):
        raise FieldFault(path, data.message)
    elif isinstance(data, float):
        if not math.isfinite(data):
            raise FieldFault(path, f"{data} is not allowed in a number")
    elif isinstance(data, int):
        if not -(1 << 63) <= data < 1 << 63:
            raise FieldFault(path, _TOO_LARGE)
    elif data is not None:
        raise FieldFault(path, f"{type(data).__name__} is nothing that JSON has")


def _check_depth(text: bytes) -> None:
    if text.count(b"[") + text.count(b"{") <= MAX_DEPTH:
        return
    depth = 0
    for bracket in _BRACKET.finditer(_STRING.sub(b"", text)):
        depth += 1 if bracket.group() in b"[{" else -1
        if depth > MAX_DEPTH:
            raise FieldFault("", _TOO_DEEP)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        times = Counter(name for name, _ in pairs)
        found |= {name: _Misfit("given twice") for name, many in times.items() if many > 1}
    return found


def _constant(name: str) -> _Misfit:
    return _Misfit(f"{name} is not allowed in a number")


def _integer(text: str) -> int | _Misfit:
    # twenty characters hold every 64-bit number; longer ones are not worth the work of parsing
    return int(text) if len(text) <= 20 else _Misfit(_TOO_LARGE)


def _fraction(text: str) -> float | _Misfit:
    value = float(text)
    return value if math.isfinite(value) else _Misfit("a number is too large")
