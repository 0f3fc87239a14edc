"""
How is a deployment told to a person?

A line for each field, and a row in a list. As JSON it is horae/deployment_shown.py.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from horae.cli.times import both_times

if TYPE_CHECKING:
    from projections.shown_traffic import DeploymentShown
    from schemas.deployments import Deployment

COLUMNS = (
    *("deployment", "driver", "state", "since", "by", "priority", "zone"),
    *("in flight", "waiting", "last request", "held"),
)


def deployment_fields(deployment: Deployment) -> dict[str, str]:
    """What it is, as it was registered; a secret by where it is found."""
    from schemas.deployments_json import deployment_json

    found: dict[str, str] = {}
    for name, value in deployment_json(deployment).items():
        if isinstance(value, dict):
            found |= {f"{name} {inner}": _words(one) for inner, one in value.items()}
        else:
            found[name] = "the one with its label" if value is True else str(value)
    return found | {"priority": str(deployment.priority), "zone": deployment.zone}


def shown_fields(row: DeploymentShown) -> dict[str, str]:
    """All that is known of it."""
    zone = row.deployment.zone
    fields = {"deployment": row.subject, "state": _state(row, zone)}
    if row.stopped_by is not None:
        fields["stopped last by"] = row.stopped_by
    fields["activity"] = _activity(row, zone)
    fields |= {name: text for name, text in _holds(row, zone).items() if text}
    fields |= deployment_fields(row.deployment)
    return fields | {"registered": f"{both_times(row.defined_at, zone)} by {row.defined_by}"}


def shown_row(row: DeploymentShown) -> list[str]:
    """The same in a few words, in the order of `COLUMNS`."""
    from schemas.deployments_json import DRIVER_WORDS

    deployment = row.deployment
    return [
        row.subject,
        DRIVER_WORDS[type(deployment.driver)],
        row.state,
        both_times(row.state_since, None),
        row.state_actor or "-",
        str(deployment.priority),
        deployment.zone,
        _number(row.in_flight),
        _number(row.waiting),
        both_times(row.last_request, None),
        _held(row),
    ]


def _held(row: DeploymentShown) -> str:
    if row.held_since is not None:
        return "all of it"
    return "sleep and wake" if row.actions_held_since is not None else "no"


def _state(row: DeploymentShown, zone: str) -> str:
    if row.state_since is None:
        return row.state
    by = row.state_actor or "nobody knows who"
    run = f", run {row.state_run}" if row.state_run else ""
    detail = f": {row.state_detail}" if row.state_detail else ""
    return f"{row.state} since {both_times(row.state_since, zone)} by {by}{run}{detail}"


def _activity(row: DeploymentShown, zone: str) -> str:
    if row.sampled_at is None:
        return "nobody has looked at it"
    last = "none" if row.last_request is None else both_times(row.last_request, zone)
    return (
        f"{row.in_flight} in flight, {row.waiting} waiting, last request {last}, "
        f"seen {both_times(row.sampled_at, zone)}{_rate(row)}"
    )


def _rate(row: DeploymentShown) -> str:
    if row.rate is None:
        return ""
    usual = "" if row.usual is None else f" ({row.usual / 1_000:g} are usual)"
    return f", {row.rate / 1_000:g} requests a minute{usual}"


def _holds(row: DeploymentShown, zone: str) -> dict[str, str]:
    return {
        "held": _hold(row, "held", zone),
        "sleep and wake held": _hold(row, "actions_held", zone),
    }


def _hold(row: DeploymentShown, what: str, zone: str) -> str:
    since = getattr(row, f"{what}_since")
    if since is None:
        return ""
    until = getattr(row, f"{what}_until")
    end = "" if until is None else f" until {both_times(until, zone)}"
    reason = getattr(row, f"{what}_reason") or "no reason given"
    return f"since {both_times(since, zone)}{end} by {getattr(row, f'{what}_by')}: {reason}"


def _number(number: int | None) -> str:
    return "-" if number is None else str(number)


def _words(value: Any) -> str:
    if isinstance(value, list):
        return shlex.join(value)
    if isinstance(value, dict):
        return ", ".join(f"{name}={_value(one)}" for name, one in value.items())
    return str(value)


def _value(value: Any) -> str:
    return f"<{value['secret']}>" if isinstance(value, dict) else str(value)
