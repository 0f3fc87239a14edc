"""
How does a deployment look as JSON, with all that is known of it?

As command line and API give it out: what it is as it was registered, its state and who brought it
there, what was seen of its traffic, and what is held. Rates are requests a minute, instants text in
UTC.
"""

from __future__ import annotations

from typing import Any

from projections.shown_traffic import DeploymentShown
from schemas.deployments_json import deployment_json
from schemas.instants import format_instant


def shown_json(row: DeploymentShown) -> dict[str, Any]:
    """What the views know of a deployment."""
    return {
        "subject": row.subject,
        "deployment": deployment_json(row.deployment),
        "state": row.state,
        "state_since": _instant(row.state_since),
        "state_actor": row.state_actor,
        "state_run": row.state_run,
        "state_detail": row.state_detail or "",
        "stopped_by": row.stopped_by,
        "activity": _activity(row),
        "held": _hold(row, "held"),
        "actions_held": _hold(row, "actions_held"),
        "defined_at": _instant(row.defined_at),
        "defined_by": row.defined_by,
    }


def requests_a_minute(thousandths: int | None) -> float | None:
    """A rate as people say it."""
    return None if thousandths is None else thousandths / 1_000


def _activity(row: DeploymentShown) -> dict[str, Any] | None:
    if row.sampled_at is None:
        return None
    return {
        "last_request": _instant(row.last_request),
        "in_flight": row.in_flight,
        "waiting": row.waiting,
        "sampled_at": _instant(row.sampled_at),
        "served": row.served,
        "rate": requests_a_minute(row.rate),
        "usual": requests_a_minute(row.usual),
    }


def _hold(row: DeploymentShown, what: str) -> dict[str, Any] | None:
    since: int | None = getattr(row, f"{what}_since")
    if since is None:
        return None
    return {
        "since": _instant(since),
        "until": _instant(getattr(row, f"{what}_until")),
        "actor": getattr(row, f"{what}_by"),
        "reason": getattr(row, f"{what}_reason"),
    }


def _instant(micros: int | None) -> str | None:
    return None if micros is None else format_instant(micros)
