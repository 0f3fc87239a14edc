"""
Are the objects of a file found as Kubernetes finds them, and does bad YAML spoil only itself?

What CronJobs become is test_kubernetes.py.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from horae.cli.import_report import why_refused
from horae.importers.kubernetes import import_manifests
from horae.importers.kubernetes_spec import Aim
from horae.importers.report import Report

AIM = Aim("kubernetes.jobs", "UTC", why_refused)


def read(text: str) -> Report:
    return import_manifests(Path("jobs.yaml"), text.encode(), AIM, {})


DOCUMENTS = """\
# from the cluster
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: billing}
---
kind: CronJob
 broken: [
---
---
apiVersion: batch/v1
kind: CronJob
metadata:
  name: a
spec:
  schedule: '*/5 * * * *'
  suspend: yes
  jobTemplate: {metadata: {annotations: {when: 12:30, since: 2026-01-01}}}
--- # the last one
apiVersion: v1
kind: List
items:
- apiVersion: batch/v1
  kind: CronJob
  metadata: {name: b}
  spec: {schedule: "0 1 * * *", jobTemplate: {}}
- apiVersion: v1
  kind: Secret
  metadata: {name: s}
- 7
"""


def test_documents_and_lists_are_opened_and_one_bad_document_spoils_no_other() -> None:
    report = read(DOCUMENTS)

    assert [(each.number, each.schedule) for each in report.mapped] == [
        (4, "default/a"),
        (5, "default/b"),
    ]
    assert [each.number for each in report.refused] == [2, 5]
    assert "no YAML" in report.refused[0].why
    assert "items[2]" in report.refused[1].text
    assert [each.text for each in report.remarks] == [
        "passed over, it is no CronJob: ConfigMap billing/settings",
        "passed over, it is no CronJob: items[1] Secret s",
    ]


def test_yaml_is_read_as_kubernetes_reads_it() -> None:
    first = read(DOCUMENTS).mapped[0]

    assert first.pause is not None
    annotations = first.definition["emit"]["value"]["jobTemplate"]["metadata"]["annotations"]
    assert annotations == {"when": "12:30", "since": "2026-01-01"}


def test_the_items_of_a_list_of_cron_jobs_need_not_say_what_they_are() -> None:
    bare = {"metadata": {"name": "a"}, "spec": {"schedule": "@daily", "jobTemplate": {}}}
    whole = {"apiVersion": "batch/v1", "kind": "CronJobList", "items": [bare]}

    [found] = read(json.dumps(whole)).mapped
    assert found.schedule == "default/a"


BOMBS = {
    "aliases of aliases": "a: &a [x,x,x,x,x,x,x,x,x]\n"
    + "".join(f"{n}: &{n} [{','.join([f'*{p}'] * 9)}]\n" for p, n in pairwise("abcdefghi")),
    "an alias of itself": "a: &a [*a]",
    "depth": "[" * 2_000,
    "bytes": "kind: !!binary aGk=",
    "a day that is none": "kind: !!timestamp 2026-02-30",
    "another language's object": "kind: !!python/object/apply:os.system [id]",
}


@pytest.mark.parametrize("text", BOMBS.values(), ids=BOMBS.keys())
def test_what_is_no_manifest_at_all_is_refused_in_time(text: str) -> None:
    [refused] = read(text).refused

    assert "no YAML that can be read" in refused.why


def test_a_file_that_is_no_text_is_refused() -> None:
    [refused] = import_manifests(Path("x"), b"\xff\xfe", AIM, {}).refused

    assert "not UTF-8" in refused.why
