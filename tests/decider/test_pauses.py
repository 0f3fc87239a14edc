"""While a schedule is paused its instants are no occurrences; each row is a promise."""

from __future__ import annotations

import pytest

from schemas.commands import Define, Pause, Resume
from schemas.definition import CatchUp, CatchUpMode
from schemas.events import Fired, Reason, Skipped
from tests.decider.expected import (
    changed,
    completed,
    fired,
    fires,
    instants,
    paused,
    refused,
    resumed,
    skipped,
    unchanged,
)
from tests.decider.stage import (
    DAY,
    MINUTE,
    RING,
    Breaks,
    Case,
    Holds,
    Stage,
    at,
    every,
    once,
    played,
    rule,
)

HOURLY = rule("0 * * * *")
ALL = CatchUp(CatchUpMode.ALL, lookback=None)
DEFINED = ("10:30", Define(HOURLY))
PAUSED = ("10:40", Pause("works"))

PAUSING = {
    "a pause keeps who, when and why (ANC-05)": Case(
        [DEFINED], ("10:40", Pause("works")), [paused("10:40", "works")]
    ),
    "pausing again in the same words is unchanged": Case(
        [DEFINED, PAUSED], ("10:50", Pause("works")), [unchanged("pause", None)]
    ),
    "pausing again in other words keeps since when": Case(
        [DEFINED, PAUSED], ("10:50", Pause("rest")), [paused("10:40", "rest")]
    ),
    "pausing again may set an end": Case(
        [DEFINED, PAUSED],
        ("10:50", Pause("works", at("12:00"))),
        [paused("10:40", "works", until="12:00")],
    ),
    "a pause until now is refused": Case(
        [DEFINED],
        ("10:40", Pause("works", at("10:40"))),
        [refused("pause", "until", "2026-06-01T10:40:00Z is not in the future")],
    ),
    "what was due within the grace fires before the pause": Case(
        [DEFINED], ("11:00:30", Pause()), [fired("11:00", "12:00"), paused("11:00:30")]
    ),
    "what was older is withdrawn before the pause": Case(
        [DEFINED],
        ("11:30", Pause()),
        [skipped("11:00", "11:00", 1, "12:00", Reason.WITHDRAWN), paused("11:30")],
    ),
    "what fell due after the pause was sent is no occurrence": Case(
        [DEFINED], ("11:00:30", Pause()), [paused("11:00:30")], appended="10:59:50"
    ),
    "what waits is withdrawn by a pause": Case(
        [DEFINED, ("10:45", Breaks("gone")), ("11:00", RING)],
        ("11:00:00.5", Pause()),
        [
            skipped(
                *("11:00", "11:00", 1, "12:00", Reason.WITHDRAWN),
                evidence="the schedule changed while it waited",
                deferred=("11:00", 1),
            ),
            paused("11:00:00.5"),
        ],
    ),
    "a paused schedule stays silent": Case([DEFINED, PAUSED], ("15:00", RING), []),
    "a completed schedule cannot be paused": Case(
        [("09:00", Define(rule(once("10:00")))), ("10:00", RING)],
        ("10:10", Pause()),
        [refused("pause", "schedule", "shop/nightly is completed")],
    ),
    "pausing works under a hold": Case(
        [DEFINED, ("10:35", Holds(held=True))],
        ("11:00:30", Pause()),
        [
            skipped("11:00", "11:00", 1, "12:00", Reason.WITHDRAWN, evidence="held"),
            paused("11:00:30"),
        ],
    ),
}

RESUMING = {
    "a resume goes on from now (AJ-048)": Case(
        [DEFINED, PAUSED], ("15:20", Resume("on")), [resumed("15:20", "16:00", "on")]
    ),
    "an interval too goes on on its grid": Case(
        [("09:30", Define(rule(every(60 * MINUTE)))), ("10:10", Pause())],
        ("13:00", Resume()),
        [resumed("13:00", "13:30")],
    ),
    "an enabled schedule is resumed without effect (IT-073)": Case(
        [DEFINED], ("10:50", Resume()), [unchanged("resume", "11:00")]
    ),
    "a consumed one-time cannot be resumed (IT-073)": Case(
        [("09:00", Define(rule(once("10:00")))), ("10:00", RING)],
        ("10:10", Resume()),
        [refused("resume", "schedule", "shop/nightly is completed")],
    ),
    "a one-time keeps its instant (IT-072)": Case(
        [("09:00", Define(rule(once("11:00")))), ("10:00", Pause())],
        ("12:00", Resume()),
        [resumed(at("09:00") - DAY - 1, "11:00")],
    ),
    "and fires at once, once, marked late (IT-072)": Case(
        [("09:00", Define(rule(once("11:00")))), ("10:00", Pause()), ("12:00", Resume())],
        ("12:00", RING),
        [fired("11:00", None, late=True), completed()],
    ),
    "a schedule that ended meanwhile is completed": Case(
        [("10:30", Define(rule("0 * * * *", end_at=at("12:00")))), PAUSED],
        ("12:30", Resume()),
        [resumed("12:30", None), completed()],
    ),
    "a clock that was put back does not bring an instant back": Case(
        [DEFINED, ("11:00", RING), ("11:00:01", Pause())],
        ("10:10", Resume()),
        [resumed("11:00", "12:00")],
    ),
}

UNTIL = {
    "a pause ends by itself": Case(
        [DEFINED, ("10:40", Pause("works", at("12:30")))],
        ("12:30", RING),
        [resumed("12:30", "13:00", "the pause ended")],
    ),
    "not before its time": Case(
        [DEFINED, ("10:40", Pause("works", at("12:30")))], ("12:29:59", RING), []
    ),
    "when its end is seen late, what came after it is late": Case(
        [DEFINED, ("10:40", Pause("works", at("12:30")))],
        ("14:30", RING),
        [
            resumed("12:30", "13:00", "the pause ended"),
            skipped("13:00", "13:00", 1, "14:00"),
            fired("14:00", "15:00", late=True),
        ],
    ),
    "a one-time inside of it keeps its instant": Case(
        [("09:00", Define(rule(once("11:00")))), ("10:00", Pause("works", at("12:00")))],
        ("12:00", RING),
        [
            resumed(at("09:00") - DAY - 1, "11:00", "the pause ended"),
            fired("11:00", None, late=True),
            completed(),
        ],
    ),
    "a hold holds its end as well": Case(
        [DEFINED, ("10:40", Pause("works", at("12:30"))), ("12:00", Holds(held=True))],
        ("12:30", RING),
        [],
    ),
    "an edit of the timing leaves the end of the pause alone": Case(
        [
            DEFINED,
            ("10:40", Pause("works", at("12:30"))),
            ("10:50", Define(rule("*/10 * * * *"))),
        ],
        ("12:29", RING),
        [],
    ),
}


@pytest.mark.parametrize("case", PAUSING.values(), ids=PAUSING.keys())
def test_pause(case: Case) -> None:
    assert case.outcome() == case.then


@pytest.mark.parametrize("case", RESUMING.values(), ids=RESUMING.keys())
def test_resume(case: Case) -> None:
    assert case.outcome() == case.then


@pytest.mark.parametrize("case", UNTIL.values(), ids=UNTIL.keys())
def test_a_pause_with_an_end(case: Case) -> None:
    assert case.outcome() == case.then


@pytest.mark.parametrize("mode", CatchUpMode)
def test_time_spent_paused_is_not_caught_up(mode: CatchUpMode) -> None:
    """POL-003."""
    stage = Stage()
    three = rule("*/3 * * * *", catch_up=CatchUp(mode, lookback=None))
    stage.ask(Define(three), at("00:00"))
    before = stage.wait(at("00:07:07"))
    stage.ask(Pause(), at("00:07:07"))
    between = stage.wait(at("00:26:07"))
    stage.ask(Resume(), at("00:26:07"))
    after = stage.wait(at("00:27"))

    assert fires(before) == instants("00:03", "00:06")
    assert between == []
    assert fires(after) == instants("00:27")
    assert not [event for event, _ in stage.history if isinstance(event, Skipped)]


def test_a_week_of_pause_is_followed_by_the_next_instant() -> None:
    """POL-019."""
    stage = Stage()
    daily = rule("0 0 * * *", catch_up=CatchUp(CatchUpMode.NONE))
    stage.ask(Define(daily), at("12:00"))
    stage.ask(Pause(), at("13:00"))
    assert stage.wait(at("06-08T14:20")) == []
    stage.ask(Resume(), at("06-08T14:20"))

    assert stage.ring(at("06-08T14:20")) == []
    assert fires(stage.wait(at("06-10T00:00"))) == instants("06-09T00:00", "06-10T00:00")


def test_a_pause_that_was_handled_late_does_not_take_a_fire_back() -> None:
    """KAF-063: the command's offset leads to when it was sent, the stamp says when it counted."""
    stage = played(("02:00", Define(rule("0 3 * * *"))))
    fire = stage.ring(at("03:00"))
    stage.ask(Pause("late"), at("03:00:20"), appended_at=at("02:59:50"))
    event, stamp = stage.history[-1]

    assert fires(fire) == instants("03:00")
    assert [type(one) for one, _ in stage.history].count(Fired) == 1
    assert (event, stamp.offset, stamp.decided_at) == (
        paused("03:00:20", "late"),
        1,
        at("03:00:20"),
    )


def test_an_edit_while_paused_shows_after_the_resume() -> None:
    stage = played(DEFINED, PAUSED)
    faster = rule("*/10 * * * *")

    assert stage.ask(Define(faster), at("12:05")) == [changed(faster, "12:05", "12:10", version=2)]
    assert stage.ring(at("12:30")) == []
    stage.ask(Resume(), at("12:33"))
    assert stage.cursor_next == at("12:40")


def test_who_paused_and_who_resumed_stay_in_the_history() -> None:
    """ANC-05."""
    stage = played(DEFINED, PAUSED, ("10:50", Resume("done")))

    assert [(event, stamp.actor, stamp.decided_at) for event, stamp in stage.history[1:]] == [
        (paused("10:40", "works"), "user:ann", at("10:40")),
        (resumed("10:50", "11:00", "done"), "user:ann", at("10:50")),
    ]
