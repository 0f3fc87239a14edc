"""What is known of runs is written with each batch, found again after a restart, and forgotten."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.codec import decode_as
from schemas.commands import CancelRun, Remove, ReportRun, ReportStatus, Trigger
from schemas.definition import Cron
from schemas.events import RunEnded, RunQueued, Skipped
from schemas.policies import Overlap, OverlapMode, Retry, Scope
from schemas.replies import Verdict
from schemas.snapshot import Run, RunPhase, SubjectNotes
from streams.decider.subject import ENDED_RUNS_KEPT
from streams.faults import PartitionStopped
from streams.processor import batch as batches
from tests.processor.desk import HOUR, MINUTE, NOON, SECOND, last
from tests.processor.running import (
    QUEUE,
    TRACKED,
    desk_with_run,
    emitted,
    report,
    runs,
    state_of,
)

FAILED, RUNNING = ReportStatus.FAILED, ReportStatus.RUNNING


# ---------------------------------------------------------------------- what is written


def test_a_run_is_kept_under_its_key_while_it_goes_on_and_after_it() -> None:
    desk, run = desk_with_run()
    begun = decode_as(last(desk.log, f"r|{run}".encode()) or b"", Run)
    written = report(desk, run)
    over = decode_as(last(written, f"r|{run}".encode()) or b"", Run)

    assert (begun.phase, begun.lease_until) == (RunPhase.STARTED, NOON + 13 * HOUR)
    assert (over.phase, over.status) == (RunPhase.ENDED, "success")


def test_an_end_is_forgotten_a_day_later_and_nothing_else_is_written_for_it() -> None:
    desk, run = desk_with_run(replace(TRACKED, timings=(Cron("0 13 29 11 *"),)))
    report(desk, run)

    early = desk.pass_time(ENDED_RUNS_KEPT - 1)
    forgotten = desk.pass_time(1)

    assert early == []
    of_runs = [one for one in forgotten if (one.key or b"").startswith((b"r|", b"u|"))]
    assert [(one.key, one.value) for one in of_runs] == [(f"r|{run}".encode(), None)]
    assert desk.partition.subjects == {}
    assert desk.pass_time(HOUR) == []


def test_failures_in_a_row_are_kept_with_the_subject() -> None:
    desk, run = desk_with_run(replace(TRACKED, pause_on_failure=2))

    failed = report(desk, run, FAILED)
    desk.pass_time(HOUR)
    (second,) = runs(desk)
    better = report(desk, second.id)

    notes = decode_as(last(failed, b"u|shop") or b"", SubjectNotes)
    assert [tuple(one) for one in notes.failures] == [("shop/a", 1, 1)]
    assert last(better, b"u|shop") is None


def test_each_attempt_asks_for_the_work_again_and_says_which_it_is() -> None:
    desk, run = desk_with_run(replace(QUEUE, retry=Retry(1, MINUTE)))
    first = emitted(desk.log)
    report(desk, run, FAILED)
    second = emitted(desk.pass_time(MINUTE))

    assert [one["horae-attempt"] for one in first + second] == [b"1", b"2"]
    assert {one["horae-run"] for one in first + second} == {run.encode()}


def test_what_waited_is_asked_for_once_when_it_begins() -> None:
    desk, run = desk_with_run()
    meanwhile = desk.pass_time(HOUR)
    (waits,) = [one for one in runs(desk) if one.phase is RunPhase.WAITING]

    begins = report(desk, run)

    assert emitted(meanwhile) == []
    assert [one["horae-run"] for one in emitted(begins)] == [waits.id.encode()]
    assert any(isinstance(one, RunQueued) for one in desk.events())


def test_of_many_targets_only_those_that_start_are_asked_for() -> None:
    scopes = (Scope("rack-a"), Scope("rack-b"))
    desk, _ = desk_with_run(replace(TRACKED, scopes=scopes))
    done = next(run for run in runs(desk) if run.scope == "rack-b")
    report(desk, done.id)

    written = desk.pass_time(HOUR)

    assert [one["horae-scope"] for one in emitted(written)] == [b"rack-b"]


# ---------------------------------------------------------------------- what is answered


def test_a_trigger_that_was_skipped_is_told_so_and_by_which_run() -> None:
    """AJ-034, POL-037."""
    desk, run = desk_with_run(TRACKED)
    desk.ask("shop/a", Trigger(), "by-hand")
    desk.step()

    reply = desk.replies()[-1]
    assert reply.verdict is Verdict.SKIPPED
    assert run in (reply.message or "")
    assert (reply.occurrence or "").endswith(f"@trigger:by-hand.{len(desk.inbox) - 1}")


def test_a_report_that_changes_nothing_is_told_why() -> None:
    desk, run = desk_with_run()
    report(desk, run)
    before = state_of(desk)
    written = report(desk, run, FAILED)

    reply = desk.replies()[-1]
    assert (reply.verdict, reply.message) == (
        Verdict.UNCHANGED,
        "the run is over already: success",
    )
    assert state_of(desk) == before
    assert not any((one.key or b"").startswith(b"r|") for one in written)


def test_a_report_about_the_run_of_a_schedule_that_is_gone_is_taken() -> None:
    desk, run = desk_with_run()
    desk.ask("shop/a", Remove())
    desk.step()

    report(desk, run, FAILED)

    assert desk.replies()[-1].verdict is Verdict.ACCEPTED
    assert [one.status for one in desk.events() if isinstance(one, RunEnded)] == ["failed"]


# ---------------------------------------------------------------------- dropped and restarted


def test_a_batch_that_is_dropped_leaves_no_trace_of_its_runs() -> None:
    desk, run = desk_with_run()
    before = state_of(desk)
    desk.ask("shop/", ReportRun(run, ReportStatus.SUCCESS))
    desk.now += HOUR

    due = desk.partition.timers.pop_due(desk.now, 10)
    desk.partition.timers.put_all(due)
    dropped, _ = desk.draft()
    dropped.close("desk-1")
    desk.partition.timers.put_all(due)

    assert state_of(desk) == before
    written = desk.step()
    assert [one["horae-run"] for one in emitted(written)] != [run.encode()]
    assert [one.status for one in desk.events() if isinstance(one, RunEnded)] == ["success"]


def test_a_decision_that_fails_drops_the_batch_and_the_schedule_stays_due(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """IT-044: what the last run of a target does cannot be found out."""
    desk, _ = desk_with_run(replace(TRACKED, scopes=(Scope("rack-a"), Scope("rack-b"))))
    before, due = state_of(desk), desk.partition.residents["shop/a"].due
    desk.now += HOUR

    def fails(*_: object) -> tuple[()]:
        raise OSError("the store does not answer")

    with monkeypatch.context() as broken:
        broken.setattr(batches, "schedule_due", fails)
        rung = desk.partition.timers.pop_due(desk.now, 10)
        desk.partition.timers.put_all(rung)
        with pytest.raises(PartitionStopped):
            desk.draft()
    desk.partition.timers.put_all(rung)

    assert state_of(desk) == before
    assert desk.partition.residents["shop/a"].due == due
    written = desk.step()
    assert [type(one) for one in desk.events()[-1:]] == [Skipped]
    assert emitted(written) == []


def test_what_is_found_again_is_what_was_there() -> None:
    retried = replace(QUEUE, retry=Retry(2, MINUTE), timings=(Cron("30 * * * *"),))
    desk, run = desk_with_run(QUEUE, retried)
    desk.pass_time(HOUR)
    (other,) = [one for one in runs(desk) if one.schedule == "shop/b"][:1]
    report(desk, other.id, FAILED, SECOND)
    report(desk, run, RUNNING, SECOND)
    desk.ask("shop/", CancelRun(run, "enough"))
    desk.step()
    desk.pass_time(MINUTE)
    phases = {one.phase for one in runs(desk)}

    live = {name: one.subject for name, one in desk.partition.subjects.items()}
    due = {
        name: one.due
        for name, one in desk.partition.subjects.items()
        if not any(run.phase is RunPhase.WAITING for run in one.subject.runs.values())
    }
    desk.restart()

    assert phases >= {RunPhase.WAITING, RunPhase.CANCELLING}
    assert {name: one.subject for name, one in desk.partition.subjects.items()} == live
    assert {name: desk.partition.subjects[name].due for name in due} == due


def test_after_a_restart_deadlines_are_kept() -> None:
    desk, _ = desk_with_run(replace(QUEUE, timings=(Cron("0 13 * * *"),)))
    desk.restart()

    found = desk.pass_time(12 * HOUR)

    assert [one.status for one in desk.events() if isinstance(one, RunEnded)] == ["interrupted"]
    assert found
    assert runs(desk) == []


def test_whatever_never_begins_is_counted_by_its_reason() -> None:
    """ANC-01, IT-099: occurrences, targets of a fire that are left out, runs that are dropped."""
    scopes = (Scope("rack-a"), Scope("rack-b"))
    latest = replace(QUEUE, overlap=Overlap(OverlapMode.LATEST))
    desk, _ = desk_with_run(TRACKED, latest, replace(TRACKED, scopes=scopes))
    done = next(run for run in runs(desk) if run.scope == "rack-b")
    report(desk, done.id)
    counts: list[dict[str, int]] = []
    for _ in range(2):
        desk.now += HOUR
        batch, written = desk.draft()
        batch.close("desk-1")
        batch.keep()
        desk.log += written
        counts.append(batch.skipped)

    assert counts == [{"overlap": 2}, {"overlap": 2, "superseded": 1}]
