"""
Would the containers find what their files name: commands, variables, ports, files?

There may be no Docker here, so nothing is run: what the files say is held against the code. That
docker-compose.yml is one at all is checked against its public schema in `make check`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from horae.api.settings import ApiSettings
from horae.cli.config import variable_of
from horae.cli.main import app
from horae.local.jars import LOCK, read_lock
from horae.proposing.settings import ProposingSettings
from horae.settings import FaceSettings
from projections.settings import ProjectorSettings
from streams.settings import ProcessorSettings, RunnerSettings
from streams.traffic.settings import SamplerSettings, TrafficSettings

ROOT = Path(__file__).parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: each for name, each in SERVICES.items() if "build" in each}
ROLES = (
    *(FaceSettings, ProcessorSettings, ProjectorSettings, RunnerSettings, ApiSettings),
    *(SamplerSettings, TrafficSettings, ProposingSettings),
)
VARIABLES = {
    variable_of(name, field) for settings in ROLES for name, field in settings.model_fields.items()
}
IN_IMAGE = dict(re.findall(r"^\s*(?:ENV )?([A-Z_]+)=(\S+)", DOCKERFILE, re.MULTILINE))
PORT = IN_IMAGE["HORAE_PROCESSOR_PORT"]


def test_every_role_is_there() -> None:
    commands = [each["command"][0] for each in OURS.values()]

    roles = ["api", "processor", "processor", "projector", "propose", "runner", "sampler"]
    assert sorted(commands) == [*roles, "topics", "traffic"]


@pytest.mark.parametrize("service", OURS.values(), ids=OURS.keys())
def test_a_command_can_be_typed(service: dict[str, Any]) -> None:
    command: Any = get_command(app)
    words = list(service["command"])
    while words and words[0] in getattr(command, "commands", {}):
        command = command.commands[words.pop(0)]

    command.make_context(command.name, words)


def test_every_variable_is_a_setting() -> None:
    named = {name for each in OURS.values() for name in each["environment"]}
    named |= {name for name in IN_IMAGE if name.startswith("HORAE_")}

    assert named <= VARIABLES


@pytest.mark.parametrize(
    ("command", "setting", "count"),
    [("processor", "HORAE_INSTANCE", 2), ("traffic", "HORAE_TRAFFIC_INSTANCE", 1)],
)
def test_who_shares_partitions_keeps_a_name_of_its_own(
    command: str, setting: str, count: int
) -> None:
    names = [each["environment"][setting] for each in OURS.values() if each["command"] == [command]]

    assert len(set(names)) == len(names) == count


def test_images_are_pinned_and_are_those_that_are_tested() -> None:
    [kafka] = {jar.version for jar in read_lock(LOCK.read_text()) if jar.artifact == "kafka_2.13"}
    bases = set(re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE))

    assert SERVICES["kafka"]["image"] == f"apache/kafka:{kafka}"
    assert re.fullmatch(r"postgres:18\.\d+", SERVICES["postgres"]["image"])
    assert len(bases) == 1
    assert all(re.fullmatch(r"python:3\.\d+-slim-\w+", base) for base in bases)


def test_ports_are_published_on_loopback_only_and_somebody_listens_there() -> None:
    published = [
        (name, port.split(":")) for name, each in SERVICES.items() for port in each.get("ports", [])
    ]
    listening = {"kafka": {"19092"}, "postgres": {"5432"}} | {name: {PORT} for name in OURS}

    assert {host for _, (host, _, _) in published} == {"127.0.0.1"}
    assert len({outside for _, (_, outside, _) in published}) == len(published)
    assert all(inside in listening[name] for name, (_, _, inside) in published)
    assert f"http://127.0.0.1:{PORT}/healthz" in DOCKERFILE
    assert IN_IMAGE["HORAE_PROJECTOR_PORT"] == PORT


def test_what_is_waited_for_is_there_and_can_come_true() -> None:
    for each in SERVICES.values():
        for name, wait in each.get("depends_on", {}).items():
            awaited = SERVICES[name]
            if wait["condition"] == "service_healthy":
                assert "healthcheck" in awaited or "build" in awaited
            else:
                assert awaited["restart"] == "no"


def test_data_lie_in_named_volumes() -> None:
    for name, folder in (("kafka", "/var/lib/kafka/data"), ("postgres", "/var/lib/postgresql")):
        assert SERVICES[name]["volumes"] == [f"{name}:{folder}"]
        assert name in COMPOSE["volumes"]
    assert SERVICES["kafka"]["environment"]["KAFKA_LOG_DIRS"] == "/var/lib/kafka/data"


def test_the_image_is_built_from_the_lock_and_runs_as_nobody_special() -> None:
    copied = [
        source
        for line in re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE, re.MULTILINE)
        for source in line.split()[:-1]
    ]
    sent = re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)

    assert sorted(copied) == sorted(sent)
    assert all((ROOT / each).exists() for each in copied)
    assert "--require-hashes" in DOCKERFILE
    assert re.search(r"^USER horae$", DOCKERFILE, re.MULTILINE)
