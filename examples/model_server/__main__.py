"""
How is the model server started, and ended?

`python -m examples.model_server --port 8086`. It listens on loopback only and ends in order at
SIGTERM or Ctrl-C. `--behind` and `--end` do both from outside, for whoever runs programs.
"""

from __future__ import annotations

import argparse
import logging
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import uvicorn

from examples.model_server.model import Model
from examples.model_server.service import service
from streams.clock import Deadline, pause

LOOPBACK = "127.0.0.1"
WITHIN = 60.0
"""Seconds until a server that was started answers, or one that was ended is gone."""


def main() -> None:
    """Serve until a signal comes; or start or end a server that goes on without this."""
    said = _parsed()
    if said.end:
        _end(said.port)
    elif said.behind:
        _begin_behind(said)
    else:
        _serve(said)


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m examples.model_server",
        description="Is spoken to like vLLM and computes nothing; listens on loopback only.",
    )
    parser.add_argument("--port", type=int, default=8086, help="where to listen (default: 8086)")
    parser.add_argument("--model", default="example/model", help="its name (example/model)")
    parser.add_argument(
        "--seconds", type=float, default=1.0, help="how long a request takes (default: 1)"
    )
    parser.add_argument(
        "--loading", type=float, default=0.0, help="seconds before it listens (default: 0)"
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--behind", action="store_true", help="go on in the background")
    how.add_argument("--end", action="store_true", help="end the one that listens there")
    return parser.parse_args()


def _serve(said: argparse.Namespace) -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    pause(said.loading)

    def end() -> None:
        server.should_exit = True

    app = service(Model(said.model, said.seconds), end)
    config = uvicorn.Config(
        app,
        host=LOOPBACK,
        port=said.port,
        access_log=False,
        log_config=None,
        timeout_graceful_shutdown=1,
    )
    for number in (signal.SIGINT, signal.SIGTERM):
        # The server hands the signal on when it has ended; that is no reason to end badly.
        signal.signal(number, lambda *_: None)
    server = uvicorn.Server(config)
    server.run()


def _begin_behind(said: argparse.Namespace) -> None:
    if _answers(said.port):
        sys.exit(f"there is a server on port {said.port} already")
    argv = [sys.executable, "-m", "examples.model_server", "--port", str(said.port)]
    argv += ["--model", said.model, "--seconds", str(said.seconds), "--loading", str(said.loading)]
    process = subprocess.Popen(  # noqa: S603 - this very program
        argv,
        cwd=Path(__file__).parents[2],
        # In a session of its own: whoever started this may end all that is left of it.
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until = Deadline.after(WITHIN)
    while not _answers(said.port):
        if process.poll() is not None or until.over:
            sys.exit(f"there is no server on port {said.port}: {process.poll()}")
        pause(0.05)


def _end(port: int) -> None:
    until = Deadline.after(WITHIN)
    while _answers(port):
        if until.over:
            sys.exit(f"the server on port {port} does not end")
        try:
            httpx.post(f"http://{LOOPBACK}:{port}/shutdown", timeout=5, trust_env=False)
        except httpx.TransportError:
            continue
        pause(0.1)


def _answers(port: int) -> bool:
    try:
        httpx.get(f"http://{LOOPBACK}:{port}/health", timeout=5, trust_env=False)
    except httpx.TransportError:
        return False
    return True


if __name__ == "__main__":
    main()
