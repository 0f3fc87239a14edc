"""What has a gate starts when its subject is quiet, and says what it saw; each row is a promise."""

from __future__ import annotations

import pytest

from schemas.commands import ReportActivity
from schemas.events import Deferred, Fired, Reason, Skipped
from schemas.policies import Gate
from tests.decider.sampled import house, live, numbers, sample, sleep
from tests.decider.stage import MINUTE, SECOND, at

QUIET = {
    "ten minutes without a request": (("22:00", "21:50"), numbers("21:50:00")),
    "no request was ever seen": (("22:00", None), numbers("never")),
    "a sample as old as it may be": (
        ("21:59:30", "21:50"),
        numbers("21:50:00", sampled="21:59:30"),
    ),
}


@pytest.mark.parametrize(("seen", "words"), QUIET.values(), ids=QUIET.keys())
def test_it_starts_while_quiet_and_says_what_it_saw(
    seen: tuple[str, str | None], words: str
) -> None:
    found = house()
    sample(found, *seen)
    [fire] = found.wait("22:00")

    assert isinstance(fire, Fired)
    assert (fire.deferrals, fire.evidence) == (0, f"quiet; {words}")


BUSY = {
    "nine minutes without a request": (
        ("22:00", "21:51", 0, 0),
        f"a request within PT10M; {numbers('21:51:00')}",
    ),
    "a microsecond less than ten minutes": (
        ("22:00", "21:50:00.000001", 0, 0),
        f"a request within PT10M; {numbers('21:50:00.000001')}",
    ),
    "twenty quiet minutes, and one in flight (DP-016)": (
        ("22:00", "21:40", 1, 0),
        f"1 in flight, 0 waiting; {numbers('21:40:00', in_flight=1)}",
    ),
    "twenty quiet minutes, and one waiting (DP-016)": (
        ("22:00", "21:40", 0, 1),
        f"0 in flight, 1 waiting; {numbers('21:40:00', waiting=1)}",
    ),
    "twenty quiet minutes, and a stale sample (DP-016)": (
        ("21:59:29.999999", "21:40", 0, 0),
        f"no sample within PT30S; {numbers('21:40:00', sampled='21:59:29.999999')}",
    ),
}


@pytest.mark.parametrize(("seen", "words"), BUSY.values(), ids=BUSY.keys())
def test_it_is_deferred_while_busy(seen: tuple[str, str, int, int], words: str) -> None:
    found = house()
    when, last, in_flight, waiting = seen
    sample(found, when, last, in_flight=in_flight, waiting=waiting)
    [put_off] = found.wait("22:00")

    assert put_off == Deferred(
        *("shop/nightly", 0, 0, at("22:00"), at("22:00"), Reason.BUSY, at("22:01")),
        *(at("22:00"), 1, words, at("22:00")),
    )


def test_without_a_sample_it_does_not_start() -> None:
    [put_off] = house().wait("22:00")

    assert isinstance(put_off, Deferred)
    assert (put_off.reason, put_off.evidence) == (Reason.BUSY, "no sample was ever taken")


def test_a_sample_ahead_of_our_clock_is_fresh_for_no_longer_than_others() -> None:
    found = house(sleep(gate=Gate(fresh=10 * SECOND)))
    found.ask("21:59:59", ReportActivity(0, 0, at("22:00:11")), None)

    assert [type(event) for event in found.wait("22:00")] == [Deferred]


def test_it_starts_at_the_first_look_at_which_ten_minutes_are_full() -> None:
    """Due at 22:00, busy until 22:25: looked at each minute, started at 22:35, the delay noted."""
    found = house()
    events = live(found, "21:55", "22:40", busy_until="22:25")

    *looks, (when, fire) = events
    assert [at for at, _ in looks] == list(range(at("22:00"), at("22:35"), MINUTE))
    assert all(isinstance(one, Deferred) and one.reason is Reason.BUSY for _, one in looks)
    assert isinstance(fire, Fired)
    assert (when, fire.nominal, fire.deferred_at, fire.deferrals, fire.late) == (
        *(at("22:35"), at("22:00"), at("22:00"), 35),
        False,
    )


def test_it_is_given_up_after_an_hour() -> None:
    found = house()
    events = live(found, "21:55", "23:10", busy_until="23:10")

    when, skip = events[-1]
    assert isinstance(skip, Skipped)
    assert (when, skip.reason, skip.deferrals) == (at("23:00"), Reason.DEFERRAL_EXPIRED, 60)
    assert skip.evidence == f"a request within PT10M; {numbers('23:00:00', sampled='23:00:00')}"


def test_over_midnight_it_belongs_to_the_day_on_which_it_was_due() -> None:
    """Due at 23:50 and quiet from 00:20 on; today's slot is still to come."""
    found = house(sleep("50 23 * * *"))
    events = live(found, "23:40", "06-02T00:40", busy_until="06-02T00:20")

    when, fire = events[-1]
    assert isinstance(fire, Fired)
    assert (when, fire.nominal) == (at("06-02T00:30"), at("23:50"))
    assert fire.next == at("06-02T23:50")


def test_what_fell_due_meanwhile_is_skipped_when_it_starts() -> None:
    found = house(sleep("*/10 22 * * *"))
    events = live(found, "21:55", "22:36", busy_until="22:25")

    *_, fire, skip = (event for _, event in events)
    assert isinstance(fire, Fired)
    assert isinstance(skip, Skipped)
    assert (skip.first, skip.last, skip.reason) == (at("22:10"), at("22:30"), Reason.OVERLAP)
    assert skip.evidence == "an earlier one waited for its turn"


def test_when_it_is_given_up_what_is_due_just_then_has_its_own_turn() -> None:
    found = house(sleep("*/20 22,23 * * *"))
    events = live(found, "21:55", "23:00", busy_until="23:00")

    expired, overlapped, put_off = (event for _, event in events[-3:])
    assert isinstance(expired, Skipped)
    assert isinstance(overlapped, Skipped)
    assert isinstance(put_off, Deferred)
    assert (expired.first, expired.reason) == (at("22:00"), Reason.DEFERRAL_EXPIRED)
    assert (overlapped.first, overlapped.last) == (at("22:20"), at("22:40"))
    assert overlapped.reason is Reason.OVERLAP
    assert put_off.nominal == at("23:00")
