"""
Which executor does which kind of action?

Those that need what need not be installed are made only if the settings allow their actions. One
line for each kind; what an executor is says work.py.
"""

from __future__ import annotations

import os
from pathlib import Path

from schemas.actions import Act, Exec, Fresh, Http, Program, Work
from streams.runner.allowed import Allowed
from streams.runner.container import Execs, Freshes
from streams.runner.deployments import Deployments
from streams.runner.engine import Engine
from streams.runner.engine_place import address
from streams.runner.http import Requests
from streams.runner.program import Programs
from streams.runner.reaching import Ways
from streams.runner.remembered import Remembered
from streams.runner.work import Executor, Executors, Runner


def executors_for(
    runner: Runner, allowed: Allowed, folder: Path, engine: str | None = None
) -> Executors:
    """The executors of a runner; `folder` is its own, kept over its lives."""
    # Also where programs are not allowed any more: an earlier life may have left some.
    programs = Programs(Remembered(folder), runner.boot, os.environ)
    found: dict[type[Work], Executor] = {Program: programs, Http: Requests(allowed)}
    wanted = [work for work in (Exec, Fresh, Act) if allowed.action(work) is None]
    if wanted:
        reached = Engine(address(engine, os.environ), os.environ)
        those: dict[type[Work], Executor] = {
            Exec: Execs(reached, runner, allowed),
            Fresh: Freshes(reached, runner),
            Act: Deployments(Ways(allowed, programs, reached)),
        }
        found |= {work: those[work] for work in wanted}
    return found
