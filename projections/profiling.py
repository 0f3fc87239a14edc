"""
Which profiles are to be computed anew, and how do they get into their table?

Those of registered deployments whose traffic has changed, at most so often; those whose zone has
changed; and each once a day, so that what is older than 30 days leaves. In slices of bounded time,
each a transaction of its own, so that no batch waits for long. What a profile is says profiles.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import zip_longest
from time import monotonic
from typing import Any

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.pq import Format
from typing_extensions import override

from projections.encoding import (
    FILE_END,
    FILE_HEADER,
    bigint,
    field_count,
    instant,
    text,
)
from projections.profiles import Hour, Owner, profile_of
from projections.statements import statement
from projections.traffic import MINUTES, kinds_in, rates_in
from schemas.profiles import Profile
from schemas.units import SECOND

_AT_ONCE = 20
"""Most profiles of one slice."""
_COLUMNS = field_count(11)
_DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Pace:
    """How often profiles are computed, and how much of that at once."""

    every_seconds: int = 900
    """A subject whose traffic changes all the time has a new profile so often."""
    slice_seconds: float = 0.2


@dataclass(frozen=True, slots=True)
class Profiled:
    """What one slice came to."""

    subjects: int
    left: bool
    """There may be more that is due; the next slice should follow soon."""


class Profiler:
    """Computes the profiles of the version that a session writes."""

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        pace: Pace,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """`clock` measures how long a slice takes."""
        self._connection = connection
        self._pace = pace
        self._clock = clock

    def compute(self) -> Profiled:
        """Compute one slice of what is due, in the caller's transaction; one profile at least."""
        until = self._clock() + self._pace.slice_seconds
        asked = {"every": self._pace.every_seconds, "daily": _DAY_SECONDS, "most": _AT_ONCE}
        rows = self._connection.execute(statement("due_profiles"), asked).fetchall()
        due = [Owner(*owner) for *owner, _ in rows]
        now = int(rows[0][-1]) if rows else 0
        found = list(self._profiles(due, now, until))
        if found:
            self._store(found, now)
        return Profiled(len(found), left=len(found) < len(due) or len(due) == _AT_ONCE)

    def _profiles(self, due: list[Owner], now: int, until: float) -> Iterator[Profile]:
        """As many as there is time for; while one is computed the database reads for the next."""
        with ThreadPoolExecutor(1, "horae-projector-profiles") as hand:
            reading: Future[list[Hour]] | None = None
            for owner, following in zip_longest(due, due[1:]):
                hours = (reading or hand.submit(self._read, owner.subject, now)).result()
                is_late = self._clock() >= until
                if following is not None and not is_late:
                    reading = hand.submit(self._read, following.subject, now)
                yield profile_of(hours, owner, now)
                if is_late:
                    return

    def _read(self, subject: str, now: int) -> list[Hour]:
        with self._connection.cursor(binary=True) as cursor:
            for kind in ("int2", "int4"):
                cursor.adapters.register_loader(cursor.adapters.types[kind].array_oid, _AsSent)
            asked = {"subject": subject, "now": now}
            row = cursor.execute(statement("hours_of_profile"), asked).fetchone()
        return list(_hours(*(row or (None, b"", b""))))

    def _store(self, found: list[Profile], now: int) -> None:
        cursor = self._connection.cursor()
        asked = {
            "subjects": [one.subject for one in found],
            "zones": [one.zone for one in found],
        }
        cursor.execute(statement("clear_profiles"), asked)
        with cursor.copy(statement("copy_profiles")) as copy:
            rows = (row for one in found for row in _rows(one, now))
            copy.write(b"".join((FILE_HEADER, *rows, FILE_END)))
        cursor.execute(statement("profiles_as_of_now"), asked)


def _hours(begins: list[int] | None, kinds: bytes, rates: bytes) -> Iterable[Hour]:
    if begins is None:
        return
    all_kinds, all_rates = kinds_in(kinds), rates_in(rates)
    for place, begin in enumerate(begins):
        minutes = slice(place * MINUTES, (place + 1) * MINUTES)
        yield Hour(begin, all_kinds[minutes], all_rates[minutes])


def _rows(profile: Profile, now: int) -> list[bytes]:
    """Its rows of `traffic_profiles`."""
    of_all = (text(profile.subject), text(profile.zone), bigint(profile.days))
    head = b"".join((_COLUMNS, *of_all, instant(now * SECOND)))
    return [b"".join((head, *map(bigint, hour))) for hour in profile.hours]


class _AsSent(Loader):
    """An array as the database sends it: a list of sixty numbers takes longer than all the rest."""

    format = Format.BINARY

    @override
    def load(self, data: Buffer) -> bytes:
        return bytes(data)
