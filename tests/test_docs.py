"""
Do the pages that a newcomer reads first tell the truth?

Their Python runs, against a stack brought up as they say; every link leads somewhere, every make
target and every command of `horae` that is named exists, and tables are complete. What the pages of
reference and how-to show besides is held by tests/face/test_docs.py.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from horae.api.numbers import Numbers
from horae.cli.main import app
from horae.proposing.metrics import ProposerMetrics
from horae.settings import STACK_FILE
from projections import faults as projection_faults
from projections.metrics import Telemetry
from streams import faults as processor_faults
from streams.runner.metrics import RunnerMetrics
from streams.telemetry import ProcessorMetrics
from streams.traffic.metrics import SamplerMetrics, TrafficMetrics
from tests import settings_table

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("changes/*.md")])
TOLD_TO_RUN = (ROOT / "README.md", ROOT / "docs" / "quickstart.md")
TOUR = ROOT / "docs" / "tour.md"
USUAL = "127.0.0.1:19092"


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def without_code(page: Path) -> str:
    return re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", without_code(page), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)]+)\)", without_code(page)):
        target, _, anchor = link.partition("#")
        found = (page.parent / target).resolve() if target else page
        assert found.exists(), link
        assert not anchor or anchor in anchors(found), link


def test_every_make_target_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    asked = {
        (named(page), target)
        for page in PAGES
        for target in re.findall(r"(?:^|`)make ([a-z]+)", page.read_text(), re.MULTILINE)
    }

    assert {one for one in asked if one[1] not in targets} == set()


def test_every_command_that_is_named_exists() -> None:
    whole = get_command(app)  # once: it is put together from every command's options

    def leads_somewhere(words: list[str]) -> bool:
        command: Any = whole
        for word in words:
            inner = getattr(command, "commands", None)
            if inner is None or not re.fullmatch(r"[a-z]+", word):
                return True  # arguments and options
            if word not in inner:
                return False
            command = inner[word]
        return True

    asked = {
        (named(page), command)
        for page in PAGES
        for command in re.findall(r"(?:^|`)horae ([a-z][^`\n]*)", page.read_text(), re.MULTILINE)
    }

    assert {one for one in asked if not leads_somewhere(one[1].split())} == set()


def test_the_tables_of_settings_are_those_of_the_code() -> None:
    assert settings_table.shown() == settings_table.tables()


def test_every_metric_stands_in_the_reference_and_no_other() -> None:
    page = (ROOT / "docs/reference/metrics.md").read_text()
    told = set(re.findall(r"^\| `(horae_\w+)`", page, re.MULTILINE))
    counted = {
        metric.name + ("_total" if metric.type == "counter" else "")
        for registry in (
            ProcessorMetrics().registry,
            RunnerMetrics().registry,
            Telemetry(lambda: 0.0).registry,
            Numbers().registry,
            ProposerMetrics().registry,
            SamplerMetrics().registry,
            TrafficMetrics().registry,
        )
        for metric in registry.collect()
    }

    assert told == counted


def test_every_fault_stands_in_the_reference() -> None:
    page = (ROOT / "docs/reference/faults.md").read_text()
    trees = {"ProcessorFault", "ProjectionFault", "StopsProjection"}
    names = {
        name
        for module in (processor_faults, projection_faults)
        for name, found in vars(module).items()
        if isinstance(found, type) and issubclass(found, Exception)
    }

    assert {name for name in names - trees if f"`{name}`" not in page} == set()


def test_the_tour_names_what_is_there() -> None:
    rows = re.findall(r"\| `(\w+)` \| `([\w/]+\.py)` \|$", TOUR.read_text(), re.MULTILINE)
    beside = re.findall(r"`(\w+)` in `([\w/]+\.py)`", TOUR.read_text())

    assert len(rows) > 30
    for name, path in rows + beside:
        assert re.search(rf"^ *def {name}\(", (ROOT / path).read_text(), re.MULTILINE), (name, path)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_file_that_is_named_exists(page: Path) -> None:
    tops = "schemas|streams|projections|horae|tests|bench|docs|examples|requirements"
    for path in re.findall(rf"`((?:{tops})/[\w./-]*)`", page.read_text()):
        assert (ROOT / path).exists(), path


def test_what_is_new_is_called_so_that_a_release_gathers_it() -> None:
    changes = [one.name for one in (ROOT / "changes").glob("*.md") if one.name != "README.md"]
    form = r"(\d+\.KIND(\.\d+)?|\+[a-z-]+\.KIND)\.md".replace(
        "KIND", "(added|changed|fixed|removed)"
    )

    assert [one for one in changes if not re.fullmatch(form, one)] == []


def test_a_decision_is_short_and_says_what_follows() -> None:
    decisions = sorted((ROOT / "docs/adr").glob("[0-9]*.md"))

    for page in decisions:
        text = page.read_text()
        assert len(text.splitlines()) < 60, page.name
        assert re.findall(r"^## (.*)$", text, re.MULTILINE) == [
            "Context",
            "Decision",
            "Consequences",
        ], page.name
    numbers = [page.name[:4] for page in decisions]
    assert len(set(numbers)) == len(numbers)
    listed = re.findall(
        r"^- \[.*\]\((.*)\)$", (ROOT / "docs/adr/README.md").read_text(), re.MULTILINE
    )
    assert listed == [page.name for page in decisions]


@pytest.fixture(scope="module")
def folder(stack_dir: Path) -> Iterator[Path]:
    """A folder in which `horae up` runs as the pages say."""
    folder = stack_dir / "docs"
    folder.mkdir()
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HORAE_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "horae.cli", "up", "--demo", "--partitions", "3"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder,
        env=clean | {"PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if "crontabs" in line or "In another shell" in line:
            break
    assert (folder / ".horae" / STACK_FILE).exists(), said
    yield folder
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)


@pytest.mark.broker
@pytest.mark.parametrize("page", TOLD_TO_RUN, ids=named)
def test_python_that_is_shown_runs(
    page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stack = json.loads((folder / ".horae" / STACK_FILE).read_text())
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}

    for block in blocks:
        assert USUAL in block or "postgres_dsn" in block or "consumer" in block
        exec(block.replace(USUAL, stack["bootstrap"]), names)  # noqa: S102 - our own pages

    if page.name == "quickstart.md":
        said = capsys.readouterr().out
        assert len(set(names["woken"])) == 3
        assert said.startswith("accepted version ")
        assert said.rstrip().endswith("accepted")
        assert "fired" in said
