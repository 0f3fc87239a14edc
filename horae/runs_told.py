"""
How is it said what happened to a run?

The middle of a sentence that names the run before and the moment behind. The sentences about the
occurrence itself are reasons_told.py.
"""

from __future__ import annotations

from collections.abc import Callable

from schemas.run_events import (
    OfRun,
    Result,
    RunCancelling,
    RunEnded,
    RunGranted,
    RunOffered,
    RunQueued,
    RunRetries,
    RunStarted,
)


def run_told(event: OfRun, shown: Callable[[int], str], *, by_runner: bool = False) -> str:
    """What this event says; `shown` writes an instant down.

    Work for a runner has not begun when its turn has come: it is offered, and then given to one.
    """
    match event:
        case RunQueued():
            behind = f" behind {event.behind}" if event.behind else ""
            found = f"began to wait{behind}, until {shown(event.until)} at the latest,"
        case RunStarted():
            begun = "was offered to the runners" if by_runner else "began"
            found = f"{begun} (attempt {event.attempt})"
        case RunOffered():
            found = f"was offered once more ({event.why}), until {shown(event.until)},"
        case RunGranted():
            found = f"was given to {event.runner} (attempt {event.attempt})"
        case RunRetries():
            how = f"{event.status.value}{_exit(event.result)}"
            again = shown(event.again_at)
            why = f" ({event.detail})" if event.detail else ""
            found = f"attempt {event.attempt} ended {how}{why}, again at {again}; told"
        case RunCancelling():
            found = f"was asked to stop ({event.reason})"
        case RunEnded():
            why = event.detail or (event.reason.value if event.reason else "")
            how = f"{event.status.value}{_exit(event.result)}"
            found = f"ended {how}{f' ({why})' if why else ''}"
        case _:
            found = "was told of"
    return found


def _exit(result: Result | None) -> str:
    """What its process ended with, if there was one."""
    return "" if result is None or result.exit_code is None else f" with {result.exit_code}"
