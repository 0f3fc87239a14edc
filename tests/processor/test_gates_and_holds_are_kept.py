"""What waits for quiet, and what was held, is known after a restart and decided again the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.commands import (
    Command,
    Define,
    HoldSubject,
    Pause,
    ReleaseSubject,
    RemoveSubject,
    ReportActivity,
    Resume,
)
from schemas.definition import CatchUp, CatchUpMode
from schemas.events import Deferred, Fired, Reason, Skipped
from schemas.globals import Hold
from schemas.policies import Gate, Overlap, OverlapMode, Tracking
from streams.decider.state import Target
from streams.processor.recorded import Mismatch
from streams.processor.replay import replay_partition
from tests.processor.desk import HOUR, HOURLY, MINUTE, NOON, SECOND, Desk

SLEEP = replace(HOURLY, gate=Gate())
LATE = CatchUp(CatchUpMode.NONE, on_resume=CatchUpMode.ALL, on_lifted=CatchUpMode.LATEST)
WORK = replace(HOURLY, action=replace(HOURLY.action, tracked=Tracking()), catch_up=LATE)
DEFINITIONS = [
    HOURLY,
    SLEEP,
    replace(SLEEP, catch_up=LATE, jitter=5 * MINUTE),
    replace(HOURLY, catch_up=LATE),
    WORK,
    replace(WORK, overlap=Overlap(OverlapMode.QUEUE), gate=Gate(quiet=MINUTE)),
]


def saw(desk: Desk, last: int | None = None, in_flight: int = 0) -> None:
    """A sampler looks at the subject now."""
    desk.ask("shop/", ReportActivity(in_flight, 0, desk.now, last))


def busy() -> Desk:
    """Due at one o'clock, with a request a minute before."""
    desk = Desk()
    desk.ask("shop/sleep", Define(SLEEP))
    desk.step()
    desk.now += HOUR
    saw(desk, desk.now - MINUTE)
    desk.step()
    return desk


def differences(desk: Desk) -> list[Mismatch]:
    return replay_partition(desk.ledger(), dict(enumerate(desk.inbox)), desk.told, 1)


@pytest.mark.parametrize("restart", [False, True], ids=["same life", "restored"])
def test_what_waits_for_quiet_goes_on_waiting_after_a_restart(restart: bool) -> None:
    desk = busy()
    for _ in range(9):
        desk.now += MINUTE
        if restart:
            desk.restart()
        saw(desk)
        desk.step()

    looks = [event for event in desk.events() if isinstance(event, Deferred)]
    assert [one.deferrals for one in looks] == list(range(1, 10))
    [fire] = [event for event in desk.events() if isinstance(event, Fired)]
    assert (fire.nominal, fire.deferrals, fire.deferred_at) == (NOON + HOUR, 9, NOON + HOUR)
    assert fire.evidence is not None
    assert fire.evidence.startswith("quiet; last request 2026-11-29T12:59:00Z, 0 in flight")
    assert differences(desk) == []


def test_what_a_sampler_saw_is_known_after_a_restart() -> None:
    desk = busy()
    desk.restart()
    desk.pass_time(MINUTE)

    *_, look = (event for event in desk.events() if isinstance(event, Deferred))
    assert look.reason is Reason.BUSY
    assert look.evidence is not None
    assert "2026-11-29T12:59:00Z" in look.evidence


def test_the_removal_of_a_subject_is_decided_again_the_same_way() -> None:
    """Each of its schedules met another target."""
    desk = Desk()
    for name, topic in (("shop/a", "jobs-a"), ("shop/b", "jobs-b"), ("shop/c", "jobs-c")):
        definition = replace(HOURLY, action=replace(HOURLY.action, topic=topic))
        desk.ask(name, Define(definition))
    desk.step()
    desk.now += HOUR
    desk.targets["jobs-b"] = Target(fault="there is no topic 'jobs-b'")
    desk.ask("shop/", RemoveSubject("sold"))
    desk.step()

    ended = [event for event in desk.events() if isinstance(event, Fired | Skipped)]
    assert [type(event) for event in ended] == [Fired, Skipped, Fired]
    assert differences(desk) == []


commands = st.one_of(
    st.builds(Define, st.sampled_from(DEFINITIONS)),
    st.builds(Pause, st.just("why"), st.sampled_from([None, NOON + 3 * HOUR])),
    st.builds(Resume, st.just("on"), st.none() | st.sampled_from(CatchUpMode)),
)
about_all = st.one_of(
    st.builds(HoldSubject, st.just("why"), st.sampled_from([None, NOON + 5 * HOUR]), st.booleans()),
    st.builds(ReleaseSubject, st.just("on")),
    st.builds(RemoveSubject, st.just("sold"), st.booleans()),
)
steps = st.one_of(
    st.tuples(st.sampled_from(["shop/a", "shop/b"]), commands),
    st.tuples(st.just("shop/"), about_all),
    st.sampled_from([SECOND, 50 * SECOND, 3 * MINUTE, HOUR, 5 * HOUR, 26 * HOUR]),
    st.sampled_from(["seen quiet", "seen busy", "held", "lifted", "restarted"]),
)


def take(desk: Desk, step: tuple[str, Command] | int | str) -> None:
    match step:
        case (name, command):
            desk.ask(name, command)
        case int():
            desk.pass_time(step)
        case "seen quiet" | "seen busy":
            saw(desk, in_flight=int(step == "seen busy"))
        case "restarted":
            desk.restart()
        case _:
            desk.tell("hold", Hold(step == "held", "works", "user:eve", desk.now))


@given(st.lists(steps, max_size=25))
def test_whatever_happens_is_decided_the_same_way_again(
    happened: list[tuple[str, Command] | int | str],
) -> None:
    desk = Desk()
    for step in happened:
        take(desk, step)
    desk.pass_time(MINUTE)
    desk.pass_time(HOUR)

    assert differences(desk) == []
