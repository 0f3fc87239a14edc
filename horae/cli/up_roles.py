"""
Which processes does `horae up` run, with which settings, and when are they ready?

Those that decide and show first, then those that watch the traffic of deployments and propose;
these leave first, too, so that what they wrote is taken up. How servers and processes are kept
running is horae/local.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import TYPE_CHECKING

from horae.cli.endings import Said

if TYPE_CHECKING:
    from horae.local import LocalStack

API = "api"
LOOPBACK = "127.0.0.1"
DEMO_PROGRAM = "df"
"""Of examples/disk_space.yaml."""
PROPOSES_AT = "04:00"
"""In UTC."""

_THIS_MACHINE = "http://127.0.0.1:*/,http://localhost:*/,http://[::1]:*/"
_HEALTHY_WITHIN = 60.0
_PAUSE = 0.1
_FIRST, _SECOND = 0, 1
"""Turns at the end; all others have the last one."""
_METRICS, _API_PORT = 9464, 18080


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to run."""

    data: Path
    processors: int = 1
    api_port: int | None = None
    demo: bool = False


@dataclass(frozen=True, slots=True)
class Process:
    """One of ours: what is typed for it, and where it is told on which port its numbers are."""

    name: str
    words: tuple[str, ...]
    port_setting: str
    leaves: int | None = None
    """None: with the others, at the end."""


def processes(processors: int) -> Iterator[Process]:
    """All of them, in the order in which they are started."""
    for number in range(processors):
        name = f"processor-{number}"
        words = ("processor", "--instance", f"local-{name}")
        yield Process(name, words, "HORAE_PROCESSOR_PORT")
    yield Process("projector", ("projector",), "HORAE_PROJECTOR_PORT")
    yield Process("runner", ("runner", "--id", "local-runner"), "HORAE_RUNNER_PORT")
    yield Process(API, ("api",), "HORAE_API_PORT")
    words = ("traffic", "--instance", "local-traffic")
    yield Process("traffic", words, "HORAE_TRAFFIC_PORT", _SECOND)
    yield Process("sampler", ("sampler",), "HORAE_SAMPLER_PORT", _FIRST)
    words = ("propose", "--daily", PROPOSES_AT)
    yield Process("proposer", words, "HORAE_PROPOSER_PORT", _FIRST)


def start(stack: LocalStack, wanted: Wanted) -> dict[str, int]:
    """Start all and wait until they are ready; the ports of their numbers by their names."""
    from horae.local import Role, ports
    from horae.local.supervisor import LAST

    found: dict[str, int] = {}
    common = {
        "HORAE_BOOTSTRAP": stack.endpoints.bootstrap,
        "HORAE_POSTGRES_DSN": stack.endpoints.dsn,
        "HORAE_LOCKS": str(wanted.data / "instances"),
        "HORAE_TRAFFIC_LOCKS": str(wanted.data / "instances"),
        "HORAE_DATA": str(wanted.data),
        "HORAE_API_HOST": LOOPBACK,
        **runner_settings(wanted.data, demo=wanted.demo),
        **watching_settings(),
    }
    for offset, one in enumerate(processes(wanted.processors)):
        preferred = (wanted.api_port or _API_PORT) if one.name == API else _METRICS + offset
        port = ports.choose(preferred=preferred, besides=found.values())
        found[one.name] = port
        stack.run(
            Role(
                one.name,
                argv=[sys.executable, "-m", "horae.cli", *one.words],
                env={**common, one.port_setting: str(port)},
                leaves=LAST if one.leaves is None else one.leaves,
            )
        )
    for name, port in found.items():
        _await_health(name, port, stack.logs / f"{name}.log")
    return found


def runner_settings(data: Path, *, demo: bool = False) -> dict[str, str]:
    """A runner that asks programs on this machine, and runs none; unless it was said otherwise.

    Deployments on this machine are put to sleep and woken, too. For the demo it runs the one
    program of its examples.
    """
    usual = {
        "HORAE_RUNNER_STATE": str(data / "runners"),
        "HORAE_RUNNER_ALLOW_ACTIONS": "http,deployment,command" if demo else "http,deployment",
        "HORAE_RUNNER_ALLOW_PROGRAMS": DEMO_PROGRAM if demo else "",
        "HORAE_RUNNER_ALLOW_URLS": _THIS_MACHINE,
        # Together less than it gets to end.
        "HORAE_RUNNER_DRAIN": "5",
        "HORAE_RUNNER_GRACE": "5",
    }
    return {name: os.environ.get(name, value) for name, value in usual.items()}


def watching_settings() -> dict[str, str]:
    """A sampler that looks at this machine alone, and what it saw is to be seen soon.

    Unless it was said otherwise.
    """
    usual = {
        "HORAE_SAMPLER_ALLOW_URLS": _THIS_MACHINE,
        # Of the few deployments of one machine that costs nothing.
        "HORAE_PROJECTOR_PROFILE_SECONDS": "60",
    }
    return {name: os.environ.get(name, value) for name, value in usual.items()}


def _await_health(name: str, port: int, log: Path) -> None:
    from streams.clock import Deadline, pause

    deadline = Deadline.after(_HEALTHY_WITHIN)
    while not _is_healthy(port):
        if deadline.over:
            raise Said(f"{name} was not ready within {_HEALTHY_WITHIN:g} s (log: {log})")
        pause(_PAUSE)


def _is_healthy(port: int) -> bool:
    connection = HTTPConnection(LOOPBACK, port, timeout=2)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
