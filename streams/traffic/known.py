"""
Which minutes of a partition are known, and which of them does the log not show as they are?

Every record of a minute that was read back, the worker's own and others', and every sample since.
A minute holds the union of all; what its last record in the log lacks is owed. Pure: bytes are
written.py, samples come from worker.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from schemas.traffic import Sample, TrafficMinute
from schemas.units import HOUR, MINUTE
from streams.traffic.minutes import MOST_SAMPLES, merged, minute_at, minute_of

LATEST = HOUR
"""A sample may be that much older than its record."""
EARLIEST = MINUTE
"""And so much younger: the clock of whoever looked may be ahead of the broker's."""
MARGIN = 10 * MINUTE
"""For the difference between two clocks, and for what was still under way."""
KEPT = LATEST + MARGIN


class Name(NamedTuple):
    """What a minute is called."""

    subject: str
    minute: int


class Record(NamedTuple):
    """One record of a minute, as it lies in the log."""

    offset: int
    name: Name
    samples: tuple[Sample, ...]


@dataclass(slots=True)
class _Minute:
    """What is known of a minute, and what its last record says."""

    samples: tuple[Sample, ...] = ()
    told: tuple[Sample, ...] = ()
    told_at: int = -1
    """The offset of that record."""


@dataclass(slots=True)
class Known:
    """The minutes of one partition."""

    since: int
    """Of minutes that began before, not all is known."""
    end: int = 0
    """The log is known up to here."""
    _minutes: dict[Name, _Minute] = field(default_factory=dict)
    _owed: dict[Name, None] = field(default_factory=dict)

    def see(self, subject: str, sample: Sample) -> bool:
        """Take a sample in; False: its minute has as many as it may have."""
        name = Name(subject, minute_at(sample.sampled_at))
        minute = self._minute(name)
        if len(minute.samples) >= MOST_SAMPLES and sample not in minute.samples:
            return False
        self._join(name, minute, (sample,))
        return True

    def read(self, records: Iterable[Record]) -> None:
        """Take in what the log says; records that were written by whoever."""
        for record in records:
            minute = self._minute(record.name)
            if record.offset > minute.told_at:
                minute.told, minute.told_at = record.samples, record.offset
            self._join(record.name, minute, record.samples)
            self.end = max(self.end, record.offset + 1)

    def owed(self) -> dict[Name, TrafficMinute]:
        """The minutes whose last record does not say all that is known."""
        return {name: minute_of(self._minutes[name].samples) for name in self._owed}

    def strange(self, records: Iterable[Record]) -> set[Name]:
        """Those of these minutes of which nothing is known any more."""
        return {
            record.name
            for record in records
            if record.name.minute < self.since and record.name not in self._minutes
        }

    def wrote(self, offsets: Mapping[Name, int], told: Mapping[Name, TrafficMinute]) -> list[range]:
        """Note where own records lie; the offsets between them, which are somebody else's."""
        gaps = []
        for name, offset in sorted(offsets.items(), key=lambda each: each[1]):
            if offset > self.end:
                gaps.append(range(self.end, offset))
            self.read([Record(offset, name, told[name].samples)])
        return gaps

    def serves(self, appended_at: int) -> bool:
        """Whether all is known to which a sample can belong that the broker got then."""
        return appended_at - KEPT >= self.since

    def forget(self, appended_at: int) -> None:
        """Let go of minutes to which nothing can come any more; a broker's time."""
        since = appended_at - KEPT
        if since < self.since + MINUTE:  # not worth looking at all of them
            return
        self.since = since
        for name in [name for name in self._minutes if name.minute < since]:
            if name not in self._owed:
                del self._minutes[name]

    def _minute(self, name: Name) -> _Minute:
        return self._minutes.setdefault(name, _Minute())

    def _join(self, name: Name, minute: _Minute, samples: Iterable[Sample]) -> None:
        minute.samples = merged(minute.samples, samples)
        if minute.samples == minute.told:
            self._owed.pop(name, None)
        else:
            self._owed[name] = None


def misdated(sample: Sample, appended_at: int) -> str | None:
    """Why a sample is left out, `late` or `early`; by the time at which the broker got it."""
    if appended_at - sample.sampled_at > LATEST:
        return "late"
    if sample.sampled_at - appended_at > EARLIEST:
        return "early"
    return None
