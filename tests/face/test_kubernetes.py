"""
Which schedules do CronJobs become, what is refused with which field, and what is told?

Files, documents and lists are test_kubernetes_manifests.py, the grammar of schedules
test_kubernetes_cron.py.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from horae.cli.import_report import why_refused
from horae.importers.kubernetes import import_manifests
from horae.importers.kubernetes_spec import Aim
from horae.importers.report import How, Mapped, Report
from tests.face.typed import run

TEMPLATE = {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "busybox"}]}}}}


def cron_job(name: str = "nightly", /, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": name, "namespace": "billing"},
        "spec": {"schedule": "30 2 * * *", "jobTemplate": TEMPLATE, **spec},
    }


def read(text: str, seen: dict[str, str] | None = None) -> Report:
    aim = Aim("kubernetes.jobs", "UTC", why_refused)
    return import_manifests(Path("jobs.yaml"), text.encode(), aim, {} if seen is None else seen)


def mapped(content: dict[str, Any]) -> Mapped:
    report = read(json.dumps(content))
    assert report.refused == []
    [found] = report.mapped
    return found


def test_a_cron_job_becomes_a_schedule_that_emits_its_template() -> None:
    found = mapped(cron_job(timeZone="Europe/Berlin"))

    assert found.schedule == "billing/nightly"
    assert found.pause is None
    assert found.definition == {
        "cron": "30 2 * * *",
        "zone": "Europe/Berlin",
        "dst": "literal",
        "catch_up": {"mode": "latest", "lookback": None},
        "description": "from CronJob billing/nightly",
        "emit": {
            "topic": "kubernetes.jobs",
            "key": "billing/nightly",
            "value": {
                "apiVersion": "batch/v1",
                "namespace": "billing",
                "cronJob": "nightly",
                "concurrencyPolicy": "Allow",
                "jobTemplate": TEMPLATE,
            },
        },
    }


def test_both_versions_are_taken_and_the_namespace_is_default_if_none_is_said() -> None:
    old = cron_job() | {"apiVersion": "batch/v1beta1", "metadata": {"name": "x"}}

    assert mapped(old).schedule == "default/x"


def test_a_suspended_one_is_paused_after_it_is_defined_and_that_is_told() -> None:
    found = mapped(cron_job(suspend=True))

    assert found.pause == "suspended in its manifest"
    assert How("suspend true", "a pause right after the definition") in found.how
    assert mapped(cron_job(suspend=False)).pause is None


DEADLINES = {
    "none: the latest one, however late": (
        {},
        {"mode": "latest", "lookback": None},
    ),
    "a long one": (
        {"startingDeadlineSeconds": 3600},
        {"mode": "latest", "lookback": "PT3600S", "grace": "PT60S"},
    ),
    "one below our grace is the grace too": (
        {"startingDeadlineSeconds": 20},
        {"mode": "latest", "lookback": "PT20S", "grace": "PT20S"},
    ),
    "one of more than a century is without limit enough": (
        {"startingDeadlineSeconds": 10**15},
        {"mode": "latest", "lookback": "PT3162240000S", "grace": "PT60S"},
    ),
}


@pytest.mark.parametrize(("spec", "catch_up"), DEADLINES.values(), ids=DEADLINES.keys())
def test_what_is_late_is_decided_as_there(spec: dict[str, int], catch_up: dict[str, Any]) -> None:
    assert mapped(cron_job(**spec)).definition["catch_up"] == catch_up


def test_every_is_an_interval_that_goes_on_where_kubernetes_was() -> None:
    job = cron_job(schedule="@every 1h30m")
    born = job | {"metadata": job["metadata"] | {"creationTimestamp": "2026-01-01T00:00:07Z"}}
    ran = born | {"status": {"lastScheduleTime": "2026-02-01T10:30:07Z"}}

    assert mapped(job).definition["interval"] == "PT1H30M"
    assert mapped(born).definition["interval"]["anchor"] == "2026-01-01T00:00:07Z"
    assert mapped(ran).definition["interval"]["anchor"] == "2026-02-01T10:30:07Z"


def test_the_zone_is_the_jobs_else_that_before_the_schedule_else_the_controllers() -> None:
    assert mapped(cron_job(schedule="TZ=Asia/Tokyo 0 1 * * *")).definition["zone"] == "Asia/Tokyo"
    assert mapped(cron_job(schedule="CRON_TZ=UTC @daily")).definition["cron"] == "@daily"
    found = mapped(cron_job())
    assert found.definition["zone"] == "UTC"
    assert How("no timeZone", "zone UTC, as the controller's") in found.how


@pytest.mark.parametrize("policy", ["Forbid", "Replace"])
def test_a_policy_that_cannot_be_kept_is_told_and_goes_along(policy: str) -> None:
    report = read(json.dumps(cron_job(concurrencyPolicy=policy)))

    [remark] = report.remarks
    assert f"concurrencyPolicy {policy} is not kept" in remark.text
    assert report.mapped[0].definition["emit"]["value"]["concurrencyPolicy"] == policy


def test_a_field_that_nobody_knows_is_told() -> None:
    [remark] = read(json.dumps(cron_job(tiemZone="UTC"))).remarks

    assert "spec.tiemZone is no field" in remark.text


REFUSED = {
    "another version": (cron_job() | {"apiVersion": "batch/v3"}, "apiVersion: 'batch/v3' is none"),
    "no name": (cron_job() | {"metadata": {}}, "metadata.name: is missing"),
    "a made-up name": (
        cron_job() | {"metadata": {"generateName": "x-"}},
        "metadata.name: is missing, and a generated one",
    ),
    "a name that is no id": (cron_job("a#b"), "metadata.name: "),
    "a namespace with a slash": (
        cron_job() | {"metadata": {"name": "a", "namespace": "b/c"}},
        "metadata.namespace: is no name",
    ),
    "no spec": (cron_job() | {"spec": None}, "spec: is missing"),
    "no schedule": (cron_job(schedule=None), "spec.schedule: is missing"),
    "a schedule that is a number": (cron_job(schedule=5), "spec.schedule: must be a text"),
    "a schedule that is none": (cron_job(schedule="61 * * * *"), "spec.schedule: minute: '61'"),
    "a day that never comes": (cron_job(schedule="0 0 30 2 *"), "spec.schedule: '0 0 30 2 *'"),
    "at boot": (cron_job(schedule="@reboot"), "spec.schedule: '@reboot' is none of"),
    "two zones": (
        cron_job(schedule="TZ=UTC 0 1 * * *", timeZone="UTC"),
        "spec.timeZone: not together",
    ),
    "an unknown zone": (cron_job(timeZone="Mars/Olympus"), "spec.timeZone: "),
    "the host's zone": (cron_job(timeZone="Local"), "spec.timeZone: "),
    "a deadline that is a text": (
        cron_job(startingDeadlineSeconds="60"),
        "spec.startingDeadlineSeconds: must be a whole number",
    ),
    "no deadline at all to keep": (
        cron_job(startingDeadlineSeconds=0),
        "spec.startingDeadlineSeconds: with 0",
    ),
    "a policy that is none": (
        cron_job(concurrencyPolicy="forbid"),
        "spec.concurrencyPolicy: 'forbid' is none of Allow, Forbid, Replace",
    ),
    "suspended perhaps": (cron_job(suspend="true"), "spec.suspend: must be true or false"),
    "nothing to start": (cron_job(jobTemplate=None), "spec.jobTemplate: is missing"),
    "an anchor that is no instant": (
        cron_job(schedule="@every 1h") | {"status": {"lastScheduleTime": "soon"}},
        "status.lastScheduleTime or metadata.creationTimestamp: ",
    ),
    "no kind": ({"metadata": {"name": "x"}}, "kind: is missing"),
    "more than a schedule can hold": (
        cron_job(jobTemplate={"x": "y" * 300_000}),
        "spec: a definition has",
    ),
}


@pytest.mark.parametrize(("content", "why"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_refused_is_refused_by_its_field(content: dict[str, Any], why: str) -> None:
    report = read(json.dumps(content))

    [refused] = report.refused
    assert report.mapped == []
    assert refused.number == 1
    assert refused.why.startswith(why)


def test_the_same_name_twice_is_refused_with_where_it_stood() -> None:
    seen: dict[str, str] = {}
    read(json.dumps(cron_job()), seen)

    [refused] = read(json.dumps(cron_job()), seen).refused

    assert refused.why == ("metadata.name: billing/nightly stands already in jobs.yaml, document 1")


def test_a_rehearsal_tells_field_by_field_what_became_of_it(tmp_path: Path) -> None:
    file = tmp_path / "jobs.yaml"
    file.write_text(json.dumps(cron_job(suspend=True, concurrencyPolicy="Forbid")))

    code, out, _ = run("import", "kubernetes", str(file), "--dry-run")

    assert code == 0
    assert f"{file}: 1 mapped, 0 refused" in out
    assert "document 1: billing/nightly  30 2 * * *  UTC" in out
    assert "document 1:   suspend true -> a pause right after the definition" in out
    assert "document 1: note: billing/nightly: concurrencyPolicy Forbid is not kept" in out


def test_a_rehearsal_as_json_from_standard_input() -> None:
    code, out, _ = run(
        "import", "kubernetes", "-", "--dry-run", "-o", "json", stdin=json.dumps(cron_job())
    )

    [report] = json.loads(out)
    assert (code, report["file"], report["refused"], report["notes"]) == (0, "stdin", [], [])
    assert report["mapped"][0]["document"] == 1
    assert {"setting": "schedule '30 2 * * *'", "became": "cron 30 2 * * *"} in (
        report["mapped"][0]["how"]
    )


def test_a_file_that_is_not_there_is_wrong_usage() -> None:
    for command in ("kubernetes", "crontab"):
        code, _, err = run("import", command, "nowhere.yaml", "--dry-run")

        assert (code, err) == (2, "horae: nowhere.yaml: No such file or directory\n")
