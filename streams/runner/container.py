"""
Who carries out a command inside an app's running container, or in one of its own?

The executors of `exec` and `fresh`. What both have in common: the container engine does it, a
process of it is watched (watching.py), and an attempt speaks with the engine in its own thread
only; who wants it to stop leaves a wish that the thread sees. How the first goes is in_app.py, the
second fresh.py. What an earlier life has left is removed here.
"""

from __future__ import annotations

import logging
from threading import Event

from streams.runner.allowed import Allowed
from streams.runner.engine import Engine, EngineFault
from streams.runner.fresh import BOOT, RUNNER, FreshAttempt
from streams.runner.in_app import InAppAttempt
from streams.runner.inside import end_marked
from streams.runner.work import Attempt, Job, Runner

log = logging.getLogger(__name__)

_AGAIN = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""Seconds until an engine with leftovers is tried again; the last one for ever."""


class Execs:
    """The executor of `exec`."""

    def __init__(
        self, engine: Engine, runner: Runner, allowed: Allowed, *, from_outside: bool = True
    ) -> None:
        """Not `from_outside`: processes are not looked for on this machine."""
        self._engine = engine
        self._runner = runner
        self._allowed = allowed
        self._from_outside = from_outside

    def attempt(self, job: Job) -> Attempt:
        """One process inside the app's container, not started yet."""
        mark = f"{self._life}{job.order.run}.{job.order.attempt}"
        return InAppAttempt(self._engine, self._allowed, job, mark, from_outside=self._from_outside)

    def sweep(self) -> None:
        """End what an earlier life has begun inside containers, as far as this machine shows it.

        Elsewhere it goes on to its own end: which containers it is in is not known any more.
        """
        ended = end_marked(f"{self._runner.name}/", but_not=self._life)
        if ended:
            log.warning("the earlier life had left %d processes in containers", ended)

    def close(self) -> None:
        """Nothing is held open."""

    @property
    def _life(self) -> str:
        """How the marks of the present life begin."""
        return f"{self._runner.name}/{self._runner.boot}/"


class Freshes:
    """The executor of `fresh`."""

    def __init__(self, engine: Engine, runner: Runner) -> None:
        self._engine = engine
        self._runner = runner
        self._closing = Event()

    def attempt(self, job: Job) -> Attempt:
        """One container, not made yet."""
        return FreshAttempt(self._engine, self._runner, job)

    def sweep(self) -> None:
        """Remove the containers of earlier lives; an engine that is away is asked until it is back.

        Those of the present life are left alone, whenever that is.
        """
        tries = 0
        while not self._closing.is_set():
            try:
                return self._remove_leftovers()
            except EngineFault as fault:
                log.warning("it is not known what earlier lives left in containers: %s", fault)
            self._closing.wait(_AGAIN[min(tries, len(_AGAIN) - 1)])
            tries += 1
        return None

    def close(self) -> None:
        """A sweep that goes on ends."""
        self._closing.set()

    def _remove_leftovers(self) -> None:
        with self._engine.connected() as connection:
            for each in connection.labelled(f"{RUNNER}={self._runner.name}"):
                if each.labels.get(BOOT) != str(self._runner.boot):
                    log.warning("%s is left from an earlier life and is removed", each.name)
                    connection.remove(each.id)
