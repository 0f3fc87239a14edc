"""
Which record does this JSON ask to be written?

The topic, and key, value and headers byte for byte, as text, as JSON or as base64; and whether
somebody reports about the work that the record asks for. Each wrong value is refused by its path.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from schemas.definition import Emit
from schemas.faults import FieldFault
from schemas.fields import Fields, or_null, read_base64, read_filled, read_text
from schemas.limits import check_topic
from schemas.policies import Tracking
from schemas.reading_policies import read_tracked

_EMIT = ("topic", "key", "key_base64", "value", "value_base64", "headers", "tracked")


def emit_reader(usual: Tracking | None) -> Callable[[object, str], Emit]:
    """A reader of `{"topic": …}`; `usual` is how it is tracked if it does not say."""

    def read(data: object, path: str) -> Emit:
        fields = Fields(data, path, _EMIT)
        fields.only_one_of(("key", "key_base64"))
        fields.only_one_of(("value", "value_base64"))
        key = fields.take("key", or_null(_text_bytes), None)
        value = fields.take("value", or_null(_value_bytes), None)
        return Emit(
            topic=fields.need("topic", _topic),
            key=fields.take("key_base64", read_base64, key),
            value=fields.take("value_base64", read_base64, value),
            headers=fields.take("headers", _headers, ()),
            tracked=fields.take("tracked", read_tracked, usual),
        )

    return read


def _topic(data: object, path: str) -> str:
    return check_topic(read_text(data, path), path)


def _text_bytes(data: object, path: str) -> bytes:
    return read_text(data, path).encode()


def _value_bytes(data: object, _: str) -> bytes:
    """Text as it is, anything else as compact JSON."""
    if isinstance(data, str):
        return data.encode()
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _headers(data: object, path: str) -> tuple[tuple[str, bytes | None], ...]:
    if isinstance(data, list):  # the long form, for names that occur twice
        return tuple(_header(one, f"{path}[{i}]") for i, one in enumerate(data))
    if not isinstance(data, dict):
        raise FieldFault(path, "must be an object of names and texts")
    return tuple(
        (read_filled(name, path), _header_value(value, f"{path}.{name}"))
        for name, value in data.items()
    )


def _header(data: object, path: str) -> tuple[str, bytes | None]:
    fields = Fields(data, path, ("name", "value"))
    return fields.need("name", read_filled), fields.need("value", _header_value)


def _header_value(data: object, path: str) -> bytes | None:
    if data is None:
        return None
    if isinstance(data, dict):
        return Fields(data, path, ("base64",)).need("base64", read_base64)
    if not isinstance(data, str):
        raise FieldFault(path, 'must be a text, null or {"base64": …}')
    return data.encode()
