"""A command that holds what none may hold is refused by its field, whatever it came as."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.actions import App
from schemas.command_keys import OF_A_SUBJECT
from schemas.command_limits import MAX_RESULT_BYTES, check_command
from schemas.commands import (
    Backfill,
    CancelBackfill,
    CancelRun,
    ClaimRun,
    Command,
    DeclineRun,
    DefineApp,
    EditScopes,
    HoldSubject,
    ReleaseSubject,
    RemoveSubject,
    RemoveTarget,
    ReportActivity,
    ReportRun,
    ReportStatus,
    ScopeEdit,
    Skip,
    Unacceptable,
    Unskip,
)
from schemas.faults import FieldFault
from schemas.limits import MAX_DEFINITION_BYTES, MAX_NAME_BYTES, MAX_NOTE_BYTES
from schemas.policies import Scope
from schemas.reading import command_record, read_command
from schemas.run_events import Result

NEW_YEAR = 1_798_761_600_000_000
OUT_OF_RANGE = 1 << 62
LONG = "r" * (MAX_NOTE_BYTES + 1)
ONE = (Scope("x"),)


def _reported(**result: Any) -> ReportRun:
    return ReportRun("x", ReportStatus.FAILED, result=Result(**result))


WRONG: dict[str, tuple[Command, str]] = {
    "a skip of nothing": (Skip(), "count"),
    "a skip of both": (Skip(1, NEW_YEAR), "count"),
    "a skip of none": (Skip(0), "count"),
    "a skip of too many": (Skip(1_001), "count"),
    "a skip at no instant": (Skip(instant=OUT_OF_RANGE), "instant"),
    "an unskip at no instant": (Unskip(OUT_OF_RANGE), "instant"),
    "a backfill of nothing": (Backfill(), "first"),
    "a backfill without end": (Backfill(1), "last"),
    "a backfill backwards": (Backfill(2, 1), "last"),
    "a backfill of no instant": (Backfill(1, OUT_OF_RANGE), "last"),
    "a backfill of a range and instants": (Backfill(last=2, instants=(1,)), "last"),
    "a backfill of an instant twice": (Backfill(instants=(1, 2, 2)), "instants[2]"),
    "a backfill out of order": (Backfill(instants=(2, 1)), "instants[1]"),
    "a backfill of what is no instant": (Backfill(instants=(OUT_OF_RANGE,)), "instants[0]"),
    "a backfill of too many": (Backfill(instants=tuple(range(1_001))), "instants"),
    "a backfill of at most none": (Backfill(1, 2, most=0), "max"),
    "a backfill of at most too many": (Backfill(1, 2, most=1_001), "max"),
    "a cancel of no backfill": (CancelBackfill(" "), "backfill"),
    "a cancel of a long one": (CancelBackfill("x" * (MAX_NAME_BYTES + 1)), "backfill"),
    "an edit of no scope": (EditScopes(ScopeEdit.UPDATE, ()), "scopes"),
    "an edit of a scope twice": (EditScopes(ScopeEdit.ADD, (*ONE, *ONE)), "scopes[1].target"),
    "an edit that is too large": (
        EditScopes(
            ScopeEdit.ADD,
            tuple(Scope(f"{i}{'x' * 390}") for i in range(MAX_DEFINITION_BYTES // 390)),
        ),
        "scopes",
    ),
    "a hold until no instant": (HoldSubject(until=OUT_OF_RANGE), "until"),
    "a target without name": (RemoveTarget(""), "target"),
    "less than nothing in flight": (ReportActivity(-1, 0, 0), "in_flight"),
    "less than nothing waiting": (ReportActivity(0, -1, 0), "waiting"),
    "a sample at no instant": (ReportActivity(0, 0, OUT_OF_RANGE), "sampled_at"),
    "a request at no instant": (ReportActivity(0, 0, 0, OUT_OF_RANGE), "last_request"),
    "a report of no run": (ReportRun("", ReportStatus.FAILED), "run"),
    "a report of no attempt": (ReportRun("x", ReportStatus.FAILED, 0), "attempt"),
    "a report of much": (ReportRun("x", ReportStatus.FAILED, None, LONG), "detail"),
    "a cancel of no run": (CancelRun("\0"), "run"),
    "a report of no runner": (ReportRun("x", ReportStatus.FAILED, runner=""), "runner"),
    "a report of no life": (ReportRun("x", ReportStatus.FAILED, runner="r", boot=-1), "boot"),
    "a result of too much": (_reported(output="x" * (MAX_RESULT_BYTES + 1)), "result.output"),
    "a result of no text": (_reported(output="a\0b"), "result.output"),
    "a result with much to look up": (_reported(reference=LONG), "result.reference"),
    "a result that began at no instant": (
        _reported(started_at=OUT_OF_RANGE),
        "result.started_at",
    ),
    "a result that ended at no instant": (_reported(ended_at=OUT_OF_RANGE), "result.ended_at"),
    "a claim of no run": (ClaimRun("", 1, 1, "r", 1), "run"),
    "a claim of no attempt": (ClaimRun("x", 0, 1, "r", 1), "attempt"),
    "a claim of no offer": (ClaimRun("x", 1, 0, "r", 1), "issue"),
    "a claim by what cannot beat": (ClaimRun("x", 1, 1, "a|b", 1), "runner"),
    "a decline by what cannot beat": (DeclineRun("x", 1, 1, "r" * 257, 1, ""), "runner"),
    "a claim by nobody": (ClaimRun("x", 1, 1, " ", 1), "runner"),
    "a claim of no life": (ClaimRun("x", 1, 1, "r", -1), "boot"),
    "an app of no image": (DefineApp(App("a b")), "image"),
    "a decline by nobody": (DeclineRun("x", 1, 1, "", 1, ""), "runner"),
    "a long reason of a decline": (DeclineRun("x", 1, 1, "r", 1, LONG), "why"),
    "a long reason of a skip": (Skip(1, None, LONG), "reason"),
    "a long reason of an edit": (EditScopes(ScopeEdit.ADD, ONE, LONG), "reason"),
    "a long reason of a hold": (HoldSubject(LONG), "reason"),
    "a long reason of a release": (ReleaseSubject(LONG), "reason"),
    "a long reason of a removal": (RemoveSubject(LONG), "reason"),
    "a long reason for a target": (RemoveTarget("x", LONG), "reason"),
    "a long reason of a cancel": (CancelRun("x", LONG), "reason"),
}


@pytest.mark.parametrize(("command", "field"), WRONG.values(), ids=WRONG.keys())
def test_a_command_past_its_limits_is_refused_by_its_field(command: Command, field: str) -> None:
    with pytest.raises(FieldFault) as caught:
        check_command(command)
    assert caught.value.field == field
    assert not isinstance(command, Unacceptable)
    about = "a/" if type(command) in OF_A_SUBJECT.values() else "a/b"
    key, value = command_record(about, command, "1")

    with pytest.raises(FieldFault):
        read_command(key, value)


def test_what_is_not_acceptable_is_not_checked_again() -> None:
    check_command(Unacceptable("pause", "until", LONG))
