"""
Does an import send each definition and, right behind it, the pause of what was suspended?

A stand-in answers; what becomes of manifests is test_kubernetes.py.
"""

from __future__ import annotations

import json
from pathlib import Path
from uuid import uuid4

import pytest
from typer.testing import CliRunner

from horae.cli.main import app
from horae.local.kafka import Broker
from schemas import codec
from schemas.commands import Define, Pause
from streams.topics_check import TopicsOf
from streams.topics_outlook import Wishes
from tests.face.answering import answering

pytestmark = pytest.mark.broker


def manifest(name: str, *, suspend: bool) -> str:
    return (
        f"---\napiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: {name}, namespace: shop}}\n"
        f"spec: {{schedule: '@daily', suspend: {str(suspend).lower()}, jobTemplate: {{}}}}\n"
    )


def test_a_suspended_job_is_defined_and_then_paused(
    broker: Broker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HORAE_BOOTSTRAP", broker.bootstrap)
    topics = TopicsOf(broker.bootstrap)
    if topics.look().missing:
        topics.create(topics.look(Wishes(partitions=3)).missing)
    asleep, awake = f"a{uuid4().hex[:8]}", f"b{uuid4().hex[:8]}"
    file = tmp_path / "jobs.yaml"
    file.write_text(manifest(asleep, suspend=True) + manifest(awake, suspend=False))

    with answering(broker.bootstrap) as found:
        result = CliRunner().invoke(app, ["import", "kubernetes", str(file), "-o", "json"])

    kinds = [type(codec.decode(message.value() or b"")) for message in found.seen]
    keys = [(message.key() or b"").decode().partition(":")[0] for message in found.seen]
    [first, second] = json.loads(result.stdout)[0]["mapped"]
    assert result.exit_code == 0
    assert kinds == [Define, Pause, Define]
    assert keys == [f"shop/{asleep}", f"shop/{asleep}#pause", f"shop/{awake}"]
    assert (first["reply"]["verdict"], first["pause_reply"]["verdict"]) == ("accepted", "accepted")
    assert "pause_reply" not in second
