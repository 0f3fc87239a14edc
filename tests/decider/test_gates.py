"""A target that may not or cannot be written to defers its occurrences and nothing else."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from schemas.commands import Define, Trigger
from schemas.definition import CatchUp, CatchUpMode, Emit
from schemas.events import CommandRefused, Deferred, Fired, Reason, Skipped
from schemas.globals import GlobalSettings
from streams.decider.gates import forbids, refuses, size_of
from streams.decider.state import Plan, Target, World
from tests.decider.expected import completed, deferred, fired, skipped
from tests.decider.stage import (
    DAY,
    EMIT,
    HOUR,
    MINUTE,
    OPEN,
    RING,
    SECOND,
    Breaks,
    Case,
    Stage,
    at,
    once,
    played,
    rule,
)

GONE = "there is no topic 'jobs'"
RESERVED = "reserved: topics of the scheduler and the broker are no targets"
UNAVAILABLE = Reason.TARGET_UNAVAILABLE


def hourly(lookback: int | None) -> Define:
    return Define(rule("0 * * * *", catch_up=CatchUp(lookback=lookback)))


@pytest.mark.parametrize(
    ("patterns", "topic", "refusal"),
    {
        "a name on the list": (("jobs",), "jobs", None),
        "a pattern on the list": (("a.*", "jobs*"), "jobs-2", None),
        "everything on the list": (("*",), "jobs", None),
        "not on the list": (
            ("jobs", "mail"),
            "job",
            "'job' is not among the allowed topics (jobs, mail)",
        ),
        "case counts": (("jobs",), "JOBS", "'JOBS' is not among the allowed topics (jobs)"),
        "an empty list": ((), "jobs", "'jobs' is not among the allowed topics (none)"),
        "the scheduler's own": (
            ("*",),
            "horae.commands",
            f"'horae.commands' is {RESERVED}",
        ),
        "the broker's own": (
            ("*",),
            "__consumer_offsets",
            f"'__consumer_offsets' is {RESERVED}",
        ),
        "no topic name": (
            ("*",),
            "a b",
            "'a b' is no topic name (1 to 249 of A-Z a-z 0-9 . _ -)",
        ),
        "an empty name": (("*",), "", "'' is no topic name (1 to 249 of A-Z a-z 0-9 . _ -)"),
        "a dot": (("*",), ".", "'.' is no topic name (1 to 249 of A-Z a-z 0-9 . _ -)"),
    }.values(),
)
def test_where_an_emit_may_write(
    patterns: tuple[str, ...], topic: str, refusal: str | None
) -> None:
    assert forbids(topic, World(settings=GlobalSettings(patterns, 0))) == refusal


@pytest.mark.parametrize(
    ("action", "target", "refusal"),
    {
        "a topic that was not looked up": (EMIT, None, None),
        "a topic in order": (EMIT, Target(), None),
        "a topic with a fault": (EMIT, Target(fault=GONE), GONE),
        "a compacted one takes a key": (EMIT, Target(needs_key=True), None),
        "an empty key is a key": (Emit("jobs", b""), Target(needs_key=True), None),
        "a compacted one without a key": (
            Emit("jobs"),
            Target(needs_key=True),
            "topic 'jobs' is compacted and takes no record without a key",
        ),
        "a record that just fits": (
            Emit("jobs", value=bytes(800)),
            Target(max_bytes=2_000),
            None,
        ),
        "a value that is too large": (
            Emit("jobs", value=bytes(801)),
            Target(max_bytes=2_000),
            "topic 'jobs' takes 2000 bytes, the record has 2001",
        ),
        "a key that is too large": (
            Emit("jobs", bytes(801)),
            Target(max_bytes=2_000),
            "topic 'jobs' takes 2000 bytes, the record has 2001",
        ),
        "headers that are too large": (
            Emit("jobs", headers=(("name", bytes(793)), ("", None))),
            Target(max_bytes=2_000),
            "topic 'jobs' takes 2000 bytes, the record has 2005",
        ),
        "a topic that is no longer allowed": (
            Emit("mail"),
            Target(),
            "'mail' is not among the allowed topics (jobs*)",
        ),
    }.values(),
)
def test_what_a_target_takes(action: Emit, target: Target | None, refusal: str | None) -> None:
    world = replace(OPEN, targets={action.topic: target} if target else {})

    plan = Plan("shop/nightly", 0, 0, 0, 0, "", rule("@daily", emit=action), None)

    assert refuses(plan, world) == refusal


def test_the_size_counts_everything_that_is_sent() -> None:
    bare = size_of(Emit("jobs"))

    assert size_of(Emit("jobs", b"12", b"345", (("67", b"89"), ("0", None)))) == bare + 18


WAITING = {
    "a missing target defers, with its words as evidence (KPR-31)": Case(
        [("10:30", hourly(DAY)), ("10:45", Breaks(GONE))],
        ("11:00:00.25", RING),
        [deferred("11:00", "11:00:01.25", "11:00:00.25", 1, GONE)],
    ),
    "a late one defers as well": Case(
        [("10:30", hourly(DAY)), ("10:45", Breaks(GONE))],
        ("12:30", RING),
        [
            skipped("11:00", "11:00", 1, "12:00"),
            deferred("12:00", "12:30:01", "12:30", 1, GONE),
        ],
    ),
    "back in order it fires and says how long it waited": Case(
        [
            ("10:30", hourly(DAY)),
            ("10:45", Breaks(GONE)),
            ("11:00", RING),
            ("11:00:01", RING),
            ("11:00:02", Breaks(None)),
        ],
        ("11:00:03", RING),
        [fired("11:00", "12:00", deferred=("11:00", 2))],
    ),
    "lateness is not asked again of what was deferred": Case(
        [
            ("10:30", Define(rule("0 * * * *", catch_up=CatchUp(CatchUpMode.NONE)))),
            ("10:45", Breaks(GONE)),
            ("11:00", RING),
            ("11:20", Breaks(None)),
        ],
        ("11:20", RING),
        [fired("11:00", "12:00", deferred=("11:00", 1))],
    ),
    "what was late when it was deferred fires as late": Case(
        [
            ("10:30", hourly(DAY)),
            ("10:45", Breaks(GONE)),
            ("11:30", RING),
            ("11:30:01", Breaks(None)),
        ],
        ("11:30:01", RING),
        [fired("11:00", "12:00", late=True, deferred=("11:30", 1))],
    ),
    "the end of the lookback ends the wait with that reason (KPR-31)": Case(
        [("10:30", hourly(10 * MINUTE)), ("10:45", Breaks(GONE)), ("11:00", RING)],
        ("11:10", RING),
        [
            skipped(
                *("11:00", "11:00", 1, "12:00", UNAVAILABLE), evidence=GONE, deferred=("11:00", 1)
            )
        ],
    ),
    "at that very instant a target that is back still gets it": Case(
        [
            ("10:30", hourly(10 * MINUTE)),
            ("10:45", Breaks(GONE)),
            ("11:00", RING),
            ("11:10", Breaks(None)),
        ],
        ("11:10", RING),
        [fired("11:00", "12:00", deferred=("11:00", 1))],
    ),
    "without any lookback it is skipped at once": Case(
        [("10:30", hourly(0)), ("10:45", Breaks(GONE))],
        ("11:00", RING),
        [skipped(*("11:00", "11:00", 1, "12:00", UNAVAILABLE), evidence=GONE)],
    ),
    "a one-time that could not be delivered is completed": Case(
        [
            ("10:30", Define(rule(once("11:00"), catch_up=CatchUp(lookback=0)))),
            ("10:45", Breaks(GONE)),
        ],
        ("11:00", RING),
        [skipped(*("11:00", "11:00", 1, None, UNAVAILABLE), evidence=GONE), completed()],
    ),
    "with an unlimited lookback even an old one is waited for": Case(
        [
            ("10:30", Define(rule(once("11:00"), catch_up=CatchUp(lookback=None)))),
            ("10:45", Breaks(GONE)),
        ],
        ("06-09T11:00", RING),
        [deferred("11:00", "06-09T11:00:01", "06-09T11:00", 1, GONE)],
    ),
    "for a day": Case(
        [
            ("10:30", Define(rule(once("11:00"), catch_up=CatchUp(lookback=None)))),
            ("10:45", Breaks(GONE)),
            ("06-09T11:00", RING),
        ],
        ("06-10T11:00", RING),
        [
            skipped(
                *("11:00", "11:00", 1, None, UNAVAILABLE),
                evidence=GONE,
                deferred=("06-09T11:00", 1),
            ),
            completed(),
        ],
    ),
}


@pytest.mark.parametrize("case", WAITING.values(), ids=WAITING.keys())
def test_an_occurrence_whose_target_does_not_take_it(case: Case) -> None:
    assert case.outcome() == case.then


def test_looks_at_a_missing_target_become_rarer_and_end_with_the_lookback() -> None:
    """KPR-31: after 1, 2, 4 ... seconds, at most a minute, then skipped inside one hour."""
    stage = played(("10:30", hourly(HOUR)), ("10:45", Breaks(GONE)))
    events = stage.wait(at("12:00") - 1) + stage.look(at("12:00"))
    waits = [
        (event.until - at("11:00")) // SECOND for event in events if isinstance(event, Deferred)
    ]
    last = events[-1]

    assert waits[:8] == [1, 3, 7, 15, 31, 63, 123, 183]
    assert max(b - a for a, b in pairwise(waits)) == 60
    assert waits[-1] == 3_600
    assert isinstance(last, Skipped)
    assert (last.reason, last.evidence, last.deferrals) == (UNAVAILABLE, GONE, len(waits))


def test_the_last_look_is_not_put_off_by_less_than_a_second() -> None:
    stage = played(("10:30", hourly(10 * MINUTE)), ("10:45", Breaks(GONE)))
    (event,) = stage.look(at("11:00:59.9"))
    assert isinstance(event, Deferred)
    stage.look(at("11:09:59.7"))

    assert stage.state is not None
    assert stage.state.cursor.due == at("11:10:00.7")


def test_a_topic_that_is_taken_off_the_list_is_no_longer_written_to() -> None:
    stage = played(("10:30", hourly(DAY)))
    stage.world = replace(stage.world, settings=GlobalSettings(("mail",), 0))
    (event,) = stage.ring(at("11:00"))

    assert isinstance(event, Deferred)
    assert event.evidence == "'jobs' is not among the allowed topics (mail)"
    (answer,) = stage.ask(Trigger(), at("11:00:30"))
    assert isinstance(answer, CommandRefused)
    assert answer.message == event.evidence


def test_a_schedule_never_names_a_topic_of_ours() -> None:
    (event,) = Stage(World(settings=GlobalSettings(("*",), 0))).ask(
        Define(rule("0 * * * *", emit=Emit("horae.events"))), at("10:00")
    )

    assert isinstance(event, CommandRefused)
    assert event.field == "emit.topic"


def test_what_a_missing_target_costs_is_caught_up_by_the_rule_for_lateness() -> None:
    """The waiting one fires, the newest behind it runs late, those between are missed."""
    stage = played(("10:30", Define(rule("*/10 * * * *"))), ("10:35", Breaks(GONE)))
    stage.wait(at("11:25"))
    stage.play(Breaks(None), at("11:25"))
    events = stage.ring(at("11:26"))

    assert [type(event) for event in events] == [Fired, Skipped, Fired]
    assert events[1] == skipped("10:50", "11:10", 3, "11:20")
    assert events[2] == fired("11:20", "11:30", late=True)
