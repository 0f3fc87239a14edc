"""
How do the views of a rehearsal know deployments?

By the events that were decided so far, asked in place of the database. The other views are
rehearsed_house.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from projections.shown_traffic import DeploymentShown
from schemas.codec import encode_event
from schemas.events import DeploymentDefined, DeploymentStateNoted, Event, Stamp
from tests.face.rehearsed_house import Rehearsal

History = list[tuple[Event, Stamp]]


class Remembering(Rehearsal):
    """A rehearsal that can be asked about deployments, too."""

    def look(self, question: Callable[[Any], Any]) -> Any:
        return question(self.history)


def deployments(history: History, *, state: str | None = None) -> list[DeploymentShown]:
    """What `projections.traffic_queries.deployments` finds."""
    subjects = sorted(
        {event.schedule for event, _ in history if isinstance(event, DeploymentDefined)}
    )
    found = [_shown(history, about) for about in subjects]
    return [one for one in found if state in (None, one.state)]


def deployment(history: History, subject: str) -> DeploymentShown | None:
    """What `projections.traffic_queries.deployment` finds."""
    return next((one for one in deployments(history) if one.subject == subject), None)


def _shown(history: History, about: str) -> DeploymentShown:
    known: dict[str, Any] = dict.fromkeys(DeploymentShown.__slots__)
    known |= {"subject": about.removesuffix("/"), "state": "unknown"}
    for event, stamp in _about(history, about):
        if isinstance(event, DeploymentDefined):
            known |= {"record": encode_event(event, stamp)}
            known |= {"defined_at": stamp.decided_at, "defined_by": stamp.actor}
        elif isinstance(event, DeploymentStateNoted):
            known |= {"state": event.state.value, "state_actor": event.actor}
            known |= {"state_since": stamp.decided_at, "state_run": event.run}
            if event.state.value == "stopped":
                known["stopped_by"] = event.actor
    return DeploymentShown(**known)


def _about(history: History, about: str) -> Iterator[tuple[Event, Stamp]]:
    return ((event, stamp) for event, stamp in history if getattr(event, "schedule", "") == about)
