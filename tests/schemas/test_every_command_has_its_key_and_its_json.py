"""Whatever can be asked is read back from its record and from its JSON, under its own key."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.actions import App
from schemas.codec import encode
from schemas.command_keys import OF_A_SCHEDULE, OF_A_SUBJECT, key_of, word_of
from schemas.commands import (
    AcceptProposal,
    Backfill,
    CancelBackfill,
    CancelRun,
    ClaimRun,
    Command,
    DeclineRun,
    Define,
    DefineApp,
    DefineDeployment,
    DismissProposal,
    EditScopes,
    HoldSubject,
    Pause,
    Propose,
    ReleaseSubject,
    Remove,
    RemoveSubject,
    RemoveTarget,
    ReportActivity,
    ReportRun,
    ReportState,
    ReportStatus,
    Resume,
    ScheduleCommand,
    ScopeEdit,
    Skip,
    SubjectCommand,
    Trigger,
    Unacceptable,
    Unskip,
    WithdrawProposal,
)
from schemas.definition import CatchUpMode, Cron, Definition, Emit
from schemas.deployments import ContainerDriver, Deployment, DeploymentState
from schemas.faults import FieldFault, Unreadable, Unwritable
from schemas.identity import is_subject
from schemas.policies import Filter, FilterKind, OverlapMode, Scope
from schemas.proposals import IdleWindow, Proposal, ProposalSource
from schemas.reading import command_json, command_record, read_command, split_key
from schemas.run_events import Result
from tests.schemas.drawn_deployments import deployments, proposals, texts
from tests.schemas.drawn_works import apps

NEW_YEAR = 1_798_761_600_000_000
NIGHT = IdleWindow(0, 79_200, 1, 27_900, 600, 3, 3)
DEFINE = Define(Definition((Cron("@daily"),), Emit("t")))

instants = st.integers(0, NEW_YEAR)
counts = st.integers(0, 1 << 30)
numbers = st.integers(1, 99)
notes = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=9)
words = st.text("abc_-.é1", min_size=1, max_size=9)
ids = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,9}", fullmatch=True)
modes = st.none() | st.sampled_from(OverlapMode)
results = st.builds(
    Result,
    exit_code=st.none() | st.integers(-1, 599),
    output=notes,
    cut=st.booleans(),
    reference=st.none() | notes,
    started_at=st.none() | instants,
    ended_at=st.none() | instants,
)
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
    ReportActivity: st.builds(
        ReportActivity,
        in_flight=counts,
        waiting=counts,
        sampled_at=instants,
        last_request=st.none() | instants,
        served=st.none() | counts,
        rate=st.none() | counts,
        usual=st.none() | counts,
    ),
    ReportRun: st.builds(
        ReportRun,
        run=words,
        status=st.sampled_from(ReportStatus),
        attempt=st.none() | numbers,
        detail=notes,
        runner=st.none() | words,
        boot=st.none() | counts,
        result=st.none() | results,
    ),
    CancelRun: st.builds(CancelRun, words, notes),
    ClaimRun: st.builds(ClaimRun, words, numbers, numbers, words, counts),
    DeclineRun: st.builds(DeclineRun, words, numbers, numbers, words, counts, notes),
    DefineApp: st.builds(DefineApp, apps),
    DefineDeployment: st.builds(DefineDeployment, deployments),
    ReportState: st.builds(
        ReportState, st.sampled_from(DeploymentState), st.none() | texts, st.just("") | notes
    ),
    Propose: st.builds(Propose, proposals),
    AcceptProposal: st.builds(AcceptProposal, ids, notes),
    DismissProposal: st.builds(DismissProposal, ids, notes),
    WithdrawProposal: st.builds(WithdrawProposal, ids, notes),
}


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
        DefineDeployment: DefineDeployment(Deployment(ContainerDriver())),
        ReportState: ReportState(DeploymentState.ASLEEP),
        Propose: Propose(Proposal("p", (NIGHT,), "UTC", ProposalSource.RULES, 1_000)),
        AcceptProposal: AcceptProposal("p"),
        DismissProposal: DismissProposal("p"),
        WithdrawProposal: WithdrawProposal("p"),
    }
    return some.get(kind) or kind()  # type: ignore[call-arg, return-value]


@pytest.mark.parametrize(
    ("key", "schedule", "kind", "id_"),
    [
        ("shop/#hold:1", "shop/", "hold", "1"),
        ("shop/#activity", "shop/", "activity", None),
        ("shop/#deployment", "shop/", "deployment", None),
        ("shop/#state:1", "shop/", "state", "1"),
        ("shop/#accept:1", "shop/", "accept", "1"),
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
        "a deployment with an id": ("shop/#deployment:1", "has no id"),
        "a state without an id": ("shop/#state", "no id"),
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
