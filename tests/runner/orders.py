"""Which order does a test of requests give, and how is it carried out?"""

from __future__ import annotations

from typing import Any

from schemas.actions import Http
from schemas.orders import Order
from schemas.policies import Filter, FilterKind
from schemas.units import SECOND
from streams.runner.allowed import Allowed
from streams.runner.http import RequestAttempt, Requests
from streams.runner.output import Output
from streams.runner.secrets import resolve
from streams.runner.work import Job, Outcome
from streams.settings import RunnerSettings

NOMINAL = 1_768_528_800 * SECOND
"""2026-01-16T02:00:00Z"""


def order_of(work: Http, scope: str = "rack-a", **other: Any) -> Order:
    """An order for a request about a target."""
    made: dict[str, Any] = {
        "run": "jr_AbCdEfGhIjKl", "attempt": 1, "issue": 1, "schedule": "hall-3/nightly reset",
        "version": 7, "incarnation": 5, "scope": scope, "filter": None, "nominal": NOMINAL,
        "due": NOMINAL, "origin": None, "decided_at": NOMINAL, "again_at": NOMINAL + 5 * SECOND,
        "work": work, "app": None, "timeout": None,
    }  # fmt: skip
    return Order(**{**made, **other})


def attempt_of(
    order: Order,
    *allowed: str,
    timeout: float | None = 20.0,
    grace: float = 5.0,
    patience: float = 20.0,
    **secrets: str,
) -> tuple[RequestAttempt, Output]:
    """An attempt that has not begun, allowed to ask these prefixes."""
    lists = Allowed(
        RunnerSettings(allow_actions="http", allow_urls=",".join(allowed), allow_secrets="env:*")
    )
    found = resolve(order, lists, secrets)
    output = Output(64 * 1024, found.values())
    job = Job(order, output, found, timeout, grace)
    return Requests(lists, patience).attempt(job), output


def carried_out(order: Order, *allowed: str, **other: Any) -> tuple[Outcome, str]:
    """How an attempt ended, and what it wrote."""
    attempt, output = attempt_of(order, *allowed, **other)
    outcome = attempt.run()
    output.end()
    return outcome, output.kept().text


def some(*values: str, kind: str = "ids") -> Filter:
    """Some components."""
    return Filter(FilterKind(kind), values)
