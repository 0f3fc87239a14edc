"""What is due in a freeze is skipped with the freeze's reason, and is not made up for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import Define, Pause, Trigger
from schemas.definition import CatchUp, CatchUpMode, Hours, Window
from schemas.events import Reason
from schemas.globals import Freeze
from streams.decider.freezes import frozen
from tests.decider.expected import (
    completed,
    fired,
    fires,
    instants,
    paused,
    refused,
    skipped,
    triggered,
)
from tests.decider.stage import (
    MINUTE,
    OPEN,
    RING,
    Breaks,
    Case,
    Stage,
    Tells,
    at,
    once,
    played,
    rule,
)

HOURLY = rule("0 * * * *")
DEFINED = ("10:30", Define(HOURLY))


def freeze(
    begins: str, ends: str, *subjects: str, reason: str = "deploy", lifted: bool = False
) -> Tells:
    patterns = subjects or ("shop",)
    return Tells("freeze/works", Freeze(patterns, at(begins), at(ends), reason, lifted))


FROZEN = ("10:35", freeze("11:00", "12:30"))


def frozen_out(instant: str, following: str, evidence: str = "deploy") -> object:
    return skipped(instant, instant, 1, following, Reason.FREEZE, evidence=evidence)


FREEZES = {
    "its beginning belongs to it (AJ-067)": Case(
        [DEFINED, FROZEN],
        ("11:00", RING),
        [frozen_out("11:00", "12:00")],  # type: ignore[list-item]
    ),
    "its end does not": Case(
        [DEFINED, ("10:35", freeze("10:40", "11:00"))], ("11:00", RING), [fired("11:00", "12:00")]
    ),
    "when it was due counts, not when it is looked at": Case(
        [DEFINED, ("10:35", freeze("11:00:10", "12:30"))],
        ("11:00:20", RING),
        [fired("11:00", "12:00")],
    ),
    "also if it is looked at after the freeze": Case(
        [("10:30", Define(replace(HOURLY, catch_up=CatchUp(grace=60 * MINUTE)))), FROZEN],
        ("12:40", RING),
        [
            skipped("11:00", "11:00", 1, "12:00"),
            frozen_out("12:00", "13:00"),  # type: ignore[list-item]
        ],
    ),
    "other subjects are not concerned": Case(
        [DEFINED, ("10:35", freeze("11:00", "12:30", "shopping", "sho", "*/nightly"))],
        ("11:00", RING),
        [fired("11:00", "12:00")],
    ),
    "one without a reason is called by its name": Case(
        [DEFINED, ("10:35", freeze("11:00", "12:30", "s*p", reason=""))],
        ("11:00", RING),
        [frozen_out("11:00", "12:00", "freeze works")],  # type: ignore[list-item]
    ),
    "a lifted one is over": Case(
        [DEFINED, FROZEN, ("10:50", freeze("11:00", "12:30", lifted=True))],
        ("11:00", RING),
        [fired("11:00", "12:00")],
    ),
    "the last instant of all completes the schedule": Case(
        [("10:30", Define(rule(once("11:00")))), FROZEN],
        ("11:00", RING),
        [
            skipped("11:00", "11:00", 1, None, Reason.FREEZE, evidence="deploy"),
            completed(),
        ],
    ),
    "what waits for its target is not started in it either": Case(
        [
            DEFINED,
            ("10:40", Breaks("gone")),
            ("11:00", RING),
            ("11:00:00.5", freeze("11:00:00.5", "12:30")),
            ("11:00:00.6", Breaks(None)),
        ],
        ("11:00:01", RING),
        [
            skipped(
                *("11:00", "11:00", 1, "12:00", Reason.FREEZE),
                evidence="deploy",
                deferred=("11:00", 1),
            )
        ],
    ),
    "before an edit it is skipped as well": Case(
        [DEFINED, FROZEN],
        ("11:00:30", Pause()),
        [frozen_out("11:00", "12:00"), paused("11:00:30")],  # type: ignore[list-item]
    ),
    "a fire by hand is refused": Case(
        [DEFINED, FROZEN],
        ("11:10", Trigger()),
        [refused("trigger", "freeze", "shop is frozen: deploy")],
    ),
    "but not before and after": Case(
        [DEFINED, FROZEN], ("10:50", Trigger()), [triggered("10:50", "11:00", 1)]
    ),
}


@pytest.mark.parametrize("case", FREEZES.values(), ids=FREEZES.keys())
def test_freeze(case: Case) -> None:
    assert case.outcome() == case.then


def test_what_was_frozen_is_not_queued_and_what_was_missed_runs_once() -> None:
    """AJ-067."""
    stage = played(DEFINED, FROZEN)

    assert fires(stage.wait(at("13:00"))) == instants("13:00")
    missed = stage.ring(at("15:20"))
    assert missed == [
        skipped("14:00", "14:00", 1, "15:00"),
        fired("15:00", "16:00", late=True),
    ]


def test_every_one_of_a_backlog_is_asked() -> None:
    everything = CatchUp(CatchUpMode.ALL, lookback=None)
    stage = played(("10:30", Define(replace(HOURLY, catch_up=everything))), FROZEN)

    assert fires(stage.ring(at("14:10"))) == instants("13:00", "14:00")


def test_a_window_that_opens_into_a_freeze_starts_nothing() -> None:
    window = Window((Hours(12 * 3600, 13 * 3600),), spread=0)
    stage = played(("10:30", Define(replace(HOURLY, window=window))), ("11:00", RING))
    stage.play(freeze("12:00", "12:30"), at("11:30"))

    (skip, *_) = stage.ring(at("12:00"))

    assert skip == skipped(
        *("11:00", "11:00", 1, "12:00", Reason.FREEZE),
        evidence="deploy",
        deferred=("11:00", 1),
    )


def test_the_first_of_several_by_name_gives_the_reason() -> None:
    stage = Stage()
    for name, reason in (("b", "second"), ("a", "first")):
        record = Freeze(("*",), at("11:00"), at("12:00"), reason)
        stage.play(Tells(f"freeze/{name}", record), at("10:00"))

    assert frozen(stage.world, "any", at("11:59")) == "first"
    assert frozen(stage.world, "any", at("12:00")) is None
    assert frozen(OPEN, "any", at("11:59")) is None


@pytest.mark.parametrize("subject", ["a.c", "a[b]c", "line\nbreak"])
def test_only_the_star_means_more_than_itself(subject: str) -> None:
    stage = Stage()
    stage.play(Tells("freeze/x", Freeze((subject,), 0, at("12:00"), "why")), at("10:00"))

    assert frozen(stage.world, subject, at("11:00")) == "why"
    assert frozen(stage.world, "abc", at("11:00")) is None


MANY_STARS = {
    ("*" * 400, "a" * 400): True,
    ("*" * 399 + "x", "a" * 400): False,
    ("*a" * 200, "a" * 400): True,
    ("*a" * 199 + "*x", "a" * 400): False,
    ("a*b*a", "aba"): True,
    ("a*a", "a"): False,
    ("ab*ba", "aba"): False,
    ("*ab*ab", "xabab"): True,
    ("*ab", "abab"): True,
    ("a*", "ba"): False,
}


@pytest.mark.parametrize(("pattern", "subject"), MANY_STARS)
def test_many_stars_are_answered_at_once(pattern: str, subject: str) -> None:
    """Tried in all ways, the patterns of many stars here would hold up a processor for ever."""
    stage = Stage()
    stage.play(Tells("freeze/x", Freeze((pattern,), 0, at("12:00"), "why")), at("10:00"))

    asked = frozen(stage.world, subject, at("11:00"))

    assert asked == ("why" if MANY_STARS[pattern, subject] else None)
