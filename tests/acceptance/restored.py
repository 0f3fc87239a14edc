"""
Does the state in the log, restored by whoever comes next, equal the fold of the ledger?

The fold is made here, event by event; the state is read from the log as it lies there, and once
more through a processor that restores it while everything is held.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from schemas.codec import decode_as, unpack_cursor
from schemas.events import GlobalChanged
from schemas.globals import Hold
from schemas.schedule import ScheduleRow
from schemas.snapshot import Cursor
from streams.calendar.zones import zone_data_number
from streams.decider.evolve import evolve
from streams.decider.state import Schedule
from streams.decider.subject import Subject
from streams.processor.partitions import row_of
from tests.acceptance.history import History
from tests.processor.cluster import Cluster
from tests.processor.lives import living, now, until_firing

States = dict[str, tuple[ScheduleRow, Cursor]]


class Restored(NamedTuple):
    """What a fresh processor knows."""

    states: States
    subjects: dict[str, Subject]


def folded(history: History) -> States:
    """What the ledger says of each schedule."""
    states: dict[str, Schedule | None] = {}
    for records in history.ledger.values():
        for _, _, event, stamp in records:
            if not isinstance(event, GlobalChanged):
                before = states.get(event.schedule)
                states[event.schedule] = evolve(before, event, stamp, zone_data_number())
    return {
        name: (row_of(state.plan), state.cursor)
        for name, state in states.items()
        if state is not None
    }


def logged(history: History) -> States:
    """What horae.schedules and horae.state hold of each schedule."""
    cursors: dict[str, bytes | None] = {}
    for one in sorted(history.state, key=lambda one: (one.partition, one.offset)):
        key = one.key or b""
        if key.startswith(b"p|"):
            cursors[key[2:].decode()] = one.value
    return {
        name: (decode_as(row.value or b"", ScheduleRow), unpack_cursor(cursors.get(name) or b""))
        for name, row in history.rows.items()
    }


def restored(cluster: Cluster) -> Restored:
    """What a processor has in memory that begins now and may fire nothing."""
    cluster.tell_everyone(Hold(True, "the test looks", "user:test", now()))
    with living(cluster, "fresh") as life:
        until_firing(cluster, life)
        partitions = life.processor.serving.firing()
        states = {
            name: (decode_as(one.row, ScheduleRow), unpack_cursor(one.cursor))
            for partition in partitions
            for name, one in partition.residents.items()
        }
        subjects = {
            name: one.subject
            for partition in partitions
            for name, one in partition.subjects.items()
        }
        return Restored(states, subjects)


def differences(what: str, expected: States, found: States) -> Iterator[str]:
    """Schedules whose state is another one."""
    for name in sorted(expected.keys() ^ found.keys()):
        where = "missing" if name in expected else "there and not in the ledger"
        yield f"{what}: {name} is {where}"
    for name in expected.keys() & found.keys():
        if expected[name] != found[name]:
            yield f"{what}: {name}: {found[name]}, the ledger says {expected[name]}"
