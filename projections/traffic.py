"""
What do the minutes of traffic in a batch come to?

Sixty minutes of a subject are one row of `traffic_hours`: thousands of deployments have millions of
minutes. Those of a batch are put together here, and element by element over what the table knows
(sql/traffic_merges.sql): of one minute the record that saw more samples counts.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from struct import Struct
from sys import byteorder

from projections.encoding import FILE_END, FILE_HEADER, field_count, instant, text
from projections.faults import BadRecord
from schemas.instants import format_instant
from schemas.traffic import MinuteKind, TrafficMinute
from schemas.units import HOUR, MINUTE

MINUTES = 60
UNSEEN, UNKNOWN, IDLE, ACTIVE = range(4)
"""What a minute can be in `kinds`."""
NO_RATE = -1
KINDS = {
    MinuteKind.UNKNOWN: UNKNOWN,
    MinuteKind.IDLE: IDLE,
    MinuteKind.ACTIVE: ACTIVE,
}
_MOST_SAMPLES = (1 << 15) - 1
_HIGHEST_RATE = (1 << 31) - 1
"""Two million requests a minute; more than that is shown as that."""

_SMALLINT, _INT = 21, 23
"""What the database calls the types of the elements."""
_COLUMNS = field_count(5)
_array_head = Struct("!iiiiii").pack
_SMALLINTS = _array_head(20 + 6 * MINUTES, 1, 0, _SMALLINT, MINUTES, 1)
_INTS = _array_head(20 + 8 * MINUTES, 1, 0, _INT, MINUTES, 1)
_SENT_HEAD = 28
"""Bytes before the first element of an array of arrays."""
_TWO = b"\0\0\0\2\0\0" * MINUTES
_FOUR = b"\0\0\0\4\0\0\0\0" * MINUTES


@dataclass(slots=True)
class HourDraft:
    """What a batch says of an hour of UTC."""

    kinds: bytearray = field(default_factory=lambda: bytearray(MINUTES))
    rates: array[int] = field(default_factory=lambda: array("i", [NO_RATE]) * MINUTES)
    samples: array[int] = field(default_factory=lambda: array("h", bytes(2 * MINUTES)))

    def put(self, place: int, kind: int, rate: int, samples: int) -> None:
        """A minute, unless more is known of it."""
        if self.kinds[place] == UNSEEN or samples >= self.samples[place]:
            self.kinds[place], self.rates[place], self.samples[place] = kind, rate, samples


@dataclass(slots=True)
class HourDrafts:
    """The hours of a batch, by subject and beginning."""

    drafts: dict[tuple[str, int], HourDraft] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.drafts)

    def file(self) -> bytes:
        """All of them as one binary COPY."""
        rows = (hour_row(*key, draft) for key, draft in self.drafts.items())
        return b"".join((FILE_HEADER, *rows, FILE_END))


def minute(name: str, said: TrafficMinute, hours: HourDrafts) -> None:
    """A minute was rolled up, or once more with more samples."""
    subject, _, begins = name.rpartition("|")
    if not subject or said.minute % MINUTE or begins != format_instant(said.minute):
        raise BadRecord(f"{name!a} does not name the minute {said.minute} of a subject")
    if said.rate is not None and said.rate < 0:
        raise BadRecord(f"a rate of {said.rate}")
    begin = said.minute // HOUR * HOUR
    draft = hours.drafts.get((subject, begin))
    if draft is None:
        draft = hours.drafts[subject, begin] = HourDraft()
    rate = NO_RATE if said.rate is None else min(said.rate, _HIGHEST_RATE)
    samples = min(len(said.samples), _MOST_SAMPLES)
    draft.put((said.minute - begin) // MINUTE, KINDS[said.kind], rate, samples)


def hour_row(subject: str, begin: int, draft: HourDraft) -> bytes:
    """A row of `staged_traffic_hours`."""
    return b"".join(
        (
            _COLUMNS,
            text(subject),
            instant(begin),
            _SMALLINTS,
            _spread(_TWO, 5, 6, bytes(draft.kinds)),
            _INTS,
            _spread(_FOUR, 4, 8, *_columns_of(draft.rates)),
            _SMALLINTS,
            _spread(_TWO, 4, 6, *_columns_of(draft.samples)),
        )
    )


def _spread(empty: bytes, first: int, stride: int, *columns: bytes) -> bytes:
    """Elements with their lengths before them, from the columns of their bytes."""
    data = bytearray(empty)
    for place, column in enumerate(columns, first):
        data[place::stride] = column
    return bytes(data)


def _columns_of(numbers: array[int]) -> list[bytes]:
    """The first byte of each number, then the second of each, the most significant one first."""
    data, size = numbers.tobytes(), numbers.itemsize
    order = range(size) if byteorder == "big" else reversed(range(size))
    return [data[place::size] for place in order]


def kinds_in(data: bytes) -> bytes:
    """The kinds of some hours, from a `smallint[][]` as the database sends it."""
    return data[_SENT_HEAD + 5 :: 6]


def rates_in(data: bytes) -> array[int]:
    """The rates of some hours, from an `int[][]` as the database sends it."""
    rates = array("i", data[_SENT_HEAD:])[1::2]
    if byteorder == "little":
        rates.byteswap()
    return rates
