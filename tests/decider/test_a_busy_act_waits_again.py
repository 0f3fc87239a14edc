"""What a runner finds busy, or nobody claims in time, waits for ten quiet minutes anew."""

from __future__ import annotations

from schemas.actions import Verb
from schemas.commands import ReportStatus, Trigger
from schemas.definition import Hours, Window
from schemas.events import Reason, RunEnded, RunOffered, RunRetries, RunStarted
from schemas.run_events import RunStatus
from schemas.snapshot import RunPhase
from tests.decider.deployed import SLEEP, STOP, WAKE, Place, at_times, only, place
from tests.decider.sampled import numbers
from tests.decider.stage import MINUTE, SECOND, at

BUSY = ReportStatus.BUSY


class TestWhatARunnerFoundBusy:
    """It waits as what was deferred waits: ten quiet minutes anew, under the same limit."""

    def busy_at(self, when: str, quiet_from: str, until: str) -> tuple[Place, str, list[object]]:
        """A sleep of 22:00 that a runner found busy, and what was decided since."""
        found = place(Verb.SLEEP)
        found.live("21:40", "22:00")
        run = found.the_offered(SLEEP).id
        found.acts(when, run, BUSY, "a request came")
        before = len(found.history)
        found.live(when, until, busy_until=quiet_from)
        told = [event for event, _ in found.history[before:]]
        looks = [event for event in told if type(event).__name__ != "ActivityNoted"]
        return found, run, [*looks]

    def test_is_offered_again_after_ten_quiet_minutes(self) -> None:
        found, run, told = self.busy_at("22:00:15", "22:05", "22:15:15")
        *looks, begun = told

        assert {type(one) for one in looks} == {RunRetries}
        assert len(looks) == 14, "one a look at most"
        assert isinstance(begun, RunStarted)
        known = found.run(run)
        assert (known.phase, known.attempt, known.issue) == (RunPhase.OFFERED, 1, 2)
        assert known.start_until == at("22:15:15") + 15 * MINUTE, "of this offer, not of the first"

    def test_says_at_each_look_what_was_seen(self) -> None:
        _, _, told = self.busy_at("22:00:15", "22:05", "22:01:15")
        (look,) = told

        assert isinstance(look, RunRetries)
        seen = numbers("22:01:15", sampled="22:01:15")
        assert (look.status, look.attempt, look.again_at, look.detail) == (
            *(RunStatus.BUSY, 0, at("22:02:15")),
            f"a request within PT10M; {seen}",
        )

    def test_is_given_up_when_it_would_have_been(self) -> None:
        found, run, told = self.busy_at("22:00:15", "23:00", "23:01")
        end = told[-1]

        assert isinstance(end, RunEnded)
        assert (end.run, end.status, end.attempt) == (run, RunStatus.BUSY, 1)
        assert found.run(run).since == at("23:00")

    def test_is_given_up_at_once_after_an_outage_over_its_limit(self) -> None:
        found, _, _ = self.busy_at("22:00:15", "22:05", "22:01:15")
        found.see("06-02T03:00", "22:05")
        (end,) = found.ring("06-02T03:00")

        assert isinstance(end, RunEnded)
        assert end.status is RunStatus.BUSY
        assert end.detail.startswith("it waited until 2026-06-01T23:00:00Z; quiet; ")

    def test_may_be_found_busy_in_the_last_second(self) -> None:
        found, run, _ = self.busy_at("22:00:15", "22:48", "22:59:15")
        assert found.run(run).phase is RunPhase.OFFERED
        found.acts("22:59:30", run, BUSY)
        assert found.run(run).until == at("23:00"), "the last look"
        found.live("22:59:45", "23:00")
        assert found.run(run).phase is RunPhase.OFFERED
        found.claim("23:00:01", run)
        found.says("23:00:02", run, BUSY)

        assert (found.run(run).phase, found.run(run).status) == (RunPhase.ENDED, RunStatus.BUSY)

    def test_is_closed_by_what_is_due_after_it(self) -> None:
        found = place(Verb.SLEEP, Verb.WAKE)
        found.ask("12:00", at_times("5 22 * * *", Verb.WAKE), WAKE)
        found.live("21:40", "22:00")
        run = found.the_offered(SLEEP).id
        found.acts("22:00:10", run, BUSY)
        found.live("22:00:15", "22:05:15", busy_until="22:05")

        assert found.run(run).status is RunStatus.DROPPED
        (end,) = [one for one, _ in found.history if isinstance(one, RunEnded)]
        assert end.reason is Reason.SUPERSEDED
        assert [one.schedule for one in found.offered()] == [WAKE]

    def test_by_hand_waits_for_quiet_too(self) -> None:
        found = place(Verb.SLEEP)
        found.ask("12:00", Trigger(), SLEEP)
        run = found.the_offered(SLEEP).id
        found.acts("12:00:10", run, BUSY)
        found.see("12:01", "12:00:30")
        (look,) = only(found.wait("12:01:10"), RunRetries)

        assert look.again_at == at("12:02:10")

    def test_a_wake_somebody_else_is_at_is_tried_for_an_hour(self) -> None:
        found = place(Verb.WAKE)
        found.wait("07:00")
        run = found.the_offered(WAKE).id
        tries = 0
        while found.run(run).phase is RunPhase.OFFERED:
            tries += 1
            found.acts(found.now, run, BUSY, "its lock is held")
            found.wait(found.run(run).until or found.now)

        assert (tries, found.now) == (61, at("08:00"))
        assert found.run(run).status is RunStatus.BUSY

    def test_waits_from_the_opening_of_its_window_on(self) -> None:
        window = Window((Hours(22 * 3600, 5 * 3600),), spread=0)
        found = place(Verb.SLEEP, window=window)
        found.ask("11:00", at_times("0 12 * * *", Verb.SLEEP, window=window), SLEEP)
        found.live("11:59", "22:00")
        run = found.the_offered(SLEEP).id
        found.acts("22:00:10", run, BUSY)

        assert found.run(run).until == at("22:01:10")


class TestWhatIsNotClaimed:
    """It was quiet when it was offered, and need not be any more."""

    def test_is_not_offered_again_while_busy(self) -> None:
        found = place(Verb.SLEEP)
        found.live("21:40", "22:00")
        found.see("22:00:04", "22:00:02")
        (put_off,) = found.wait("22:00:05")

        assert isinstance(put_off, RunRetries)
        assert (put_off.status, put_off.again_at) == (RunStatus.BUSY, at("22:01:05"))

    def test_is_offered_again_while_quiet(self) -> None:
        found = place(Verb.SLEEP)
        found.live("21:40", "22:00")

        assert [type(one) for one in found.wait("22:00:05")] == [RunOffered]

    def test_is_not_granted_while_busy(self) -> None:
        found = place(Verb.STOP)
        found.live("21:40", "22:00")
        run = found.the_offered(STOP)
        found.see("22:00:02", "22:00:01")
        refused, put_off = found.claim("22:00:03", run.id)

        assert type(refused).__name__ == "CommandRefused"
        assert isinstance(put_off, RunRetries)
        assert found.run(run.id).phase is RunPhase.RETRYING

    def test_is_granted_to_a_hand_that_asks_no_gate(self) -> None:
        found = place(Verb.STOP)
        found.see("12:00", "11:59:59", in_flight=2)
        found.ask("12:00", Trigger(), STOP)
        run = found.the_offered(STOP)

        assert [type(one).__name__ for one in found.claim("12:00:01", run.id)] == ["RunGranted"]


def test_a_sleep_that_waited_its_turn_is_asked_once_more() -> None:
    """A sleep waits behind a stop; when that is over somebody uses it again."""
    found = place(Verb.SLEEP, Verb.STOP)
    found.live("21:40", "22:00")
    (first,) = found.offered()
    (second,) = found.waiting()
    found.claim("22:00:01", first.id)
    found.see("22:00:02", "22:00:01")
    _, put_off = found.says("22:00:03", first.id, ReportStatus.CANCELLED)

    assert isinstance(put_off, RunRetries)
    assert (put_off.run, put_off.status, put_off.again_at) == (
        *(second.id, RunStatus.BUSY),
        at("22:01:03"),
    )
    assert found.now - put_off.again_at == -60 * SECOND
