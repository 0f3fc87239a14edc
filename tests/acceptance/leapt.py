"""
What is `horae` if the clock on the wall is the one of a file?

The command line, but what Python says of the time is ahead of the machine by what stands in the
file of HORAE_TEST_AHEAD, in seconds. libfaketime cannot do it for these processes: the client of
Kafka waits by a call that it does not know, and would wait until the machine is in that time too.
"""

from __future__ import annotations

import os
import time

AHEAD = "HORAE_TEST_AHEAD"
_NANOS = 1_000_000_000


def put_forward(file: str) -> None:
    """From now on it is as late as the file says, whoever asks; lengths of time stay."""
    seconds, nanos = time.time, time.time_ns

    def ahead() -> int:
        with open(file, "rb") as found:  # noqa: PTH123 - asked thousands of times a second
            return int(found.read())

    time.time = lambda: seconds() + ahead()
    time.time_ns = lambda: nanos() + ahead() * _NANOS


def main() -> None:
    """Take the time before anybody has read it; then be the command line."""
    put_forward(os.environ[AHEAD])
    from horae.cli.main import main as horae

    horae()


if __name__ == "__main__":
    main()
