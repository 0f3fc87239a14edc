"""
Does one command bring everything up, show a first fire, and take everything down again?

With the real processor and projector, in processes of their own.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from horae.cli.definition_files import read_files
from horae.cli.up_roles import processes, runner_settings, watching_settings
from horae.settings import STACK_FILE
from schemas.actions import Act, Http, Program
from streams.runner.allowed import Allowed
from streams.settings import RunnerSettings
from tests.runner.ordered import order, program

pytestmark = pytest.mark.broker

ROOT = Path(__file__).parents[2]
SCHEDULE = """
schedule: demo/quick
interval: {every: 1s, anchor: epoch}
emit: {topic: demo.events, value: tick}
"""
TURNS = {f"Stopping {one.name}": 9 if one.leaves is None else one.leaves for one in processes(1)}
"""What is said at the end, and whose turn is before whose."""


@pytest.fixture
def data(stack_dir: Path) -> Path:
    return stack_dir / "up"


@pytest.fixture
def up(data: Path, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    (tmp_path / "quick.yaml").write_text(SCHEDULE)
    command = [sys.executable, "-m", "horae.cli", "up", "--demo", "--partitions", "2"]
    process = subprocess.Popen(
        [*command, "--data", str(data), "--examples", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=ROOT,
    )
    yield process
    process.kill()
    process.communicate()


def horae(*arguments: str, data: Path) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HORAE_")}
    return subprocess.run(
        [sys.executable, "-m", "horae.cli", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**clean, "HORAE_DATA": str(data)},
        check=False,
    )


def test_up_shows_the_first_fire_and_one_ctrl_c_ends_all(
    up: subprocess.Popen[str], data: Path
) -> None:
    assert up.stdout is not None
    said = []
    for line in up.stdout:
        said.append(line)
        if "Fired" in line and "demo/quick" in line:
            break
    assert any(line.startswith("Ready in ") for line in said), said
    for role in ("runner", "traffic", "sampler", "proposer"):
        assert any(line.endswith(f"/metrics ({role})\n") for line in said), said
    assert any("demo/quick: define accepted" in line for line in said), said

    listed = horae("schedule", "list", "-o", "json", data=data)
    paused = horae("schedule", "pause", "demo/quick", "-r", "enough", data=data)
    held = horae("hold", "all", "-r", "done", data=data)
    up.send_signal(signal.SIGINT)
    rest, _ = up.communicate(timeout=60)

    assert "demo/quick" in {row["schedule"] for row in json.loads(listed.stdout)}, listed.stderr
    assert (paused.returncode, paused.stderr) == (0, "")
    assert (held.returncode, held.stderr) == (0, "")
    assert up.returncode == 0, rest
    assert rest.splitlines()[-1] == "Stopped"
    stopped = [line.removeprefix("Stopping ") for line in rest.splitlines() if line in TURNS]
    assert sorted(stopped, key=lambda role: TURNS[f"Stopping {role}"]) == stopped, rest
    assert {"sampler", "traffic"} <= set(stopped)
    assert not (data / STACK_FILE).exists()


def test_its_runner_asks_this_machine_alone_unless_it_was_said_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def given() -> Allowed:
        for name, value in runner_settings(tmp_path).items():
            monkeypatch.setenv(name, value)
        return Allowed(RunnerSettings())

    allowed = given()
    assert allowed.action(Http) is None
    assert allowed.action(Act) is None
    assert allowed.url("http://127.0.0.1:8080/tasks") is None
    assert allowed.url("http://10.0.0.1:8080/tasks") is not None
    assert allowed.action(Program) is not None
    assert allowed.program("true") is not None
    monkeypatch.setenv("HORAE_RUNNER_ALLOW_ACTIONS", "command")
    monkeypatch.setenv("HORAE_RUNNER_ALLOW_PROGRAMS", "true")
    assert given().objection_to(order(program("true"))) is None


def test_its_sampler_looks_at_this_machine_alone_unless_it_was_said_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    setting = "HORAE_SAMPLER_ALLOW_URLS"
    assert watching_settings()[setting] == "http://127.0.0.1:*/,http://localhost:*/,http://[::1]:*/"

    monkeypatch.setenv(setting, "http://gpu-1:8000/")
    assert watching_settings()[setting] == "http://gpu-1:8000/"


def test_for_the_demo_it_runs_the_one_program_of_its_examples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in runner_settings(tmp_path, demo=True).items():
        monkeypatch.setenv(name, value)
    allowed = Allowed(RunnerSettings())
    works = [one.definition.action.work for one in read_files([ROOT / "examples"])]
    [example] = [work for work in works if isinstance(work, Program)]

    assert allowed.objection_to(order(example)) is None
    assert allowed.objection_to(order(program("true"))) is not None
