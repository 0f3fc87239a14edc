"""Does what the page about infrastructure shows work, between real processes?"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from horae.cli.definition_files import read_files
from horae.local import ports
from schemas.commands import Define, Trigger
from schemas.run_events import RunStatus
from tests.acceptance.stage import Stage
from tests.examples.task_managers import await_that
from tests.runner.schedules import ended

pytestmark = pytest.mark.broker

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "howto" / "operate-infrastructure.md"
SHOWN_PORT = "8085"


@contextmanager
def task_manager() -> Iterator[str]:
    """The service as the page starts it, on another port; its url."""
    port = str(ports.choose())
    [line] = re.findall(r"^\.venv/bin/python (-m examples.*)$", PAGE.read_text(), re.MULTILINE)
    words = line.replace(SHOWN_PORT, port).split()
    child = subprocess.Popen([sys.executable, *words], cwd=ROOT, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"

    def is_there() -> bool:
        try:
            return httpx.get(f"{url}/healthz", trust_env=False).is_success
        except httpx.ConnectError:
            return False

    try:
        await_that(is_there)
        yield url
    finally:
        child.terminate()
        child.wait(20)


def test_the_first_schedule_of_the_page_resets_both_racks(stage: Stage, tmp_path: Path) -> None:
    shown = re.findall(r"^```yaml\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)[0]
    with task_manager() as url:
        (tmp_path / "reset.yaml").write_text(shown.replace(f"http://127.0.0.1:{SHOWN_PORT}", url))
        [found] = read_files([tmp_path / "reset.yaml"])
        stage.processor("p")
        stage.runner("r", POOLS="hall-3", ALLOW_ACTIONS="http", ALLOW_URLS=f"{url}/")
        stage.await_processors("p")

        stage.cluster.ask(found.schedule, Define(found.definition))
        stage.cluster.ask(found.schedule, Trigger("try it"))

        ends = {one.scope: one for one in ended(stage.cluster, 2, within=60)}
        for rack, parts in (("rack-a", 4), ("rack-b", 2)):
            [task] = httpx.get(f"{url}/tasks", params={"rack": rack}, trust_env=False).json()
            assert (task["status"], len(task["components"])) == ("completed", parts)
            assert task["description"].startswith("nightly-reset 20")
            result = ends[rack].result
            assert ends[rack].status is RunStatus.SUCCESS
            assert result is not None
            assert result.reference == task["id"]
