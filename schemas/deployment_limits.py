"""
What may a deployment, its state and a proposal hold, whatever they were written in?

Asked of what came as Avro and of what JSON said alike; fields are named as reading_deployments.py
names them. Nothing in a deployment is a template. Whether a runner may reach it is asked of the
runner's own settings, whether there is such a zone of the decider.
"""

from __future__ import annotations

import re
from typing import Final, assert_never

from schemas.codec import encode
from schemas.commands import (
    AcceptProposal,
    DefineDeployment,
    DismissProposal,
    Propose,
    ReportState,
    WithdrawProposal,
)
from schemas.deployments import (
    Call,
    ContainerDriver,
    Deployment,
    Driver,
    HttpDriver,
    Metrics,
    Vllm,
)
from schemas.faults import FieldFault, TooLarge
from schemas.json_text import check_text
from schemas.limits import MAX_NAME_BYTES, check_filled, check_least, check_note
from schemas.profiles import HOURS
from schemas.proposals import IdleWindow, Proposal, ProposalSource
from schemas.time_limits import check_wall
from schemas.work_limits import (
    CALLED,
    MAX_WORD_BYTES,
    POINTER,
    check_address,
    check_argv,
    check_filled_up_to,
    check_headers,
    check_level,
    check_method,
    check_pool,
    fits,
)

MAX_DEPLOYMENT_BYTES: Final = 64 * 1024
"""Encoded: it goes with each order, beside the work and the app."""
MAX_EVIDENCE_BYTES: Final = 96 * 1024
"""Of what a model was asked, and of what it answered: with all else a record takes both."""
MOST_PRIORITY: Final = 100
CERTAIN: Final = 1_000
"""Thousandths: the largest confidence."""
_MINUTES_OF_A_WEEK: Final = HOURS * 60
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_BRACES: Final = re.compile(r"[{}]")
_ODD: Final = re.compile(r"[\x00-\x20\x7f\\#]")
CALLS: Final = ("sleep", "stop", "wake", "start", "fits", "state")
"""What an `HttpDriver` may be told to do, or asked."""


OfDeployment = (
    DefineDeployment | ReportState | Propose | AcceptProposal | DismissProposal | WithdrawProposal
)


def check_of_deployment(command: OfDeployment) -> None:
    """Refuse, by its name, a field that no command about a deployment may have."""
    match command:
        case DefineDeployment():
            check_deployment(command.deployment)
        case ReportState():
            check_state(command)
        case Propose():
            check_proposal(command.proposal)
        case AcceptProposal() | DismissProposal() | WithdrawProposal():
            check_proposal_id(command.proposal, "proposal")
            check_note(command.reason, "reason")
        case _:
            assert_never(command)


def check_deployment(deployment: Deployment) -> Deployment:
    """Give a deployment back if a runner and a sampler could be told of it."""
    _check_driver(deployment.driver)
    if not 0 <= deployment.priority <= MOST_PRIORITY:
        raise FieldFault(
            "priority", f"must be from 0 to {MOST_PRIORITY}, not {deployment.priority}"
        )
    check_filled(deployment.zone, "zone")
    check_note(deployment.zone, "zone", MAX_NAME_BYTES)
    if deployment.metrics is not None:
        _check_metrics(deployment.metrics)
    if deployment.pool is not None:
        check_pool(deployment.pool, "pool")
    size = len(encode(DefineDeployment(deployment)))
    if size > MAX_DEPLOYMENT_BYTES:
        raise TooLarge(
            "", f"a deployment has {MAX_DEPLOYMENT_BYTES} bytes at most, this one has {size}"
        )
    return deployment


def _check_driver(driver: Driver) -> None:
    match driver:
        case Vllm():
            _check_vllm(driver)
        case HttpDriver():
            _check_http(driver)
        case ContainerDriver():
            if driver.name is not None:
                _check_called(driver.name, "container")
        case _:
            assert_never(driver)


def check_state(report: ReportState) -> ReportState:
    """Give what is said of a deployment's state back if an event can repeat it."""
    if report.actor is not None:
        check_filled(report.actor, "actor")
        check_note(report.actor, "actor", MAX_NAME_BYTES)
    check_note(report.detail, "detail")
    return report


def check_proposal(proposal: Proposal) -> Proposal:
    """Give a proposal back if schedules could be made of it."""
    check_proposal_id(proposal.id, "id")
    if not 0 < len(proposal.windows) <= HOURS:
        raise FieldFault("windows", f"must be a list of 1 to {HOURS} windows")
    for i, window in enumerate(proposal.windows):
        _check_window(window, f"windows[{i}]")
    check_filled(proposal.zone, "zone")
    check_note(proposal.zone, "zone", MAX_NAME_BYTES)
    if proposal.source is ProposalSource.OTHER:
        raise FieldFault("source", "must be one of model, rules, not 'other'")
    if not 0 <= proposal.confidence <= CERTAIN:
        raise FieldFault("confidence", "must be from 0 to 1")
    check_note(proposal.reason, "reason")
    check_note(proposal.prompt, "prompt", MAX_EVIDENCE_BYTES)
    check_note(proposal.answer, "answer", MAX_EVIDENCE_BYTES)
    return proposal


def check_proposal_id(text: str, path: str) -> str:
    """Give the id of a proposal back if schedules can be called after it."""
    return fits(_ID, text, path, "1 to 64 of A-Z, a-z, 0-9, '.', '_' and '-', the first no sign")


def _check_vllm(driver: Vllm) -> None:
    _check_base(driver.url, "vllm.url")
    check_headers(driver.headers, "vllm.headers")
    check_level(driver.level, "vllm.level")
    if driver.container is not None:
        _check_called(driver.container, "vllm.container")
    for name, argv in (("start", driver.start), ("stop", driver.stop)):
        if argv and driver.container is not None:
            raise FieldFault(f"vllm.{name}", "not together with container")
        if argv:
            check_argv(argv, f"vllm.{name}")


def _check_http(driver: HttpDriver) -> None:
    _check_base(driver.url, "http.url")
    check_headers(driver.headers, "http.headers")
    for name in CALLS:
        call: Call | None = getattr(driver, name)
        if call is not None:
            _check_call(call, f"http.{name}")
    check_text(driver.state_at, "http.state_at")
    fits(POINTER, driver.state_at, "http.state_at", "a JSON pointer such as /data/state")


def _check_call(call: Call, path: str) -> None:
    where = f"{path}.path"
    check_filled_up_to(call.path, where, MAX_WORD_BYTES)
    if not call.path.startswith("/"):
        raise FieldFault(where, "must begin with /: it stands behind the url")
    if _ODD.search(call.path) or _BRACES.search(call.path):
        raise FieldFault(where, "a path holds no space, control character, backslash, # or brace")
    check_method(call.method, f"{path}.method")
    if call.body is not None:
        check_note(call.body, f"{path}.body", MAX_WORD_BYTES)


def _check_metrics(metrics: Metrics) -> None:
    _check_url(metrics.url, "metrics.url")
    check_headers(metrics.headers, "metrics.headers")
    for name in ("in_flight", "waiting", "seconds", "finished"):
        check_filled_up_to(getattr(metrics, name), f"metrics.{name}", MAX_NAME_BYTES)


def _check_base(url: str, path: str) -> None:
    """Further paths are put behind it."""
    _check_url(url, path)
    if "?" in url or "#" in url:
        raise FieldFault(path, "has no ? and no #: paths are put behind it")


def _check_url(url: str, path: str) -> None:
    check_filled_up_to(url, path, MAX_WORD_BYTES)
    if _BRACES.search(url):
        raise FieldFault(path, "holds no braces: nothing is filled in here")
    check_address(url, path)


def _check_called(name: str, path: str) -> None:
    fits(CALLED, name, path, "of A-Z, a-z, 0-9, '_', '.' and '-', the first no sign")


def _check_window(window: IdleWindow, path: str) -> None:
    for name in ("sleep", "wake"):
        day = getattr(window, f"{name}_day")
        if not 0 <= day <= 6:
            raise FieldFault(f"{path}.{name}_day", f"must be a day from 0 (Monday) to 6, not {day}")
        check_wall(getattr(window, f"{name}_at"), f"{path}.{name}_at")
    if window[:2] == window[2:4]:
        raise FieldFault(f"{path}.wake_at", "must be another moment than that of the sleep")
    check_least(window.minutes, 1, f"{path}.minutes")
    if window.minutes > _MINUTES_OF_A_WEEK:
        raise FieldFault(f"{path}.minutes", f"a week has {_MINUTES_OF_A_WEEK:,}")
    check_least(window.idle_weeks, 0, f"{path}.idle_weeks")
    check_least(window.weeks, window.idle_weeks, f"{path}.weeks")
