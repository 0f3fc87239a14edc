"""Whatever can be asked is read back from its record and from its JSON, under its own key."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.actions import App
from schemas.codec import encode
from schemas.command_keys import OF_A_SCHEDULE, OF_A_SUBJECT, key_of, word_of
from schemas.command_limits import MAX_RESULT_BYTES, check_command
from schemas.commands import (
    Backfill,
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
    ReportStatus,
    Resume,
    ScheduleCommand,
    ScopeEdit,
    Skip,
    SubjectCommand,
    Trigger,
    Unacceptable,
    Unskip,
)
from schemas.definition import CatchUpMode, Cron, Definition, Emit
from schemas.faults import FieldFault, Unreadable, Unwritable
from schemas.identity import is_subject
from schemas.limits import MAX_DEFINITION_BYTES, MAX_NAME_BYTES, MAX_NOTE_BYTES
from schemas.policies import Filter, FilterKind, OverlapMode, Scope
from schemas.reading import command_json, command_record, read_command, split_key
from schemas.run_events import Result

NEW_YEAR = 1_798_761_600_000_000
DEFINE = Define(Definition((Cron("@daily"),), Emit("t")))
OUT_OF_RANGE = 1 << 62

instants = st.integers(0, NEW_YEAR)
counts = st.integers(0, 1 << 30)
numbers = st.integers(1, 99)
notes = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=9)
words = st.text("abc_-.é1", min_size=1, max_size=9)
modes = st.none() | st.sampled_from(OverlapMode)
filters = st.builds(
    Filter,
    st.sampled_from(FilterKind),
    st.lists(words, min_size=1, max_size=3, unique=True).map(tuple),
)
scopes = st.lists(
    st.builds(Scope, words, st.none() | filters),
    min_size=1,
    max_size=3,
    unique_by=lambda scope: scope.target,
).map(tuple)


@st.composite
def ranges(draw: st.DrawFn) -> Backfill:
    first, last = sorted((draw(instants), draw(instants)))
    return Backfill(
        *(first, last, (), draw(st.booleans()), draw(st.integers(1, 1_000)), draw(modes)),
        *(draw(st.booleans()), draw(notes)),
    )


named = st.lists(instants, min_size=1, max_size=4, unique=True).map(
    lambda found: Backfill(instants=tuple(sorted(found)))
)
asked: dict[type[Command], st.SearchStrategy[ScheduleCommand | SubjectCommand]] = {
    Define: st.just(DEFINE),
    Pause: st.builds(Pause, notes, st.none() | instants),
    Resume: st.builds(Resume, notes, st.none() | st.sampled_from(CatchUpMode)),
    Trigger: st.builds(Trigger, notes, st.booleans(), modes),
    Skip: st.builds(Skip, st.integers(1, 1_000), reason=notes)
    | st.builds(Skip, instant=instants, reason=notes),
    Unskip: st.builds(Unskip, st.none() | instants, notes),
    Backfill: ranges() | named,
    CancelBackfill: st.builds(CancelBackfill, words, notes),
    EditScopes: st.builds(EditScopes, st.sampled_from(ScopeEdit), scopes, notes),
    HoldSubject: st.builds(HoldSubject, notes, st.none() | instants, st.booleans()),
    ReleaseSubject: st.builds(ReleaseSubject, notes),
    RemoveSubject: st.builds(RemoveSubject, notes, st.booleans()),
    RemoveTarget: st.builds(RemoveTarget, words, notes),
    ReportActivity: st.builds(ReportActivity, counts, counts, instants, st.none() | instants),
    ReportRun: st.builds(
        ReportRun, words, st.sampled_from(ReportStatus), st.none() | st.integers(1, 99), notes
    ),
    CancelRun: st.builds(CancelRun, words, notes),
    ClaimRun: st.builds(ClaimRun, words, numbers, numbers, words, counts),
    DeclineRun: st.builds(DeclineRun, words, numbers, numbers, words, counts, notes),
    DefineApp: st.builds(DefineApp, st.builds(App, words)),
}
NO_JSON_YET = {DefineApp}


def about(command: type[Command]) -> str:
    return "a/" if command in OF_A_SUBJECT.values() else "a/b"


def test_every_command_is_in_the_table_above() -> None:
    every = {*get_args(ScheduleCommand), *get_args(SubjectCommand)} - {Remove}

    assert every == set(asked) == {*OF_A_SCHEDULE.values(), *OF_A_SUBJECT.values()}


@pytest.mark.parametrize("kind", asked)
@given(data=st.data())
def test_a_command_comes_back_from_its_record_and_from_its_json(
    kind: type[Command], data: st.DataObject
) -> None:
    command = data.draw(asked[kind])
    key, value = command_record(about(kind), command, "17")

    assert read_command(key, value) == (about(kind), command)
    if kind not in NO_JSON_YET:
        text = json.dumps(command_json(command)).encode()
        assert read_command(key, text) == (about(kind), command)


@pytest.mark.parametrize("kind", asked)
@given(data=st.dictionaries(st.text(max_size=9), st.none() | st.integers() | st.text(max_size=5)))
def test_no_json_does_more_than_to_be_refused(kind: type[Command], data: dict[str, object]) -> None:
    found = key_of(about(kind), _any(kind), "1").encode()
    try:
        schedule, command = read_command(found, json.dumps(data).encode())
    except (FieldFault, Unreadable):
        return
    assert (schedule, type(command)) == (about(kind), kind)


def _any(kind: type[Command]) -> ScheduleCommand | SubjectCommand:
    some: dict[type[Command], ScheduleCommand | SubjectCommand] = {
        Define: DEFINE,
        CancelBackfill: CancelBackfill("x"),
        EditScopes: EditScopes(ScopeEdit.ADD, ()),
        RemoveTarget: RemoveTarget("x"),
        ReportActivity: ReportActivity(0, 0, 0),
        ReportRun: ReportRun("x", ReportStatus.SUCCESS),
        CancelRun: CancelRun("x"),
        ClaimRun: ClaimRun("x", 1, 1, "r", 1),
        DeclineRun: DeclineRun("x", 1, 1, "r", 1, ""),
        DefineApp: DefineApp(App("x")),
    }
    return some.get(kind) or kind()  # type: ignore[call-arg, return-value]


@pytest.mark.parametrize(
    ("key", "schedule", "kind", "id_"),
    [
        ("shop/#hold:1", "shop/", "hold", "1"),
        ("shop/#activity", "shop/", "activity", None),
        ("shop/#remove:a:b", "shop/", "remove", "a:b"),
        ("shop/a#cancel_backfill:x", "shop/a", "cancel_backfill", "x"),
        ("shop/a/#skip:x", "shop/a/", "skip", "x"),
        ("shop#skip:x", "shop/shop", "skip", "x"),
    ],
)
def test_a_key_says_of_whom_and_what(key: str, schedule: str, kind: str, id_: str | None) -> None:
    found = split_key(key.encode())

    assert found == (schedule, kind, id_)
    assert is_subject(schedule) is (found.command in OF_A_SUBJECT.values())


@pytest.mark.parametrize(
    ("key", "why"),
    {
        "a subject that is defined": ("shop/", "names no schedule"),
        "a subject without name": ("/#hold:1", "names no schedule"),
        "what a schedule is asked": ("shop/#pause:1", "asked of a schedule: subject/name#pause"),
        "what a subject is asked": ("shop/a#hold:1", "asked of a subject: subject/#hold"),
        "an alias": ("shop/#enable:1", "asked of a schedule: subject/name#resume"),
        "what nobody is asked": ("shop/#explode:1", "'explode'$"),
        "an activity with an id": ("shop/#activity:1", "has no id"),
        "an activity with half an id": ("shop/#activity:", "has no id"),
        "a hold without an id": ("shop/#hold", "no id"),
    }.values(),
)
def test_a_key_that_is_none_is_set_aside(key: str, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        read_command(key.encode(), b"{}")


def test_a_null_removes_nothing_but_schedules() -> None:
    with pytest.raises(Unreadable, match="is no activity"):
        read_command(b"shop/#activity", None)


def test_a_command_under_the_key_of_another_is_set_aside() -> None:
    with pytest.raises(Unreadable, match="Skip under the key of a hold"):
        read_command(b"shop/#hold:1", encode(Skip(1)))


@pytest.mark.parametrize(
    ("schedule", "command"),
    [("a/", Pause()), ("a/", Remove()), ("a/b", ReleaseSubject()), ("a/b/", CancelRun("jr_1"))],
)
def test_nobody_asks_a_subject_what_a_schedule_is_asked(
    schedule: str, command: ScheduleCommand | SubjectCommand
) -> None:
    with pytest.raises(Unwritable, match="is not asked of"):
        command_record(schedule, command, "1")


@pytest.mark.parametrize("command", [Remove(), Unacceptable("pause", "until", "")])
def test_what_has_no_json_says_so(command: Command) -> None:
    with pytest.raises(Unwritable, match="has no JSON"):
        command_json(command)


def test_a_command_goes_by_one_word() -> None:
    words_of = [word_of(Remove()), word_of(RemoveSubject()), word_of(Unacceptable("x", "", ""))]

    assert words_of == ["remove", "remove", "x"]
    assert word_of(ReportActivity(0, 0, 0)) == "activity"


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
    "a claim by nobody": (ClaimRun("x", 1, 1, " ", 1), "runner"),
    "a claim of no life": (ClaimRun("x", 1, 1, "r", -1), "boot"),
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
    key, value = command_record(about(type(command)), command, "1")

    with pytest.raises(FieldFault):
        read_command(key, value)


def test_what_is_not_acceptable_is_not_checked_again() -> None:
    check_command(Unacceptable("pause", "until", LONG))
