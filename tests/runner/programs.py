"""How does a test run programs without a runner around them?"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from schemas.actions import Program
from schemas.orders import Order
from streams.runner.output import Output
from streams.runner.program import Programs
from streams.runner.remembered import Remembered
from streams.runner.secrets import Secrets
from streams.runner.work import Attempt, Job, Outcome
from tests.runner.ordered import order, program

ENVIRON = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "JOB_TOKEN": "hunter2"}
RUN = "jr_ofPrograms0"


class Runs:
    """Programs of one life of a runner."""

    def __init__(self, folder: Path, run: str = RUN) -> None:
        self.folder = folder
        self.name = run
        self.remembered = Remembered(folder)
        self.programs = Programs(self.remembered, 1, ENVIRON)
        self.output = Output(64 * 1024)

    def attempt(self, asked: Order, *, timeout: float | None = None, grace: float = 5.0) -> Attempt:
        secrets = Secrets({"env:JOB_TOKEN": "hunter2"})
        self.output = Output(64 * 1024, secrets.values())
        return self.programs.attempt(Job(asked, self.output, secrets, timeout, grace))

    def run(self, work: Program, *, timeout: float | None = None, grace: float = 5.0) -> Outcome:
        outcome = self.attempt(order(work, self.name), timeout=timeout, grace=grace).run()
        self.output.end()
        return outcome

    @property
    def text(self) -> str:
        return self.output.kept().text


def script(text: str, **given: Any) -> Program:
    return program("sh", "-c", text, **given)
