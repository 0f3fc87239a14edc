"""
How does a test kill, freeze and wake a processor?

Each lives in a process of its own, forked from a server that has loaded everything already, so that
one is there in no time. `dying_at` makes it kill itself at a chosen step of a commit, as no signal
from outside could hit it.
"""

from __future__ import annotations

import ctypes
import logging
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

from schemas.topics import CONTROL
from streams.processor.draft import Record
from streams.processor.main import run_processor
from streams.processor.transaction import Transactions
from streams.settings import ProcessorSettings
from tests.processor.cluster import Cluster
from tests.processor.lives import settings_for

STEPS = ("before offsets", "before commit", "after commit")
"""Where a processor can be made to die: nothing sent, offsets sent, committed and not kept."""
PR_SET_PDEATHSIG = 1

log_of_life = logging.getLogger(__name__)

_NUMBERS = count(1)
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload([__name__])


@dataclass(slots=True)
class Forked:
    """A processor in a process of its own."""

    name: str
    process: ForkServerProcess
    log: Path

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self.process.pid is not None
        return self.process.pid

    @property
    def alive(self) -> bool:
        """Whether it runs, or is frozen."""
        return self.process.is_alive()

    def kill(self) -> None:
        """End it as a power cut would."""
        os.kill(self.pid, signal.SIGKILL)
        self.process.join(10)

    def freeze(self) -> None:
        """Let it do nothing."""
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on as if no time had passed."""
        os.kill(self.pid, signal.SIGCONT)

    def stop(self, within: float) -> int | None:
        """Ask it to end; its exit code, or None if it does not in time."""
        if self.alive:
            os.kill(self.pid, signal.SIGTERM)
        self.process.join(within)
        return self.process.exitcode

    def said(self) -> str:
        """What it logged."""
        return self.log.read_text() if self.log.exists() else ""


@contextmanager
def forked(
    cluster: Cluster,
    folder: Path,
    name: str | None = None,
    *,
    dying_at: tuple[str, int] | None = None,
    **settings: object,
) -> Iterator[Forked]:
    """A processor that is killed at the end of the block, if it still runs."""
    name = name or f"f{next(_NUMBERS)}"
    chosen = settings_for(cluster, instance=name, locks=folder / "locks", **settings)
    given = {field: getattr(chosen, field) for field in ProcessorSettings.model_fields}
    given["HORAE_PROCESSOR_PORT"] = given.pop("port")
    log = folder / f"{name}-{next(_NUMBERS)}.log"
    process = _FORKS.Process(target=_live, args=(given, str(log), dying_at), name=name)
    process.start()
    found = Forked(name, process, log)
    try:
        yield found
    except BaseException:
        sys.stderr.write(f"--- {name}\n{found.said()}\n")
        raise
    finally:
        if found.alive:
            found.thaw()
            found.kill()
        process.close()


def _live(given: dict[str, Any], log: str, dying_at: tuple[str, int] | None) -> None:
    """The life of the child."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    logging.basicConfig(
        filename=log, level=logging.INFO, format="%(asctime)s %(name)s %(message)s", force=True
    )
    if dying_at is not None:
        _arm(*dying_at)
    try:
        run_processor(ProcessorSettings(**given))
    except BaseException:
        log_of_life.exception("ended by")
        raise


def _arm(step: str, fires: int) -> None:
    """Die at this step of the commit that brings the records for targets or runners to so many."""
    seen = 0
    write = Transactions.write

    def counting(self: Transactions, records: Iterable[Record]) -> None:
        nonlocal seen
        known = list(records)
        seen += sum(one[0] == CONTROL or not one[0].startswith("horae.") for one in known)
        write(self, known)

    def die(self: Transactions) -> None:
        if seen >= fires:
            self._producer.flush(5)  # what is written is in the log, whatever becomes of it
            os.kill(os.getpid(), signal.SIGKILL)

    insist = Transactions._insist

    def insisting(self: Transactions, call: Any, *rest: Any) -> None:
        moment = {
            "send_offsets_to_transaction": "before offsets",
            "commit_transaction": "before commit",
        }.get(call.__name__)
        if moment == step:
            die(self)
        insist(self, call, *rest)
        if moment == "before commit" and step == "after commit":
            die(self)

    setattr(Transactions, "write", counting)  # noqa: B010 - mypy would rather not
    setattr(Transactions, "_insist", insisting)  # noqa: B010
