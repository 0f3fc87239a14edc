"""A CronJob whose one container says what it starts becomes the same container, or is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from horae.cli import import_report
from horae.cli.import_report import why_refused
from horae.cli.main import app
from horae.importers.kubernetes import import_manifests
from horae.importers.kubernetes_spec import Aim
from horae.importers.report import How, Mapped, Report
from schemas.commands import Define, DefineApp, Pause

CONTAINER = {
    "name": "c",
    "image": "shop:1.2",
    "command": ["php", "artisan"],
    "args": ["carts:prune", "--older-than=$HOME"],
}


def cron_job(
    container: dict[str, Any] | None = None,
    pod: dict[str, Any] | None = None,
    job: dict[str, Any] | None = None,
    **spec: Any,
) -> dict[str, Any]:
    containers = [{**CONTAINER, **(container or {})}]
    template = {"spec": {"containers": containers, "restartPolicy": "Never", **(pod or {})}}
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "clean-up", "namespace": "shop"},
        "spec": {
            "schedule": "30 2 * * *",
            "jobTemplate": {"spec": {"template": template, **(job or {})}},
            **spec,
        },
    }


def read(content: dict[str, Any], pool: str | None = None) -> Report:
    aim = Aim("kubernetes.jobs", "UTC", why_refused, fresh=True, pool=pool)
    return import_manifests(Path("jobs.yaml"), json.dumps(content).encode(), aim, {})


def mapped(content: dict[str, Any], pool: str | None = None) -> Mapped:
    report = read(content, pool)
    assert report.refused == []
    [found] = report.mapped
    return found


def test_a_container_becomes_work_and_an_app_of_its_own() -> None:
    found = mapped(
        cron_job(
            {
                "env": [{"name": "LANG", "value": "C"}, {"name": "EMPTY"}],
                "workingDir": "/app",
                "resources": {"limits": {"memory": "128Mi", "cpu": "250m"}},
            }
        )
    )

    assert found.schedule == "shop.clean-up/clean-up"
    assert found.definition == {
        "cron": "30 2 * * *",
        "zone": "UTC",
        "dst": "literal",
        "catch_up": {"mode": "latest", "lookback": None},
        "overlap": "allow",
        "description": "from CronJob shop/clean-up",
        "fresh": {"argv": ["php", "artisan", "carts:prune", "--older-than=$HOME"]},
        "retry": {"max": 6, "backoff": "PT10S", "longest": "PT6M"},
    }
    assert found.app == {
        "image": "shop:1.2",
        "env": {"LANG": "C", "EMPTY": ""},
        "folder": "/app",
        "memory": 128 << 20,
        "cpus": "0.250",
    }


@pytest.mark.parametrize(
    ("policy", "overlap"),
    [(None, "allow"), ("Allow", "allow"), ("Forbid", "skip"), ("Replace", "replace")],
)
def test_a_concurrency_policy_is_kept(policy: str | None, overlap: str) -> None:
    report = read(cron_job(concurrencyPolicy=policy))

    [found] = report.mapped
    assert found.definition["overlap"] == overlap
    assert How(f"concurrencyPolicy {policy or 'Allow'}", f"overlap {overlap}") in found.how
    assert report.remarks == []


def test_attempts_and_their_time_are_kept() -> None:
    found = mapped(cron_job(job={"backoffLimit": 2, "activeDeadlineSeconds": 600}))
    none = mapped(cron_job(job={"backoffLimit": 0, "completions": 1}))

    assert found.definition["retry"] == {"max": 2, "backoff": "PT10S", "longest": "PT6M"}
    assert found.definition["timeout"] == "PT600S"
    assert "retry" not in none.definition


@pytest.mark.parametrize(
    ("limits", "kept"),
    [
        ({"memory": "1Gi"}, {"memory": 1 << 30}),
        ({"memory": "100M"}, {"memory": 100_000_000}),
        ({"memory": 67_108_864}, {"memory": 1 << 26}),
        ({"cpu": 2}, {"cpus": "2"}),
        ({"cpu": "0.5"}, {"cpus": "0.5"}),
        ({}, {}),
    ],
)
def test_limits_are_read_as_there(limits: dict[str, Any], kept: dict[str, Any]) -> None:
    found = mapped(cron_job({"resources": {"limits": limits, "requests": {}}})).app

    assert found == {"image": "shop:1.2", **kept}


def test_a_pool_that_is_said_is_that_of_the_work() -> None:
    assert mapped(cron_job(), "node-1").definition["fresh"]["pool"] == "node-1"


def test_what_is_not_kept_is_told() -> None:
    content = cron_job(
        {"imagePullPolicy": "Always", "livenessProbe": {}},
        {"nodeSelector": {"disk": "ssd"}, "volumes": [{"name": "unused"}]},
        {"ttlSecondsAfterFinished": 60},
    )

    assert [remark.text.partition(": ")[2] for remark in read(content).remarks] == [
        "spec.jobTemplate.spec.ttlSecondsAfterFinished is not kept",
        "spec.jobTemplate.spec.template.spec.nodeSelector is not kept",
        "spec.jobTemplate.spec.template.spec.volumes is not kept",
        "spec.jobTemplate.spec.template.spec.containers[0].imagePullPolicy is not kept",
    ]


POD = "spec.jobTemplate.spec.template.spec"
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no program": (cron_job({"command": None}), f"{POD}.containers[0].command: is missing"),
    "a program that is no list": (cron_job({"command": "php"}), "command: must be a list of texts"),
    "what a cluster fills in": (cron_job({"args": ["a", "$(X)"]}), "containers[0].args[1]: $(…)"),
    "no image": (cron_job({"image": None}), "as an app: image: must be a text"),
    "two containers": (cron_job(pod={"containers": [CONTAINER] * 2}), "must be one container"),
    "no container": (cron_job(pod={"containers": ["c"]}), "containers[0]: must be an object"),
    "a container before it": (cron_job(pod={"initContainers": [{}]}), f"{POD}.initContainers: is"),
    "the network of the machine": (cron_job(pod={"hostNetwork": True}), f"{POD}.hostNetwork: is"),
    "volumes": (cron_job({"volumeMounts": [{"name": "x"}]}), "volumeMounts: is nothing that a"),
    "variables of a secret": (cron_job({"envFrom": [{}]}), "envFrom: is nothing that a runner"),
    "a variable of a secret": (
        cron_job({"env": [{"name": "A", "valueFrom": {"secretKeyRef": {}}}]}),
        "env[0].valueFrom: is known to a cluster only",
    ),
    "a variable without a name": (cron_job({"env": [{"value": "x"}]}), "env[0]: must be an object"),
    "variables as an object": (cron_job({"env": {"A": "x"}}), "env: must be a list"),
    "a variable with a sign": (
        cron_job({"env": [{"name": "A B", "value": "x"}]}),
        "as an app: env.A B: must be",
    ),
    "an amount of nothing": (
        cron_job({"resources": {"limits": {"memory": "much"}}}),
        "resources.limits.memory: 'much' is no quantity",
    ),
    "limits that are a list": (
        cron_job({"resources": {"limits": []}}),
        "limits: must be an object",
    ),
    "several at once": (cron_job(job={"parallelism": 2}), "parallelism: a fire is one container"),
    "attempts without number": (cron_job(job={"backoffLimit": "x"}), "backoffLimit: must be a"),
    "a time too long": (
        cron_job(job={"activeDeadlineSeconds": 10**9}),
        "activeDeadlineSeconds: must be from 1 s",
    ),
    "no template": (cron_job(jobTemplate={"spec": {}}), "spec.template: is missing"),
    "an unknown policy": (cron_job(concurrencyPolicy="Queue"), "none of Allow, Forbid, Replace"),
}


@pytest.mark.parametrize(("content", "why"), REFUSED.values(), ids=REFUSED.keys())
def test_what_only_a_cluster_can_give_is_refused_by_its_field(
    content: dict[str, Any], why: str
) -> None:
    report = read(content)

    [refused] = report.refused
    assert report.mapped == []
    assert why in refused.why


def test_the_app_is_sent_before_the_schedule_and_the_pause_behind() -> None:
    [order, *others] = import_report._orders(mapped(cron_job(suspend=True)))

    assert order.about == "shop.clean-up/"
    assert isinstance(order.command, DefineApp)
    assert [type(each.command) for each in others] == [Define, Pause]
    assert {each.about for each in others} == {"shop.clean-up/clean-up"}


def test_cron_jobs_may_be_imported_as_containers() -> None:
    text = json.dumps(cron_job())
    line = ["import", "kubernetes", "-", "--as", "fresh", "--pool", "db", "--dry-run", "-o", "json"]

    result = CliRunner().invoke(app, line, input=text)

    [report] = json.loads(result.stdout)
    [found] = report["mapped"]
    assert result.exit_code == 0
    assert (found["app"], found["definition"]["fresh"]["pool"]) == ({"image": "shop:1.2"}, "db")


def test_a_pool_is_for_containers() -> None:
    line = ["import", "kubernetes", "-", "--pool", "db", "--dry-run"]

    result = CliRunner().invoke(app, line, input=json.dumps(cron_job()))

    assert (result.exit_code, "--pool" in result.stderr) == (2, True)
