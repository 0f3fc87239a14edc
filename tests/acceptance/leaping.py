"""
What if the clock could be put forward, for all processes at once?

The broker and the database are told by libfaketime, our own programs by leapt.py; all of them read
one file that says how far they are ahead of the machine. Only the clock on the wall leaps: what
measures lengths of time goes on as it was.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from horae.local.child import Launch
from horae.local.postgres import Postgres
from schemas.units import SECOND
from streams.clock import SystemClock
from tests.acceptance.hurried import AS_SHIPPED, Pace
from tests.acceptance.leapt import AHEAD

LEAPING = Pace("tests.acceptance.leapt", AS_SHIPPED.lease)


class Leaper:
    """The time of all processes, in a file of its own."""

    def __init__(self, begins: int) -> None:
        """Now it is `begins`, in whole seconds; what has happened by then counts."""
        # Not below a folder of pytest's: as root, the database is somebody else.
        self._folder = Path(tempfile.mkdtemp(prefix="horae-clock-"))
        self._folder.chmod(0o711)
        self._ahead = begins // SECOND - SystemClock().wall() // SECOND
        self._write()

    @property
    def now(self) -> int:
        """What they all take for the present."""
        return SystemClock().wall() + self._ahead * SECOND

    def leap(self, seconds: int) -> None:
        """Put it forward."""
        assert seconds >= 0
        self._ahead += seconds
        self._write()

    @property
    def environment(self) -> dict[str, str]:
        """What makes a program of ours follow it."""
        return {AHEAD: str(self._folder / "ahead")}

    @property
    def before(self) -> tuple[str, ...]:
        """What runs a server that follows it."""
        words = {
            "LD_PRELOAD": str(library()),
            "FAKETIME_TIMESTAMP_FILE": str(self._folder / "ahead"),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            # With it no thread of Java waits any more.
            "FAKETIME_FORCE_MONOTONIC_FIX": "0",
            # Java knows its archive of classes by the age of their files.
            "NO_FAKE_STAT": "1",
        }
        return ("/usr/bin/env", *(f"{name}={value}" for name, value in words.items()))

    def close(self) -> None:
        """Take the file away; nobody follows it any more."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _write(self) -> None:
        fresh = self._folder / "fresh"
        fresh.write_text(f"{self._ahead:+d}\n")
        fresh.chmod(0o644)
        # At once: who read half of a number would be in another century.
        fresh.replace(self._folder / "ahead")


class LeapingPostgres(Postgres):
    """A database that follows it."""

    before: Sequence[str] = ()

    @override
    def _launch(self, *args: Any, **more: Any) -> Launch:
        launch = super()._launch(*args, **more)
        return replace(launch, argv=[*self.before, *launch.argv])


def library() -> Path | None:
    """Where libfaketime is."""
    return next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))), None)


def need_library() -> None:
    """A gap that somebody who only looks at the code may have, and CI may not."""
    if library() is not None:
        return
    why = "no libfaketime on this machine; requirements/containers.sh installs it"
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)
