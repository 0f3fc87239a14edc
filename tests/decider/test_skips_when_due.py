"""What was asked to be skipped ends by itself, whatever else is late, waits or changes."""

from __future__ import annotations

import pytest

from schemas.commands import Define, Pause, Resume, Skip, Unskip
from schemas.definition import CatchUp, CatchUpMode, Hours, Once, Window
from schemas.events import (
    CommandUnchanged,
    Deferred,
    Reason,
    ScheduleCompleted,
    Skipped,
    SkipsChanged,
)
from streams.decider.requested import still_ahead
from tests.decider.requests import HOURLY, NOON, ends, times
from tests.decider.stage import HOUR, RING, Breaks, Holds, Stage, Step, at, played, rule


def test_the_next_two_are_skipped_and_the_third_fires() -> None:
    stage = played(NOON, ("11:40", Skip(2, reason="stocktaking")))

    assert ends(stage.wait(at("14:00"))) == [("requested", 1), ("requested", 1), ("fired", 1)]
    assert stage.state is not None
    assert stage.state.cursor.fires == 1


def test_what_is_over_leaves_the_list_when_it_is_written_next() -> None:
    stage = played(NOON, ("11:40", Skip(1)))
    stage.wait(at("12:00"))
    assert stage.state is not None
    assert stage.state.plan.skips == times("12:00")

    stage.play(Skip(1), at("12:10"))
    assert stage.state.plan.skips == times("13:00")
    [event] = stage.play(Unskip(at("12:00")), at("12:11"))
    assert isinstance(event, CommandUnchanged)


ALL = CatchUp(CatchUpMode.ALL, limit=2)


LATE: dict[str, tuple[CatchUp, tuple[str, ...], list[tuple[str, int]]]] = {
    "in the middle of what was missed": (
        CatchUp(),
        ("10:00",),
        [("missed", 2), ("requested", 1), ("missed", 1), ("fired", 1)],
    ),
    "the newest: the one before it is the newest that was missed": (
        CatchUp(),
        ("12:00",),
        [("missed", 3), ("fired", 1), ("requested", 1)],
    ),
    "the oldest": (CatchUp(), ("08:00",), [("requested", 1), ("missed", 3), ("fired", 1)]),
    "several in a row end in one record": (
        CatchUp(),
        ("09:00", "10:00", "11:00"),
        [("missed", 1), ("requested", 3), ("fired", 1)],
    ),
    "all of them": (
        CatchUp(),
        ("08:00", "09:00", "10:00", "11:00", "12:00"),
        [("requested", 1)] * 5,
    ),
    "nothing late runs": (
        CatchUp(CatchUpMode.NONE),
        ("10:00",),
        [("missed", 2), ("requested", 1), ("missed", 2)],
    ),
    "the newest two run, and none of these is among the two": (
        ALL,
        ("11:00",),
        [("missed", 2), ("fired", 1), ("requested", 1), ("fired", 1)],
    ),
}


@pytest.mark.parametrize(("catch_up", "names", "then"), LATE.values(), ids=LATE.keys())
def test_late_instants_end_for_their_own_reason(
    catch_up: CatchUp, names: tuple[str, ...], then: list[tuple[str, int]]
) -> None:
    stage = played(("07:30", Define(rule("0 * * * *", catch_up=catch_up))))
    for name in names:
        stage.play(Skip(instant=at(name)), at("07:40"))

    assert ends(stage.ring(at("12:30"))) == then


def test_a_window_that_opens_late_skips_each_for_its_own_reason() -> None:
    definition = rule("0 * * * *", window=Window((Hours(13 * 3600, 18 * 3600),), spread=0))
    stage = played(("07:30", Define(definition)), ("07:40", Skip(instant=at("10:00"))))

    assert ends(stage.wait(at("13:00")))[:5] == [
        *(("fired", 1), ("overlap", 1), ("requested", 1), ("overlap", 3)),
    ]


def test_what_waits_ends_at_once_when_it_is_to_be_skipped() -> None:
    definition = rule("0 * * * *", window=Window((Hours(18 * 3600, 20 * 3600),)))
    stage = played(("11:30", Define(definition)))
    assert isinstance(stage.wait(at("12:00"))[0], Deferred)

    [changed, skipped] = stage.play(Skip(1), at("12:30"))
    assert isinstance(changed, SkipsChanged)
    assert isinstance(skipped, Skipped)
    assert (skipped.first, skipped.reason, skipped.deferrals) == (at("12:00"), Reason.REQUESTED, 1)
    assert skipped.next == at("13:00")


def test_under_a_hold_it_goes_on_waiting_until_that_is_lifted() -> None:
    definition = rule("0 * * * *", window=Window((Hours(18 * 3600, 20 * 3600),)))
    stage = played(("11:30", Define(definition)), ("12:00", RING), ("12:10", Holds(held=True)))
    assert len(stage.play(Skip(1), at("12:30"))) == 1

    stage.play(Holds(held=False), at("18:00"))
    assert ends(stage.ring(at("18:30")))[0] == ("requested", 1)


def test_a_target_that_takes_nothing_is_not_asked_about_what_is_skipped() -> None:
    stage = played(NOON, ("11:40", Skip(1)), ("11:50", Breaks("there is no topic")))

    assert ends(stage.look(at("12:00"))) == [("requested", 1)]


def test_a_one_time_that_is_skipped_is_over() -> None:
    stage = played(("11:30", Define(rule(Once(at("12:00"))))), ("11:40", Skip(1)))

    skipped, completed = stage.wait(at("12:00"))
    assert ends([skipped]) == [("requested", 1)]
    assert isinstance(completed, ScheduleCompleted)


def test_other_timings_keep_those_that_are_their_instants_too() -> None:
    stage = played(NOON, ("11:40", Skip(3)))
    events = stage.play(Define(rule("0 */2 * * *")), at("11:50"))

    assert isinstance(events[-1], SkipsChanged)
    assert events[-1].skips == times("12:00", "14:00")
    assert events[-1].version == 2


def test_an_edit_settles_what_was_due_for_its_own_reason() -> None:
    stage = played(
        ("07:30", Define(HOURLY)), ("07:40", Skip(instant=at("10:00"))),
        ("07:41", Skip(instant=at("12:00"))),
    )  # fmt: skip
    events = stage.play(Define(rule("30 * * * *")), at("12:00:30"))

    assert ends(events) == [
        *(("withdrawn", 2), ("requested", 1), ("withdrawn", 1), ("requested", 1)),
    ]


def test_a_pause_passes_over_them_without_a_record() -> None:
    steps: list[Step] = [NOON, ("11:40", Skip(1)), ("11:50", Pause()), ("12:30", Resume())]

    stage = played(*steps)

    assert stage.state is not None
    assert still_ahead(stage.state) == ()
    assert ends(stage.wait(at("13:00"))) == [("fired", 1)]


def test_many_late_ones_are_ended_quickly() -> None:
    """The list is as long as it may be, and a year of minutes is late."""
    stage = Stage()
    stage.play(Define(rule("* * * * *")), at("00:30"))
    stage.play(Skip(1_000), at("00:30:30"))
    found = ends(stage.ring(at("00:31") + 365 * 24 * HOUR))

    assert found[0] == ("requested", 1)
    assert sum(count for reason, count in found if reason == "requested") == 1_000
    assert found[-1] == ("fired", 1)


def test_what_a_pause_leaves_to_its_end_is_skipped_too() -> None:
    later = CatchUp(on_resume=CatchUpMode.ALL)
    stage = played(
        ("11:30", Define(rule("0 * * * *", catch_up=later))), ("11:40", Skip(instant=at("13:00"))),
        ("11:50", Pause()),
    )  # fmt: skip
    events = stage.play(Resume(), at("14:30"))

    assert ends([*events, *stage.ring(at("14:30"))]) == [
        *(("fired", 1), ("requested", 1), ("fired", 1)),
    ]
