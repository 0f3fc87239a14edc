"""
How do runs, insights and runners look as JSON?

Every instant is text in UTC, every length of time seconds. What else the views know is shown.py.
"""

from __future__ import annotations

from typing import Any

from horae.api.shown import utc
from projections.shown_runs import AttemptShown, InsightShown, RunnerShown, RunShown


def run_json(row: RunShown) -> dict[str, Any]:
    """The work of one occurrence for one target."""
    return {
        "run": row.run,
        "schedule": row.schedule,
        "subject": row.subject,
        "scope": row.scope,
        "occurrence": row.occurrence,
        "kind": row.kind,
        "status": row.status,
        "shown_as": row.shown_as,
        "reason": row.reason,
        "detail": row.detail,
        "work": row.work,
        "attempt": row.attempt,
        "scheduled_for": utc(row.scheduled_for),
        "due": utc(row.due),
        "late": row.late,
        "fired_at": utc(row.fired_at),
        "given_out_at": utc(row.given_out_at),
        "started_at": utc(row.started_at),
        "ended_at": utc(row.ended_at),
        "until": utc(row.until),
        "lateness_seconds": _seconds(row.lateness),
        "queue_seconds": _seconds(row.queue_time),
        "duration_seconds": _seconds(row.duration),
        "runner": row.runner,
        "exit_code": row.exit_code,
        "output_cut": row.output_cut,
        "output_dropped": row.output_dropped,
        "reference": row.reference,
        "version": row.version,
        "actor": row.actor,
        "command_id": row.command_id,
    }


def attempt_json(row: AttemptShown) -> dict[str, Any]:
    """One attempt of a run."""
    return {
        "attempt": row.attempt,
        "status": row.status,
        "detail": row.detail,
        "offers": row.offers,
        "runner": row.runner,
        "given_out_at": utc(row.given_out_at),
        "granted_at": utc(row.granted_at),
        "started_at": utc(row.started_at),
        "ended_at": utc(row.ended_at),
        "exit_code": row.exit_code,
        "output": row.output,
        "output_cut": row.output_cut,
        "output_dropped": row.output_dropped,
        "reference": row.reference,
    }


def insight_json(row: InsightShown) -> dict[str, Any]:
    """Something that is, or was, so and should not be."""
    return {
        "subject": row.subject,
        "kind": row.kind,
        "about": row.about,
        "message": row.message,
        "raised_at": utc(row.raised_at),
        "resolved_at": utc(row.resolved_at),
        "resolution": row.resolution,
        "resolved_by": row.resolved_by,
    }


def runner_json(row: RunnerShown) -> dict[str, Any]:
    """Who was granted work, and what last."""
    return {
        "runner": row.runner,
        "granted_at": utc(row.granted_at),
        "run": row.run,
        "schedule": row.schedule,
        "open_runs": row.open_runs,
    }


def _seconds(micros: int | None) -> float | None:
    return None if micros is None else micros / 1_000_000
