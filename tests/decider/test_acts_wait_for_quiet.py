"""A sleep and a stop wait for quiet, right up to their start; a wake does not."""

from __future__ import annotations

import pytest

from schemas.actions import Verb
from schemas.deployments import DeploymentState
from schemas.events import Deferred, Fired, RunEnded
from schemas.run_events import RunStatus
from tests.decider.deployed import ASLEEP, RUNNING, SLEEP, STOP, STOPPED, at_times, place
from tests.decider.sampled import numbers
from tests.decider.stage import at


@pytest.mark.case("DP-015")
@pytest.mark.parametrize("verb", [Verb.SLEEP, Verb.STOP])
@pytest.mark.parametrize(("last", "kind"), [("21:51", Deferred), ("21:50", Fired)])
def test_ten_minutes_without_a_request_are_quiet(verb: Verb, last: str, kind: type[object]) -> None:
    found = place(verb)
    found.see("21:59:50", last)

    assert [type(event) for event in found.wait("22:00")] == [kind]


@pytest.mark.case("DP-017")
def test_it_sleeps_at_the_first_look_after_ten_quiet_minutes() -> None:
    """DP-017: busy until 22:25; the delay is in the fire, and the run is one."""
    found = place(Verb.SLEEP)
    *looks, (when, fire) = found.live("21:55", "22:35", busy_until="22:25")
    assert isinstance(fire, Fired)
    assert {type(one) for _, one in looks} == {Deferred}
    assert (when, len(looks), fire.deferrals) == (at("22:35"), 35, 35)
    found.acts("22:35:01", found.the_offered(SLEEP).id)

    ends = [one for one, _ in found.history if isinstance(one, RunEnded)]
    assert [one.status for one in ends] == [RunStatus.SUCCESS]


@pytest.mark.case("DP-019")
def test_a_stop_that_waits_over_midnight_counts_for_the_day_of_its_slot() -> None:
    found = place(Verb.STOP)
    found.ask("12:00", at_times("50 23 * * *"), STOP)
    when, fire = found.live("23:40", "06-02T00:30", busy_until="06-02T00:20")[-1]

    assert isinstance(fire, Fired)
    assert (when, fire.nominal, fire.next) == (
        *(at("06-02T00:30"), at("23:50")),
        at("06-02T23:50"),
    )


@pytest.mark.case("DP-022")
def test_a_stop_waits_for_quiet_and_a_wake_does_not() -> None:
    busy = {"in_flight": 3}
    stop, wake = place(Verb.STOP), place(Verb.WAKE)
    stop.see("21:59:50", "21:59", **busy)
    wake.see("06:59:50", "06:59", **busy)

    assert [type(event) for event in stop.wait("22:00")] == [Deferred]
    assert [type(event) for event in wake.wait("07:00")] == [Fired]


@pytest.mark.case("KPR-53", "DP-059")
@pytest.mark.parametrize(
    ("rate", "usual", "said"),
    {
        "KPR-53": (3_000, 400_000, "3 requests a minute where 400 are usual"),
        "DP-059, a holiday with much traffic": (
            *(412_500, 2_000),
            "412.5 requests a minute where 2 are usual",
        ),
        "one where many are usual": (1_000, 50_000, "1 request a minute where 50 are usual"),
        "many where one is usual": (50_000, 1_000, "50 requests a minute where 1 is usual"),
        "none where ten are usual": (0, 10_000, "0 requests a minute where 10 are usual"),
        "a ninth of it": (45_000, 400_000, None),
        "a tenth of it, and few": (1_000, 10_999, None),
        "nobody knows what is usual": (3_000, None, None),
        "nobody knows what it is": (None, 400_000, None),
    }.values(),
)
def test_traffic_far_from_what_is_usual_is_told_with_both_numbers(
    rate: int | None, usual: int | None, said: str | None
) -> None:
    """The live numbers decide: with a request in flight it is deferred, whatever is usual."""
    found = place(Verb.SLEEP)
    more = {"rate": rate, "usual": usual}
    found.see("22:00", "21:59", in_flight=1, **{k: v for k, v in more.items() if v is not None})
    (put_off,) = found.wait("22:00")

    assert isinstance(put_off, Deferred)
    told = "" if said is None else f"; abnormal traffic: {said}"
    seen = numbers("21:59:00", in_flight=1)
    assert put_off.evidence == f"1 in flight, 0 waiting; {seen}{told}"


def test_a_start_under_abnormal_traffic_is_marked_too() -> None:
    found = place(Verb.SLEEP)
    found.see("22:00", "21:00", rate=0, usual=400_000)
    (fire,) = found.wait("22:00")

    assert isinstance(fire, Fired)
    assert fire.evidence is not None
    assert fire.evidence.endswith("abnormal traffic: 0 requests a minute where 400 are usual")


class TestWhatRests:
    """No sampler sees into it: else a stop after a pause would wait in vain, and be given up."""

    @pytest.mark.parametrize("verb", [Verb.SLEEP, Verb.STOP])
    @pytest.mark.parametrize("state", [ASLEEP, STOPPED])
    def test_need_not_be_seen(self, verb: Verb, state: DeploymentState) -> None:
        found = place(verb, state=state)
        (fire,) = found.wait("22:00")

        assert isinstance(fire, Fired)
        assert fire.evidence == f"told to be {state}; no sample was ever taken"

    @pytest.mark.parametrize(
        ("when", "last", "in_flight", "kind"),
        {
            "the last look is old": ("21:40", "21:30", 0, Fired),
            "what was cut off then is over": ("21:40", "21:30", 1, Fired),
            "but it was used lately": ("21:55", "21:54", 0, Deferred),
            "but somebody sees a request": ("21:59:50", "21:59:50", 1, Deferred),
            "but somebody sees that one waits": ("21:59:50", None, 1, Deferred),
        }.values(),
    )
    def test_is_left_alone_only_if_somebody_saw_a_request(
        self, when: str, last: str | None, in_flight: int, kind: type[object]
    ) -> None:
        found = place(Verb.STOP, state=ASLEEP)
        found.see(when, last, in_flight=in_flight)

        assert [type(event) for event in found.wait("22:00")] == [kind]

    @pytest.mark.parametrize("state", [RUNNING, None])
    def test_of_all_else_a_fresh_look_is_wanted(self, state: DeploymentState | None) -> None:
        found = place(Verb.SLEEP, state=state)

        assert [type(event) for event in found.wait("22:00")] == [Deferred]


class TestRequestsThatEnded:
    """A count that moved is a request, although nobody saw it in flight."""

    @pytest.mark.parametrize(
        ("counts", "last"),
        {
            "as many as before": ((500, 500), None),
            "one more": ((500, 501), "22:00"),
            "a server that began anew": ((500, 0), None),
            "one that began anew and has answered": ((500, 2), "22:00"),
            "nobody counted before": ((None, 500), None),
            "nobody counts now": ((500, None), None),
        }.values(),
    )
    def test_are_seen_by_their_number(
        self, counts: tuple[int | None, int | None], last: str | None
    ) -> None:
        found = place()
        for when, served in zip(("21:59:45", "22:00"), counts, strict=True):
            found.see(when, None, **({} if served is None else {"served": served}))

        activity = found.known.notes.activity
        assert activity is not None
        assert activity.last_request == (None if last is None else at(last))

    def test_are_remembered_over_a_look_that_counts_nothing(self) -> None:
        found = place()
        found.see("21:59:30", served=500)
        found.see("21:59:45")
        found.see("22:00", served=501)

        activity = found.known.notes.activity
        assert activity is not None
        assert (activity.served, activity.last_request) == (501, at("22:00"))

    def test_of_an_older_sample_say_nothing(self) -> None:
        found = place()
        found.see("22:00", served=500)
        found.see("21:59:45", served=499)

        activity = found.known.notes.activity
        assert activity is not None
        assert (activity.served, activity.last_request) == (500, None)
