"""
What can happen in the simulated world?

One table of acts, each with how often it comes and what it does; a new kind is one line. Whatever
an act chooses it chooses by its own number, so that leaving out others does not change it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import NamedTuple

from confluent_kafka import KafkaException

from schemas.commands import Command, Define, Remove
from schemas.globals import Hold
from schemas.identity import partition_of, subject_of
from schemas.reading import command_json, command_record
from schemas.topics import COMMANDS, STATE
from schemas.topics import SCHEDULES as TABLE
from tests.acceptance.timely import told
from tests.acceptance.wishes import Wish
from tests.simulation import acts_of_deployments, acts_of_runners, compaction
from tests.simulation.accidents import arm
from tests.simulation.demands import OF_SCHEDULES, OF_SUBJECTS, drawn, for_runners, policed
from tests.simulation.demands import report as reported
from tests.simulation.demands_of_deployments import for_deployments
from tests.simulation.processor import BOOTSTRAP
from tests.simulation.producer import Producer
from tests.simulation.seeds import has_deployments, has_policies, has_runners
from tests.simulation.world import NAMES, SCHEDULES, SECOND, TARGETS, Act, World

# ruff: noqa: S311 - a seed is there to be repeated

MINUTE = 60 * SECOND


class Kind(NamedTuple):
    """One kind of act."""

    often: int
    do: Callable[[World, Random], None]


def acts_of(seed: int, most: int) -> list[Act]:
    """What is done under a seed: the beginning, then anything."""
    rng = Random(f"{seed} acts")
    kinds = KINDS | OF_POLICIES if has_policies(seed) else KINDS
    kinds = kinds | OF_RUNNERS if has_runners(seed) else kinds
    kinds = kinds | OF_DEPLOYMENTS if has_deployments(seed) else kinds
    names = list(kinds)
    often = [one.often for one in kinds.values()]
    acts = [Act("begin", seed)]
    while len(acts) < most:  # one by one: the first ones are the same however many there are
        acts += [Act(name, rng.getrandbits(32)) for name in rng.choices(names, often)]
    return acts


def begin(world: World, rng: Random) -> None:
    """All schedules are asked for, and everybody starts."""
    world.wishes.rng = rng
    for wish in world.wishes.all_defined(world.time.now):
        send(world, wish)
    for _ in range(8):
        world.step_all()
        world.pass_time(20_000)


def tick(world: World, rng: Random) -> None:
    world.pass_time(rng.choice((1, 50_000, 400_000, SECOND, 2 * SECOND)))
    world.step_all()


def go_to_due(world: World, rng: Random) -> None:
    """Let things fire on time."""
    for _ in range(rng.randint(1, 4)):
        left = world.next_due() - world.time.now
        world.pass_time(max(0, min(left, 20 * SECOND)))
        world.step_all()


def wait(world: World, rng: Random) -> None:
    world.pass_time(rng.choice((5, 12, 30)) * SECOND)
    world.step_all()


def sleep(world: World, rng: Random) -> None:
    world.pass_time(rng.choice((2, 5, 20)) * MINUTE)
    world.step_all()


def step_one(world: World, rng: Random) -> None:
    name = rng.choice(NAMES)
    for _ in range(rng.randint(1, 4)):
        world.step(name)


def send(world: World, wish: Wish) -> None:
    """Put a wish into the inbox, in the way that it chooses."""
    command, own = wish.command, Random(f"{wish}")
    if world.policies:
        command = policed(own, command)
    if world.for_runners:
        command = for_runners(own, command)
    if world.deployments:
        command = for_deployments(own, command)
    key, value = command_record(wish.schedule, command, wish.id)
    if wish.json and not isinstance(command, Remove):
        value = json.dumps(command_json(command)).encode()
    named = wish.named or not isinstance(command, Define | Remove)
    headers = [("horae-id", wish.id.encode())] if named else []
    count = world.log.group.partitions
    here = partition_of(subject_of(wish.schedule), count)
    if not wish.home:
        here = (here + 1) % count
    world.log.append((COMMANDS, here), key, value, headers)


def ask(world: World, rng: Random) -> None:
    world.wishes.rng = rng
    for wish in world.wishes.some(3, world.time.now):
        send(world, wish)
    if rng.random() < 0.5:
        world.step_all()


def order(world: World, rng: Random) -> None:
    """Something beside the calendar is asked for, of a schedule or of a subject."""
    name = rng.choice(SCHEDULES)
    table = OF_SCHEDULES
    if rng.random() < 0.4:
        name, table = f"{subject_of(name)}/", OF_SUBJECTS
    command = drawn(rng, table, name, world.time.now)
    world.orders += rng.random() < 0.95  # else its id was used before
    put(world, name, command, f"sim-more-{world.orders}")


def report(world: World, rng: Random) -> None:
    """Runners say what became of the work that was given out last."""
    records = [one for topic in TARGETS for _, one in world.log.everything(topic)]
    for one in records[-8:]:
        headers = dict(one.headers)
        if "horae-attempt" in headers and rng.random() < 0.5:
            run = (headers["horae-run"] or b"").decode()
            subject = subject_of((headers["horae-schedule"] or b"").decode())
            command = reported(rng, run, int(headers["horae-attempt"] or b"1"))
            put(world, f"{subject}/", command, f"report-{rng.getrandbits(40)}")


def put(world: World, name: str, command: Command, id_: str) -> None:
    """Put a command where it belongs."""
    key, value = command_record(name, command, id_)
    here = partition_of(subject_of(name), world.log.group.partitions)
    world.log.append((COMMANDS, here), key, value, [("horae-id", id_.encode())])


def ask_in_a_transaction(world: World, rng: Random) -> None:
    """A foreign sender leaves a transaction open, or ends it; nobody may read behind it."""
    if world.strangers:
        stranger = world.strangers.pop()
        end = stranger.commit_transaction if rng.random() < 0.5 else stranger.abort_transaction
        with suppress(KafkaException):  # the broker may have been faster
            end()
        return
    stranger = Producer({"bootstrap.servers": BOOTSTRAP, "transactional.id": "stranger"})
    stranger.init_transactions()
    stranger.begin_transaction()
    world.wishes.rng = rng
    for wish in world.wishes.some(2, world.time.now):
        key, value = command_record(wish.schedule, wish.command, wish.id)
        here = partition_of(subject_of(wish.schedule), world.log.group.partitions)
        stranger.produce(COMMANDS, value, key, here)
    world.strangers.append(stranger)


def spoil(world: World, rng: Random) -> None:
    """A record that nobody can read."""
    key, value = rng.choice(
        ((b"s1/a", b"\xc3\x01nothing"), (None, b"{}"), (b"s1/b#dance:1", b"{}"), (b"\xff", b""))
    )
    home = partition_of("s1", world.log.group.partitions)
    world.log.append((COMMANDS, home), key, value)
    world.spoiled += 1


def tell(world: World, rng: Random) -> None:
    """A calendar or a freeze changes."""
    world.tell(*told(rng, world.time.now - rng.choice((0, 0, 2 * SECOND))))


def hold(world: World, rng: Random) -> None:
    """Everything is held, and soon released."""
    world.tell("hold", Hold(True, "wait", "user:sim", world.time.now))
    for _ in range(rng.randint(0, 3)):
        world.step_all()
        world.pass_time(rng.choice((SECOND, 30 * SECOND)))
        world.act()
    world.tell("hold", Hold(False, "", "user:sim", world.time.now))


def lose_a_target(world: World, rng: Random) -> None:
    """A topic that emits go to is gone, or there again."""
    name = rng.choice(("jobs-wide", "jobs-compacted"))
    if name in world.log.topics:
        world.log.forget(name)
    else:
        world.create_targets()


def kill(world: World, rng: Random) -> None:
    world.lose(rng.choice(NAMES))


def stop_or_start(world: World, rng: Random) -> None:
    name = rng.choice(NAMES)
    if name in world.frozen:
        return
    if name in world.up:
        world.up.discard(name)
        world.stop(name)
    else:
        world.up.add(name)
    if not world.up:
        world.up.add(rng.choice(NAMES))


def move(world: World, rng: Random) -> None:
    """Partitions go to others."""
    group = world.log.group
    group.turned = rng.randrange(3)
    group.prepare()


def expel(world: World, rng: Random) -> None:
    """The group has not heard of a member that is quite well."""
    members = sorted(world.log.group.members)
    if members:
        world.log.group.leave(rng.choice(members))


def lean(world: World, rng: Random) -> None:
    """A clock is put forward or back, or right again."""
    clock = world.clocks[rng.choice(NAMES)]
    clock.lean = rng.choice((0, 0, 300_000, -300_000, 20 * SECOND, -20 * SECOND, 5 * MINUTE))
    world.exact = world.exact and not clock.lean


def compact(world: World, rng: Random) -> None:
    for topic in (STATE, TABLE):
        compaction.compact(world.log, topic, rng)


def upgrade(world: World, rng: Random) -> None:
    """Other zone data are installed; who starts from now on has them."""
    world.time.zone_data += 1
    world.lose(rng.choice(NAMES))


KINDS: dict[str, Kind] = {
    "begin": Kind(0, begin),
    "tick": Kind(14, tick),
    "due": Kind(22, go_to_due),
    "wait": Kind(6, wait),
    "sleep": Kind(1, sleep),
    "step": Kind(8, step_one),
    "ask": Kind(20, ask),
    "ask in a transaction": Kind(3, ask_in_a_transaction),
    "spoil": Kind(1, spoil),
    "tell": Kind(6, tell),
    "hold": Kind(1, hold),
    "lose a target": Kind(3, lose_a_target),
    "arm": Kind(16, arm),
    "kill": Kind(2, kill),
    "stop or start": Kind(3, stop_or_start),
    "move": Kind(3, move),
    "expel": Kind(2, expel),
    "lean": Kind(2, lean),
    "compact": Kind(3, compact),
    "upgrade": Kind(1, upgrade),
}
"""Every kind there is, whatever the schedules are."""

OF_POLICIES: dict[str, Kind] = {
    "order": Kind(18, order),
    "report": Kind(22, report),
}
"""The kinds beside them where work is reported about."""

OF_RUNNERS = {name: Kind(*one) for name, one in acts_of_runners.OF_RUNNERS.items()}
"""The kinds beside those where runners do much of it."""

OF_DEPLOYMENTS = {name: Kind(*one) for name, one in acts_of_deployments.OF_DEPLOYMENTS.items()}
"""The kinds beside those where much of it is done to deployments."""
