"""
How is a deployment written as JSON, and what is proposed for it?

The inverse of reading_deployments.py: what is read back is the same, and values at their default
are left out. A url that is all there is to say stands alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, assert_never

from schemas.commands import ReportState
from schemas.deployment_limits import CALLS
from schemas.deployments import (
    USUAL_PRIORITY,
    Call,
    ContainerDriver,
    Deployment,
    Driver,
    HttpDriver,
    Metrics,
    Vllm,
)
from schemas.proposals import IdleWindow, Proposal
from schemas.reading_deployments import NAMES_OF_METRICS, usual_method
from schemas.wall_times import WEEKDAYS, format_clock
from schemas.works_json import given, settings_json

DRIVER_WORDS: Final[dict[type[Driver], str]] = {
    Vllm: "vllm",
    HttpDriver: "http",
    ContainerDriver: "container",
}
"""What each kind of driver is called."""
_USUAL: Final = Metrics("")


def deployment_json(deployment: Deployment) -> dict[str, Any]:
    """The value of the command that describes a deployment."""
    driver = deployment.driver
    found: dict[str, Any] = {DRIVER_WORDS[type(driver)]: _driver(driver)}
    if deployment.priority != USUAL_PRIORITY:
        found["priority"] = deployment.priority
    if deployment.zone != "UTC":
        found["zone"] = deployment.zone
    if deployment.metrics is not None:
        found["metrics"] = _metrics(deployment.metrics)
    return found | given({"pool": deployment.pool})


def state_json(report: ReportState) -> dict[str, Any]:
    """The value of the command that tells a state."""
    found = {"state": report.state.value, **given({"actor": report.actor})}
    return found | ({"detail": report.detail} if report.detail else {})


def proposal_json(proposal: Proposal) -> dict[str, Any]:
    """The value of the command that proposes something."""
    found: dict[str, Any] = {"id": proposal.id, "windows": windows_json(proposal.windows)}
    if proposal.zone != "UTC":
        found["zone"] = proposal.zone
    found |= {"source": proposal.source.value, "confidence": proposal.confidence / 1_000}
    beside = {name: getattr(proposal, name) for name in ("reason", "prompt", "answer")}
    return found | {name: text for name, text in beside.items() if text}


def windows_json(windows: Iterable[IdleWindow]) -> list[dict[str, Any]]:
    """Stretches of a week, days by their names and times as the clocks show them."""
    return [
        {
            "sleep_day": WEEKDAYS[one.sleep_day],
            "sleep_at": format_clock(one.sleep_at),
            "wake_day": WEEKDAYS[one.wake_day],
            "wake_at": format_clock(one.wake_at),
            "minutes": one.minutes,
            "weeks": one.weeks,
            "idle_weeks": one.idle_weeks,
        }
        for one in windows
    ]


def _driver(driver: Driver) -> Any:
    match driver:
        case Vllm():
            return _vllm(driver)
        case HttpDriver():
            return _http(driver)
        case ContainerDriver():
            return True if driver.name is None else driver.name
        case _:
            assert_never(driver)


def _vllm(driver: Vllm) -> Any:
    beside = _headers(driver)
    if driver.level != 1:
        beside["level"] = driver.level
    beside |= given({"container": driver.container})
    beside |= {name: list(getattr(driver, name)) for name in ("start", "stop")}
    return _with_url(driver.url, beside)


def _http(driver: HttpDriver) -> Any:
    beside = _headers(driver)
    for name in CALLS:
        call: Call | None = getattr(driver, name)
        if call is not None:
            beside[name] = _call(call, usual_method(name))
    if driver.state_at != "/state":
        beside["state_at"] = driver.state_at
    return _with_url(driver.url, beside)


def _call(call: Call, usual: str) -> Any:
    beside = given({"method": None if call.method == usual else call.method, "body": call.body})
    return {"path": call.path, **beside} if beside else call.path


def _metrics(metrics: Metrics) -> Any:
    names = {name: getattr(metrics, name) for name in NAMES_OF_METRICS}
    unusual = {name: told for name, told in names.items() if told != getattr(_USUAL, name)}
    return _with_url(metrics.url, _headers(metrics) | unusual)


def _headers(of: Vllm | HttpDriver | Metrics) -> dict[str, Any]:
    return {"headers": settings_json(of.headers)} if of.headers else {}


def _with_url(url: str, beside: dict[str, Any]) -> Any:
    said = {name: value for name, value in beside.items() if value != []}
    return {"url": url, **said} if said else url
