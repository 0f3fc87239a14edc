"""A reply names the run in the way, counts what was asked for, and says what changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import (
    Asked,
    Backfill,
    CancelBackfill,
    CancelRun,
    Command,
    EditScopes,
    HoldSubject,
    RemoveSubject,
    RemoveTarget,
    ReportRun,
    ReportStatus,
    ScopeEdit,
    Skip,
    Trigger,
    Unskip,
)
from schemas.definition import Cron, Definition, Emit
from schemas.events import (
    BackfillEnded,
    BackfillProgressed,
    BackfillStarted,
    CommandRefused,
    CommandUnchanged,
    Fired,
    Outcome,
    Reason,
    RunCancelling,
    RunEnded,
    RunNoted,
    RunRetries,
    ScheduleChanged,
    ScheduleEvent,
    ScheduleRemoved,
    ScopeResult,
    Skipped,
    SkipsChanged,
    SubjectHeld,
)
from schemas.instants import format_instant
from schemas.policies import Filter, FilterKind, Scope
from schemas.reading import read_definition
from schemas.replies import Reply, Verdict
from schemas.run_events import RunStatus
from schemas.snapshot import Cursor
from streams.decider.state import Plan, Schedule
from streams.processor.replying import reply_to

NAME = "shop/nightly"
NOON = 1_798_804_800_000_000
HOUR = 3_600_000_000
RULE = Definition((Cron("@daily"),), Emit("jobs"))
PLAN = Plan(NAME, 4, 2, NOON, NOON, "user:ann", RULE, None)
RUN = (NAME, 4, 2, "jr_1", "shop", NOON, None, 1)
OWN = "trigger:c.9"


def said(
    command: Command, *events: ScheduleEvent, plan: Plan | None = PLAN, schedule: str = NAME
) -> Reply:
    state = None if plan is None else Schedule(plan, Cursor(*(0,) * 9))
    asked = Asked(schedule, command, "c", 0, 9, 9, NOON)
    return reply_to(asked, events, state, state, NOON)


def fired(*scopes: ScopeResult, origin: str | None = OWN) -> Fired:
    return Fired(NAME, 4, 2, NOON, NOON, NOON, 0, origin, late=False, scopes=scopes,
                 next=NOON, next_due=NOON)  # fmt: skip


def skipped(reason: Reason, evidence: str | None, origin: str | None = OWN) -> Skipped:
    return Skipped(
        *(NAME, 4, 2, NOON, NOON, 1, reason, NOON, 0, NOON, NOON),
        origin=origin,
        evidence=evidence,
    )


def test_a_trigger_that_was_skipped_names_what_stood_in_the_way() -> None:
    found = said(Trigger(), skipped(Reason.OVERLAP, "jr_7 runs since noon"))

    assert (found.verdict, found.message) == (Verdict.SKIPPED, "jr_7 runs since noon")
    assert found.occurrence == f"{NAME}~2@{OWN}"


def test_without_evidence_it_is_the_reason() -> None:
    assert said(Trigger(), skipped(Reason.CAPACITY, None)).message == "capacity"


def test_a_skip_that_was_settled_on_the_way_is_not_the_triggers() -> None:
    found = said(Trigger(), skipped(Reason.WITHDRAWN, "by hand", None), fired())

    assert (found.verdict, found.message) == (Verdict.ACCEPTED, None)
    assert found.occurrence == f"{NAME}~2@{OWN}"


def test_a_fire_of_a_backfill_is_not_the_triggers() -> None:
    assert said(Trigger(), fired(origin=f"{format_instant(NOON)}+b.7")).occurrence is None


def test_a_fire_by_hand_names_the_scopes_that_have_not_started() -> None:
    found = said(
        Trigger(),
        fired(
            ScopeResult("rack-a", "jr_1", Outcome.STARTED),
            ScopeResult("rack-b", "jr_2", Outcome.WAITING),
            ScopeResult("rack-c", "jr_3", Outcome.SKIPPED, Reason.OVERLAP),
        ),
    )

    assert (found.verdict, found.message) == (
        Verdict.ACCEPTED,
        "rack-b waiting, rack-c skipped (overlap)",
    )


WORK = replace(PLAN, definition=read_definition({"cron": "@daily", "command": ["df"]}))
STARTED = ScopeResult("shop", "jr_1", Outcome.STARTED)


@pytest.mark.parametrize(
    ("scopes", "message"),
    {
        "one for the subject": ((STARTED,), "run jr_1"),
        "one that waits": ((STARTED._replace(outcome=Outcome.WAITING),), "run jr_1 waiting"),
        "some for targets": (
            (
                ScopeResult("rack-a", "jr_1", Outcome.STARTED),
                ScopeResult("rack-b", "jr_2", Outcome.WAITING),
                ScopeResult("rack-c", "jr_3", Outcome.SKIPPED, Reason.OVERLAP),
            ),
            "rack-a jr_1, rack-b jr_2 waiting, rack-c skipped (overlap)",
        ),
    }.values(),
)
def test_a_fire_by_hand_of_what_is_reported_about_names_its_runs(
    scopes: tuple[ScopeResult, ...], message: str
) -> None:
    assert said(Trigger(), fired(*scopes), plan=WORK).message == message


ONCE_MORE = BackfillStarted(NAME, 4, 2, "c.9", (NOON, NOON + HOUR), None, "")
SENTENCES: dict[str, tuple[Command, tuple[ScheduleEvent, ...], str | None]] = {
    "a backfill": (Backfill(), (ONCE_MORE,), "2 instants, as c.9"),
    "a backfill of one": (
        Backfill(),
        (replace(ONCE_MORE, instants=(NOON,)),),
        "1 instant, as c.9",
    ),
    "a backfill that was only asked about": (
        Backfill(dry_run=True),
        (
            BackfillEnded(
                *(NAME, 4, 2, "c.9", 0, 2), cancelled=True, reason="dry run: 2 instants"
            ),
        ),
        "dry run: 2 instants",
    ),
    "the end of a backfill": (
        CancelBackfill("b"),
        (
            BackfillProgressed(NAME, 4, 2, "b.7", 1, 3),
            BackfillEnded(NAME, 4, 2, "b.7", 1, 3, cancelled=True, reason=""),
        ),
        "1 of 3 instants had their turn",
    ),
    "a backfill that is not there": (CancelBackfill("b"), (), None),
    "a skip": (
        Skip(2),
        (SkipsChanged(NAME, 4, 2, (NOON, NOON + HOUR), ""),),
        "to be skipped: 2027-01-01T12:00:00Z, 2027-01-01T13:00:00Z",
    ),
    "a skip of many": (
        Skip(9),
        (SkipsChanged(NAME, 4, 2, tuple(NOON + i * HOUR for i in range(9)), ""),),
        "to be skipped: " + ", ".join(f"2027-01-01T{h}:00:00Z" for h in range(12, 17))
        + " and 4 more",
    ),
    "an attempt that ended badly": (
        ReportRun("jr_1", ReportStatus.FAILED),
        (RunRetries(*RUN, RunStatus.FAILED, NOON + HOUR),),
        "attempt 2 follows at 2027-01-01T13:00:00Z",
    ),
    "the end of a run": (
        ReportRun("jr_1", ReportStatus.SUCCESS),
        (RunEnded(*RUN, RunStatus.SUCCESS, NOON),),
        "ended success",
    ),
    "the end of another run": (
        ReportRun("jr_2", ReportStatus.SUCCESS),
        (RunEnded(*RUN, RunStatus.SUCCESS, NOON),),
        None,
    ),
    "a sign of life": (
        ReportRun("jr_1", ReportStatus.RUNNING),
        (RunNoted(*RUN, "running", NOON + HOUR),),
        None,
    ),
    "a wish that a run stops": (
        CancelRun("jr_1"),
        (RunCancelling(*RUN, "enough"),),
        "asked to stop",
    ),
    "the end of what never began": (
        CancelRun("jr_1"),
        (RunEnded(*RUN, RunStatus.DROPPED, None, "", Reason.WITHDRAWN),),
        "ended dropped (withdrawn)",
    ),
    "a hold": (HoldSubject(), (SubjectHeld("shop/", "", NOON, None, actions_only=False),), None),
    "a target that is gone": (
        RemoveTarget("rack-a"),
        tuple(
            ScheduleChanged(f"shop/{i}", 9, 2, 4, RULE, NOON, NOON) for i in range(7)
        ),
        "changed shop/0, shop/1, shop/2, shop/3, shop/4 and 2 more",
    ),
    "a target that nobody had": (RemoveTarget("x"), (), "no schedule was concerned"),
    "a subject that is gone": (
        RemoveSubject(),
        (ScheduleRemoved("shop/a", 9, 2), ScheduleRemoved("shop/b", 9, 3)),
        "removed shop/a, shop/b",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("command", "events", "sentence"), SENTENCES.values(), ids=SENTENCES.keys()
)
def test_a_command_is_answered_with_a_sentence(
    command: Command, events: tuple[ScheduleEvent, ...], sentence: str | None
) -> None:
    found = said(command, *events)

    assert (found.verdict, found.message) == (Verdict.ACCEPTED, sentence)


def test_an_undo_names_what_fires_again() -> None:
    plan = replace(PLAN, skips=(NOON, NOON + HOUR))
    found = said(Unskip(NOON), SkipsChanged(NAME, 4, 2, (NOON + HOUR,), ""), plan=plan)

    assert found.message == "no longer to be skipped: 2027-01-01T12:00:00Z"


def scopes(*found: Scope) -> ScheduleChanged:
    return ScheduleChanged(NAME, 9, 2, 4, replace(RULE, scopes=found), NOON, NOON)


def test_an_edit_of_scopes_says_what_changed_and_which_are_left() -> None:
    """IT-086: one added, one removed, one updated, and the full list."""
    types = Filter(FilterKind.TYPES, ("compute",))
    before = (Scope("rack-a"), Scope("rack-b"), Scope("rack-c"))
    plan = replace(PLAN, definition=replace(RULE, scopes=before))
    after = scopes(Scope("rack-b", types), Scope("rack-c"), Scope("rack-d"))
    found = said(EditScopes(ScopeEdit.UPDATE, ()), after, plan=plan)

    assert found.message == (
        "added 1: rack-d; changed 1: rack-b; removed 1: rack-a; now 3: rack-b, rack-c, rack-d"
    )


def test_without_scopes_the_subject_was_the_target() -> None:
    found = said(EditScopes(ScopeEdit.ADD, ()), scopes(Scope("shop"), Scope("rack-a")))

    assert found.message == "added 1: rack-a; now 2: shop, rack-a"


def test_a_report_that_changes_nothing_says_why() -> None:
    ignored = RunNoted(*RUN, "success", None, "it ended before")
    found = said(ReportRun("jr_1", ReportStatus.SUCCESS), ignored, plan=None, schedule="shop/")

    assert (found.verdict, found.message) == (Verdict.UNCHANGED, "it ended before")
    assert (found.schedule, found.command, found.version) == ("shop/", "report", None)


@pytest.mark.parametrize("command", [EditScopes(ScopeEdit.ADD, ()), Skip(1), RemoveSubject()])
def test_a_refusal_says_what_was_wrong_and_nothing_else(command: Command) -> None:
    found = said(command, CommandRefused(NAME, "scopes", "scopes", "there are none"))

    assert (found.verdict, found.field, found.message) == (
        *(Verdict.REFUSED, "scopes", "there are none"),
    )


def test_what_already_was_is_unchanged() -> None:
    found = said(Skip(1), CommandUnchanged(NAME, "skip", 4, 2, NOON))

    assert (found.verdict, found.command, found.message) == (Verdict.UNCHANGED, "skip", None)
