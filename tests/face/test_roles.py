"""Does a process that runs for long say what it waits for, where it is and what is in its way?"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from time import monotonic

import pytest
from prometheus_client import CollectorRegistry
from pydantic import SecretStr
from typer.testing import CliRunner

from horae.cli import roles
from horae.cli.endings import ending_of
from horae.cli.main import app
from projections import projector
from projections.metrics import Telemetry, serve
from projections.settings import ProjectorSettings
from streams.processor.main import Pulse, face_of
from streams.settings import ProcessorSettings
from streams.telemetry import Face, ProcessorMetrics
from streams.topics_check import NoBroker

NOWHERE = "127.0.0.1:1"


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_broker_that_is_away_is_waited_for_in_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HORAE_BOOTSTRAP", NOWHERE)
    monkeypatch.setattr(roles, "_BROKER_WITHIN", 0.1)
    monkeypatch.setattr("streams.topics_check._CALL", 0.1)

    with pytest.raises(NoBroker):
        roles.begin()

    [told] = caplog.records
    assert told.getMessage() == f"waiting for the broker at {NOWHERE} (up to 0.1 s)"


def test_a_port_that_is_taken_is_named_with_its_setting(taken: int) -> None:
    views = ProjectorSettings(
        bootstrap=NOWHERE, postgres_dsn=SecretStr("postgresql://h/d"), projector_port=taken
    )

    with pytest.raises(OSError, match="in use") as ours:
        face_of(ProcessorSettings(HORAE_PROCESSOR_PORT=taken), ProcessorMetrics(), Pulse())
    with pytest.raises(OSError, match="in use") as theirs:
        projector._served(Telemetry(monotonic), views)

    for fault, name in ((ours.value, "PROCESSOR"), (theirs.value, "PROJECTOR")):
        said, _ = ending_of(fault)
        assert said == f"127.0.0.1:{taken}: Address already in use (HORAE_{name}_PORT)"


@pytest.mark.parametrize("command", [["rebuild"], ["projector"], ["schedule", "list"]], ids=str)
def test_without_a_database_all_say_the_same(
    command: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HORAE_BOOTSTRAP", NOWHERE)
    monkeypatch.delenv("HORAE_POSTGRES_DSN", raising=False)
    monkeypatch.setattr("horae.cli.roles._tell_if_away", lambda _: None)
    monkeypatch.setattr("streams.topics_check.require_topics", lambda *_, **__: None)

    done = CliRunner().invoke(app, command)

    assert done.exit_code == 3
    assert "set HORAE_POSTGRES_DSN, or run `horae up` in this folder" in done.stderr


def test_both_roles_answer_in_the_same_way() -> None:
    def told(port: int, path: str) -> tuple[int, str | None, bytes]:
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        connection.request("GET", path)
        answer = connection.getresponse()
        found = (answer.status, answer.getheader("Content-Type"), answer.read())
        connection.close()
        return found

    face = Face(0, CollectorRegistry(), dict)
    server = serve(Telemetry(monotonic), "127.0.0.1", 0)
    ports = (face.port, server.server_address[1])
    try:
        unknown = [told(port, "/x") for port in ports]
        metrics = [told(port, "/metrics")[:2] for port in ports]
    finally:
        face.close()
        server.shutdown()
        server.server_close()

    assert unknown == [(404, "text/plain", b"/metrics or /healthz\n")] * 2
    assert metrics[0] == metrics[1]
