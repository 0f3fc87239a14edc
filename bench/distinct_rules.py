"""
How many fires a second can be decided when nearly every schedule has a rule of its own?

A million schedules of 100,000 different pairs of expression and zone: how long it takes to make the
rules, and how many fires a second the decider alone still decides, each folded into its state. No
broker, no bytes; what those cost is fires.py.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from itertools import islice

from bench.rows import Row
from schemas.definition import Cron, Definition, Dst, Emit
from schemas.events import ScheduleDefined, ScheduleEvent, Stamp
from schemas.globals import GlobalSettings
from schemas.instants import parse_instant
from streams.calendar.occurrences import rule_for
from streams.calendar.zones import zone_data_number, zone_names
from streams.decider.evolve import evolve
from streams.decider.firing import due
from streams.decider.state import Schedule, World

NOW = parse_instant("2026-11-29T12:00:00Z")
SCHEDULES = 1_000_000
PAIRS = 100_000
FIRES = 200_000
STAMP = Stamp(NOW, 0, 1, 1, 0, "user:bench")
WORLD = World(settings=GlobalSettings(("t",), 0), zone_data=zone_data_number())


def definitions(count: int) -> Iterator[Definition]:
    """Definitions of different expressions and zones: every day, on weekdays, each hour."""
    names = sorted(zone_names())
    for number in range(count):
        minute, hour = number % 60, number // 60 % 24
        days = ("* * *", "* * 1-5", "1,15 * *", "* 1-6 *")[number // 1440 % 4]
        zone = names[number // 240 % len(names)]
        yield Definition((Cron(f"{minute} {hour} {days}"),), Emit("t"), zone)


def made(count: int) -> tuple[list[Definition], float]:
    """So many definitions, and the seconds that making their rules took."""
    found = list(dict.fromkeys(islice(definitions(2 * count), 2 * count)))[:count]
    rules = []
    begin = time.perf_counter()
    for each in found:
        rules.append(rule_for(each.timings, each.zone, Dst.SHIFT))
        rules[-1].next_after(NOW)
    took = time.perf_counter() - begin
    assert len(set(map(id, rules))) == len(found), "some have the same rule"
    return found, took


def schedules(found: list[Definition], count: int) -> list[Schedule]:
    """So many schedules, as the decider holds them."""
    states = []
    for number in range(count):
        definition = found[number % len(found)]
        defined = ScheduleDefined(f"s{number}/n", 1, 1, definition, NOW, NOW)
        state = evolve(None, defined, STAMP, WORLD.zone_data)
        assert state is not None
        assert state.plan.rule is not None
        first = state.plan.rule.next_after(NOW).instant
        states.append(state._replace(cursor=state.cursor._replace(nominal=first, due=first)))
    return states


def decided(states: list[Schedule], fires: int) -> float:
    """Fires a second, spread over all of the schedules."""
    some = states[:: max(1, len(states) // fires)][:fires]
    gc.collect()
    gc.disable()
    begin = time.perf_counter()
    for state in some:
        now = state.cursor.due
        after: Schedule | None = state
        events: tuple[ScheduleEvent, ...] = due(state, WORLD, now)
        for event in events:
            after = evolve(after, event, STAMP, WORLD.zone_data)
        assert after is not None
        assert after.cursor.fires == 1
    took = time.perf_counter() - begin
    gc.enable()
    return len(some) / took


def measured(count: int, pairs: int, fires: int) -> list[Row]:
    """The rows for so many schedules, different rules and fires."""
    found, took = made(pairs)
    rate = decided(schedules(found, count), fires)
    return [
        Row(
            name=f"making {pairs:,} different rules and asking each once",
            value=took,
            unit="s",
            less_is_better=True,
            at_least=30,
        ),
        Row(
            name=f"decided fires of {count:,} schedules with {pairs:,} different rules",
            value=rate,
            unit="/s",
            at_least=10_000,
        ),
    ]


def run() -> list[Row]:
    """The numbers."""
    return measured(SCHEDULES, PAIRS, FIRES)
