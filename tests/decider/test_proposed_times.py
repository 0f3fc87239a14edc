"""The schedules of an accepted proposal are due when its windows begin and end, in local time."""

from __future__ import annotations

import pytest

from schemas.commands import AcceptProposal, Propose
from schemas.events import Deferred, Fired
from schemas.proposals import IdleWindow
from tests.decider.deployed import Place, place
from tests.decider.proposed import HOURS, nights, proposal, window
from tests.decider.stage import DAY, at

ACCEPT = AcceptProposal("p1")
WEEKEND = (window((5, 1 * HOURS), (6, 9 * HOURS)), window((6, 22 * HOURS), (0, 6 * HOURS)))
PERIODS = {
    "the nights of the working week": (
        *("UTC", nights()),
        ["06-01T22:00", "06-02T22:00", "06-03T22:00", "06-04T22:00", "06-05T22:00"],
        ["06-02T07:00", "06-03T07:00", "06-04T07:00", "06-05T07:00", "06-06T07:00"],
    ),
    "over the end of the week, at other times": (
        *("UTC", WEEKEND),
        ["06-06T01:00", "06-07T22:00"],
        ["06-01T06:00", "06-07T09:00", "06-08T06:00"],
    ),
    "local times of Tokyo": (
        *("Asia/Tokyo", (window((6, 23 * HOURS), (0, 5 * HOURS + 2700)),)),
        ["06-07T14:00"],
        ["06-07T20:45"],
    ),
    "two of one day": (
        *("UTC", (window((2, 0), (2, 5 * HOURS)), window((2, 12 * HOURS), (2, 15 * HOURS)))),
        ["06-03T00:00", "06-03T12:00"],
        ["06-03T05:00", "06-03T15:00"],
    ),
}


@pytest.mark.parametrize(
    ("zone", "windows", "sleeps", "wakes"), PERIODS.values(), ids=PERIODS.keys()
)
def test_the_schedules_fire_at_the_times_of_the_windows(
    zone: str, windows: tuple[IdleWindow, ...], sleeps: list[str], wakes: list[str]
) -> None:
    """In the week from Monday, the first of June, on; the second week is like the first."""
    for week in (0, 7 * DAY):
        found = place()
        when = at("00:00:01") + week
        found.ask(when, Propose(proposal("p1", *windows, zone=zone)), None)
        found.ask(when, ACCEPT, None)

        found.wait(at("06-08T06:30") + week)
        for name, expected in zip(found.ids(), (sleeps, wakes), strict=True):
            assert looked_at(found, name) == [at(one) + week for one in expected]


def looked_at(found: Place, name: str) -> list[int]:
    """The instants of a schedule that fired, or were put off first: a sleep without samples is."""
    told = (event for event, _ in found.history if event.schedule == name)
    nominal = (one.nominal for one in told if isinstance(one, Fired | Deferred))
    return sorted(set(nominal))


def test_over_a_change_of_clocks_they_follow_the_local_time() -> None:
    """Berlin: the last night of summer time is an hour longer."""
    found = place()
    night = window((5, 22 * HOURS), (6, 7 * HOURS))
    before = at("10-19T00:00")
    found.ask(before, Propose(proposal("p1", night, zone="Europe/Berlin")), None)
    found.ask(before, ACCEPT, None)

    nexts = [found.schedules[name].cursor.nominal for name in found.ids()]
    assert nexts == [at("10-24T20:00"), at("10-25T06:00")]
