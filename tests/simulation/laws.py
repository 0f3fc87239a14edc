"""
Was every promise kept?

Everything that is in the log in memory, at the end of a play, as the acceptance tests read a real
one: the account of all occurrences, replies, owners, replay, and the state three times over: as the
ledger folds, as the log has it, as whoever serves has it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from schemas.codec import decode_as, unpack_cursor
from schemas.commands import Asked, ClaimRun, DeclineRun
from schemas.events import GlobalChanged
from schemas.globals import Hold
from schemas.identity import subject_of
from schemas.rejected import Rejected
from schemas.replies import Reply
from schemas.schedule import ScheduleRow
from schemas.topics import (
    COMMANDS,
    CONTROL,
    EVENTS,
    GLOBALS,
    REJECTED,
    REPLIES,
    SCHEDULES,
    STATE,
    orders_topic,
)
from streams.calendar.occurrences import NEVER
from streams.clock import Deadline
from streams.decider.evolve import evolve
from streams.decider.evolve_subject import evolve_subject
from streams.decider.state import Schedule
from streams.decider.subject import NOBODY, Subject
from streams.processor.globals import read_global
from streams.processor.intake import InboxRecord, Misplaced, take_in
from streams.processor.partitions import Partition
from streams.processor.recorded import Kept, kept
from streams.processor.replay import replay_partition
from streams.processor.takeover import TakeOver, fill
from tests.acceptance import promises
from tests.acceptance.calling import walk
from tests.acceptance.history import Answered, History
from tests.acceptance.restored import States, differences, folded, logged
from tests.processor.found import Found
from tests.simulation.laws_of_deployments import deployments_are_left_alone
from tests.simulation.laws_of_orders import orders_are_obeyed
from tests.simulation.laws_of_runners import runners_are_known, runners_are_used_well
from tests.simulation.laws_of_runs import runs_keep_their_rules
from tests.simulation.log import Log
from tests.simulation.world import TARGETS, World


def broken(world: World, horizon: int) -> list[str]:
    """All laws that were broken, in words."""
    return list(world.wrong) or list(_broken(world, horizon))


def _broken(world: World, horizon: int) -> Iterator[str]:
    history = history_of(world.log)
    yield from _ends_of_work(world, history) if world.policies else _ends(history, horizon)
    yield from promises.each_stray_was_forwarded_once(history)
    yield from promises.no_number_is_missing(history)
    yield from promises.owners_never_went_back(history, world.log.committed)
    yield from replay_gives_the_same(history)
    yield from nothing_ends_under_a_hold(history)
    yield from states_agree(world, history)
    if len(history.rejected) != world.spoiled:
        yield f"{world.spoiled} records were spoiled, rejected are {history.rejected}"


def _ends(history: History, horizon: int) -> Iterator[str]:
    """Of plain schedules the account knows every instant."""
    book = walk(history, horizon)
    yield from (f"{schedule}: {why}" for schedule, why in book.wrong)
    outcomes = promises.outcomes_of(history)
    yield from promises.each_fire_wrote_one_record(history, book)
    yield from promises.each_command_has_one_outcome(history, outcomes)
    yield from promises.each_command_got_one_reply(history, outcomes)
    yield from promises.each_trigger_fired_once(history)


def _ends_of_work(world: World, history: History) -> Iterator[str]:
    """Of work that somebody reports about there are runs."""
    held = {
        name
        for partition in served(world)
        for name, one in partition.subjects.items()
        if one.subject.held
    }
    yield from runs_keep_their_rules(history, held, world.cap)
    yield from orders_are_obeyed(history)
    yield from deployments_are_left_alone(history)
    sent = [*found(world.log, orders_topic()), *found(world.log, CONTROL)]
    yield from runners_are_used_well(history, world.workshop.begun, sent, exact=world.exact)
    yield from each_command_got_one_reply(history)


def each_command_got_one_reply(history: History) -> Iterator[str]:
    """Of whatever kind it is: one for each record, and none without."""
    asked = Counter(
        (place[0], one.id)
        for place, one in history.asked.items()
        if not isinstance(one.command, ClaimRun | DeclineRun)  # answered in horae.control
    )
    answered = Counter((one.place[0], one.id) for one in history.replies)
    if asked != answered:
        yield f"not answered: {asked - answered}; answered too often: {answered - asked}"


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
    expected, subjects = _aged(folded(history)), folded_subjects(history)
    yield from differences("the log", expected, _aged(logged(history)))
    live: States = {}
    for partition in served(world):
        yield from timers_are_set(partition)
        again = restored(world.log, partition)
        yield from differences("a restore", _states(partition), _states(again))
        if partition.answers.keys() != again.answers.keys():
            yield f"answers are {partition.answers.keys()}, restored are {again.answers.keys()}"
        for what, one in (("memory", partition), ("a restore", again)):
            yield from _subjects_agree(what, one, subjects)
        yield from runners_are_known(history, partition, again)
        live |= _states(partition)
    yield from differences("memory", expected, live)


def served(world: World) -> list[Partition]:
    """What is in memory, all over."""
    return [one for life in world.awake() for one in life.processor.serving.firing()]


def restored(log: Log, live: Partition) -> Partition:
    """The same partition, as whoever restores it now has it."""
    number = live.number
    take_over = TakeOver(number, Deadline(0.0), {}, {}, 0)
    for topic in (STATE, SCHEDULES):
        for one in log.read((topic, number), 0, 1 << 60)[0]:
            take_over.tables[topic][one.key or b""] = one.value or b""
        kept = {key: value for key, value in take_over.tables[topic].items() if value}
        take_over.tables[topic] = kept
    again = Partition(number, live.owner)
    fill(again, take_over)
    return again


def _states(partition: Partition) -> States:
    found = {
        name: (decode_as(one.row, ScheduleRow), unpack_cursor(one.cursor))
        for name, one in partition.residents.items()
    }
    return _aged(found)


def folded_subjects(history: History) -> dict[str, Subject]:
    """What the ledger says of each subject."""
    found: dict[str, Subject] = {}
    plans: dict[str, Schedule | None] = {}
    for records in history.ledger.values():
        for _, _, event, stamp in records:
            if isinstance(event, GlobalChanged):
                continue
            name, subject = event.schedule, subject_of(event.schedule)
            before = plans.get(name)
            plan = None if before is None else before.plan
            if not name.endswith("/"):
                plans[name] = evolve(before, event, stamp)
            found[subject] = evolve_subject(found.get(subject, NOBODY), plan, event, stamp)
    return found


def _subjects_agree(what: str, partition: Partition, expected: dict[str, Subject]) -> Iterator[str]:
    mine = {subject_of(name) for name in partition.residents}
    for name, one in partition.subjects.items():
        if one.subject != expected.get(name, NOBODY):
            yield f"{what}: {name} is {one.subject}, the ledger says {expected.get(name)}"
    for name, subject in expected.items():
        if name in mine and subject != NOBODY and name not in partition.subjects:
            yield f"{what}: {name} is not there, the ledger says {subject}"


def timers_are_set(partition: Partition) -> Iterator[str]:
    """Whatever is in memory has a timer that rings when it is due, unless its subject is held."""
    entries = [
        *partition.timers.entries(),
        *(one for held in partition.held.values() for one in held),
    ]
    set_ = {(due, name) for due, name, whose in entries if whose.due == due}
    due = {name: one.due for name, one in partition.residents.items()}
    due |= {f"{name}/": one.due for name, one in partition.subjects.items()}
    for name, at in due.items():
        if at != NEVER and (at, name) not in set_:
            yield f"{name} is due at {at} and has no timer"


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
