"""
When does a runner say that it lives, to whom, and what?

Every ten seconds, to each partition in which it has runs, which runs these are: a run that is in no
beat for thirty seconds is given up. The first beat of a life and the one that says that the runner
leaves go to every partition. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from schemas.commands import Beat, Beating
from schemas.identity import partition_of
from schemas.units import SECOND

EVERY = 10 * SECOND


class Beats:
    """The beats of one life of a runner; times are of a monotonic clock."""

    def __init__(self, boot: int, partitions: int, slots: int, pools: tuple[str, ...]) -> None:
        self._boot = boot
        self._partitions = partitions
        self._slots = slots
        self._pools = pools
        self._last: int | None = None

    def to_all(self, held: Iterable[Beating], *, leaving: bool = False) -> Mapping[int, Beat]:
        """A beat for every partition, by its number."""
        by_partition = self._sorted_out(held)
        return {
            number: self._beat(by_partition.get(number, ()), leaving=leaving)
            for number in range(self._partitions)
        }

    def due(
        self, held: Callable[[], Iterable[Beating]], now: int, *, leaving: bool = False
    ) -> Mapping[int, Beat]:
        """The beats for where there are runs, if it is time for them."""
        if self._last is None:
            self._last = now
        if now - self._last < EVERY:
            return {}
        self._last = now
        return {
            number: self._beat(here, leaving=leaving)
            for number, here in self._sorted_out(held()).items()
        }

    def _sorted_out(self, held: Iterable[Beating]) -> dict[int, list[Beating]]:
        found: dict[int, list[Beating]] = {}
        for one in held:
            found.setdefault(partition_of(one.subject, self._partitions), []).append(one)
        return found

    def _beat(self, runs: Iterable[Beating], *, leaving: bool) -> Beat:
        return Beat(self._boot, tuple(runs), leaving, self._slots, self._pools)
