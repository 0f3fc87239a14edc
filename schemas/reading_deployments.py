"""
Which deployment does this JSON describe, and what is proposed for it?

Its driver, priority, zone and metrics, each form that a person may write, and the windows of a
proposal; each wrong value is refused by its path with what is allowed. Back to JSON is
deployments_json.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Final, TypeVar

from schemas.commands import ReportState
from schemas.deployment_limits import (
    CALLS,
    check_deployment,
    check_proposal,
    check_state,
)
from schemas.deployments import (
    USUAL_PRIORITY,
    Call,
    ContainerDriver,
    Deployment,
    DeploymentState,
    Driver,
    HttpDriver,
    Metrics,
    Vllm,
)
from schemas.faults import FieldFault
from schemas.fields import (
    Fields,
    kind_of,
    or_null,
    read_list,
    read_text,
    read_whole,
    shown,
    symbol_reader,
)
from schemas.json_text import check_data
from schemas.proposals import IdleWindow, Proposal, ProposalSource
from schemas.reading_times import read_wall
from schemas.reading_works import read_argv, read_settings
from schemas.wall_times import WEEKDAYS

DRIVERS: Final = ("vllm", "http", "container")
"""A deployment has exactly one of them."""
DEPLOYMENT_FIELDS: Final = (*DRIVERS, "priority", "zone", "metrics", "pool")
STATE_FIELDS: Final = ("state", "actor", "detail")
PROPOSAL_FIELDS: Final = (
    *("id", "windows", "zone", "source", "confidence", "reason", "prompt", "answer"),
)
ASKED: Final = ("fits", "state")
"""Calls that change nothing: they are a GET if nothing else is said."""
NAMES_OF_METRICS: Final = ("in_flight", "waiting", "seconds", "finished")
_VLLM: Final = ("url", "headers", "level", "container", "start", "stop")
_HTTP: Final = ("url", "headers", *CALLS, "state_at")
_WINDOW: Final = (
    *("sleep_day", "sleep_at", "wake_day", "wake_at"),
    *("minutes", "weeks", "idle_weeks"),
)
_USUAL: Final = Metrics("")
Made = TypeVar("Made")
_state = symbol_reader(DeploymentState)
_source = symbol_reader(ProposalSource)


def read_deployment(data: object) -> Deployment:
    """The description of a deployment; raises FieldFault."""
    check_data(data)
    return deployment_of(Fields(data, "", DEPLOYMENT_FIELDS))


def deployment_of(fields: Fields) -> Deployment:
    """The description of a deployment in the fields of its command."""
    word = fields.only_one_of(DRIVERS, needed=True) or ""
    return check_deployment(
        Deployment(
            driver=fields.need(word, _DRIVERS[word]),
            priority=fields.take("priority", read_whole, USUAL_PRIORITY),
            zone=fields.take("zone", read_text, "UTC"),
            metrics=fields.take("metrics", or_null(_metrics), None),
            pool=fields.take("pool", or_null(read_text), None),
        )
    )


def state_of(fields: Fields) -> ReportState:
    """What is said of a deployment's state."""
    return check_state(
        ReportState(
            fields.need("state", _state),
            fields.take("actor", or_null(read_text), None),
            fields.take("detail", read_text, ""),
        )
    )


def proposal_of(fields: Fields) -> Proposal:
    """When a deployment could sleep, in the fields of the command that proposes it."""
    return check_proposal(
        Proposal(
            id=fields.need("id", read_text),
            windows=fields.need("windows", read_windows),
            zone=fields.take("zone", read_text, "UTC"),
            source=fields.need("source", _source),
            confidence=fields.need("confidence", _share),
            reason=fields.take("reason", read_text, ""),
            prompt=fields.take("prompt", read_text, ""),
            answer=fields.take("answer", read_text, ""),
        )
    )


def read_windows(data: object, path: str) -> tuple[IdleWindow, ...]:
    """Stretches of a week, as a list."""
    return tuple(read_list(data, path, _window))


def _vllm(data: object, path: str) -> Vllm:
    fields = _with_url(data, path, _VLLM)
    return Vllm(
        url=fields.need("url", read_text),
        headers=fields.take("headers", read_settings, ()),
        level=fields.take("level", read_whole, 1),
        container=fields.take("container", or_null(read_text), None),
        start=fields.take("start", read_argv, ()),
        stop=fields.take("stop", read_argv, ()),
    )


def _http(data: object, path: str) -> HttpDriver:
    fields = _with_url(data, path, _HTTP)
    calls = {name: fields.take(name, _call_reader(name), None) for name in CALLS}
    return HttpDriver(
        url=fields.need("url", read_text),
        headers=fields.take("headers", read_settings, ()),
        state_at=fields.take("state_at", read_text, "/state"),
        **calls,
    )


def _call_reader(name: str) -> Callable[[object, str], Call | None]:
    usual = usual_method(name)

    def read(data: object, path: str) -> Call | None:
        if data is None:
            return None
        if isinstance(data, str):
            return Call(data, usual)
        fields = Fields(data, path, ("path", "method", "body"))
        return Call(
            path=fields.need("path", read_text),
            method=fields.take("method", read_text, usual).upper(),
            body=fields.take("body", or_null(_body), None),
        )

    return read


def usual_method(name: str) -> str:
    """The method of a call that does not say."""
    return "GET" if name in ASKED else "POST"


def _body(data: object, path: str) -> str:
    """A text as it is, an object or a list as compact JSON."""
    if isinstance(data, str):
        return data
    if not isinstance(data, dict | list):
        raise FieldFault(path, f"must be a text, an object or a list, not {kind_of(data)}")
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _container(data: object, path: str) -> ContainerDriver:
    if data is True:
        return ContainerDriver()
    if isinstance(data, str):
        return ContainerDriver(data)
    if not isinstance(data, dict):
        said = 'must be true, the name of a container, or {"name": …}'
        raise FieldFault(path, f"{said}, not {shown(data)}")
    return ContainerDriver(Fields(data, path, ("name",)).take("name", or_null(read_text), None))


_DRIVERS: Final[dict[str, Callable[[object, str], Driver]]] = {
    "vllm": _vllm,
    "http": _http,
    "container": _container,
}


def _metrics(data: object, path: str) -> Metrics:
    fields = _with_url(data, path, ("url", "headers", *NAMES_OF_METRICS))
    names = {name: fields.take(name, read_text, getattr(_USUAL, name)) for name in NAMES_OF_METRICS}
    return Metrics(
        url=fields.need("url", read_text),
        headers=fields.take("headers", read_settings, ()),
        **names,
    )


def _with_url(data: object, path: str, allowed: tuple[str, ...]) -> Fields:
    """The fields of what has a url, which may stand alone."""
    return Fields({"url": data} if isinstance(data, str) else data, path, allowed)


def _window(data: object, path: str) -> IdleWindow:
    fields = Fields(data, path, _WINDOW)
    return IdleWindow(
        sleep_day=fields.need("sleep_day", _day),
        sleep_at=fields.need("sleep_at", read_wall),
        wake_day=fields.need("wake_day", _day),
        wake_at=fields.need("wake_at", read_wall),
        minutes=fields.need("minutes", read_whole),
        weeks=fields.need("weeks", read_whole),
        idle_weeks=fields.need("idle_weeks", read_whole),
    )


def _day(data: object, path: str) -> int:
    if data not in WEEKDAYS:
        raise FieldFault(path, f"must be one of {', '.join(WEEKDAYS)}, not {shown(data)}")
    return WEEKDAYS.index(str(data))


def _share(data: object, path: str) -> int:
    """Thousandths; what is finer is refused, so that a record says what was meant."""
    if isinstance(data, bool) or not isinstance(data, int | float) or not 0 <= data <= 1:
        raise FieldFault(path, f"must be a number from 0 to 1, not {data!r:.40}")
    thousandths = Decimal(repr(data)) * 1_000
    if thousandths != int(thousandths):
        raise FieldFault(path, f"is no finer than a thousandth, {data!r:.40} is")
    return int(thousandths)
