"""Is what happened to runs, backfills and subjects there, with who, when and why?"""

from __future__ import annotations

import pytest

from projections.told import tell
from projections.told_of_runs import AboutOthers
from schemas.events import (
    ActivityNoted,
    BackfillEnded,
    BackfillProgressed,
    BackfillStarted,
    Event,
    Reason,
    RunCancelling,
    RunEnded,
    RunNoted,
    RunQueued,
    RunRetries,
    RunStarted,
    Skipped,
    SkipsChanged,
    SubjectHeld,
    SubjectReleased,
    SubjectRemoved,
)
from schemas.run_events import RunStatus
from tests.read_models.ledger import (
    MINUTE,
    NIGHTLY,
    NOON,
    Notebook,
    fired,
    skipped,
    stamp,
)
from tests.read_models.tables import tables_in

RUN = (NIGHTLY, 7, 5, "jr_1", "shop", NOON, None)
ONCE_MORE = "2026-11-28T12:00:00Z+b.7"


ROWS: dict[str, tuple[AboutOthers | Skipped, tuple[str, str | None, str]]] = {
    "a run that waits": (
        RunQueued(*RUN, 1, NOON, NOON + MINUTE, None, "jr_0"),
        ("run_queued", None, "jr_1 behind jr_0"),
    ),
    "a run that waits for any": (
        RunQueued(*RUN, 1, NOON, NOON + MINUTE),
        ("run_queued", None, "jr_1"),
    ),
    "a run that begins": (RunStarted(*RUN, 2), ("run_started", None, "jr_1 attempt 2")),
    "an attempt that failed": (
        RunRetries(*RUN, 1, RunStatus.FAILED, NOON + MINUTE, "exit 1"),
        ("run_retries", None, "jr_1 failed: exit 1"),
    ),
    "a run that is to stop": (
        RunCancelling(*RUN, 1, "", "jr_2"),
        ("run_cancelling", None, "jr_1 for jr_2"),
    ),
    "a run that somebody stops": (
        RunCancelling(*RUN, 1, "enough"),
        ("run_cancelling", None, "jr_1 enough"),
    ),
    "a late report": (
        RunNoted(*RUN, 1, "success", None, "it is over"),
        ("report_ignored", "report", "jr_1 success: it is over"),
    ),
    "a run that went well": (
        RunEnded(*RUN, 1, RunStatus.SUCCESS, NOON),
        ("run_ended", None, "jr_1 success"),
    ),
    "a run that never began": (
        RunEnded(*RUN, 1, RunStatus.DROPPED, None, "full", Reason.BUFFER_FULL),
        ("run_ended", None, "jr_1 dropped: buffer_full: full"),
    ),
    "instants to skip": (
        SkipsChanged(NIGHTLY, 7, 5, (NOON,), "move"),
        ("skips_changed", "skip", "1 instants to be skipped: move"),
    ),
    "a backfill": (
        BackfillStarted(NIGHTLY, 7, 5, "b.7", (NOON, NOON + MINUTE), None, ""),
        ("backfill_started", "backfill", "b.7, 2 instants"),
    ),
    "the end of a backfill": (
        BackfillEnded(NIGHTLY, 7, 5, "b.7", 2, 2, cancelled=False, reason=""),
        ("backfill_ended", None, "b.7, 2 of 2"),
    ),
    "a backfill that was cancelled": (
        BackfillEnded(NIGHTLY, 7, 5, "b.7", 1, 2, cancelled=True, reason="enough"),
        ("backfill_ended", "cancel_backfill", "b.7, 1 of 2: enough"),
    ),
    "a hold": (
        SubjectHeld("shop/", "move", NOON, NOON + MINUTE, actions_only=False),
        ("subject_held", "hold", "move"),
    ),
    "a hold over sleep and wake": (
        SubjectHeld("shop/", "move", NOON, None, actions_only=True),
        ("subject_held", "hold", "sleep and wake: move"),
    ),
    "the end of a hold": (
        SubjectReleased("shop/", "moved", actions_only=False),
        ("subject_released", "release", "moved"),
    ),
    "the end of a hold over sleep and wake": (
        SubjectReleased("shop/", "", actions_only=True),
        ("subject_released", "release", "sleep and wake"),
    ),
    "a subject that is gone": (
        SubjectRemoved("shop/", "sold"),
        ("subject_removed", "remove", "sold"),
    ),
    "a trigger that was skipped": (
        skipped(origin="trigger:c.9", reason=Reason.OVERLAP, evidence="jr_0 runs"),
        ("skipped", "trigger", "jr_0 runs"),
    ),
    "an instant that was not run once more": (
        skipped(origin=ONCE_MORE, reason=Reason.CAPACITY),
        ("skipped", "backfill", "capacity"),
    ),
}


@pytest.mark.parametrize(("event", "row"), ROWS.values(), ids=ROWS.keys())
def test_an_event_tells_what_was_asked_and_why(
    event: AboutOthers | Skipped, row: tuple[str, str | None, str]
) -> None:
    told = tell(event)

    assert told is not None
    assert (told.outcome, told.command, told.reason) == row
    assert told.schedule == event.schedule


def test_all_of_them_are_rows_with_who_and_when(database: str) -> None:
    book = Notebook()
    with tables_in(database) as tables:
        parked = tables.take(
            book.event(event, stamp(i, NOON + i, actor="user:ada"))
            for i, (event, _) in enumerate(ROWS.values())
        )
        rows = tables.reads.audit(limit=100).rows

    assert parked == []
    assert [(one.outcome, one.command, one.reason) for one in reversed(rows)] == [
        row for _, row in ROWS.values()
    ]
    assert [one.decided_at for one in reversed(rows)] == [NOON + i for i in range(len(ROWS))]
    assert {one.actor for one in rows} == {"user:ada"}


def test_times_that_are_still_to_come_stand_in_their_columns(
    database: str,
) -> None:
    book = Notebook()
    events = [ROWS[name][0] for name in ("a run that waits", "an attempt that failed", "a hold")]
    with tables_in(database) as tables:
        tables.take([book.event(event, stamp(i, NOON + i)) for i, event in enumerate(events)])
        found = [(one.next, one.until) for one in reversed(tables.reads.audit().rows)]

    assert found == [(None, NOON + MINUTE), (NOON + MINUTE, None), (None, NOON + MINUTE)]


def test_an_instant_that_is_run_once_more_is_no_trigger(database: str) -> None:
    book = Notebook()
    with tables_in(database) as tables:
        tables.take([book.event(fired(origin=ONCE_MORE), stamp(1))])
        (found,) = tables.reads.audit().rows
        (occurrence,) = tables.reads.occurrences(NIGHTLY).rows

    assert (found.outcome, found.command) == ("backfilled", "backfill")
    assert occurrence.id == f"{NIGHTLY}~5@{ONCE_MORE}"


@pytest.mark.parametrize(
    "event",
    [
        RunNoted(*RUN, 1, "running", NOON + MINUTE),
        ActivityNoted("shop/", NOON, 1, 0, NOON),
        BackfillProgressed(NIGHTLY, 7, 5, "b.7", 1, 2),
        skipped(),
        fired(),
    ],
    ids=lambda event: type(event).__name__,
)
def test_what_comes_again_and_again_is_not_in_the_audit(database: str, event: Event) -> None:
    book = Notebook()
    with tables_in(database) as tables:
        parked = tables.take([book.event(event, stamp(1))])
        rows = tables.reads.audit().rows

    assert (parked, rows) == ([], ())
