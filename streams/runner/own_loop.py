"""
How is an attempt run that mostly waits for answers, and given up at any point?

Its event loop is its own, so that it ends when its attempt does. Who has it stop is another thread:
an answer that is on its way has the grace to come, unless it is to end at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from threading import Lock
from typing import Any

from streams.runner.work import Outcome

Work = Callable[[], Coroutine[Any, Any, Outcome]]


class OwnLoop:
    """The one piece of asynchronous work of an attempt."""

    def __init__(self, is_answer_due: Callable[[], bool], grace: float) -> None:
        """`is_answer_due` says whether the other side may be doing what it was asked."""
        self._is_answer_due = is_answer_due
        self._grace = grace
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._working: asyncio.Task[Outcome] | None = None
        self.why: str | None = None
        """Why it is to stop."""
        self.kill = False
        """It is to end at once."""

    def run(self, work: Work) -> Outcome | None:
        """What it came to; None: it was to stop, and has, or never began."""
        # Not asyncio.run: it would wait for a look-up of a name that nobody waits for any more.
        loop = asyncio.new_event_loop()
        try:
            with self._lock:
                if self.why is not None:
                    return None
                self._loop = loop
                self._working = loop.create_task(work())
            return loop.run_until_complete(self._working)
        except asyncio.CancelledError:
            return None
        finally:
            with self._lock:
                self._loop = None
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()

    def stop(self, why: str, *, kill: bool) -> None:
        """Have it end soon, with `kill` at once; from any thread, more than once."""
        with self._lock:
            self.why = self.why or why
            self.kill = self.kill or kill
            if self._loop is not None:
                self._loop.call_soon_threadsafe(partial(self._interrupt, kill=kill))

    def _interrupt(self, *, kill: bool) -> None:
        if self._loop is None or self._working is None:
            return
        if self._is_answer_due() and not kill:
            self._loop.call_later(self._grace, self._working.cancel)
        else:
            self._working.cancel()
