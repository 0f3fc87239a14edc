"""
What does each field of a CronJob become?

When it starts, what lateness means, whether it is suspended, and which of its wishes cannot be kept
yet. The object around the spec is kubernetes.py, the grammar of schedules kubernetes_cron.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from horae.importers.kubernetes_cron import CronFault, read_schedule
from horae.importers.report import Check, How
from schemas.durations import format_duration

_GRACE = 60
"""Seconds, ours: what starts so late is on time."""
_SOON = 10
"""Seconds between Kubernetes' own looks at a CronJob."""
_MOST_SECONDS = 100 * 366 * 86_400
_FIELDS = frozenset(
    {
        *("schedule", "timeZone", "suspend", "startingDeadlineSeconds", "concurrencyPolicy"),
        *("jobTemplate", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"),
    }
)
_OVERLAPS = {"Allow": "allow", "Forbid": "skip", "Replace": "replace"}
_HISTORY = ("successfulJobsHistoryLimit", "failedJobsHistoryLimit")


class SpecFault(ValueError):
    """A field that is not what Kubernetes or Horae takes."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path}: {why}")


@dataclass(frozen=True, slots=True)
class Aim:
    """Where CronJobs go, and what holds where they do not say."""

    topic: str
    zone: str
    """The zone of the controller, for CronJobs without a timeZone."""
    check: Check
    fresh: bool = False
    """Whether a runner is to start the container, and no record is written."""
    pool: str | None = None
    """Whose runners, if that is said."""


@dataclass(slots=True)
class Draft:
    """What is known of one CronJob so far."""

    spec: Mapping[str, Any]
    aim: Aim
    definition: dict[str, Any] = field(default_factory=dict)
    how: list[How] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    pause: str | None = None
    app: dict[str, Any] | None = None

    def became(self, name: str, what: str) -> None:
        """Say what a field of the spec became."""
        self.how.append(How(f"{name} {shown(self.spec[name])}", what))


def take_spec(draft: Draft, content: Mapping[str, Any]) -> None:
    """Map every field of the spec; raises SpecFault."""
    _when(draft, content)
    _lateness(draft)
    _policy(draft)
    _suspension(draft)
    _others(draft)


def _when(draft: Draft, content: Mapping[str, Any]) -> None:
    text = draft.spec.get("schedule")
    if not isinstance(text, str) or not text.strip():
        raise SpecFault("spec.schedule", "is missing" if text is None else "must be a text")
    try:
        read = read_schedule(text)
    except CronFault as fault:
        raise SpecFault("spec.schedule", str(fault)) from fault
    zone = _zone(draft, read.zone)
    if read.every is not None:
        _interval(draft, read.every, content)
        return
    draft.definition["cron"] = read.cron
    draft.became("schedule", f"cron {read.cron}")
    draft.definition["zone"] = zone
    # What Kubernetes does when clocks change: a skipped time never comes, a repeated one twice.
    draft.definition["dst"] = "literal"


def _zone(draft: Draft, before: str | None) -> str:
    zone = draft.spec.get("timeZone")
    if zone is None:
        if before is not None:
            draft.how.append(How("zone in schedule", f"zone {before}"))
            return before
        draft.how.append(How("no timeZone", f"zone {draft.aim.zone}, as the controller's"))
        return draft.aim.zone
    if not isinstance(zone, str) or not zone.strip():
        raise SpecFault("spec.timeZone", "must be the name of a zone")
    if before is not None:
        raise SpecFault("spec.timeZone", "not together with a zone in the schedule")
    draft.became("timeZone", f"zone {zone}")
    return zone


def _interval(draft: Draft, every: int, content: Mapping[str, Any]) -> None:
    """Kubernetes counts from the last start, or from the creation; so does an anchor."""
    text = format_duration(micros=every)
    anchor = _anchor(content)
    draft.definition["interval"] = text if anchor is None else {"every": text, "anchor": anchor}
    since = "its definition here" if anchor is None else anchor
    draft.became("schedule", f"interval {text}, counted from {since}")


def _anchor(content: Mapping[str, Any]) -> str | None:
    status, meta = content.get("status"), content.get("metadata")
    last = status.get("lastScheduleTime") if isinstance(status, Mapping) else None
    created = meta.get("creationTimestamp") if isinstance(meta, Mapping) else None
    for found in (last, created):
        if isinstance(found, str) and found:
            return found
    return None


def _lateness(draft: Draft) -> None:
    """Kubernetes starts the latest of what was missed, if that is not too long ago."""
    seconds = draft.spec.get("startingDeadlineSeconds")
    if seconds is None:
        draft.definition["catch_up"] = {"mode": "latest", "lookback": None}
        draft.how.append(
            How("no startingDeadlineSeconds", "catch_up latest, without limit, also beyond 100")
        )
        return
    path = "spec.startingDeadlineSeconds"
    if not isinstance(seconds, int) or isinstance(seconds, bool) or seconds < 0:
        raise SpecFault(path, "must be a whole number of seconds")
    if seconds == 0:
        raise SpecFault(path, "with 0 nothing ever starts in time, in Kubernetes neither")
    seconds = min(seconds, _MOST_SECONDS)
    draft.definition["catch_up"] = {
        "mode": "latest",
        "lookback": f"PT{seconds}S",
        "grace": f"PT{min(seconds, _GRACE)}S",
    }
    draft.became("startingDeadlineSeconds", f"catch_up latest, lookback {seconds} s")
    if seconds < _SOON:
        draft.remarks.append(
            f"startingDeadlineSeconds below {_SOON} may start nothing in Kubernetes; it does here"
        )


def _policy(draft: Draft) -> None:
    policy = draft.spec.get("concurrencyPolicy") or "Allow"
    if policy not in _OVERLAPS:
        raise SpecFault(
            "spec.concurrencyPolicy", f"{shown(policy)} is none of {', '.join(_OVERLAPS)}"
        )
    if draft.aim.fresh:
        draft.definition["overlap"] = _OVERLAPS[policy]
        draft.how.append(How(f"concurrencyPolicy {policy}", f"overlap {_OVERLAPS[policy]}"))
        return
    if policy == "Allow":
        return
    draft.became("concurrencyPolicy", "nothing here yet; it is in the record")
    draft.remarks.append(
        f"concurrencyPolicy {policy} is not kept: a record is emitted for every fire, also while "
        "an earlier job still runs; who reads the topic has to see to it"
    )


def _suspension(draft: Draft) -> None:
    suspend = draft.spec.get("suspend")
    if suspend is None or suspend is False:
        return
    if suspend is not True:
        raise SpecFault("spec.suspend", "must be true or false")
    draft.pause = "suspended in its manifest"
    draft.became("suspend", "a pause right after the definition")


def _others(draft: Draft) -> None:
    if not isinstance(draft.spec.get("jobTemplate"), Mapping):
        raise SpecFault("spec.jobTemplate", "is missing: there is nothing to start")
    if not draft.aim.fresh:
        draft.how.append(How("jobTemplate", f"the value of a record in {draft.aim.topic}"))
    for name in _HISTORY:
        if draft.spec.get(name) is not None:
            draft.became(name, "nothing: the ledger keeps all history")
    draft.remarks += [
        f"spec.{name} is no field of a CronJob that is known here; it was left out"
        for name in draft.spec
        if name not in _FIELDS
    ]


def shown(value: Any) -> str:
    """A value of a manifest in a few words."""
    text = repr(value) if isinstance(value, str) else str(value).lower()
    return text if len(text) <= 60 else text[:57] + "..."
