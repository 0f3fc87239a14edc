"""
Which command about a subject is this JSON, under a key with this word?

What is asked of a subject as a whole, said of its runs and its traffic, and proposed for it: each
field by its name, of its kind and inside its limits. What a schedule is asked is
reading_commands.py.
"""

from __future__ import annotations

from collections.abc import Callable

from schemas.command_limits import check_result, check_word
from schemas.commands import (
    AcceptProposal,
    CancelRun,
    ClaimRun,
    Command,
    DeclineRun,
    DefineApp,
    DefineDeployment,
    DismissProposal,
    HoldSubject,
    Propose,
    ReleaseSubject,
    RemoveSubject,
    RemoveTarget,
    ReportActivity,
    ReportRun,
    ReportState,
    ReportStatus,
    WithdrawProposal,
)
from schemas.deployment_limits import check_proposal_id
from schemas.fields import (
    Fields,
    or_null,
    read_count,
    read_instant,
    read_text,
    read_truth,
    read_whole,
    symbol_reader,
)
from schemas.limits import check_least
from schemas.policy_limits import check_target
from schemas.reading_definitions import read_note
from schemas.reading_deployments import (
    DEPLOYMENT_FIELDS,
    PROPOSAL_FIELDS,
    STATE_FIELDS,
    deployment_of,
    proposal_of,
    state_of,
)
from schemas.reading_works import APP_FIELDS, app_of
from schemas.run_events import Result

_status = symbol_reader(ReportStatus)
ACTIVITY_FIELDS = (
    *("last_request", "in_flight", "waiting", "sampled_at"),
    *("served", "rate", "usual"),
)
_RESULT = ("exit_code", "output", "cut", "reference", "started_at", "ended_at")


def _hold(fields: Fields) -> HoldSubject:
    return HoldSubject(
        reason_of(fields),
        fields.take("until", or_null(read_instant), None),
        fields.take("actions_only", read_truth, False),  # noqa: FBT003
    )


def _release(fields: Fields) -> ReleaseSubject:
    return ReleaseSubject(reason_of(fields))


def _remove(fields: Fields) -> RemoveSubject:
    return RemoveSubject(reason_of(fields), fields.take("cancel", read_truth, False))  # noqa: FBT003


def _remove_target(fields: Fields) -> RemoveTarget:
    return RemoveTarget(fields.need("target", _target), reason_of(fields))


def _activity(fields: Fields) -> ReportActivity:
    return ReportActivity(
        in_flight=fields.need("in_flight", read_from_zero),
        waiting=fields.need("waiting", read_from_zero),
        sampled_at=fields.need("sampled_at", read_instant),
        last_request=fields.take("last_request", or_null(read_instant), None),
        served=fields.take("served", or_null(read_from_zero), None),
        rate=fields.take("rate", or_null(read_from_zero), None),
        usual=fields.take("usual", or_null(read_from_zero), None),
    )


def _report(fields: Fields) -> ReportRun:
    return ReportRun(
        fields.need("run", read_word),
        fields.need("status", _status),
        fields.take("attempt", or_null(read_count), None),
        fields.take("detail", read_note, ""),
        fields.take("runner", or_null(read_word), None),
        fields.take("boot", or_null(read_from_zero), None),
        fields.take("result", or_null(_result), None),
    )


def _result(data: object, path: str) -> Result:
    fields = Fields(data, path, _RESULT)
    return check_result(
        Result(
            exit_code=fields.take("exit_code", or_null(read_whole), None),
            output=fields.take("output", read_text, ""),
            cut=fields.take("cut", read_truth, False),  # noqa: FBT003
            reference=fields.take("reference", or_null(read_text), None),
            started_at=fields.take("started_at", or_null(read_instant), None),
            ended_at=fields.take("ended_at", or_null(read_instant), None),
        )
    )


def _cancel(fields: Fields) -> CancelRun:
    return CancelRun(fields.need("run", read_word), reason_of(fields))


def _claim(fields: Fields) -> ClaimRun:
    return ClaimRun(*_attempt(fields))


def _decline(fields: Fields) -> DeclineRun:
    return DeclineRun(*_attempt(fields), fields.need("why", read_note))


def _attempt(fields: Fields) -> tuple[str, int, int, str, int]:
    """Which attempt of which run, by which offer, and the runner with its life."""
    return (
        fields.need("run", read_word),
        fields.need("attempt", read_count),
        fields.need("issue", read_count),
        fields.need("runner", read_word),
        fields.need("boot", read_from_zero),
    )


def _app(fields: Fields) -> DefineApp:
    return DefineApp(app_of(fields))


def _deployment(fields: Fields) -> DefineDeployment:
    return DefineDeployment(deployment_of(fields))


def _propose(fields: Fields) -> Propose:
    return Propose(proposal_of(fields))


def _accept(fields: Fields) -> AcceptProposal:
    return AcceptProposal(*_settled(fields))


def _dismiss(fields: Fields) -> DismissProposal:
    return DismissProposal(*_settled(fields))


def _withdraw(fields: Fields) -> WithdrawProposal:
    return WithdrawProposal(*_settled(fields))


def _settled(fields: Fields) -> tuple[str, str]:
    """Which proposal, and why."""
    return fields.need("proposal", _proposal), reason_of(fields)


def reason_of(fields: Fields) -> str:
    """Why something is asked."""
    return fields.take("reason", read_note, "")


def read_word(data: object, path: str) -> str:
    """The name of a run, a target or a backfill."""
    return check_word(read_text(data, path), path)


def _target(data: object, path: str) -> str:
    return check_target(read_text(data, path), path)


def _proposal(data: object, path: str) -> str:
    return check_proposal_id(read_text(data, path), path)


def read_from_zero(data: object, path: str) -> int:
    """A whole number that is not negative."""
    return check_least(read_whole(data, path), 0, path)


SUBJECT_READERS: dict[type[Command], tuple[tuple[str, ...], Callable[[Fields], Command]]] = {
    HoldSubject: (("reason", "until", "actions_only"), _hold),
    ReleaseSubject: (("reason",), _release),
    RemoveSubject: (("reason", "cancel"), _remove),
    RemoveTarget: (("target", "reason"), _remove_target),
    ReportActivity: (ACTIVITY_FIELDS, _activity),
    ReportRun: (("run", "status", "attempt", "detail", "runner", "boot", "result"), _report),
    CancelRun: (("run", "reason"), _cancel),
    ClaimRun: (("run", "attempt", "issue", "runner", "boot"), _claim),
    DeclineRun: (("run", "attempt", "issue", "runner", "boot", "why"), _decline),
    DefineApp: (APP_FIELDS, _app),
    DefineDeployment: (DEPLOYMENT_FIELDS, _deployment),
    ReportState: (STATE_FIELDS, state_of),
    Propose: (PROPOSAL_FIELDS, _propose),
    AcceptProposal: (("proposal", "reason"), _accept),
    DismissProposal: (("proposal", "reason"), _dismiss),
    WithdrawProposal: (("proposal", "reason"), _withdraw),
}
"""The fields of each command and what makes it of them."""
