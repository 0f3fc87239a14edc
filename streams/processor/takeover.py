"""
What has been read of one partition on its way into memory?

Every record of horae.state and horae.schedules is put where it belongs (`sort_in`), and made into
residents once all are there (`fill`). In which order it is read, and until where, is restore.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from schemas.codec import decode_as
from schemas.faults import Unreadable
from schemas.snapshot import Answer, Owner
from schemas.topics import SCHEDULES
from streams.clock import Deadline
from streams.processor.partitions import Partition, Resident

Place = tuple[str, int]


@dataclass(slots=True)
class TakeOver:
    """One partition on its way into memory."""

    number: int
    deadline: Deadline
    since: dict[Place, int]
    """Where each topic's partition begins."""
    until: dict[Place, int]
    """Read each topic up to here; first the stable ends, then the true ones."""
    round: int
    """The call of `begin` that this belongs to."""
    fenced: bool = False
    """Nobody else can add to it any more."""
    final: bool = False
    """`until` are the true ends."""
    fault: str | None = None
    """Why it cannot be restored."""
    committed: int | None = None
    owner: Owner | None = None
    rows: dict[str, bytes] = field(default_factory=dict)
    cursors: dict[str, bytes] = field(default_factory=dict)
    answers: dict[str, bytes] = field(default_factory=dict)


def sort_in(take_over: TakeOver, topic: str, key: bytes, value: bytes | None) -> None:
    """Put one record where it belongs; Unreadable if it belongs nowhere."""
    if topic == SCHEDULES:
        _put(take_over.rows, key.decode(), value)
        return
    kind = key[:2]
    if kind == b"p|":
        _put(take_over.cursors, key[2:].decode(), value)
    elif kind == b"o|":
        take_over.owner = decode_as(value or b"", Owner)
    elif kind == b"c|":
        _put(take_over.answers, key[2:].decode(), value)
    else:
        raise Unreadable("this version does not know what it is")


def _put(table: dict[str, bytes], key: str, value: bytes | None) -> None:
    if value is None:
        table.pop(key, None)
    else:
        table[key] = value


def fill(partition: Partition, take_over: TakeOver) -> None:
    """Make residents of what was read; every row has its cursor and the other way round."""
    rows, cursors = take_over.rows, take_over.cursors
    if len(rows) != len(cursors):
        odd = rows.keys() ^ cursors.keys()
        raise KeyError(f"{len(odd)} schedules without row or cursor, such as {min(odd)}")
    residents = partition.residents
    while rows:
        schedule, row = rows.popitem()
        residents[schedule] = Resident(partition, row, cursors.pop(schedule))
    partition.timers.load((one.due, schedule, one) for schedule, one in residents.items())
    answers = [(once, decode_as(value, Answer)) for once, value in take_over.answers.items()]
    for once, answer in sorted(answers, key=lambda one: one[1].answered_at):
        partition.keep_answer(once, answer)
