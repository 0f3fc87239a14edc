"""
Does each instant of a schedule get the class that it has?

Histories as the decider writes them, every half hour on the first of June, and what the account
counts of them between 12:00 and 15:00.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import pytest

from schemas.commands import Define, Pause, Remove, Resume, Trigger
from schemas.definition import Basis, CatchUp, CatchUpMode, Definition, Exclude, Interval
from schemas.events import (
    Fired,
    Reason,
    ScheduleDefined,
    ScheduleEvent,
    Skipped,
    SubjectHeld,
    SubjectReleased,
)
from schemas.globals import Calendar
from schemas.policies import Gate
from streams.account.classing import Span, Tally, Verdict, summed
from streams.account.walking import Account, Walk
from streams.account.worlds import Worlds
from tests.account.telling import Telling
from tests.decider.stage import (
    MINUTE,
    NIGHTLY,
    RING,
    Breaks,
    Holds,
    Step,
    Tells,
    at,
    every,
    rule,
)

HALF_HOURS = "*/30 * * * *"
NONE = CatchUp(mode=CatchUpMode.NONE)
AFTERNOON = Calendar(crons=("* 13 * * *",))


def told(*steps: Step) -> Telling:
    stage = Telling()
    for when, move in steps:
        stage.play(move, at(when))
    return stage


def account(stage: Telling, now: str = "15:00", begin: str = "12:00") -> Account:
    span = Span(at(begin), at("15:00"), at(now), slack=0)
    walk = Walk(0, Worlds(stage.told, stage.world.zone_data), span)
    for event, stamp in stage.history:
        walk.take(event, stamp)
    return walk.finish()


def counts(found: Account) -> dict[str, int]:
    total: Tally = summed(found.tallies)
    return {each.value: total.of(each) for each in Verdict if total.of(each)}


class Row(NamedTuple):
    """What happened, and what is counted."""

    steps: list[Step]
    counts: dict[str, int]
    now: str = "15:00"


def defined(definition: Definition, when: str = "11:50") -> Step:
    return when, Define(definition)


def rings(*times: str) -> list[Step]:
    return [(when, RING) for when in times]


ALL = ["12:00", "12:30", "13:00", "13:30", "14:00", "14:30"]

ROWS = {
    "what fires when it is due is on time": Row(
        [defined(rule(HALF_HOURS)), *rings(*ALL)], {"on time": 6}
    ),
    "an instant before the definition is none": Row(
        [defined(rule(HALF_HOURS), "13:10"), *rings(*ALL[3:])], {"on time": 3}
    ),
    "what is missed, and what catches up": Row(
        [defined(rule(HALF_HOURS)), *rings("14:50")], {"catch-up": 1, "missed": 5}
    ),
    "what is missed altogether": Row(
        [defined(rule(HALF_HOURS, catch_up=NONE)), *rings("14:50")], {"missed": 6}
    ),
    "what is not due yet is pending": Row(
        [defined(rule(HALF_HOURS)), *rings(*ALL[:2])], {"on time": 2, "pending": 4}, now="12:45"
    ),
    "what falls into a pause is paused": Row(
        [
            defined(rule(HALF_HOURS)),
            *rings("12:00"),
            ("12:10", Pause("lunch")),
            ("13:40", Resume()),
            *rings("14:00", "14:30"),
        ],
        {"on time": 3, "paused": 3},
    ),
    "a pause that lasts": Row(
        [defined(rule(HALF_HOURS)), *rings("12:00"), ("12:10", Pause("lunch"))],
        {"on time": 1, "paused": 5},
    ),
    "what is due under a hold is held": Row(
        [defined(rule(HALF_HOURS)), *rings("12:00"), ("12:10", Holds(held=True))],
        {"on time": 1, "held": 3, "pending": 2},
        now="13:45",
    ),
    "what a calendar closes is excluded": Row(
        [
            ("11:00", Tells("calendar/afternoon", AFTERNOON)),
            defined(rule(HALF_HOURS, exclude=Exclude(("afternoon",)))),
            *rings("12:00", "12:30", "14:00", "14:30"),
        ],
        {"on time": 4, "excluded": 2},
    ),
    "what lies outside of the bounds": Row(
        [
            defined(rule(HALF_HOURS, start_at=at("12:30"), end_at=at("14:00"))),
            *rings(*ALL[1:5]),
        ],
        {"on time": 4, "outside bounds": 2},
    ),
    "nothing comes after the last fire": Row(
        [defined(rule(HALF_HOURS, max_fires=2)), *rings(*ALL)], {"on time": 2, "outside bounds": 4}
    ),
    "what waited is late": Row(
        [
            defined(rule(HALF_HOURS)),
            ("11:55", Breaks("gone")),
            *rings("12:00"),
            ("12:05", Breaks(None)),
            *rings("12:05", *ALL[1:]),
        ],
        {"on time": 5, "late": 1},
    ),
    "what still waits is deferred": Row(
        [defined(rule(HALF_HOURS)), ("11:55", Breaks("gone")), *rings("12:00")],
        {"deferred": 1, "pending": 5},
        now="12:00",
    ),
    "what is fired by hand comes on top": Row(
        [defined(rule(HALF_HOURS)), *rings(*ALL[:3]), ("13:10", Trigger()), *rings(*ALL[3:])],
        {"on time": 6, "by hand": 1},
    ),
    "an interval counts from its creation": Row(
        [defined(rule(every(30 * MINUTE))), *rings("12:20", "12:50")],
        {"on time": 2, "pending": 4},
        now="13:00",
    ),
    "an interval that counts from decisions has one instant at a time": Row(
        [defined(rule(Interval(micros=30 * MINUTE, basis=Basis.AFTER_FIRE))), *rings("12:20:30")],
        {"on time": 1, "pending": 1},
        now="12:30",
    ),
    "an edit begins anew": Row(
        [
            defined(rule(HALF_HOURS)),
            *rings("12:00", "12:30"),
            ("12:40", Define(rule("15 * * * *"))),
            *rings("13:15", "14:15"),
        ],
        {"on time": 4},
    ),
    "what is removed has no instants": Row(
        [defined(rule(HALF_HOURS)), *rings("12:00", "12:30"), ("12:40", Remove())], {"on time": 2}
    ),
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_each_instant_is_counted_once(row: Row) -> None:
    found = account(told(*row.steps), row.now)

    assert counts(found) == row.counts
    assert found.findings == []


def test_a_range_that_begins_before_the_span_counts_with_its_part() -> None:
    stage = told(defined(rule(HALF_HOURS, catch_up=NONE), "10:10"), *rings("14:50"))

    assert counts(account(stage)) == {"missed": 6}


def test_under_a_hold_of_its_subject_it_is_held_and_must_not_fire() -> None:
    stage = told(defined(rule(HALF_HOURS)), *rings("12:00"))
    held = SubjectHeld("shop/", "works", at("12:10"), None, actions_only=False)
    stamp = stage.history[-1][1]._replace(sequence=2, decided_at=at("12:10"), actor="user:ann")
    stage.history.append((held, stamp))

    assert counts(account(stage)) == {"on time": 1, "held": 5}

    fired = stage.history[1][0]
    assert isinstance(fired, Fired)
    other = fired._replace(nominal=at("12:30"), due=at("12:30"), wall=at("12:30"), next=at("13:00"))
    stage.history.append((other, stamp._replace(sequence=3, decided_at=at("12:30"))))
    assert [one.why for one in account(stage).findings] == [
        "it fired although its subject was held"
    ]


def test_nothing_is_said_of_what_lies_outside_of_the_span() -> None:
    stage = told(defined(rule(HALF_HOURS), "08:10"), *rings("08:30"))
    stage.history += stage.history[-1:]

    found = account(stage, begin="14:40")

    assert (found.findings, counts(found)) == ([], {})


def test_the_schedule_is_named() -> None:
    found = account(told(defined(rule(HALF_HOURS)), *rings(*ALL)))

    assert [tally.schedule for tally in found.tallies] == [NIGHTLY]


def test_under_a_hold_of_actions_what_waits_for_quiet_is_held_and_other_work_is_not() -> None:
    """A hold over all of it that is lifted leaves the one over its actions in force."""
    for gate, found in ((Gate(), {"on time": 1, "held": 5}), (None, {"unexplained": 5})):
        stage = told(defined(rule(HALF_HOURS)), *rings("12:00"))
        event, stamp = stage.history[0]
        assert isinstance(event, ScheduleDefined)
        gated = replace(event.definition, gate=gate)
        stage.history[0] = replace(event, definition=gated), stamp
        at_noon = stage.history[-1][1]._replace(decided_at=at("12:10"), actor="user:ann")
        holds: tuple[ScheduleEvent, ...] = (
            SubjectHeld("shop/", "it failed", at("12:10"), None, actions_only=True),
            SubjectHeld("shop/", "works", at("12:10"), None, actions_only=False),
            SubjectReleased("shop/", "done", actions_only=False),
        )
        for number, one in enumerate(holds):
            stage.history.append((one, at_noon._replace(sequence=2 + number)))

        assert {**counts(account(stage)), **found} == counts(account(stage))


def test_what_a_deployment_was_left_alone_for_is_counted_by_its_reason() -> None:
    stage = told(defined(rule(HALF_HOURS)), *rings("12:00", "12:30"))
    for index, reason in ((1, Reason.NOT_STOPPED_BY_SCHEDULE), (2, Reason.ALREADY_THERE)):
        fire, stamp = stage.history[index]
        assert isinstance(fire, Fired)
        skip = Skipped(
            *(fire.schedule, fire.version, fire.incarnation, fire.nominal, fire.nominal, 1),
            *(reason, fire.wall, fire.second_pass, fire.next, fire.next_due),
        )
        stage.history[index] = skip, stamp
    found = account(stage, now="12:31")

    assert found.findings == []
    reasons = {one.reason: number for one, number in summed(found.tallies).counts.items()}
    assert (reasons["not_stopped_by_schedule"], reasons["already_there"]) == (1, 1)
