"""
Is what the documentation says true?

Commands that stand in it exist with their options, definitions are ones, Python runs.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from horae.cli.definition_files import read_files
from horae.cli.main import app
from horae.cli.preview import answers
from horae.local.kafka import Broker
from schemas.commands import Beating, ClaimRun, DeclineRun, DefineApp, ReportRun
from schemas.reading import read_beat, read_command, read_definition
from schemas.topics import TOPICS
from streams.topics_check import TopicsOf
from streams.topics_outlook import Wishes
from tests.face.answering import answering

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page for part in ("reference", "howto") for page in (ROOT / "docs" / part).glob("*.md")
)


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


COMMAND_LINES = sorted(
    {
        line.partition("  #")[0].strip()
        for page in PAGES
        for block in blocks(page, "sh")
        for line in block.splitlines()
        if line.startswith("horae ")
    }
)


@pytest.mark.parametrize("line", COMMAND_LINES)
def test_a_command_that_is_shown_can_be_typed(line: str) -> None:
    command: Any = get_command(app)
    words = shlex.split(line)[1:]
    while hasattr(command, "commands"):
        command = command.commands[words.pop(0)]

    command.make_context(command.name, words)


def test_every_command_has_its_place_in_the_reference() -> None:
    headings = " ".join(
        re.findall(r"^### (.*)$", (ROOT / "docs/reference/cli.md").read_text(), re.MULTILINE)
    )

    def names(command: Any) -> set[str]:
        inner = getattr(command, "commands", {})
        return set().union(*({name} | names(each) for name, each in inner.items()))

    assert {name for name in names(get_command(app)) if name not in headings} == set()


ACTION = re.compile(r'"(emit|http|command|exec|fresh)":')
TIMING = re.compile(r'"(cron|interval|once|weekly|timings)":')
DEFINITIONS = [
    block
    for page in PAGES
    for block in blocks(page, "json")
    if ACTION.search(block) and TIMING.search(block)
]
FILES = [block for page in PAGES for block in blocks(page, "yaml") if "schedule:" in block]
WORK = ROOT / "docs/reference/work.md"


@pytest.mark.parametrize("text", DEFINITIONS)
def test_a_definition_that_is_shown_is_one(text: str) -> None:
    assert read_definition(json.loads(text)).timings


@pytest.mark.parametrize("text", FILES)
def test_a_file_that_is_shown_defines_something(text: str, tmp_path: Path) -> None:
    (tmp_path / "shown.yaml").write_text(text)

    assert read_files([tmp_path])


def test_what_a_runner_says_is_as_shown() -> None:
    found = re.findall(r"^   ```json\n(.*?)^   ```", WORK.read_text(), re.MULTILINE | re.DOTALL)
    beat, claim, report = (block.encode().strip() for block in found)
    [described] = [block.encode() for block in blocks(WORK, "json") if '"image"' in block]
    decline = {**json.loads(claim), "why": "late"}

    assert read_beat(beat).runs == (Beating("shop", "jr_abcdefghijkl"),)
    assert isinstance(read_command(b"shop/#claim:1", claim)[1], ClaimRun)
    assert isinstance(read_command(b"shop/#decline:1", json.dumps(decline).encode())[1], DeclineRun)
    assert isinstance(read_command(b"shop/#report:1", report)[1], ReportRun)
    assert isinstance(read_command(b"shop/#app", described)[1], DefineApp)


def test_the_conversation_of_the_preview_is_as_shown() -> None:
    [block] = blocks(ROOT / "docs/reference/cli.md", "")[:1]
    question, answer, bad, _ = block.splitlines()

    assert list(answers([question.encode()])) == [json.loads(answer)]
    assert list(next(answers([bad.encode()]))) == ["error"]


def test_topics_that_are_named_are_there() -> None:
    named = set(re.findall(r"horae\.[a-z]+", (ROOT / "docs/reference/topics.md").read_text()))

    assert named <= {topic.name for topic in TOPICS}


@pytest.mark.broker
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=str)
def test_python_that_is_shown_runs_and_its_command_arrives(page: Path, broker: Broker) -> None:
    topics = TopicsOf(broker.bootstrap)
    if topics.look().missing:
        topics.create(topics.look(Wishes(partitions=3)).missing)

    with answering(broker.bootstrap) as found:
        for block in blocks(page, "python"):
            exec(block, {"BOOTSTRAP": broker.bootstrap})  # noqa: S102 - our own documentation

    assert [message.key() for message in found.seen] == [b"billing/nightly"]
