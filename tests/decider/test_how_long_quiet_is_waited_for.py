"""How long something waits for quiet, whatever else it waits for; each test is a promise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import Pause, Remove, Trigger
from schemas.definition import CatchUp, CatchUpMode, Hours, Window
from schemas.events import Deferred, Fired, Reason, Skipped
from streams.decider.state import Target
from tests.decider.house import outcomes
from tests.decider.sampled import house, live, numbers, sample, sleep
from tests.decider.stage import DAY, MINUTE, SECOND, at


def test_what_was_looked_at_late_is_given_up_although_it_is_quiet() -> None:
    """Deferred at 22:00, then nobody looked until 03:00: the hour is over."""
    found = house()
    sample(found, "22:00", "21:59")
    found.wait("22:00")
    sample(found, "06-02T03:00")
    [skip] = found.ring("06-02T03:00")

    assert isinstance(skip, Skipped)
    assert skip.reason is Reason.DEFERRAL_EXPIRED
    assert skip.evidence is not None
    assert skip.evidence.startswith("it waited until 2026-06-01T23:00:00Z; quiet; last request")


def test_a_late_first_look_asks_the_catch_up_rule_and_then_the_gate() -> None:
    found = house(sleep(catch_up=CatchUp(CatchUpMode.LATEST)))
    sample(found, "22:20", "21:00")
    [fire] = found.ring("22:20")
    assert isinstance(fire, Fired)
    assert fire.late

    found = house(sleep(catch_up=CatchUp(CatchUpMode.NONE)))
    sample(found, "22:20", "21:00")
    assert outcomes(found.ring("22:20")) == [(at("22:00"), "missed")]


def test_a_busy_late_one_waits_no_longer_than_one_that_was_in_time() -> None:
    found = house(sleep(catch_up=CatchUp(CatchUpMode.LATEST)))
    sample(found, "22:59:30", "22:59")
    [put_off] = found.ring("22:59:30")
    assert isinstance(put_off, Deferred)
    assert put_off.until == at("23:00")


def test_the_hour_counts_from_the_opening_of_its_window() -> None:
    """Due at noon, the window opens at 22:00: given up at 23:00."""
    window = Window((Hours(22 * 3600, 5 * 3600),), spread=0)
    found = house(sleep("0 12 * * *", window=window))
    found.wait("06-02T12:00")
    events = live(found, "06-02T21:55", "06-02T23:10", busy_until="06-02T23:10")

    (first, put_off), *_, (last, skip) = events
    assert isinstance(put_off, Deferred)
    assert (first, put_off.reason) == (at("06-02T22:00"), Reason.BUSY)
    assert isinstance(skip, Skipped)
    assert (last, skip.reason) == (at("06-02T23:00"), Reason.DEFERRAL_EXPIRED)


def test_a_window_that_shuts_meanwhile_is_waited_for_again() -> None:
    window = Window((Hours(22 * 3600, 22 * 3600 + 1800),), spread=0)
    found = house(sleep(window=window))
    events = live(found, "21:55", "22:31", busy_until="22:31")

    when, put_off = events[-1]
    assert isinstance(put_off, Deferred)
    assert (when, put_off.reason, put_off.until) == (
        *(at("22:30"), Reason.WINDOW),
        at("22:00") + DAY,
    )


def test_a_target_is_waited_for_as_long_as_quiet_is() -> None:
    """A lookback of 15 minutes, and 40 minutes until it is quiet: the target has its chance."""
    found = house(sleep(catch_up=CatchUp(lookback=15 * MINUTE)))
    live(found, "21:55", "22:39", busy_until="22:30")
    found.world = replace(found.world, targets={"jobs": Target(fault="gone")})
    events = live(found, "22:39:15", "22:40:30")

    reasons = [event.reason for _, event in events if isinstance(event, Deferred)]
    assert Reason.TARGET_UNAVAILABLE in reasons
    assert not [event for _, event in events if isinstance(event, Skipped)]


def test_by_hand_it_starts_at_once() -> None:
    found = house()
    sample(found, "21:40", "21:40", in_flight=3)
    fire = found.ask("21:40", Trigger())[0]

    assert isinstance(fire, Fired)
    assert fire.evidence is None


@pytest.mark.parametrize("command", [Pause(), Remove()])
def test_what_a_busy_subject_holds_up_is_withdrawn_by_a_change(command: Pause | Remove) -> None:
    found = house()
    sample(found, "22:00", "21:59")
    skip = found.ask("22:00:10", command)[0]

    assert isinstance(skip, Skipped)
    assert (skip.reason, skip.first) == (Reason.WITHDRAWN, at("22:00"))
    assert skip.evidence == f"a request within PT10M; {numbers('21:59:00')}"


def test_looks_do_not_drift_however_late_each_of_them_is() -> None:
    found = house()
    looks: list[int] = []
    for _ in range(3):
        due = found.schedules["shop/nightly"].cursor.due
        [put_off] = found.ring(due + SECOND)
        assert isinstance(put_off, Deferred)
        looks.append(put_off.until)

    assert looks == [at("22:01"), at("22:02"), at("22:03")]
    [put_off] = found.ring(at("22:05:30"))
    assert isinstance(put_off, Deferred)
    assert put_off.until == at("22:06:30"), "two were missed: a step from now"
