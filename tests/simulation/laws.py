"""
Was every promise kept?

Everything that is in the log in memory, at the end of a play, as the acceptance tests read a real
one: the account of all occurrences, replies, owners, replay, and the state three times over: as the
ledger folds, as the log has it, as whoever serves has it.
"""

from __future__ import annotations

from collections.abc import Iterator

from schemas.codec import decode_as, unpack_cursor
from schemas.commands import Asked
from schemas.events import GlobalChanged
from schemas.globals import Hold
from schemas.rejected import Rejected
from schemas.replies import Reply
from schemas.schedule import ScheduleRow
from schemas.topics import COMMANDS, EVENTS, GLOBALS, REJECTED, REPLIES, SCHEDULES, STATE
from streams.calendar.occurrences import NEVER
from streams.processor.globals import read_global
from streams.processor.intake import InboxRecord, Misplaced, take_in
from streams.processor.partitions import Partition
from streams.processor.recorded import Kept, kept
from streams.processor.replay import replay_partition
from tests.acceptance import promises
from tests.acceptance.calling import walk
from tests.acceptance.history import Answered, History
from tests.acceptance.restored import States, differences, folded, logged
from tests.processor.found import Found
from tests.simulation.log import Log
from tests.simulation.world import TARGETS, World


def broken(world: World, horizon: int) -> list[str]:
    """All laws that were broken, in words."""
    return list(world.wrong) or list(_broken(world, horizon))


def _broken(world: World, horizon: int) -> Iterator[str]:
    history = history_of(world.log)
    book = walk(history, horizon)
    yield from (f"{schedule}: {why}" for schedule, why in book.wrong)
    outcomes = promises.outcomes_of(history)
    yield from promises.each_fire_wrote_one_record(history, book)
    yield from promises.each_command_has_one_outcome(history, outcomes)
    yield from promises.each_command_got_one_reply(history, outcomes)
    yield from promises.each_trigger_fired_once(history)
    yield from promises.each_stray_was_forwarded_once(history)
    yield from promises.no_number_is_missing(history)
    yield from promises.owners_never_went_back(history, world.log.committed)
    yield from replay_gives_the_same(history)
    yield from nothing_ends_under_a_hold(history)
    yield from states_agree(world, history)
    if len(history.rejected) != world.spoiled:
        yield f"{world.spoiled} records were spoiled, rejected are {history.rejected}"


def replay_gives_the_same(history: History) -> Iterator[str]:
    """But for what was decided under zone data that are not installed any more."""
    for number, records in history.ledger.items():
        for one in replay_partition(
            records, history.inbox[number], history.told, history.partitions
        ):
            if not one.other_zone_data:
                yield f"partition {number}, {one.cause}: {one.fault}"


def nothing_ends_under_a_hold(history: History) -> Iterator[str]:
    """What a timer brings about is not brought about while everything is held."""
    holds = [(one.offset, one.record.held) for one in history.told if isinstance(one.record, Hold)]
    for records in history.ledger.values():
        for one in records:
            known = [held for offset, held in holds if offset <= one.stamp.globals_offset]
            rang = one.stamp.offset is None and not isinstance(one.event, GlobalChanged)
            if rang and known and known[-1]:
                yield f"decided under a hold: {one.event} {one.stamp}"


def states_agree(world: World, history: History) -> Iterator[str]:
    """The fold of the ledger, the state in the log, and what is in memory."""
    expected = _aged(folded(history))
    yield from differences("the log", expected, _aged(logged(history)))
    partitions = [one for life in world.awake() for one in life.processor.serving.firing()]
    live: States = {}
    for partition in partitions:
        yield from timers_are_set(partition)
        for name, one in partition.residents.items():
            live[name] = decode_as(one.row, ScheduleRow), unpack_cursor(one.cursor)
    yield from differences("memory", expected, _aged(live))


def timers_are_set(partition: Partition) -> Iterator[str]:
    """Everybody in memory has a timer that rings when it is due."""
    set_ = {(due, name) for due, name, whose in partition.timers.entries() if whose.due == due}
    for name, one in partition.residents.items():
        if one.due != NEVER and (one.due, name) not in set_:
            yield f"{name} is due at {one.due} and has no timer"


def _aged(states: States) -> States:
    """The same, whatever zone data a cursor was computed with."""
    return {name: (row, cursor._replace(zone_data=0)) for name, (row, cursor) in states.items()}


def history_of(log: Log) -> History:
    """What is in the log, as the acceptance tests look at it."""
    count = log.group.partitions
    inbox: dict[int, dict[int, InboxRecord]] = {number: {} for number in range(count)}
    for number, one in log.everything(COMMANDS):
        record = InboxRecord(number, one.offset, one.at * 1_000, one.key, one.value, one.headers)
        inbox[number][one.offset] = record
    readings = {
        (number, offset): take_in(record, count, 0)
        for number, records in inbox.items()
        for offset, record in records.items()
    }
    ledger: dict[int, list[Kept]] = {number: [] for number in range(count)}
    offsets: dict[int, list[int]] = {number: [] for number in range(count)}
    for number, one in log.everything(EVENTS):
        ledger[number].append(kept(one.key or b"", one.value or b""))
        offsets[number].append(one.offset)
    rows = {(one.key or b"").decode(): one for one in found(log, SCHEDULES)}
    return History(
        partitions=count,
        inbox=inbox,
        asked={place: one for place, one in readings.items() if isinstance(one, Asked)},
        misplaced={place: one for place, one in readings.items() if isinstance(one, Misplaced)},
        ledger=ledger,
        offsets=offsets,
        replies=[_answered(one) for one in found(log, REPLIES) if one.partition >= 0],
        rejected=[decode_as(one.value or b"", Rejected) for one in found(log, REJECTED)],
        told=[read_global(one.key, one.value, one.offset) for one in found(log, GLOBALS)],
        emitted=[one for topic in TARGETS for one in found(log, topic)],
        state=found(log, STATE),
        rows={name: one for name, one in rows.items() if one.value is not None},
    )


def found(log: Log, topic: str) -> list[Found]:
    """All committed records of a topic."""
    return [
        Found(topic, number, one.offset, one.key, one.value, dict(one.headers), one.at * 1_000)
        for number, one in log.everything(topic)
    ]


def _answered(one: Found) -> Answered:
    reply = decode_as(one.value or b"", Reply)
    return Answered((one.partition, one.offset), (one.key or b"").decode(), one.value or b"", reply)
