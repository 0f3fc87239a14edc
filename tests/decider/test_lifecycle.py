"""A schedule comes to be, changes and goes; each row is a promise about one command."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import NOT_THERE, Define, Pause, Remove, Resume, Trigger, Unacceptable
from schemas.definition import Emit
from schemas.events import CommandRefused, Reason
from schemas.globals import GlobalSettings
from streams.decider.state import World
from tests.decider.expected import (
    changed,
    deferred,
    defined,
    fired,
    refused,
    removed,
    skipped,
    unchanged,
)
from tests.decider.stage import (
    EMIT,
    HOUR,
    MINUTE,
    NIGHTLY,
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
OTHER_VALUE = replace(HOURLY, action=Emit("jobs", b"k", b"other"))

DEFINING = {
    "a schedule begins when it is defined": Case(
        [], ("10:30", Define(HOURLY)), [defined(HOURLY, "10:30", "11:00")]
    ),
    "an instant at the moment of definition is past (AJ-001)": Case(
        [], ("11:00", Define(HOURLY)), [defined(HOURLY, "11:00", "12:00")]
    ),
    "nothing runs at creation (POL-017)": Case(
        [("15:00", Define(rule("0 9 * * *")))], ("15:00", RING), []
    ),
    "the first is the next day's (POL-017)": Case(
        [],
        ("15:00", Define(rule("0 9 * * *"))),
        [defined(rule("0 9 * * *"), "15:00", "06-02T09:00")],
    ),
    "what lies inside the inbox's lag is not caught up (KAF-064)": Case(
        [], ("12:10", Define(HOURLY)), [defined(HOURLY, "12:10", "13:00")], appended="10:10"
    ),
    "a broker whose clock is ahead decides where it begins": Case(
        [], ("10:59:59", Define(HOURLY)), [defined(HOURLY, "11:00:01", "12:00")], "11:00:01"
    ),
    "an interval without anchor counts from the whole second of the creation": Case(
        [],
        ("10:00:00.7", Define(rule(every(HOUR)))),
        [defined(rule(every(HOUR)), "10:00:00.7", "11:00")],
    ),
    "the same content again is unchanged, no version and no fire (KPR-33)": Case(
        [("10:30", Define(HOURLY))], ("10:40", Define(HOURLY)), [unchanged("define", "11:00")]
    ),
    "an expected version that is right is accepted": Case(
        [("10:30", Define(HOURLY))],
        ("10:40", Define(OTHER_VALUE, expected_version=0)),
        [changed(OTHER_VALUE, "10:30", "11:00")],
    ),
    "of two updates based on one version the second is refused (ANC-07)": Case(
        [("10:30", Define(HOURLY)), ("10:35", Define(OTHER_VALUE, expected_version=0))],
        ("10:40", Define(replace(HOURLY, description="x"), expected_version=0)),
        [
            refused(
                "define",
                "expected_version",
                "version 0 was expected, the schedule has 1",
                version=1,
            )
        ],
    ),
    "an update after the delete is refused and revives nothing (KAF-061)": Case(
        [("10:30", Define(HOURLY)), ("10:35", Remove())],
        ("10:40", Define(OTHER_VALUE, expected_version=0)),
        [
            refused(
                "define",
                "expected_version",
                "version 0 was expected, but there is no such schedule",
                version=None,
            )
        ],
    ),
    "who wants to create only is refused what is there, and nothing is changed (IT-059)": Case(
        [("10:30", Define(HOURLY))],
        ("10:40", Define(OTHER_VALUE, NOT_THERE)),
        [
            refused(
                "define",
                "expected_version",
                f"there is a schedule {NIGHTLY} already, of version 0",
                version=0,
            )
        ],
    ),
    "who wants to create only may do so where there is none": Case(
        [("10:30", Define(HOURLY)), ("10:35", Remove())],
        ("10:40", Define(HOURLY, NOT_THERE)),
        [defined(HOURLY, "10:40", "11:00", version=2)],
    ),
    "a definition after the delete is another incarnation": Case(
        [("10:30", Define(HOURLY)), ("10:35", Remove())],
        ("10:40", Define(HOURLY)),
        [defined(HOURLY, "10:40", "11:00", version=2)],
    ),
    "an end before the first instant is refused": Case(
        [],
        ("10:30", Define(rule("0 * * * *", end_at=at("10:45")))),
        [
            refused(
                "define",
                "end_at",
                "no instant is left up to 2026-06-01T10:45:00Z",
                version=None,
            )
        ],
    ),
    "a year that is over is refused": Case(
        [],
        ("10:30", Define(rule("0 0 0 1 1 * 2020"))),
        [refused("define", "timings", "no instant lies after 2026-06-01T10:30:00Z", version=None)],
    ),
}

GOING = {
    "a removal takes it away": Case([("10:30", Define(HOURLY))], ("10:40", Remove()), [removed()]),
    "what was due within the grace still fires": Case(
        [("10:30", Define(HOURLY))],
        ("11:00:30", Remove()),
        [fired("11:00", "12:00"), removed()],
    ),
    "what was older is withdrawn as one range": Case(
        [("10:30", Define(HOURLY))],
        ("13:00:30", Remove()),
        [
            skipped("11:00", "12:00", 2, "13:00", Reason.WITHDRAWN),
            fired("13:00", "14:00"),
            removed(),
        ],
    ),
    "under a hold all of it is withdrawn": Case(
        [("10:30", Define(HOURLY)), ("10:45", Holds(held=True))],
        ("13:00:30", Remove()),
        [skipped("11:00", "13:00", 3, "14:00", Reason.WITHDRAWN, evidence="held"), removed()],
    ),
    "and so it is when the target is gone": Case(
        [("10:30", Define(HOURLY)), ("10:45", Breaks("no leader"))],
        ("11:00:30", Remove()),
        [
            skipped("11:00", "11:00", 1, "12:00", Reason.WITHDRAWN, evidence="no leader"),
            removed(),
        ],
    ),
    "what falls due after the removal was sent is left alone": Case(
        [("10:30", Define(HOURLY))], ("11:00:30", Remove()), [removed()], appended="10:59"
    ),
    "but what waits is withdrawn, whenever the removal was sent": Case(
        [("10:30", Define(HOURLY)), ("10:45", Breaks("no leader")), ("11:00:05", RING)],
        ("11:00:30", Remove()),
        [
            skipped(
                *("11:00", "11:00", 1, "12:00", Reason.WITHDRAWN),
                evidence="the schedule changed while it waited",
                deferred=("11:00:05", 1),
            ),
            removed(),
        ],
        appended="10:59",
    ),
    "removing what is not there is refused": Case(
        [],
        ("10:30", Remove()),
        [refused("remove", "schedule", "there is no schedule shop/nightly", version=None)],
    ),
    "a fire that was decided stands, and nothing comes after the removal (KPR-19)": Case(
        [("10:30", Define(HOURLY)), ("11:00", RING), ("11:00:01", Remove())],
        ("14:00", RING),
        [],
    ),
    "an armed timer of a removed schedule is silent (POL-020)": Case(
        [("09:59", Define(rule("*/5 * * * * *"))), ("09:59:04", Remove())],
        ("10:00:05", RING),
        [],
    ),
}


@pytest.mark.parametrize("case", DEFINING.values(), ids=DEFINING.keys())
def test_define(case: Case) -> None:
    assert case.outcome() == case.then


@pytest.mark.parametrize("case", GOING.values(), ids=GOING.keys())
def test_remove(case: Case) -> None:
    assert case.outcome() == case.then


@pytest.mark.parametrize("command", [Pause(), Resume(), Trigger()], ids=type)
def test_what_is_asked_of_no_schedule_is_refused(command: Pause | Resume | Trigger) -> None:
    kind = type(command).__name__.lower()

    assert Stage().ask(command, at("10:00")) == [
        refused(kind, "schedule", "there is no schedule shop/nightly", version=None)
    ]


@pytest.mark.parametrize(
    ("given", "version"), [(Stage(), None), (played(("10:00", Define(HOURLY))), 0)]
)
def test_what_could_be_read_but_not_meant_is_refused_by_its_field(
    given: Stage, version: int | None
) -> None:
    command = Unacceptable("define", "interval.every", "too short")

    assert given.ask(command, at("10:10")) == [
        refused("define", "interval.every", "too short", version)
    ]


def test_a_zone_that_nobody_knows_is_refused_by_its_field() -> None:
    (event,) = Stage().ask(Define(rule("0 * * * *", zone="Mars/Base")), at("10:00"))

    assert isinstance(event, CommandRefused)
    assert (event.field, event.version) == ("zone", None)
    assert "'Mars/Base'" in event.message


def test_before_the_limits_are_known_nothing_may_be_emitted() -> None:
    stage = Stage(World())

    assert stage.ask(Define(HOURLY), at("10:00")) == [
        refused("define", "emit.topic", "'jobs' is not among the allowed topics (none)", None)
    ]


def test_a_refused_edit_leaves_everything_as_it_was() -> None:
    stage = played(("10:30", Define(HOURLY)))
    before = stage.state

    stage.ask(Define(rule(once("2001-01-01T00:00"))), at("13:00"))

    assert stage.state is before


def test_a_schedule_whose_topic_is_no_longer_allowed_can_be_changed_to_another() -> None:
    stage = played(("10:30", Define(HOURLY)))
    stage.world = replace(stage.world, settings=GlobalSettings(("other",), 0))
    moved = replace(HOURLY, action=replace(EMIT, topic="other"))

    assert stage.ask(Define(moved), at("10:40")) == [changed(moved, "10:30", "11:00")]


def test_what_waits_is_given_the_new_payload_when_only_that_changed() -> None:
    stage = played(("10:30", Define(HOURLY)), ("10:45", Breaks("gone")), ("11:00", RING))
    assert stage.ask(Define(OTHER_VALUE), at("11:00:00.5")) == [
        changed(OTHER_VALUE, "10:30", "11:00")
    ]
    assert stage.play(RING, at("11:00:01")) == [
        deferred("11:00", "11:00:03", "11:00", 2, "gone", version=1)
    ]
    stage.play(Breaks(None), at("11:00:02"))

    assert stage.play(RING, at("11:00") + MINUTE) == [
        fired("11:00", "12:00", version=1, deferred=("11:00", 2))
    ]
