"""
How is the task manager started?

`python -m examples.task_manager --port 8085`. It listens on loopback only, keeps everything in
memory, and ends in order at SIGTERM or Ctrl-C.
"""

from __future__ import annotations

import argparse
import logging
import signal

import uvicorn

from examples.task_manager.service import service
from examples.task_manager.store import Store

LOOPBACK = "127.0.0.1"


def main() -> None:
    """Serve until a signal comes."""
    parser = argparse.ArgumentParser(
        prog="python -m examples.task_manager",
        description="Carries out operations on racks: power_on, power_off, power_reset, bring_up, "
        "upgrade_firmware, ingest. Keeps everything in memory; listens on loopback only.",
    )
    parser.add_argument("--port", type=int, default=8085, help="where to listen (default: 8085)")
    parser.add_argument(
        "--racks",
        default="rack-a,rack-b,rack-c",
        help="their names, separated by commas (default: rack-a,rack-b,rack-c)",
    )
    parser.add_argument(
        "--seconds", type=float, default=2.0, help="how long a task takes (default: 2)"
    )
    said = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    app = service(Store(said.racks.split(",")), seconds=said.seconds)
    config = uvicorn.Config(
        app,
        host=LOOPBACK,
        port=said.port,
        access_log=False,
        log_config=None,
        timeout_graceful_shutdown=5,
    )
    for number in (signal.SIGINT, signal.SIGTERM):
        # The server hands the signal on when it has ended; that is no reason to end badly.
        signal.signal(number, lambda *_: None)
    uvicorn.Server(config).run()


if __name__ == "__main__":
    main()
