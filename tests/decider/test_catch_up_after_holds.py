"""What was due during a hold is caught up by a rule of its own; each row is a promise."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.commands import Define, HoldSubject, ReleaseSubject
from schemas.definition import CatchUp, CatchUpMode
from schemas.events import Fired, ScheduleEvent, Skipped
from tests.decider.expected import fired, fires, instants, skipped
from tests.decider.house import House, outcomes
from tests.decider.stage import (
    HOUR,
    MINUTE,
    RING,
    SECOND,
    Case,
    Holds,
    Stage,
    Step,
    at,
    played,
    rule,
)

ALL, LATEST, NONE = CatchUpMode.ALL, CatchUpMode.LATEST, CatchUpMode.NONE


def hourly(mode: CatchUpMode, lifted: CatchUpMode | None, **more: int | None) -> Define:
    catch_up = CatchUp(mode, on_lifted=lifted, **more)  # type: ignore[arg-type]
    return Define(rule("0 * * * *", catch_up=catch_up))


def held(begins: str, ends: str) -> list[Step]:
    return [(begins, Holds(held=True)), (ends, Holds(held=False))]


LIFTED = {
    "without a rule of its own it is as after an outage": Case(
        [("10:30", hourly(LATEST, None)), *held("10:45", "13:45")],
        ("13:45", RING),
        [skipped("11:00", "12:00", 2, "13:00"), fired("13:00", "14:00", late=True)],
    ),
    "none after a hold": Case(
        [("10:30", hourly(LATEST, NONE)), *held("10:45", "13:45")],
        ("13:45", RING),
        [skipped("11:00", "13:00", 3, "14:00")],
    ),
    "all after a hold, although nothing after an outage": Case(
        [("10:30", hourly(NONE, ALL)), *held("10:45", "12:45")],
        ("12:45", RING),
        [fired("11:00", "12:00", late=True), fired("12:00", "13:00", late=True)],
    ),
    "the newest after a hold, within the lookback": Case(
        [("10:30", hourly(NONE, LATEST, lookback=HOUR)), *held("10:45", "13:45")],
        ("13:45", RING),
        [skipped("11:00", "12:00", 2, "13:00"), fired("13:00", "14:00", late=True)],
    ),
    "beyond the lookback nothing of it runs": Case(
        [("10:30", hourly(NONE, ALL, lookback=30 * MINUTE)), *held("10:45", "13:45")],
        ("13:45", RING),
        [skipped("11:00", "13:00", 3, "14:00")],
    ),
    "of more than the limit the newest": Case(
        [("10:30", hourly(NONE, ALL, limit=2)), *held("10:45", "13:45")],
        ("13:45", RING),
        [
            skipped("11:00", "11:00", 1, "12:00"),
            fired("12:00", "13:00", late=True),
            fired("13:00", "14:00", late=True),
        ],
    ),
    "what was due before the hold follows the ordinary rule, in a record of its own": Case(
        [("09:30", hourly(NONE, LATEST)), *held("11:30", "13:45")],
        ("13:45", RING),
        [
            skipped("10:00", "11:00", 2, "12:00"),
            skipped("12:00", "12:00", 1, "13:00"),
            fired("13:00", "14:00", late=True),
        ],
    ),
    "what was due after it too": Case(
        [("10:30", hourly(LATEST, NONE)), *held("10:45", "12:30")],
        ("14:45", RING),
        [
            skipped("11:00", "12:00", 2, "13:00"),
            skipped("13:00", "13:00", 1, "14:00"),
            fired("14:00", "15:00", late=True),
        ],
    ),
    "the newest of an outage runs once, also if a hold lay in its middle": Case(
        [("09:30", hourly(LATEST, NONE)), *held("11:30", "12:30")],
        ("14:45", RING),
        [
            skipped("10:00", "11:00", 2, "12:00"),
            skipped("12:00", "12:00", 1, "13:00"),
            skipped("13:00", "13:00", 1, "14:00"),
            fired("14:00", "15:00", late=True),
        ],
    ),
    "it runs before the hold if nothing was due after it": Case(
        [("09:30", hourly(LATEST, NONE)), *held("11:30", "12:30")],
        ("12:45", RING),
        [
            skipped("10:00", "10:00", 1, "11:00"),
            fired("11:00", "12:00", late=True),
            skipped("12:00", "12:00", 1, "13:00"),
        ],
    ),
    "due at the moment of the hold is due in it": Case(
        [("10:30", hourly(LATEST, NONE)), *held("11:00", "11:30")],
        ("11:30", RING),
        [skipped("11:00", "11:00", 1, "12:00")],
    ),
    "due a microsecond before is not": Case(
        [("10:30", hourly(NONE, ALL)), *held("11:00:00.000001", "11:30")],
        ("11:30", RING),
        [skipped("11:00", "11:00", 1, "12:00")],
    ),
    "due at the moment at which it is lifted is due in it": Case(
        [("10:30", hourly(LATEST, NONE)), *held("10:45", "11:00")],
        ("11:30", RING),
        [skipped("11:00", "11:00", 1, "12:00")],
    ),
    "due a microsecond later is not": Case(
        [("10:30", hourly(NONE, ALL)), *held("10:45", "10:59:59.999999")],
        ("11:30", RING),
        [skipped("11:00", "11:00", 1, "12:00")],
    ),
    "within its grace it is not late and fires in any case": Case(
        [("10:30", hourly(NONE, NONE)), *held("10:45", "11:00:30")],
        ("11:00:30", RING),
        [fired("11:00", "12:00")],
    ),
    "another word about the same hold does not shorten it": Case(
        [
            ("10:30", hourly(NONE, ALL)),
            ("10:45", Holds(held=True)),
            ("11:30", Holds(held=True)),
            ("12:30", Holds(held=False)),
        ],
        ("12:30", RING),
        [fired("11:00", "12:00", late=True), fired("12:00", "13:00", late=True)],
    ),
}


@pytest.mark.parametrize("case", LIFTED.values(), ids=LIFTED.keys())
def test_after_a_hold(case: Case) -> None:
    assert case.outcome() == case.then


@pytest.mark.parametrize(
    ("lifted", "expected"),
    [
        (NONE, [("11:00", "missed")]),
        (LATEST, [("11:00", "missed"), ("13:00", "started")]),
        (ALL, [("11:00", "started"), ("12:00", "started"), ("13:00", "started")]),
    ],
)
def test_the_hold_of_a_subject_counts_like_one_over_everything(
    lifted: CatchUpMode, expected: list[tuple[str, str]]
) -> None:
    house = House()
    house.ask("10:30", hourly(LATEST, lifted))
    house.ask("10:45", HoldSubject(), None)
    house.ask("13:30", ReleaseSubject(), None)

    assert outcomes(house.wait("13:30")) == [(at(when), what) for when, what in expected]


def test_two_holds_that_overlap_are_one() -> None:
    house = House()
    house.ask("10:30", hourly(NONE, LATEST))
    house.ask("10:45", HoldSubject(), None)
    house.ask("13:30", ReleaseSubject(), None)
    stage = played(("12:30", Holds(held=True)), ("14:30", Holds(held=False)))
    house.world = replace(house.world, past_hold=stage.world.past_hold)

    assert outcomes(house.ring("14:30")) == [(at("11:00"), "missed"), (at("14:00"), "started")]


def test_of_two_holds_apart_the_newest_of_both_runs() -> None:
    """A hold over the subject, and later one over everything, while nobody looked."""
    house = House()
    house.ask("10:30", hourly(NONE, LATEST))
    house.ask("10:45", HoldSubject(), None)
    house.ask("11:30", ReleaseSubject(), None)
    stage = played(("12:30", Holds(held=True)), ("13:30", Holds(held=False)))
    house.world = replace(house.world, past_hold=stage.world.past_hold)

    assert outcomes(_rung(house, "13:30")) == [
        (at("11:00"), "missed"),
        (at("12:00"), "missed"),
        (at("13:00"), "started"),
    ]


def test_jitter_says_when_something_was_due() -> None:
    """Nominally before the hold and due in it: the rule of the hold."""
    definition = rule("0 * * * *", catch_up=CatchUp(LATEST, on_lifted=NONE), jitter=30 * MINUTE)
    stage = Stage()
    stage.ask(Define(definition), at("10:30"))
    assert stage.state is not None
    due = stage.state.cursor.due
    assert at("11:00") < due
    stage.play(Holds(held=True), due - SECOND)
    stage.play(Holds(held=False), due + 2 * MINUTE)

    missed = stage.ring(due + 2 * MINUTE)
    assert [type(event) for event in missed] == [Skipped]
    assert fires(stage.wait(at("12:59"))) == instants("12:00")


def _rung(house: House, when: str) -> list[ScheduleEvent]:
    found: list[ScheduleEvent] = []
    while events := house.ring(when):
        found += events
    return found


@given(
    st.sampled_from(CatchUpMode),
    st.none() | st.sampled_from(CatchUpMode),
    st.lists(st.integers(0, 600), min_size=4, max_size=4, unique=True).map(sorted),
    st.integers(0, 90),
)
def test_every_instant_ends_once_whatever_was_held(
    mode: CatchUpMode, lifted: CatchUpMode | None, edges: list[int], jitter: int
) -> None:
    """A hold over everything and one over the subject, within ten hours of every 20 minutes."""
    catch_up = CatchUp(mode, lookback=4 * HOUR, limit=3, on_lifted=lifted)
    house = House()
    begin = at("10:05")
    definition = rule("*/20 * * * *", catch_up=catch_up, jitter=jitter * SECOND)
    house.ask(begin, Define(definition))
    first, second, third, fourth = (begin + minute * MINUTE for minute in edges)
    house.wait(first)
    house.ask(first, HoldSubject(), None)
    house.ask(second, ReleaseSubject(), None)
    stage = Stage()
    stage.play(Holds(held=True), third)
    stage.play(Holds(held=False), fourth)
    house.world = replace(house.world, past_hold=stage.world.past_hold)
    marks = [house.schedules["shop/nightly"].cursor.mark]
    while house.ring(fourth):
        marks.append(house.schedules["shop/nightly"].cursor.mark)

    ended: list[int] = []
    for event, _ in house.history:
        if isinstance(event, Fired):
            ended.append(event.nominal)
        elif isinstance(event, Skipped):
            ended += range(event.first, event.last + 1, 20 * MINUTE)
    assert ended == list(range(at("10:20"), marks[-1] + 1, 20 * MINUTE))
    assert marks == sorted(marks)
