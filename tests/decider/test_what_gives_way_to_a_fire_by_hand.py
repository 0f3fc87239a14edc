"""The last fire leaves nothing behind; a newer word closes what waits; all else goes on waiting."""

from __future__ import annotations

from schemas.commands import Define, Skip, Trigger
from schemas.definition import Exclude, Hours, Window
from schemas.events import Fired, ScheduleCompleted, ScheduleEvent, Skipped
from schemas.globals import Calendar
from schemas.policies import Overlap
from tests.decider.expected import fires, instants
from tests.decider.house import House, tracked
from tests.decider.stage import HOUR, RING, Breaks, Tells, at, once, played, rule

WORKS = Exclude(("works",))
EIGHT_IS_FREE = Tells("calendar/works", Calendar(crons=("* 8 * * *",)))
NOBODY_IS_FREE = Tells("calendar/works", Calendar())


def ends(events: list[ScheduleEvent]) -> list[tuple[int, int, str, int]]:
    """First instant, how many, why and how often deferred."""
    return [
        (one.first, one.count, str(one.reason), one.deferrals)
        for one in events
        if isinstance(one, Skipped)
    ]


def test_what_waited_ends_alone_and_what_fell_due_behind_it_in_one_record() -> None:
    """Under the key of the deferral, so that no compaction forgets how it waited."""
    stage = played(
        ("07:30", Define(rule("0 * * * *", max_fires=1))),
        ("07:40", Breaks("gone")),
        ("08:00", RING),
    )
    stage.play(Breaks(None), at("10:29"))

    found = stage.ask(Trigger(), at("10:30"))

    assert ends(found) == [(at("08:00"), 1, "withdrawn", 1), (at("09:00"), 2, "withdrawn", 0)]
    assert [type(one) for one in found[2:]] == [Fired, ScheduleCompleted]


def test_what_waited_ends_by_its_own_instant_though_it_is_excluded_by_now() -> None:
    stage = played(
        ("00:00", NOBODY_IS_FREE),
        ("07:30", Define(rule("0 * * * *", exclude=WORKS, max_fires=1))),
        ("07:40", Breaks("gone")),
        ("08:00", RING),
        ("08:10", EIGHT_IS_FREE),
        ("09:29", Breaks(None)),
    )

    found = stage.ask(Trigger(), at("09:30"))

    assert ends(found) == [(at("08:00"), 1, "withdrawn", 1), (at("09:00"), 1, "withdrawn", 0)]


def test_what_was_to_be_skipped_ends_as_that() -> None:
    stage = played(("07:30", Define(rule("0 * * * *", max_fires=1))), ("07:40", Skip(1)))

    found = stage.ask(Trigger(), at("09:30"))

    assert ends(found) == [(at("08:00"), 1, "requested", 0), (at("09:00"), 1, "withdrawn", 0)]


def test_of_two_instants_one_waits_so_a_fire_by_hand_is_not_the_last() -> None:
    """Also when a calendar excludes by now what waits."""
    for calendar in (NOBODY_IS_FREE, EIGHT_IS_FREE):
        stage = played(
            ("00:00", NOBODY_IS_FREE),
            ("07:30", Define(rule(once("08:00"), once("12:00"), exclude=WORKS))),
            ("07:40", Breaks("gone")),
            ("08:00", RING),
            ("08:10", calendar),
            ("08:29", Breaks(None)),
        )

        (by_hand,) = stage.ask(Trigger(), at("08:30"))
        later = stage.wait(at("13:00"))

        assert isinstance(by_hand, Fired)
        assert fires(later) == instants("08:00", "12:00")
        assert isinstance(later[-1], ScheduleCompleted)


def house_where_one_waits(*, supersedes: bool, end_at: int | None = None) -> House:
    house = House()
    window = Window((Hours(10 * 3600, 11 * 3600),))
    overlap = Overlap(supersedes=supersedes)
    house.ask("07:00", Define(tracked("0 8 * * *", overlap=overlap, window=window, end_at=end_at)))
    house.ring("08:00")
    return house


def test_a_newer_word_by_hand_closes_what_waits_of_the_same_schedule() -> None:
    house = house_where_one_waits(supersedes=True)

    found = house.ask("09:00", Trigger())

    assert ends(found) == [(at("08:00"), 1, "superseded", 1)]
    assert [type(one) for one in found[1:]] == [Fired]
    house.report("09:10", house.going()[0].id)
    assert house.wait("10:30") == []


def test_and_completes_a_schedule_that_has_no_other() -> None:
    house = house_where_one_waits(supersedes=True, end_at=at("20:00"))

    found = house.ask("09:00", Trigger())

    assert [type(one) for one in found] == [Skipped, Fired, ScheduleCompleted]
    house.report("09:10", house.going()[0].id)
    assert house.wait("23:00") == []


def test_where_it_does_not_supersede_what_waits_is_in_the_way() -> None:
    house = house_where_one_waits(supersedes=False)

    (left_out,) = house.ask("09:00", Trigger())

    assert isinstance(left_out, Skipped)
    assert str(left_out.reason) == "overlap"
    assert [type(one) for one in house.wait(at("10:00") + HOUR)][:1] == [Fired]
