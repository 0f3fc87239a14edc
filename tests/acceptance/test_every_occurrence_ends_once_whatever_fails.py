"""
Does every occurrence end exactly once, whatever is killed or frozen at whatever moment?

Two processors and a projector decide about two thousand schedules that services keep changing,
under calendars and freezes that change as well, while faults.py strikes; with a share of them a
worker reports about the work, in its own ways. Afterwards the logs alone tell whether everything
was kept that was promised. `HORAE_CHAOS_SEED` chooses what is asked and who
is struck, `HORAE_CHAOS_MINUTES` how long the version of `make chaos` goes on.
"""

from __future__ import annotations

import logging
import os
import secrets
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from random import Random

import pytest
from confluent_kafka import TopicPartition

from schemas.codec import unpack_cursor
from schemas.definition import MINUTE
from schemas.snapshot import Cursor
from schemas.topics import COMMANDS, STATE
from tests.acceptance import promises
from tests.acceptance.calling import walk
from tests.acceptance.faults import PROCESSORS, Torment
from tests.acceptance.history import History, read_history
from tests.acceptance.labours import WORK, Labours, is_worked, names_of_work
from tests.acceptance.laws_of_work import (
    NOT_MISSING,
    everything_is_explained,
    part_of,
    subjects_agree,
    what_happened,
    work_keeps_its_rules,
)
from tests.acceptance.restored import differences, folded, logged, restored
from tests.acceptance.senders import Asker, Clerk, Foreman, Thrower
from tests.acceptance.stack import PROJECTOR, Stack
from tests.acceptance.views import views_show_the_logs
from tests.acceptance.wishes import Wishes
from tests.acceptance.worker import Worker
from tests.processor.cluster import Cluster, await_that
from tests.processor.lives import now

pytestmark = pytest.mark.broker

# ruff: noqa: S311 - a seed is there to be repeated

SCHEDULES = 2_000
WORKED = 240
A_SUBJECT_HAS = 8
WORK_PARTITIONS = 3
LEAST_FAULTS = 22
TARGETS = ("jobs-plain", "jobs-wide", "jobs-compacted", WORK)


def test_every_occurrence_ends_once_whatever_fails(stack: Stack) -> None:
    """The fixed-size version."""
    torture(stack, lambda faults, seconds: faults >= LEAST_FAULTS and seconds > 45)


@pytest.mark.chaos
@pytest.mark.timeout(0)  # as long as is asked for
def test_every_occurrence_ends_once_however_long_it_goes_on(stack: Stack) -> None:
    """The long version."""
    seconds_wanted = 60 * float(os.environ.get("HORAE_CHAOS_MINUTES", "20"))
    torture(stack, lambda _, seconds: seconds > seconds_wanted)


def torture(stack: Stack, enough: Callable[[int, float], bool]) -> None:
    """Let services ask and faults strike until it is enough; then look at what is in the logs."""
    logging.getLogger("horae.client.kafka").setLevel(logging.CRITICAL)  # the broker will be away
    seed = int(os.environ.get("HORAE_CHAOS_SEED") or secrets.randbelow(1 << 32))
    topics = make_targets(stack.cluster)
    senders = the_senders(stack, seed, topics)
    clerk = Clerk(Random(f"{seed} clerk"), stack.broker.bootstrap)
    worker, began = the_worker(stack, seed), now()
    torment = Torment(stack, Random(f"{seed} faults"), database=stack.postgres)
    with told_on_failure(stack, seed, torment):
        for name in PROCESSORS:
            stack.processor(name)
        stack.projector()
        clerk.start()
        worker.start()
        for sender in senders:
            sender.start()
        for sender in senders:
            assert sender.defined.wait(60), "the schedules could not be defined"
        torment.go_on(enough)
        torment.heal()
        stack.await_processors(*PROCESSORS)
        for sender in senders:
            sender.stop()
        clerk.stop()
        worker.stop()
        horizon = come_to_rest(stack)
        history = read_history(stack.cluster, topics)
        stack.await_views()
        assert stack.stop(PROJECTOR) == 0, stack.last_words(PROJECTOR)
        plain = part_of(history, lambda schedule: not is_worked(schedule))
        look_at(history, plain, stack, horizon, senders[0])
        look_at_work(part_of(history, is_worked), stack, (began, horizon))
        sys.stdout.write(f"seed {seed}: {dict(torment.counts)}\n")


def make_targets(cluster: Cluster) -> tuple[str, ...]:
    """The topics that fires write into."""
    for name, partitions in zip(TARGETS, (1, 5, 2, WORK_PARTITIONS), strict=True):
        compacted = {"cleanup.policy": "compact", "min.compaction.lag.ms": "86400000"}
        cluster.create(name, partitions, compacted if name.endswith("compacted") else {})
    return TARGETS


def the_senders(stack: Stack, seed: int, topics: tuple[str, ...]) -> tuple[Asker, Thrower, Foreman]:
    """Two services that share the plain schedules, and one whose work is reported about."""
    *topics_of_others, work = topics
    topics = tuple(topics_of_others)
    labours = Labours(Random(f"{seed} work"), "work", names_of_work(WORKED), (work,))
    names = [f"s{n // A_SUBJECT_HAS}/n{n % A_SUBJECT_HAS}" for n in range(SCHEDULES)]
    half = SCHEDULES // 2
    bootstrap, count = stack.broker.bootstrap, stack.cluster.partitions
    return (
        Asker(Wishes(Random(f"{seed} ask"), "ask", names[:half], topics), bootstrap, count),
        Thrower(Wishes(Random(f"{seed} throw"), "throw", names[half:], topics), bootstrap, count),
        Foreman(labours, bootstrap, count, most=2),
    )


def the_worker(stack: Stack, seed: int) -> Worker:
    """Who reports."""
    places = [TopicPartition(WORK, number, 0) for number in range(WORK_PARTITIONS)]
    rng = Random(f"{seed} worker")
    return Worker(rng, stack.broker.bootstrap, stack.cluster.partitions, places)


def come_to_rest(stack: Stack) -> int:
    """Stop everything but the projector once all is decided up to an instant, which is returned."""
    horizon = now()

    def settled() -> bool:
        cursors: dict[str, Cursor] = {}
        for one in stack.cluster.read(STATE):
            key = one.key or b""
            if key.startswith(b"p|"):
                cursors.pop(key[2:].decode(), None)
                if one.value is not None:
                    cursors[key[2:].decode()] = unpack_cursor(one.value)
        return all(has_come_to_rest(one, horizon) for one in cursors.values())

    await_that(lambda: is_decided(stack.cluster), "the inbox is decided", 60)
    await_that(settled, "everything that was due is settled", 60)
    for name in PROCESSORS:
        assert stack.stop(name) == 0, stack.last_words(name)
    return horizon


def has_come_to_rest(cursor: Cursor, horizon: int) -> bool:
    """Whether nothing due by then is left, but for what waits until a window opens much later."""
    waits_long = cursor.due > horizon + MINUTE
    return cursor.due > horizon and (not cursor.deferrals or cursor.nominal > horizon or waits_long)


def is_decided(cluster: Cluster) -> bool:
    """Whether every command has been decided, as the owners' records say."""
    last: dict[int, int] = {}
    for one in cluster.read(COMMANDS):
        last[one.partition] = max(one.offset, last.get(one.partition, -1))
    owners = {number: cluster.owner(number) for number in last}
    return all(
        owner is not None and owner.next_offset > last[number] for number, owner in owners.items()
    )


def look_at(history: History, plain: History, stack: Stack, horizon: int, asker: Asker) -> None:
    """Whether everything is as it was promised; of plain schedules all ends are known."""
    book = walk(plain, horizon)
    if book.wrong:
        schedule, fault = book.wrong[0]
        sys.stderr.write("\n".join(f"{one}: {what}" for one, what in book.wrong[:20]) + "\n")
        pytest.fail(f"{len(book.wrong)} wrong: {schedule}: {fault}\n{history.about(schedule)}")
    states = folded(history)
    outcomes = promises.outcomes_of(plain)
    looks = {
        "each fire wrote one record": promises.each_fire_wrote_one_record(plain, book),
        "each command has one outcome": promises.each_command_has_one_outcome(plain, outcomes),
        "each command got one reply": promises.each_command_got_one_reply(plain, outcomes),
        "what was heard is in the log": promises.what_was_heard_is_in_the_log(history, asker.heard),
        "each trigger fired once": promises.each_trigger_fired_once(plain),
        "each stray was forwarded once": promises.each_stray_was_forwarded_once(history),
        "no number is missing": promises.no_number_is_missing(history),
        "owners never went back": promises.owners_never_went_back(
            history, stack.cluster.group_offsets()
        ),
        "deciding again gives the same": promises.deciding_again_gives_the_same(history),
        "the views show the logs": views_show_the_logs(
            plain, stack.dsn, lambda schedule: not is_worked(schedule)
        ),
        "the state is the fold of the ledger": differences("logged", states, logged(history)),
    }
    require_all(looks)
    fresh = restored(stack.cluster)
    work = part_of(history, is_worked)
    require_all(
        {
            "a fresh processor restores it": differences("restored", states, fresh.states),
            "it restores subjects too": subjects_agree(work, fresh.subjects),
        }
    )
    assert history.rejected == []
    commands = len(history.asked)
    sys.stdout.write(f"{commands} commands, {dict(book.ends)}, {len(history.emitted)} records\n")
    assert book.ends["on time"] > 1_000
    assert book.ends["triggered"] > 20
    for rarer in ("moved", "excluded", "computed anew", "freeze", "waited for its window"):
        assert book.ends[rarer] > 10, rarer


def look_at_work(work: History, stack: Stack, span: tuple[int, int]) -> None:
    """Whether runs are as they were promised."""
    require_all(
        {
            "work keeps its rules": work_keeps_its_rules(work),
            "everything is explained": everything_is_explained(stack.broker.bootstrap, *span),
        }
    )
    happened = what_happened(work)
    sys.stdout.write(f"work: {dict(happened)}\n")
    for one in NOT_MISSING:
        assert happened[one] > 0, one


def require_all(looks: Mapping[str, Iterable[str]]) -> None:
    """Nothing is wrong by any of these."""
    for promise, found in looks.items():
        began = time.monotonic()
        assert promises.first(found) == [], promise
        sys.stdout.write(f"{promise}: {time.monotonic() - began:.1f} s\n")


@contextmanager
def told_on_failure(stack: Stack, seed: int, torment: Torment) -> Iterator[None]:
    """Say how to see it again, and what happened to whom."""
    try:
        yield
    except BaseException:
        told = [f"HORAE_CHAOS_SEED={seed}", *torment.log]
        for name in (*PROCESSORS, PROJECTOR):
            told += [f"--- {name}", stack.last_words(name)]
        sys.stderr.write("\n".join(told) + "\n")
        raise
