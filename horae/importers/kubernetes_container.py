"""
Which container does a job template ask for, and can a runner start the same?

The one container of a pod that says which program it starts becomes `fresh` and the app that it is
made of; what the job says of its attempts becomes retries and a limit of time. What only a cluster
can give is refused, and what changes nothing of the work is told to be left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from horae.importers.kubernetes_spec import Draft, SpecFault, shown
from horae.importers.report import How
from schemas.faults import FieldFault
from schemas.reading_works import read_app

_JOB = "spec.jobTemplate.spec"
_POD = f"{_JOB}.template.spec"
_CONTAINER = f"{_POD}.containers[0]"
_USUAL_ATTEMPTS = 6
"""Further ones, of a job that does not say; and its waits between them."""
_BACKOFF, _LONGEST = "PT10S", "PT6M"
_QUANTITY = re.compile(r"([0-9]+(?:\.[0-9]+)?)(m|k|M|G|T|Ki|Mi|Gi|Ti)?")
_UNITS = {
    "m": Decimal("0.001"),
    "k": Decimal(10**3),
    "M": Decimal(10**6),
    "G": Decimal(10**9),
    "T": Decimal(10**12),
    "Ki": Decimal(1 << 10),
    "Mi": Decimal(1 << 20),
    "Gi": Decimal(1 << 30),
    "Ti": Decimal(1 << 40),
}
_ONLY_THERE = {
    _POD: ("initContainers", "hostNetwork", "hostPID", "hostIPC"),
    _CONTAINER: ("envFrom", "volumeMounts", "volumeDevices", "stdin", "lifecycle"),
    _JOB: ("successPolicy", "podFailurePolicy", "backoffLimitPerIndex"),
}
"""What the work may need, and a runner does not give it."""
_TAKEN = {
    _JOB: ("template", "backoffLimit", "activeDeadlineSeconds", "parallelism", "completions"),
    _POD: ("containers", "restartPolicy"),
    _CONTAINER: ("name", "image", "command", "args", "env", "workingDir", "resources"),
}


def take_container(draft: Draft) -> None:
    """Let the draft have the work and the app of its job template; raises SpecFault."""
    job = _object(draft.spec["jobTemplate"], "spec.jobTemplate", "spec")
    pod = _object(_object(job, _JOB, "template"), f"{_JOB}.template", "spec")
    container = _only_container(pod)
    for path, found in ((_JOB, job), (_POD, pod), (_CONTAINER, container)):
        _look_through(draft, path, found)
    fresh: dict[str, Any] = {"argv": _argv(container)}
    if draft.aim.pool is not None:
        fresh["pool"] = draft.aim.pool
    draft.definition["fresh"] = fresh
    draft.how.append(How("command and args", "fresh, in a container of its own"))
    draft.app = _app(container)
    draft.how.append(How("the container", "the app of the schedule's own subject"))
    _attempts(draft, job)


def _only_container(pod: Mapping[str, Any]) -> Mapping[str, Any]:
    containers = pod.get("containers")
    if not isinstance(containers, list) or len(containers) != 1:
        raise SpecFault(f"{_POD}.containers", "must be one container for a runner to start it")
    if not isinstance(containers[0], Mapping):
        raise SpecFault(_CONTAINER, "must be an object")
    return containers[0]


def _look_through(draft: Draft, path: str, found: Mapping[str, Any]) -> None:
    for name, value in found.items():
        if name in _ONLY_THERE[path] and value:
            raise SpecFault(f"{path}.{name}", "is nothing that a runner has; import it as a record")
        if name not in _TAKEN[path] and value:
            draft.remarks.append(f"{path}.{name} is not kept")


def _argv(container: Mapping[str, Any]) -> list[str]:
    if not container.get("command"):
        raise SpecFault(
            f"{_CONTAINER}.command", "is missing: which program the image starts is not known here"
        )
    argv: list[str] = []
    for name in ("command", "args"):
        words = container.get(name) or []
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise SpecFault(f"{_CONTAINER}.{name}", "must be a list of texts")
        for i, word in enumerate(words):
            if "$(" in word:
                raise SpecFault(f"{_CONTAINER}.{name}[{i}]", "$(…) is filled in by a cluster only")
        argv += words
    return argv


def _app(container: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"image": container.get("image")}
    env = _env(container)
    if env:
        found["env"] = env
    if container.get("workingDir"):
        found["folder"] = container["workingDir"]
    limits = _limits(container)
    if "memory" in limits:
        found["memory"] = int(_amount(limits["memory"], "memory"))
    if "cpu" in limits:
        found["cpus"] = f"{_amount(limits['cpu'], 'cpu'):f}"
    try:
        read_app(found)
    except FieldFault as fault:
        raise SpecFault(f"{_CONTAINER}: as an app: {fault.field}", fault.message) from fault
    return found


def _env(container: Mapping[str, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    given = container.get("env") or []
    if not isinstance(given, list):
        raise SpecFault(f"{_CONTAINER}.env", "must be a list")
    for i, one in enumerate(given):
        path = f"{_CONTAINER}.env[{i}]"
        if not isinstance(one, Mapping) or not isinstance(one.get("name"), str):
            raise SpecFault(path, "must be an object with name and value")
        if one.get("valueFrom"):
            raise SpecFault(f"{path}.valueFrom", "is known to a cluster only")
        found[one["name"]] = str(one.get("value") or "")
    return found


def _limits(container: Mapping[str, Any]) -> Mapping[str, Any]:
    if not container.get("resources"):
        return {}
    resources = _object(container, _CONTAINER, "resources")
    return _object(resources, f"{_CONTAINER}.resources", "limits") if "limits" in resources else {}


def _amount(written: Any, name: str) -> Decimal:
    read = _QUANTITY.fullmatch(str(written))
    if read is None:
        raise SpecFault(f"{_CONTAINER}.resources.limits.{name}", f"{shown(written)} is no quantity")
    return Decimal(read[1]) * _UNITS.get(read[2] or "", Decimal(1))


def _attempts(draft: Draft, job: Mapping[str, Any]) -> None:
    for name in ("parallelism", "completions"):
        if job.get(name) not in (None, 1):
            raise SpecFault(f"{_JOB}.{name}", "a fire is one container here")
    most = job.get("backoffLimit", _USUAL_ATTEMPTS)
    if most:
        draft.definition["retry"] = {"max": most, "backoff": _BACKOFF, "longest": _LONGEST}
    said = "backoffLimit" if "backoffLimit" in job else "no backoffLimit"
    draft.how.append(How(f"{said} {most}", f"retry, {most} further attempts"))
    seconds = job.get("activeDeadlineSeconds")
    if seconds is not None:
        draft.definition["timeout"] = f"PT{seconds}S"
        draft.how.append(How(f"activeDeadlineSeconds {seconds}", "timeout, of each attempt"))


def _object(content: Mapping[str, Any], path: str, name: str) -> Mapping[str, Any]:
    found = content.get(name)
    if not isinstance(found, Mapping):
        raise SpecFault(f"{path}.{name}", "is missing" if found is None else "must be an object")
    return found
