"""
Which schedules do CronJob manifests become?

Each CronJob becomes a schedule `namespace/name` that emits its job template as one record when it
is due: Horae starts no pods, whoever reads the topic does. Or it becomes `namespace.name/name` with
an app of its own, whose container a runner starts (kubernetes_container.py). The report says of
every field what it became, and of what cannot be kept that it is not. Documents are manifests.py,
the fields of a CronJob kubernetes_spec.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from horae.importers.kubernetes_container import take_container
from horae.importers.kubernetes_spec import Aim, Draft, SpecFault, shown, take_spec
from horae.importers.manifests import Manifest, read_manifests
from horae.importers.report import Mapped, Refused, Remark, Report
from schemas.identity import IdFault, schedule_id

DEFAULT_TOPIC = "kubernetes.jobs"
VERSIONS = ("batch/v1", "batch/v1beta1")
# What our words for a part of a definition are in a manifest.
_NAMES = {
    "cron": "spec.schedule",
    "interval.every": "spec.schedule",
    "interval.anchor": "status.lastScheduleTime or metadata.creationTimestamp",
    "zone": "spec.timeZone",
    "retry.max": "spec.jobTemplate.spec.backoffLimit",
    "timeout": "spec.jobTemplate.spec.activeDeadlineSeconds",
}


def import_manifests(path: Path, data: bytes, aim: Aim, seen: dict[str, str]) -> Report:
    """Map every object of a file; `seen` holds where the schedules so far stand, over all files."""
    report = Report(path, unit="document")
    for manifest in read_manifests(data):
        what = _what(manifest)
        if manifest.fault is not None:
            report.refused.append(Refused(manifest.number, what, manifest.fault))
        elif manifest.content.get("kind") != "CronJob":
            _pass_over(manifest, what, report)
        else:
            _take(manifest, what, aim, seen, report)
    return report


def _pass_over(manifest: Manifest, what: str, report: Report) -> None:
    if not isinstance(manifest.content.get("kind"), str):
        why = "kind: is missing: it is no object of Kubernetes"
        report.refused.append(Refused(manifest.number, what, why))
        return
    report.remarks.append(Remark(manifest.number, f"passed over, it is no CronJob: {what}"))


def _take(manifest: Manifest, what: str, aim: Aim, seen: dict[str, str], report: Report) -> None:
    try:
        schedule, draft = _map(manifest.content, aim)
        _check_new(schedule, seen)
    except SpecFault as fault:
        report.refused.append(Refused(manifest.number, what, str(fault)))
        return
    seen[schedule] = f"{report.path}, document {manifest.number}"
    report.mapped.append(
        Mapped(
            *(manifest.number, what, schedule, draft.definition),
            *(tuple(draft.how), draft.pause, draft.app),
        )
    )
    report.remarks += [Remark(manifest.number, f"{schedule}: {text}") for text in draft.remarks]


def _check_new(schedule: str, seen: Mapping[str, str]) -> None:
    if schedule in seen:
        raise SpecFault("metadata.name", f"{schedule} stands already in {seen[schedule]}")


def _what(manifest: Manifest) -> str:
    """What a person calls the object."""
    content = manifest.content
    meta = content.get("metadata")
    meta = meta if isinstance(meta, Mapping) else {}
    name = meta.get("name") or meta.get("generateName")
    whole = f"{meta['namespace']}/{name}" if name and meta.get("namespace") else name
    words = (manifest.place, content.get("kind"), whole)
    return " ".join(str(word) for word in words if word) or "(without a name)"


def _map(content: Mapping[str, Any], aim: Aim) -> tuple[str, Draft]:
    version = content.get("apiVersion")
    if version not in VERSIONS:
        raise SpecFault("apiVersion", f"{shown(version)} is none of {', '.join(VERSIONS)}")
    schedule = _schedule_id(content, alone=aim.fresh)
    spec = content.get("spec")
    if not isinstance(spec, Mapping):
        raise SpecFault("spec", "is missing" if spec is None else "must be an object")
    draft = Draft(spec, aim)
    take_spec(draft, content)
    draft.definition["description"] = f"from CronJob {_place(content)}"
    if aim.fresh:
        take_container(draft)
    else:
        draft.definition["emit"] = {
            "topic": aim.topic,
            "key": schedule,
            "value": _value(schedule, draft, content),
        }
    why = aim.check(draft.definition)
    if why:
        ours, mark, rest = why.partition(": ")
        raise SpecFault(_NAMES.get(ours, ours), rest) if mark else SpecFault("spec", why)
    return schedule, draft


def _place(content: Mapping[str, Any]) -> str:
    meta = content["metadata"]
    return f"{meta.get('namespace', 'default')}/{meta['name']}"


def _schedule_id(content: Mapping[str, Any], *, alone: bool) -> str:
    """`alone`: under a subject of its own, since a subject has one app."""
    meta = content.get("metadata")
    if not isinstance(meta, Mapping):
        raise SpecFault("metadata", "is missing" if meta is None else "must be an object")
    name, namespace = meta.get("name"), meta.get("namespace", "default")
    if name is None and "generateName" in meta:
        raise SpecFault(
            "metadata.name", "is missing, and a generated one is another at each import"
        )
    for field_name, text in (("name", name), ("namespace", namespace)):
        if not isinstance(text, str) or not text or "/" in text:
            raise SpecFault(
                f"metadata.{field_name}", "is missing" if text is None else "is no name"
            )
    try:
        return schedule_id(f"{namespace}.{name}/{name}" if alone else f"{namespace}/{name}")
    except IdFault as fault:
        raise SpecFault("metadata.name", str(fault)) from fault


def _value(schedule: str, draft: Draft, content: Mapping[str, Any]) -> dict[str, Any]:
    """All that a reader of the topic needs to start the job as Kubernetes would."""
    namespace, _, name = schedule.partition("/")
    return {
        "apiVersion": content["apiVersion"],
        "namespace": namespace,
        "cronJob": name,
        "concurrencyPolicy": draft.spec.get("concurrencyPolicy") or "Allow",
        "jobTemplate": draft.spec["jobTemplate"],
    }
