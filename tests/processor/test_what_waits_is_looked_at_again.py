"""What waits begins as soon as it may, and all of that is decided again to the byte."""

from __future__ import annotations

from dataclasses import replace

from schemas.commands import Define, Pause, Remove, ReportStatus
from schemas.definition import Cron
from schemas.events import Fired, RunRetries, RunStarted, Skipped
from schemas.globals import GlobalSettings, Hold
from schemas.policies import Across, Overlap, OverlapMode, Retry
from schemas.snapshot import RunPhase, SubjectNotes
from streams.decider.state import Target
from streams.processor.second_looks import look_again
from tests.processor.desk import HOUR, MINUTE, SECOND, Desk
from tests.processor.running import (
    QUEUE,
    TRACKED,
    desk_with_run,
    emitted,
    replayed,
    report,
    runs,
)

# ---------------------------------------------------------------------- holds over everything


def test_what_waits_gets_its_turn_when_a_hold_over_everything_is_lifted() -> None:
    desk, run = desk_with_run()
    desk.pass_time(HOUR)
    desk.tell("hold", Hold(held=True, reason="works", actor="user:eve", at=desk.now))
    report(desk, run)
    held = desk.pass_time(10 * MINUTE)

    desk.tell("hold", Hold(held=False, reason="", actor="user:eve", at=desk.now))
    written = desk.step()

    assert emitted(held) == []
    assert len(emitted(written)) == 1
    assert [one.phase for one in runs(desk)] == [RunPhase.STARTED]
    assert replayed(desk) == []


def test_what_waits_gets_its_turn_although_the_hold_was_lifted_while_nobody_served() -> None:
    desk, run = desk_with_run()
    desk.pass_time(HOUR)
    desk.tell("hold", Hold(held=True, reason="works", actor="user:eve", at=desk.now))
    report(desk, run)
    desk.tell("hold", Hold(held=False, reason="", actor="user:eve", at=desk.now))
    desk.restart()

    assert len(emitted(desk.step())) == 1


def test_a_second_look_is_not_forgotten_when_the_subject_is_touched_before_it() -> None:
    desk, run = desk_with_run()
    desk.pass_time(HOUR)
    desk.tell("hold", Hold(held=True, reason="works", actor="user:eve", at=desk.now))
    report(desk, run)
    desk.step()
    desk.tell("hold", Hold(held=False, reason="", actor="user:eve", at=desk.now))
    look_again(desk.partition)
    at_rest = desk.partition.subjects["shop"]
    desk.partition.timers.pop_due(desk.now, 1_000)  # it was put aside: not all is heard yet
    batch, _ = desk.draft(0)
    draft = batch._draft(desk.partition)
    draft.touch_subject("shop", at_rest.subject, replace(at_rest.subject, notes=SubjectNotes()))
    batch.close("desk-1")
    batch.keep()

    assert desk.partition.subjects["shop"].owed
    assert len(emitted(desk.step())) == 1
    assert not desk.partition.subjects["shop"].owed


def test_what_waits_for_room_begins_when_there_may_be_more_at_once() -> None:
    desk = Desk()
    desk.tell("settings", GlobalSettings(("jobs*",), desk.now, max_concurrent=1))
    for name in ("shop/a", "shop/b"):
        desk.ask(name, Define(QUEUE))
    desk.step()
    desk.pass_time(HOUR)
    waited = [one.phase for one in runs(desk)]

    desk.tell("settings", GlobalSettings(("jobs*",), desk.now, max_concurrent=2))
    desk.step()

    assert waited == [RunPhase.STARTED, RunPhase.WAITING]
    assert [one.phase for one in runs(desk)] == [RunPhase.STARTED, RunPhase.STARTED]


# ---------------------------------------------------------------------- replayed


def test_runs_and_the_timers_of_their_subject_are_decided_again_to_the_byte() -> None:
    retried = replace(
        TRACKED, timings=(Cron("*/20 * * * *"),), retry=Retry(2, MINUTE), timeout=5 * MINUTE
    )
    replaced = replace(
        TRACKED, timings=(Cron("*/30 * * * *"),), overlap=Overlap(OverlapMode.REPLACE)
    )
    desk, run = desk_with_run(QUEUE, retried, replaced)
    for number in range(40):
        desk.pass_time(4 * MINUTE)
        if number % 5 == 0:
            for one in runs(desk):
                report(desk, one.id, list(ReportStatus)[number % 4], SECOND)
        if number == 20:
            desk.ask("shop/a", Pause("works"))
    desk.ask("shop/b", Remove())
    desk.pass_time(HOUR)

    kinds = {type(one).__name__ for one in desk.events()}
    assert kinds >= {"RunQueued", "RunStarted", "RunRetries", "RunEnded", "RunCancelling"}
    assert any(isinstance(one, RunStarted) for one in desk.events())
    assert any(isinstance(one, Fired) for one in desk.events())
    assert run
    assert replayed(desk) == []


def test_what_is_closed_for_a_newer_word_is_decided_again_to_the_byte() -> None:
    rule = Overlap(OverlapMode.QUEUE, across=Across.SUBJECT, supersedes=True)
    asleep = replace(TRACKED.action, topic="jobs-asleep")
    sleep = replace(TRACKED, timings=(Cron("0 * * * *"),), action=asleep, overlap=rule)
    wake = replace(TRACKED, timings=(Cron("30 * * * *"),), overlap=rule)
    desk = Desk()
    desk.ask("shop/sleep", Define(sleep))
    desk.ask("shop/wake", Define(wake))
    desk.step()
    desk.targets["jobs-asleep"] = Target(fault="topic 'jobs-asleep' does not exist")

    desk.pass_time(30 * MINUTE)
    (first,) = runs(desk)
    report(desk, first.id, after=0)
    desk.pass_time(30 * MINUTE)
    desk.pass_time(30 * MINUTE)
    (second,) = runs(desk)
    del desk.targets["jobs-asleep"]
    desk.pass_time(30 * MINUTE)
    desk.targets["jobs-asleep"] = Target(fault="topic 'jobs-asleep' does not exist")
    report(desk, second.id)
    desk.pass_time(MINUTE)

    closed = [one for one in desk.events() if isinstance(one, Skipped)]
    assert [(one.schedule, one.reason) for one in closed] == [("shop/sleep", "superseded")]
    assert desk.partition.residents["shop/sleep"].due > desk.now
    assert any(isinstance(one, RunRetries) for one in desk.events())
    assert replayed(desk) == []
