"""
What is done when an entry of a crontab is due?

Either a record says what cron would run, and whoever reads the topic does it; or a runner starts
the shell that cron would start. What becomes of the rest of an entry is crontab.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from horae.importers.crontab_lines import Entry
from schemas.actions import DEFAULT_POOL

_SHELL = "/bin/sh"


class Due(NamedTuple):
    """An entry, and what stood above it."""

    entry: Entry
    schedule: str
    user: str | None
    env: Mapping[str, str]


class NotDone(ValueError):
    """An entry that cannot be carried out in this way; the message says why."""


Action = Callable[[Due], dict[str, Any]]
"""The fields of a definition that say what is done; raises NotDone."""


def as_record(topic: str) -> Action:
    """A record with the command in it."""

    def emit(due: Due) -> dict[str, Any]:
        value = {
            "command": due.entry.command,
            "user": due.user,
            "env": dict(due.env),
            "stdin": due.entry.stdin,
        }
        return {"emit": {"topic": topic, "key": due.schedule, "value": value}}

    return emit


def as_command(pool: str = DEFAULT_POOL) -> Action:
    """The shell that cron would start, with the same words, started by a runner of this pool."""

    def start(due: Due) -> dict[str, Any]:
        if due.entry.stdin is not None:
            raise NotDone("what follows the % is read by the command, and a runner gives it none")
        command: dict[str, Any] = {
            "argv": [due.env.get("SHELL") or _SHELL, "-c", due.entry.command]
        }
        if due.env:
            command["env"] = dict(due.env)
        if due.user is not None:
            command["user"] = due.user
        if pool != DEFAULT_POOL:
            command["pool"] = pool
        # Cron asks nothing about an earlier run.
        return {"command": command, "overlap": "allow"}

    return start
