"""What does a runner get to do in these tests?"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from schemas.actions import App, Program, Setting, Work
from schemas.orders import Order
from schemas.units import SECOND

NOON = 1_796_040_000 * SECOND
"""2026-11-30T12:00:00Z."""


RUN = f"jr_{os.getpid():012d}"
"""Another one in each process of the tests: what is marked with it was started by this one."""


def order(work: Work, run: str = RUN, **given: Any) -> Order:
    """An order that was just given out."""
    return Order(
        **{
            "run": run,
            "attempt": 1,
            "issue": 1,
            "schedule": "billing/close",
            "version": 7,
            "incarnation": 7,
            "scope": "billing",
            "filter": None,
            "nominal": NOON,
            "due": NOON,
            "origin": None,
            "decided_at": NOON,
            "again_at": NOON + 5 * SECOND,
            "work": work,
            "app": None,
            "timeout": None,
            **given,
        }
    )


def program(*argv: str, env: dict[str, str] | None = None, **given: Any) -> Program:
    """A program with these arguments."""
    settings = tuple(Setting(name, value) for name, value in (env or {}).items())
    return Program(argv, env=settings, **given)


APP = App("registry.local/billing:3")


def waiting_for(file: Path) -> Program:
    """A program that goes on until the file is there."""
    text = f"echo begun; while [ ! -e {file} ]; do sleep 0.02; done; echo over"
    return program("sh", "-c", text)
