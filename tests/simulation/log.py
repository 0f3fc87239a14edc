"""
What would a broker do?

An in-memory Kafka, as far as Horae's promises rest on it: partitions whose offsets transactions,
their markers and compaction share, transactional producers with epochs, offsets that commit with a
transaction. What a client sees of it is clients.py, who owns which partition is group.py.
test_log_contract.py asks a real broker the same questions.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from confluent_kafka import KafkaError

from tests.simulation.group import Group

Header = tuple[str, bytes | None]
Place = tuple[str, int]
SECOND = 1_000_000
TRANSACTION_TIMEOUT = 10 * SECOND


class Refused(Exception):
    """The broker said no, with a code of Kafka's."""

    def __init__(self, code: int, detail: str) -> None:
        super().__init__(detail)
        self.code = code


class Entry(NamedTuple):
    """One record, or the marker of a transaction's end."""

    offset: int
    at: int
    """When it was appended, by the broker's clock, milliseconds."""
    key: bytes | None
    value: bytes | None
    headers: Sequence[Header]
    transaction: int | None
    is_marker: bool = False


@dataclass(slots=True)
class Lane:
    """One partition of a topic."""

    entries: list[Entry] = field(default_factory=list)
    end: int = 0
    begin: int = 0
    open: dict[int, int] = field(default_factory=dict)
    """Transactions that are under way here, and the first offset of each."""

    @property
    def stable_end(self) -> int:
        """Up to here a reader of committed records may read."""
        return min(self.open.values(), default=self.end)

    def find(self, offset: int) -> int:
        """The index of the first entry that is not before an offset."""
        if len(self.entries) == self.end - self.begin:
            return max(0, offset - self.begin)
        return bisect_left(self.entries, offset, key=lambda entry: entry.offset)


@dataclass(slots=True)
class Producing:
    """What the coordinator knows of a transactional id."""

    epoch: int = 0
    transaction: int | None = None
    since: int = 0
    lanes: dict[Place, Lane] = field(default_factory=dict)
    offsets: dict[int, int] = field(default_factory=dict)
    """Of the inbox, to be committed with the transaction."""


class Log:
    """All topics, all producers, one group."""

    def __init__(self, now: Callable[[], int], inbox: str, partitions: int) -> None:
        self.now = now
        """The broker's clock, microseconds."""
        self.inbox = inbox
        self.topics: dict[str, dict[str, str]] = {}
        """Their settings."""
        self.group = Group(partitions)
        self.committed: dict[int, int] = {}
        """The group's offsets."""
        self.strike: Callable[[Any, str], None] = lambda _client, _step: None
        """Called before each step of a transaction, by the client that is about to do it."""
        self.late: list[tuple[str, int]] = []
        """Whose request to commit was sent twice: the copy arrives after some record, and ends
        whatever is open under that epoch then."""
        self._lanes: dict[Place, Lane] = {}
        self._producing: dict[str, Producing] = {}
        self.gone: list[tuple[str, int, Lane]] = []
        """Partitions of topics that were deleted."""
        self._transactions = 0
        self.aborted: set[int] = set()

    # ------------------------------------------------------------------ topics

    def create(
        self, topic: str, partitions: int, settings: Mapping[str, str] | None = None
    ) -> None:
        """A topic, empty."""
        self.topics[topic] = {"max.message.bytes": "1000000", "cleanup.policy": "delete"}
        self.topics[topic] |= settings or {}
        for number in range(partitions):
            self._lanes.setdefault((topic, number), Lane())

    def forget(self, topic: str) -> None:
        """A topic is deleted; what was in it is kept for whoever counts."""
        del self.topics[topic]
        for number in self.partitions(topic):
            self.gone.append((topic, number, self._lanes.pop((topic, number))))

    def partitions(self, topic: str) -> list[int]:
        """The numbers of a topic's partitions."""
        return [number for name, number in self._lanes if name == topic]

    def lane(self, topic: str, partition: int) -> Lane:
        """One partition of a topic that there is."""
        return self._lanes[topic, partition]

    # ------------------------------------------------------------------ transactions

    def init(self, id_: str) -> int:
        """A new epoch of a transactional id: what was open is aborted, and who had it fenced."""
        producing = self._producing.setdefault(id_, Producing(-1))
        self._end(producing, commit=False)
        producing.epoch += 1
        return producing.epoch

    def append(
        self,
        place: Place,
        key: bytes | None,
        value: bytes | None,
        headers: Sequence[Header] = (),
        by: tuple[str, int] | None = None,
    ) -> Entry:
        """A record, in the transaction of (id, epoch) if it is given."""
        lane = self._lanes.get(place)
        if lane is None:
            raise Refused(KafkaError.UNKNOWN_TOPIC_OR_PART, f"{place[0]} is not there")
        number = None
        if by is not None:
            producing = self._current(by)
            self._begin(producing)
            number = producing.transaction
            assert number is not None
            producing.lanes[place] = lane
            lane.open.setdefault(number, lane.end)
        entry = self._put(lane, key, value, headers, number)
        if by in self.late:
            self._end_late(by)
        return entry

    def send_offsets(
        self, by: tuple[str, int], offsets: Mapping[int, int], generation: int, member: str
    ) -> None:
        """Offsets of the group that the transaction commits; refused from whoever left it."""
        producing = self._current(by)
        if generation >= 0 or member:  # else it is not fenced at all
            code = self.group.objection(generation, member)
            if code is not None:
                raise Refused(code, f"generation {generation} of {member} is over")
        self._begin(producing)
        producing.offsets |= offsets

    def end(self, by: tuple[str, int], *, commit: bool) -> None:
        """End the open transaction."""
        self._end(self._current(by), commit=commit)

    def expire(self) -> None:
        """Abort what was left open for too long; whoever had it is fenced."""
        for producing in self._producing.values():
            late = self.now() - producing.since > TRANSACTION_TIMEOUT
            if producing.transaction is not None and late:
                self._end(producing, commit=False)
                producing.epoch += 1

    def is_pending(self, partition: int) -> bool:
        """Whether an open transaction is about to commit an offset of the inbox."""
        return any(partition in one.offsets for one in self._producing.values())

    def _end_late(self, by: tuple[str, int]) -> None:
        """What comes after it is refused: as far as the broker knows, nothing is open."""
        self.late.remove(by)
        producing = self._producing[by[0]]
        self._end(producing, commit=True)
        producing.epoch += 1

    def _current(self, by: tuple[str, int]) -> Producing:
        producing = self._producing[by[0]]
        if producing.epoch != by[1]:
            raise Refused(KafkaError._FENCED, f"{by[0]} has another epoch")
        return producing

    def _begin(self, producing: Producing) -> None:
        if producing.transaction is None:
            self._transactions += 1
            producing.transaction, producing.since = self._transactions, self.now()

    def _end(self, producing: Producing, *, commit: bool) -> None:
        number = producing.transaction
        if number is None:
            return
        if not commit:
            self.aborted.add(number)
        for lane in producing.lanes.values():
            del lane.open[number]
            self._put(lane, None, None, (), number, is_marker=True)
        if commit:
            self.committed |= producing.offsets
        producing.transaction, producing.lanes, producing.offsets = None, {}, {}

    def _put(
        self,
        lane: Lane,
        key: bytes | None,
        value: bytes | None,
        headers: Sequence[Header],
        number: int | None,
        *,
        is_marker: bool = False,
    ) -> Entry:
        entry = Entry(lane.end, self.now() // 1_000, key, value, headers, number, is_marker)
        lane.entries.append(entry)
        lane.end += 1
        return entry

    # ------------------------------------------------------------------ reading

    def read(
        self, place: Place, offset: int, most: int, *, committed: bool = True
    ) -> tuple[list[Entry], int]:
        """Up to so many records from an offset on, and what is to be read next."""
        lane = self._lanes.get(place)
        return (
            ([], offset) if lane is None else self._visible(lane, offset, most, committed=committed)
        )

    def _visible(
        self, lane: Lane, offset: int, most: int, *, committed: bool
    ) -> tuple[list[Entry], int]:
        end = lane.stable_end if committed else lane.end
        if offset >= end:
            return [], offset
        found: list[Entry] = []
        entries, aborted = lane.entries, self.aborted
        for index in range(lane.find(offset), len(entries)):
            entry = entries[index]
            if entry.offset >= end:
                break
            if len(found) == most:
                return found, entry.offset
            hidden = committed and entry.transaction in aborted
            if not entry.is_marker and not hidden:
                found.append(entry)
        return found, end

    def everything(self, topic: str) -> Iterable[tuple[int, Entry]]:
        """All committed records of a topic, with their partitions."""
        there = [(topic, number, self._lanes[topic, number]) for number in self.partitions(topic)]
        for name, number, lane in [*self.gone, *there]:
            if name == topic:
                for entry in self._visible(lane, 0, 1 << 60, committed=True)[0]:
                    yield number, entry

    def replace(self, place: Place, entries: Iterable[Entry]) -> None:
        """What compaction has left of a partition."""
        self._lanes[place].entries = list(entries)
