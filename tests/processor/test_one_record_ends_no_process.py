"""
Can one record that nobody foresaw end a process, or hold up its partition for ever?

It is parked with the reason, and the others go on. What cannot be read for a reason that is known
is test_intake.py.
"""

from __future__ import annotations

import pytest

from schemas.commands import Asked
from streams.processor.inbox import _record
from streams.processor.intake import Spoiled, take_in

NOT_UTF_8 = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")


class Odd:
    """A record as the client gives it, whose headers perhaps it cannot give."""

    def __init__(self, fault: Exception | None) -> None:
        self.fault = fault

    def partition(self) -> int:
        return 0

    def offset(self) -> int:
        return 7

    def timestamp(self) -> tuple[int, int]:
        return 1, 5

    def key(self) -> bytes:
        return b"shop/a"

    def value(self) -> None:
        return None

    def headers(self) -> None:
        if self.fault is not None:
            raise self.fault


@pytest.mark.parametrize("fault", [NOT_UTF_8, SystemError("returned with an exception set")])
def test_a_header_whose_name_is_no_text_spoils_its_record(fault: Exception) -> None:
    found = take_in(_record(Odd(fault)), 1, 0)

    assert isinstance(found, Spoiled)
    assert "header" in found.error
    kept = found.rejected(9)
    assert (kept.offset, kept.key, kept.appended_at) == (7, b"shop/a", 5_000)


def test_one_without_headers_is_a_command() -> None:
    assert isinstance(take_in(_record(Odd(None)), 1, 0), Asked)
