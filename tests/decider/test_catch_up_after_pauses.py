"""What of a pause still runs when it ends is a rule of its own; each row is a promise."""

from __future__ import annotations

import pytest

from schemas.commands import Define, Pause, Resume, Skip
from schemas.definition import (
    Basis,
    CatchUp,
    CatchUpMode,
    Definition,
    Interval,
)
from schemas.events import Reason, ScheduleResumed
from tests.decider.expected import completed, fired, resumed, skipped
from tests.decider.stage import (
    DAY,
    HOUR,
    MINUTE,
    RING,
    Case,
    Holds,
    Step,
    at,
    every,
    once,
    rule,
)

ALL, LATEST, NONE = CatchUpMode.ALL, CatchUpMode.LATEST, CatchUpMode.NONE


def hourly(on_resume: CatchUpMode, **more: object) -> Definition:
    return rule("0 * * * *", catch_up=CatchUp(NONE, on_resume=on_resume, **more))  # type: ignore[arg-type]


def paused(definition: Definition, until: str | None = None) -> list[Step]:
    """Defined at 10:30, paused from 10:40 on."""
    note = Pause("works", None if until is None else at(until))
    return [("10:30", Define(definition)), ("10:40", note)]


BY_THE_DEFINITION = {
    "none: they were no occurrences": Case(
        paused(hourly(NONE)), ("13:20", Resume()), [resumed("13:20", "14:00")]
    ),
    "latest: the newest runs, the others are one record": Case(
        paused(hourly(LATEST)),
        ("13:20", Resume("on")),
        [
            resumed("10:40", "11:00", "on"),
            skipped("11:00", "12:00", 2, "13:00"),
            fired("13:00", "14:00", late=True),
        ],
    ),
    "all: the oldest first": Case(
        paused(hourly(ALL)),
        ("12:20", Resume()),
        [
            resumed("10:40", "11:00"),
            fired("11:00", "12:00", late=True),
            fired("12:00", "13:00", late=True),
        ],
    ),
    "all, but no more than the limit": Case(
        paused(hourly(ALL, limit=1)),
        ("12:20", Resume()),
        [
            resumed("10:40", "11:00"),
            skipped("11:00", "11:00", 1, "12:00"),
            fired("12:00", "13:00", late=True),
        ],
    ),
    "what is older than the lookback is missed": Case(
        paused(hourly(ALL, lookback=HOUR)),
        ("13:00", Resume()),
        [
            resumed("10:40", "11:00"),
            skipped("11:00", "11:00", 1, "12:00"),
            fired("12:00", "13:00", late=True),
            fired("13:00", "14:00", late=True),
        ],
    ),
    "all of it may be": Case(
        paused(hourly(LATEST, lookback=MINUTE)),
        ("12:20", Resume()),
        [resumed("10:40", "11:00"), skipped("11:00", "12:00", 2, "13:00")],
    ),
    "where nothing was due it goes on from now": Case(
        paused(hourly(ALL)), ("10:50", Resume()), [resumed("10:50", "11:00")]
    ),
    "a pause that ends by itself is judged up to its end": Case(
        paused(hourly(LATEST), until="12:30"),
        ("12:30", RING),
        [
            resumed("10:40", "11:00", "the pause ended"),
            skipped("11:00", "11:00", 1, "12:00"),
            fired("12:00", "13:00", late=True),
        ],
    ),
    "what was due after its end is judged by the ordinary rule": Case(
        paused(hourly(LATEST), until="12:30"),
        ("14:30", RING),
        [
            resumed("10:40", "11:00", "the pause ended"),
            skipped("11:00", "11:00", 1, "12:00"),
            fired("12:00", "13:00", late=True),
            skipped("13:00", "14:00", 2, "15:00"),
        ],
    ),
    "an interval on its grid": Case(
        paused(
            rule(every(20 * MINUTE, anchor=0), catch_up=CatchUp(NONE, on_resume=LATEST)),
        ),
        ("11:30", Resume()),
        [
            resumed("10:40", "11:00"),
            skipped("11:00", "11:00", 1, "11:20"),
            fired("11:20", "11:40", late=True),
        ],
    ),
    "an interval that counts from decisions has one instant, and counts from it": Case(
        paused(
            rule(
                Interval(micros=HOUR, basis=Basis.AFTER_FIRE),
                catch_up=CatchUp(NONE, on_resume=ALL),
            ),
        ),
        ("15:10", Resume()),
        [resumed("10:30", "11:30"), fired("11:30", "16:10", late=True)],
    ),
    "if that was not due yet it counts from the resumption": Case(
        paused(
            rule(
                Interval(micros=HOUR, basis=Basis.AFTER_FIRE),
                catch_up=CatchUp(NONE, on_resume=ALL),
            ),
        ),
        ("11:10", Resume()),
        [resumed("11:10", "12:10")],
    ),
    "a one-time keeps its instant (IT-072)": Case(
        paused(rule(once("11:00"), catch_up=CatchUp(on_resume=ALL))),
        ("12:00", Resume()),
        [resumed(at("10:30") - DAY - 1, "11:00")],
    ),
    "one that ended meanwhile runs what is left of it": Case(
        paused(
            rule("0 * * * *", end_at=at("12:00"), catch_up=CatchUp(NONE, on_resume=LATEST)),
        ),
        ("13:20", Resume()),
        [
            resumed("10:40", "11:00"),
            skipped("11:00", "11:00", 1, "12:00"),
            fired("12:00", None, late=True),
            completed(),
        ],
    ),
    "and is completed if nothing is": Case(
        paused(
            rule(
                *("0 * * * *",),
                end_at=at("12:00"),
                catch_up=CatchUp(NONE, lookback=MINUTE, on_resume=LATEST),
            ),
        ),
        ("13:20", Resume()),
        [resumed("10:40", "11:00"), skipped("11:00", "12:00", 2, None), completed()],
    ),
    "it fires no more often than it may": Case(
        paused(rule("0 * * * *", max_fires=2, catch_up=CatchUp(NONE, on_resume=ALL))),
        ("13:20", Resume()),
        [
            resumed("10:40", "11:00"),
            fired("11:00", "12:00", late=True),
            fired("12:00", None, late=True),
            completed(),
        ],
    ),
    "an edit during the pause is not retroactive": Case(
        [
            *paused(hourly(ALL)),
            ("11:30", Define(rule("30 * * * *", catch_up=CatchUp(NONE, on_resume=ALL)))),
        ],
        ("12:40", Resume()),
        [
            ScheduleResumed("shop/nightly", 2, 0, "", at("11:30"), at("12:30")),
            fired("12:30", "13:30", late=True, version=2),
        ],
    ),
    "what was asked to be skipped is": Case(
        [
            ("10:30", Define(hourly(ALL))),
            ("10:35", Skip(instant=at("11:00"))),
            ("10:40", Pause("works")),
        ],
        ("12:20", Resume()),
        [
            resumed("10:40", "11:00"),
            skipped("11:00", "11:00", 1, "12:00", Reason.REQUESTED),
            fired("12:00", "13:00", late=True),
        ],
    ),
    "under a hold it goes on, and lateness is asked when that is lifted": Case(
        [*paused(hourly(ALL)), ("11:30", Holds(held=True))],
        ("12:20", Resume()),
        [resumed("10:40", "11:00")],
    ),
}

BY_THE_COMMAND = {
    "latest, this once": Case(
        paused(hourly(NONE)),
        ("12:20", Resume("on", LATEST)),
        [
            resumed("10:40", "11:00", "on"),
            skipped("11:00", "11:00", 1, "12:00"),
            fired("12:00", "13:00", late=True),
        ],
    ),
    "all, this once": Case(
        paused(hourly(LATEST)),
        ("12:20", Resume("", ALL)),
        [
            resumed("10:40", "11:00"),
            fired("11:00", "12:00", late=True),
            fired("12:00", "13:00", late=True),
        ],
    ),
    "nothing, this once": Case(
        paused(hourly(ALL)), ("12:20", Resume("", NONE)), [resumed("12:20", "13:00")]
    ),
}


@pytest.mark.parametrize("case", BY_THE_DEFINITION.values(), ids=BY_THE_DEFINITION.keys())
def test_by_the_definition(case: Case) -> None:
    assert case.outcome() == case.then


@pytest.mark.parametrize("case", BY_THE_COMMAND.values(), ids=BY_THE_COMMAND.keys())
def test_by_the_command(case: Case) -> None:
    assert case.outcome() == case.then
