"""
What may a command hold, whatever it was written in?

Asked of commands that came as Avro, whose types are right and whose values may be anything, and for
the rules that JSON shares. Definitions and global records are limits.py.
"""

from __future__ import annotations

from typing import assert_never

from schemas.app_limits import check_app
from schemas.codec import encode
from schemas.command_keys import may_be_called
from schemas.commands import (
    NOT_THERE,
    Backfill,
    Beat,
    CancelBackfill,
    CancelRun,
    ClaimRun,
    Command,
    DeclineRun,
    Define,
    DefineApp,
    EditScopes,
    HoldSubject,
    Pause,
    ReleaseSubject,
    Remove,
    RemoveSubject,
    RemoveTarget,
    ReportActivity,
    ReportRun,
    Resume,
    ScheduleCommand,
    Skip,
    SubjectCommand,
    Trigger,
    Unacceptable,
    Unskip,
)
from schemas.deployment_limits import check_of_deployment
from schemas.faults import FieldFault, TooLarge
from schemas.limits import (
    MAX_DEFINITION_BYTES,
    MAX_NAME_BYTES,
    check_definition,
    check_filled,
    check_least,
    check_moment,
    check_note,
)
from schemas.policy_limits import check_scopes, check_target
from schemas.run_events import Result

MOST_ASKED = 1_000
"""Instants that one command skips or runs once more: they come back in one event."""
MAX_RESULT_BYTES = 256 * 1024
"""Of the output of an attempt, as its event keeps it: no runner sends as much by itself."""


def check_command(command: Command) -> None:
    """Refuse, by its name, a field that holds what no sender may ask for."""
    match command:
        case Unacceptable():
            pass
        case (
            Define()
            | Remove()
            | Pause()
            | Resume()
            | Trigger()
            | Skip()
            | Unskip()
            | Backfill()
            | CancelBackfill()
            | EditScopes()
        ):
            _check_of_schedule(command)
        case _:
            _check_of_subject(command)


def _check_of_schedule(command: ScheduleCommand) -> None:
    match command:
        case Define():
            if command.expected_version is not None:
                check_least(command.expected_version, NOT_THERE, "expected_version")
            check_definition(command.definition)
        case Remove():
            pass
        case Pause():
            check_note(command.reason, "reason")
            check_moment(command.until, "until")
        case Resume() | Trigger():
            check_note(command.reason, "reason")
        case Skip() | Unskip() | Backfill() | CancelBackfill() | EditScopes():
            check_note(command.reason, "reason")
            _check_of_instants(command)
        case _:
            assert_never(command)


def _check_of_instants(
    command: Skip | Unskip | Backfill | CancelBackfill | EditScopes,
) -> None:
    match command:
        case Skip():
            check_skip(command)
        case Unskip():
            check_moment(command.instant, "instant")
        case Backfill():
            check_backfill(command)
        case CancelBackfill():
            check_word(command.backfill, "backfill")
        case EditScopes():
            check_edit(command)
        case _:
            assert_never(command)


def _check_of_subject(command: SubjectCommand) -> None:
    match command:
        case HoldSubject():
            check_note(command.reason, "reason")
            check_moment(command.until, "until")
        case ReleaseSubject() | RemoveSubject():
            check_note(command.reason, "reason")
        case RemoveTarget():
            check_target(command.target, "target")
            check_note(command.reason, "reason")
        case ReportActivity():
            _check_activity(command)
        case ReportRun() | CancelRun() | ClaimRun() | DeclineRun() | DefineApp():
            _check_of_run(command)
        case _:
            check_of_deployment(command)


def _check_of_run(command: ReportRun | CancelRun | ClaimRun | DeclineRun | DefineApp) -> None:
    match command:
        case ReportRun():
            _check_report(command)
        case CancelRun():
            check_word(command.run, "run")
            check_note(command.reason, "reason")
        case ClaimRun():
            _check_claim(command)
        case DeclineRun():
            _check_claim(command)
            check_note(command.why, "why")
        case DefineApp():
            check_app(command.app)
        case _:
            assert_never(command)


def check_beat(beat: Beat) -> Beat:
    """Give a runner's beat back if every record that repeats it can."""
    check_least(beat.boot, 0, "boot")
    check_least(beat.slots, 0, "slots")
    for pool in beat.pools:
        check_word(pool, "pools")
    for one in beat.runs:
        check_word(one.subject, "runs")
        check_word(one.run, "runs")
    return beat


def _check_report(report: ReportRun) -> None:
    check_word(report.run, "run")
    check_note(report.detail, "detail")
    if report.attempt is not None:
        check_least(report.attempt, 1, "attempt")
    if report.runner is not None:
        check_word(report.runner, "runner")
    if report.boot is not None:
        check_least(report.boot, 0, "boot")
    if report.result is not None:
        check_result(report.result)


def check_result(result: Result) -> Result:
    """Give what a runner found back if the event of an attempt's end can repeat it."""
    check_note(result.output, "result.output", MAX_RESULT_BYTES)
    if result.reference is not None:
        check_note(result.reference, "result.reference")
    check_moment(result.started_at, "result.started_at")
    check_moment(result.ended_at, "result.ended_at")
    return result


def _check_claim(asked: ClaimRun | DeclineRun) -> None:
    check_word(asked.run, "run")
    check_word(asked.runner, "runner")
    if not may_be_called(asked.runner):  # what it has would be given up: it cannot beat
        raise FieldFault("runner", f"no runner is called {asked.runner[:40]!r}")
    check_least(asked.attempt, 1, "attempt")
    check_least(asked.issue, 1, "issue")
    check_least(asked.boot, 0, "boot")


def check_skip(skip: Skip) -> Skip:
    """Give a skip back if it is of a number of instants or of one, and of no more than that."""
    if (skip.count is None) is (skip.instant is None):
        raise FieldFault("count", "needs exactly one of count, instant")
    if skip.count is not None:
        _check_number(skip.count, "count")
    check_moment(skip.instant, "instant")
    return skip


def check_backfill(backfill: Backfill) -> Backfill:
    """Give a backfill back if it is of a range or of instants in their order."""
    _check_number(backfill.most, "max")
    if not backfill.instants:
        _check_range(backfill)
        return backfill
    for name in ("first", "last"):
        if getattr(backfill, name) is not None:
            raise FieldFault(name, "not together with instants")
    _check_instants(backfill.instants)
    return backfill


def check_word(text: str, path: str) -> str:
    """Give the name of a run, a target or a backfill back if there can be such a name."""
    check_filled(text, path)
    return check_note(text, path, MAX_NAME_BYTES)


def _check_range(backfill: Backfill) -> None:
    for name, instant in (("first", backfill.first), ("last", backfill.last)):
        if instant is None:
            raise FieldFault(name, "is missing: a range has first and last; or name instants")
        check_moment(instant, name)
    if backfill.first is not None and backfill.last is not None and backfill.last < backfill.first:
        raise FieldFault("last", "must not be earlier than first")


def _check_instants(instants: tuple[int, ...]) -> None:
    if len(instants) > MOST_ASKED:
        raise FieldFault("instants", f"has {MOST_ASKED:,} at most, this one has {len(instants):,}")
    for i, instant in enumerate(instants):
        check_moment(instant, f"instants[{i}]")
        if i and instant <= instants[i - 1]:
            raise FieldFault(f"instants[{i}]", "must be later than the one before it")


def _check_number(number: int, path: str) -> None:
    check_least(number, 1, path)
    if number > MOST_ASKED:
        raise FieldFault(path, f"at most {MOST_ASKED:,}, not {number:,}")


def _check_activity(seen: ReportActivity) -> None:
    check_least(seen.in_flight, 0, "in_flight")
    check_least(seen.waiting, 0, "waiting")
    check_moment(seen.sampled_at, "sampled_at")
    check_moment(seen.last_request, "last_request")
    for name in ("served", "rate", "usual"):
        number = getattr(seen, name)
        if number is not None:
            check_least(number, 0, name)


def check_edit(edit: EditScopes) -> EditScopes:
    """Give an edit of scopes back if it names some, and an event can repeat it."""
    check_scopes(edit.scopes, "scopes", least=1)
    size = len(encode(edit))
    if size > MAX_DEFINITION_BYTES:
        raise TooLarge("scopes", f"has {MAX_DEFINITION_BYTES} bytes at most, not {size}")
    return edit
