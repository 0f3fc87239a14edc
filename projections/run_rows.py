"""
How does what is known of a run become a row?

The columns of `runs` and `run_attempts` in the order of sql/layout.sql, and how a run is to be
seen: what a runner found not to be done is a skip and no failure (DESIGN section 6).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from projections.encoding import FALSE, NULL, bigint, boolean, field_count, instant, text, words
from schemas.identity import subject_of
from schemas.run_events import RunStatus

if TYPE_CHECKING:
    from projections.run_drafts import AttemptDraft, RunDraft
    from schemas.run_events import Result

OPEN = "open"
SHOWN_AS = {
    RunStatus.SUCCESS: "succeeded",
    RunStatus.FAILED: "failed",
    RunStatus.TIMEOUT: "failed",
    RunStatus.INTERRUPTED: "failed",
    RunStatus.UNAVAILABLE: "failed",
    RunStatus.EXPIRED: "failed",
    RunStatus.CANCELLED: "cancelled",
    RunStatus.REPLACED: "cancelled",
    RunStatus.DROPPED: "skipped",
    RunStatus.CONTAINER_NOT_RUNNING: "skipped",
    RunStatus.DOES_NOT_FIT: "skipped",
    RunStatus.ALREADY_THERE: "skipped",
    RunStatus.BUSY: "skipped",
    RunStatus.NOT_STOPPED_BY_SCHEDULE: "skipped",
    RunStatus.OTHER: "other",
}
"""How each end is to be seen."""

MANUAL, BACKFILL, SCHEDULE = "manual", "backfill", "schedule"
_BY_HAND = "trigger:"
_SHOWN = {status.value: words for status, words in SHOWN_AS.items()}
_RUN_COLUMNS = field_count(33)
_ATTEMPT_COLUMNS = field_count(18)


def kind_of(origin: str | None) -> str:
    """What asked for a run: the calendar, a hand, or a backfill."""
    if not origin:
        return SCHEDULE
    return MANUAL if origin.startswith(_BY_HAND) else BACKFILL


def run_row(one: RunDraft) -> bytes:
    """A row of `staged_runs`."""
    status = "" if one.status is None else one.status
    return b"".join(
        (
            _RUN_COLUMNS,
            text(one.run),
            text(one.schedule),
            text(subject_of(one.schedule)),
            text(one.scope),
            bigint(one.version),
            bigint(one.incarnation),
            instant(one.nominal),
            text(one.origin or ""),
            text(kind_of(one.origin)),
            bigint(one.partition),
            bigint(one.sequence),
            instant(one.changed_at),
            bigint(one.attempt),
            text(one.status),
            text(OPEN if one.ended_at is None else _SHOWN[status]),
            text(one.reason),
            words(one.detail),
            instant(one.until),
            text(one.work),
            instant(one.due),
            NULL if one.late is None else boolean(one.late),
            instant(one.fired_at),
            text(one.actor),
            text(one.command_id),
            instant(one.given_out_at),
            instant(one.started_at),
            instant(one.ended_at),
            text(one.runner),
            *_result(one.result),
        )
    )


def attempt_row(one: AttemptDraft) -> bytes:
    """A row of `staged_run_attempts`."""
    return b"".join(
        (
            _ATTEMPT_COLUMNS,
            text(one.run),
            bigint(one.attempt),
            bigint(one.sequence),
            bigint(one.offers),
            instant(one.given_out_at),
            text(one.runner),
            bigint(one.boot),
            instant(one.granted_at),
            instant(one.started_at),
            instant(one.ended_at),
            text(one.status),
            words(one.detail),
            *_result(one.result),
            boolean(one.certain),
        )
    )


def _result(result: Result | None) -> tuple[bytes, bytes, bytes, bytes, bytes]:
    """The columns from exit_code to reference."""
    if result is None:
        return NULL, NULL, FALSE, FALSE, NULL
    return (
        bigint(result.exit_code),
        words(result.output),
        boolean(result.cut),
        FALSE,
        words(result.reference),
    )
