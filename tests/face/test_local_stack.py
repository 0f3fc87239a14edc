"""Does the stack on one machine come, stay and go as promised, whatever is done to it?"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import psycopg
import pytest

from horae.local import jars, quickstart

pytestmark = pytest.mark.broker

REPOSITORY = Path(__file__).resolve().parents[2]
NOWHERE = "http://127.0.0.1:9"
OFFLINE = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), NOWHERE)


@dataclass
class Owner:
    """A process that owns a stack."""

    data: Path
    env: dict[str, str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("stack_owner.py")), str(self.data)],
            env={**os.environ, "PYTHONPATH": str(REPOSITORY), **self.env},
            stdout=subprocess.PIPE,
            text=True,
        )

    def hears(self, word: str, within: float = 60) -> list[str]:
        """The rest of the line that begins with the word."""
        assert self.process.stdout
        until = time.monotonic() + within
        while time.monotonic() < until:
            line = self.process.stdout.readline()
            assert line, f"ended without {word}: {self.said}"
            self.said.append(line.strip())
            if line.startswith(word):
                return line.split()[1:]
        pytest.fail(f"{word} was not said: {self.said}")

    def family(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def end(self, how: signal.Signals | None = None) -> int:
        if how:
            self.process.send_signal(how)
        code = self.process.wait(40)
        assert self.process.stdout
        self.said += self.process.stdout.read().splitlines()
        self.process.stdout.close()
        return code


Begin = Callable[..., Owner]


@pytest.fixture(scope="module")
def data() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="horae-stack-"))
    folder.chmod(0o711)
    yield folder / "data"
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def begin() -> Iterator[Begin]:
    """Starts owners, and sees to it that none outlives the tests."""
    begun: list[Owner] = []

    def begin(data: Path, **env: str) -> Owner:
        begun.append(Owner(data, env))
        return begun[-1]

    yield begin
    for owner in begun:
        if owner.process.returncode is None:
            owner.end(signal.SIGKILL)


@pytest.fixture(scope="module")
def owner(begin: Begin, data: Path) -> Owner:
    owner = begin(data)
    owner.hears("UP")
    return owner


def test_a_second_instance_on_the_same_data_is_told_who_is_there(
    begin: Begin, owner: Owner
) -> None:
    second = begin(owner.data)

    fault = second.hears("DataInUse")

    assert second.end() == 2
    assert f"(pid {owner.process.pid})" in " ".join(fault)


def test_a_role_that_dies_is_started_again_with_growing_pauses(owner: Owner) -> None:
    told = [" ".join(owner.hears("hasty ended")[-3:]) for _ in range(3)]

    assert told == ["it again now", "in 0.5 s", "in 1 s"]
    assert "gone" in (owner.data / "logs" / "hasty.log").read_text()


def test_a_broker_that_dies_is_started_again_where_it_was(owner: Owner) -> None:
    port = json.loads((owner.data / "stack.json").read_text())["kafka"]
    (broker,) = [process for process in owner.family() if process.name() == "java"]

    broker.kill()

    assert owner.hears("kafka ended with -9")[-2:] == ["again", "now"]
    until = time.monotonic() + 30
    while not _listens(port) and time.monotonic() < until:
        time.sleep(0.1)
    assert _listens(port)


def test_a_kill_leaves_no_child_and_the_next_start_finds_everything_even_offline(
    begin: Begin, owner: Owner, tmp_path: Path
) -> None:
    dsn = json.loads((owner.data / "stack.json").read_text())
    bootstrap = f"127.0.0.1:{dsn['kafka']}"
    url = f"postgresql://horae:{dsn['password']}@127.0.0.1:{dsn['postgres']}/horae"
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 'kept' AS word")
        connection.execute("SET LOCAL synchronous_commit = on")
    family = owner.family()
    assert len(family) > 4

    owner.end(signal.SIGKILL)
    _, alive = psutil.wait_procs(family, timeout=5)
    assert alive == []

    cache = jars.cache_folder(otherwise=tmp_path).parents[1]
    again = begin(owner.data, HOME=str(tmp_path), XDG_CACHE_HOME=str(cache), **OFFLINE)
    assert again.hears("UP") == [bootstrap, url]
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT word FROM kept").fetchone() == ("kept",)

    family = again.family()
    assert again.end(signal.SIGTERM) == 0
    assert not any(process.is_running() for process in family)
    assert (owner.data / "last-word").read_text() == (
        "both servers still answered, others left: True"
    )


def test_without_network_and_cache_one_sentence_says_what_to_do(
    begin: Begin, tmp_path: Path
) -> None:
    owner = begin(tmp_path / "data", HOME="", XDG_CACHE_HOME=str(tmp_path), **OFFLINE)

    fault = " ".join(owner.hears("RegistryUnreachable"))

    assert owner.end() == 2
    assert "Maven Central cannot be reached" in fault
    assert "Traceback" not in fault


@pytest.mark.chaos
def test_a_broker_that_ran_once_prepares_the_next_start(tmp_path: Path) -> None:
    cache = jars.cache_folder(otherwise=tmp_path)
    files = jars.provide(cache, lambda _here, _of: None)
    archive = tmp_path / "kafka.aot"
    trainer = quickstart.Trainer(files, archive, tmp_path / "quickstart.log")

    trainer.begin()
    until = time.monotonic() + 120
    while not archive.exists() and time.monotonic() < until:
        time.sleep(0.2)
    trainer.cancel()

    assert archive.stat().st_size > 1_000_000
    assert not list(tmp_path.glob(".train-*"))


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
