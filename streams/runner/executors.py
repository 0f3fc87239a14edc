"""
Which executor does which kind of action?

Those that need what need not be installed are made only if the settings allow their actions. One
line for each kind; what an executor is says work.py.
"""

from __future__ import annotations

import os
from pathlib import Path

from schemas.actions import Http, Program, Work
from streams.runner.allowed import Allowed
from streams.runner.http import Requests
from streams.runner.program import Programs
from streams.runner.remembered import Remembered
from streams.runner.work import Executor, Executors, Runner


def executors_for(runner: Runner, allowed: Allowed, folder: Path) -> Executors:
    """The executors of a runner; `folder` is its own, kept over its lives."""
    # Also where programs are not allowed any more: an earlier life may have left some.
    programs = Programs(Remembered(folder), runner.boot, os.environ)
    found: dict[type[Work], Executor] = {Program: programs, Http: Requests(allowed)}
    return found
