"""What is a person told when this machine cannot run the stack?"""

import hashlib
import os
import socket
import stat
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typing_extensions import override

from horae.local import folder, jars, ports, reach
from horae.local.faults import (
    DidNotStart,
    NoRoom,
    NotAsLocked,
    NotEnoughMemory,
    NotWritable,
    PortTaken,
)
from horae.local.folder import Ports
from horae.local.kafka import Broker
from tests import brokers


@pytest.fixture
def taken() -> Iterator[int]:
    port = ports.choose()
    with socket.create_server((ports.LOOPBACK, port)):
        yield port


def test_a_port_somebody_insists_on_is_named_when_it_is_taken(taken: int, tmp_path: Path) -> None:
    ours = folder.occupy(tmp_path / "data")

    with pytest.raises(PortTaken, match=f"port {taken} "):
        ours.choose(Ports(kafka=taken), print)

    ours.release()


def test_chosen_ports_and_password_are_kept_and_a_lost_port_is_told(tmp_path: Path) -> None:
    ours = folder.occupy(tmp_path / "data")
    told: list[str] = []
    first = ours.choose(Ports(kafka=ports.choose()), told.append)
    assert ours.choose(Ports(), told.append) == first
    assert told == []

    with socket.create_server((ports.LOOPBACK, first.kafka)):
        second = ours.choose(Ports(), told.append)
    ours.release()

    assert second.kafka != first.kafka
    assert (second.password, second.id) == (first.password, first.id)
    assert told == [f"port {first.kafka} is taken by now, kafka listens on {second.kafka}"]
    assert stat.S_IMODE((tmp_path / "data" / "stack.json").stat().st_mode) == 0o600


def test_a_spoilt_memory_of_the_choices_is_no_obstacle(tmp_path: Path) -> None:
    ours = folder.occupy(tmp_path / "data")
    (tmp_path / "data" / "stack.json").write_text('{"kafka": ')
    locked_out = tmp_path / "data" / "postgres-of-a-forgotten-password"
    locked_out.mkdir()

    chosen = ours.choose(Ports(), print)
    ours.release()

    assert not locked_out.exists()
    assert chosen.password
    assert len({chosen.kafka, chosen.controller, chosen.postgres}) == 3


def test_a_folder_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(NotWritable, match="file/data cannot be written: Not a directory"):
        folder.occupy(tmp_path / "file" / "data")


def test_too_little_disk_is_told_in_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "ROOM_NEEDED", 1 << 60)

    with pytest.raises(NoRoom, match="MB are needed"):
        folder.occupy(tmp_path / "data")


def test_too_little_memory_is_told_in_numbers_and_the_folder_is_free_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "free_memory", lambda: 100 << 20)
    with pytest.raises(NotEnoughMemory, match="100 MB of memory are free"):
        folder.occupy(tmp_path / "data")

    monkeypatch.undo()
    folder.occupy(tmp_path / "data").release()


@pytest.mark.broker
def test_a_broker_that_cannot_start_shows_its_last_words(tmp_path: Path, taken: int) -> None:
    files, jvm = brokers.needs(tmp_path)
    log = tmp_path / "logs" / "kafka.log"

    with pytest.raises(PortTaken, match="Address already in use"):
        Broker(tmp_path / "kafka", files, taken, ports.choose(), log, jvm=jvm).start()
    with pytest.raises(DidNotStart, match=r"ClassNotFoundException.*kafka\.log"):
        Broker(tmp_path / "other", files[:1], ports.choose(), ports.choose(), log).start()


class Registry(BaseHTTPRequestHandler):
    """Answers every request with the same file."""

    content = b"a jar"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.content)))
        self.end_headers()
        self.wfile.write(self.content)

    @override
    def log_message(self, *_args: object) -> None:
        pass


@pytest.fixture
def lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A lock of one file, and a registry that has it."""
    import jgo.maven._core as core

    server = ThreadingHTTPServer((ports.LOOPBACK, 0), Registry)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    here = f"http://{ports.LOOPBACK}:{server.server_port}"
    monkeypatch.setattr(core, "DEFAULT_REMOTE_REPOS", {"here": here})
    monkeypatch.setenv("NO_PROXY", ports.LOOPBACK)
    lock = tmp_path / "lock"
    lock.write_text(f"# a lock\ng:a:1 sha256:{hashlib.sha256(b'a jar').hexdigest()}\n")
    monkeypatch.setattr(jars, "LOCK", lock)
    yield lock
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_file_that_was_altered_here_is_fetched_again(lock: Path, tmp_path: Path) -> None:
    assert lock.is_file()
    told: list[tuple[int, int]] = []
    jars.provide(tmp_path, lambda here, of: told.append((here, of)))
    (tmp_path / "a-1.jar").write_bytes(b"spoilt")

    (jar,) = jars.provide(tmp_path, lambda here, of: told.append((here, of)))

    assert jar.read_bytes() == b"a jar"
    assert told == [(0, 1), (1, 1)] * 2
    assert not list(tmp_path.glob(".fetch-*"))


def test_a_file_that_was_altered_on_the_way_is_not_used(lock: Path, tmp_path: Path) -> None:
    lock.write_text(f"g:a:1 sha256:{'0' * 64}\n")

    with pytest.raises(NotAsLocked, match=r"a-1\.jar"):
        jars.provide(tmp_path, lambda _here, _of: None)

    assert not (tmp_path / "a-1.jar").exists()


def test_the_real_lock_names_files_by_coordinates_and_hash_only() -> None:
    text = jars.LOCK.read_text()

    assert len(jars.read_lock(text)) > 40
    assert all(len(jar.sha256) == 64 for jar in jars.read_lock(text))
    assert "://" not in text


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes users")
def test_what_another_user_cannot_reach_gets_a_place_where_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "place"
    monkeypatch.setattr(reach, "PLACE", place)
    closed = tmp_path / "closed"
    (closed / "bin").mkdir(parents=True)
    closed.chmod(0o700)
    program = closed / "bin" / "program"
    program.touch(mode=0o700)

    copy = reach.reachable_copy(program, [closed / "bin"], closed)
    data = reach.reachable_folder(closed / "postgres", name="x")

    assert copy.is_relative_to(place)
    assert copy.stat().st_mode & stat.S_IXOTH
    assert data == place / "data" / "x" / "postgres"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes users")
def test_what_lay_elsewhere_goes_with_the_folder_it_belonged_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reach, "PLACE", tmp_path / "place")
    for name in ("one", "two"):
        (tmp_path / name).mkdir(mode=0o700)
    first = reach.reachable_folder(tmp_path / "one" / "postgres", name="first")
    first.mkdir()
    (tmp_path / "one").rmdir()

    reach.reachable_folder(tmp_path / "two" / "postgres", name="second")

    assert not first.exists()
