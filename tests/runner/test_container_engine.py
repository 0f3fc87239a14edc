"""Is the container engine found, and is what it sends read whole, however it is cut?"""

from __future__ import annotations

import os
import socket
import struct
import threading
from pathlib import Path

import pytest

from schemas.actions import Exec, Fresh, Http, Program, Work
from streams.runner import engine_place
from streams.runner.allowed import Allowed
from streams.runner.engine import Engine, EngineAway
from streams.runner.engine_place import address
from streams.runner.executors import executors_for
from streams.runner.wire import Wire
from streams.settings import RunnerSettings
from tests.runner.containers import ME

BEGUN = (
    b"HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\n"
    b"Connection: Upgrade\r\nUpgrade: tcp\r\n\r\n"
)
PONG = b"HTTP/1.1 200 OK\r\nApi-Version: 1.41\r\nContent-Length: 2\r\n\r\nOK"


def frame(stream: int, data: bytes) -> bytes:
    return struct.pack(">BxxxI", stream, len(data)) + data


SAID = frame(1, b"out") + frame(2, b"") + frame(2, b"err" * 100) + frame(1, b"\n")


def heard(wire: Wire) -> bytes:
    with wire:
        return b"".join(iter(lambda: wire.read(5), None))


@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 1000])
def test_frames_are_put_together_wherever_they_are_cut(size: int) -> None:
    near, far = socket.socketpair()

    def send() -> None:
        with far:
            for at in range(0, len(SAID), size):
                far.sendall(SAID[at : at + size])

    thread = threading.Thread(target=send)
    thread.start()

    assert heard(Wire(near)) == b"out" + b"err" * 100 + b"\n"
    thread.join(5)


def test_what_is_no_frame_ends_it() -> None:
    near, far = socket.socketpair()
    with far:
        far.sendall(frame(1, b"out") + b"<html>what is this?")

        assert heard(Wire(near)) == b"out"


def test_a_silent_wire_is_no_end() -> None:
    near, far = socket.socketpair()
    with far, Wire(near) as wire:
        assert wire.read(0.01) == b""
        far.sendall(frame(1, b"late"))
        assert wire.read(5) == b"late"


def test_what_comes_in_one_piece_with_the_answer_is_not_lost(tmp_path: Path) -> None:
    """Its library reads on behind the head of the answer, and leaves lying what it has read."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "engine.sock"))
        listening.listen(8)
        listening.settimeout(20)
        thread = threading.Thread(target=_answer_three, args=(listening,))
        thread.start()
        with Engine(f"unix://{tmp_path}/engine.sock").connected() as connection:
            assert heard(connection.begin("a-process")) == b"out" + b"err" * 100 + b"\n"
        thread.join(20)


def _answer_three(listening: socket.socket) -> None:
    """Somebody who knocks, the question for the version, and the one for a process."""
    listening.accept()[0].close()
    for answer in (PONG, BEGUN + SAID):
        end, _ = listening.accept()
        with end:
            end.settimeout(20)
            asked = b""
            while b"\r\n\r\n" not in asked:
                asked += end.recv(65536)
            end.sendall(answer)


def test_the_engine_is_where_it_is_set_or_usually_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        engine_place, "_SOCKETS", (f"{tmp_path}/docker.sock", f"{tmp_path}/{{uid}}")
    )
    there = {"DOCKER_HOST": "tcp://127.0.0.1:2375"}

    assert address("unix:///set.sock", there) == "unix:///set.sock"
    assert address(None, there) == "tcp://127.0.0.1:2375"
    assert address(None, {}) == f"unix://{tmp_path}/docker.sock"
    (tmp_path / str(os.getuid())).touch()
    assert address(None, {}) == f"unix://{tmp_path}/{os.getuid()}"


def test_a_way_that_is_not_known_is_said_to_be_none() -> None:
    with (
        pytest.raises(EngineAway, match="it is reached by unix://"),
        Engine("ssh://node-1").connected(),
    ):
        pass


@pytest.mark.parametrize(
    ("actions", "more"),
    [("", set()), ("exec", {Exec}), ("fresh", {Fresh}), ("exec,fresh", {Exec, Fresh})],
)
def test_the_engine_is_asked_only_where_its_actions_are_allowed(
    actions: str, more: set[type[Work]], tmp_path: Path
) -> None:
    allowed = Allowed(RunnerSettings(allow_actions=actions))

    assert set(executors_for(ME, allowed, tmp_path)) == {Http, Program} | more
