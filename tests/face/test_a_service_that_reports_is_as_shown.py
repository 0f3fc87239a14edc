"""The service in docs/howto/report-about-work.md reports what becomes of its work, and can stop."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import horae.client
from horae.cli.definition_files import read_files
from schemas.codec import encode_event
from schemas.commands import ReportRun, ReportStatus
from schemas.events import RunCancelling, RunNoted, Stamp
from schemas.reading import read_command
from schemas.topics import COMMANDS

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "report-about-work.md"
HEADERS = [("horae-schedule", b"billing/nightly"), ("horae-run", b"jr_1"), ("horae-attempt", b"2")]
STAMP = Stamp(1, 0, None, 0, 0, "user:ada")
OF_RUN = ("billing/nightly", 1, 1, "jr_1", "billing", 1, None, 2)


class Over(Exception):
    """There is no further record."""


class Job:
    """A record for the service."""

    def headers(self) -> list[tuple[str, bytes]]:
        return HEADERS

    def value(self) -> bytes:
        return b"invoices"

    def error(self) -> None:
        return None


class Jobs:
    """A consumer that has a record, nothing, and no end."""

    def __init__(self) -> None:
        self.records: list[Job | None] = [None, Job()]

    def poll(self, _: float) -> Job | None:
        if not self.records:
            raise Over
        return self.records.pop(0)


class Client:
    """Who takes the reports."""

    said: list[tuple[str, ReportRun]]

    def __init__(self, brokers: str) -> None:
        assert brokers == "broker:9092"

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def report_run(self, subject: str, report: ReportRun) -> None:
        self.said.append((subject, report))


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the page's Python defines."""
    Client.said = []
    monkeypatch.setattr(horae.client, "Client", Client)
    names: dict[str, Any] = {}
    for block in re.findall(r"^```py\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL):
        exec(block, names)  # noqa: S102 - our own documentation
    return names


def works(value: bytes, alive: Any) -> None:
    assert value == b"invoices"
    alive()


def fails(_: bytes, alive: Any) -> None:
    alive()
    raise OSError("disk full")


@pytest.mark.parametrize(
    ("work", "status", "detail"),
    [(works, ReportStatus.SUCCESS, ""), (fails, ReportStatus.FAILED, "disk full")],
)
def test_it_says_that_it_goes_on_and_how_it_ended(
    shown: dict[str, Any], work: Any, status: ReportStatus, detail: str
) -> None:
    with pytest.raises(Over):
        shown["serve"]("broker:9092", Jobs(), work)

    assert Client.said == [
        ("billing", ReportRun("jr_1", ReportStatus.RUNNING, 2, "")),
        ("billing", ReportRun("jr_1", status, 2, detail)),
    ]


class Producer:
    """Keeps what is produced."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str, str]] = []

    def produce(self, topic: str, *, key: str, value: str, headers: dict[str, str]) -> None:
        assert headers["horae-actor"].startswith("service:")
        self.sent.append((topic, key, value))

    def flush(self) -> None:
        pass


def test_any_producer_can_say_the_same(shown: dict[str, Any]) -> None:
    producer = Producer()
    headers = {name: value.decode() for name, value in HEADERS}
    shown["report"](producer, headers, "failed", "disk full")

    [(topic, key, value)] = producer.sent
    asked, command = read_command(key.encode(), value.encode())
    assert (topic, asked) == (COMMANDS, "billing/")
    assert command == ReportRun("jr_1", ReportStatus.FAILED, 2, "disk full")


def test_it_learns_which_run_is_to_stop(shown: dict[str, Any]) -> None:
    stop = encode_event(RunCancelling(*OF_RUN, "a newer one", "jr_2"), STAMP)
    other = encode_event(RunNoted(*OF_RUN, "running", 9), STAMP)

    assert [shown["to_stop"](one) for one in (stop, other)] == ["jr_1", None]


def test_its_definition_is_one(tmp_path: Path) -> None:
    [text] = re.findall(r"^```yaml\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    file = tmp_path / "nightly.yaml"
    file.write_text(text)

    [found] = read_files([file])

    assert found.definition.action.tracked is not None
