"""What goes on in a subject is shown as its processor has it: runs, holds, backfills, activity."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pytest

from horae.cli import going_on
from horae.cli.going_on import show_subject
from horae.cli.output import Form
from horae.under_way import UnderWay, find_under_way
from schemas.actions import App
from schemas.codec import encode
from schemas.deployments import Deployment, DeploymentState, Vllm
from schemas.snapshot import (
    Activity,
    BackfillNote,
    FailureCount,
    Insight,
    Run,
    RunPhase,
    Standing,
    SubjectHold,
    SubjectNotes,
)
from schemas.subject_events import InsightKind
from schemas.units import HOUR, MINUTE
from streams.processor.keys import cursor_key, run_key, subject_key
from tests.decider.stage import at

NOON = at("12:00")
HELD = SubjectNotes(
    hold=SubjectHold("works", "user:eve", NOON, NOON + HOUR),
    activity=Activity(None, 2, 1, NOON),
    failures=(FailureCount("shop/a", 2, 2), FailureCount("shop/gone", 0, 3)),
    backfills=(BackfillNote("b.7", "shop/a", (NOON,), 3, None, "user:ann"),),
)
FIRST = Run(
    *("jr_first", "shop/a", 1, 1, "rack-a", NOON, NOON, None, RunPhase.STARTED, NOON),
    started_at=NOON,
    lease_until=NOON + MINUTE,
)
NEXT = FIRST._replace(
    id="jr_next",
    due=NOON + MINUTE,
    phase=RunPhase.WAITING,
    started_at=None,
    behind="jr_first",
    lease_until=None,
    until=NOON + HOUR,
)


def kept(run: Run) -> tuple[bytes, bytes]:
    return run_key(run.id), encode(run)


@dataclass
class Partition:
    """The state of a partition."""

    records: Sequence[tuple[bytes, bytes | None]]

    def state(self, _: str) -> Iterable[tuple[bytes, bytes | None]]:
        return self.records


def test_runs_that_are_not_over_are_in_the_order_in_which_they_were_due() -> None:
    found = find_under_way(Partition([kept(NEXT), kept(FIRST)]), "shop")

    assert found == UnderWay((FIRST, NEXT), SubjectNotes())


def test_the_newest_word_about_a_run_counts() -> None:
    ended = FIRST._replace(phase=RunPhase.ENDED)
    again = NEXT._replace(phase=RunPhase.STARTED, started_at=NOON + HOUR)
    forgotten = FIRST._replace(id="jr_gone")
    records = [kept(FIRST), kept(NEXT), kept(forgotten), kept(ended), kept(again)]

    found = find_under_way(Partition([*records, (run_key("jr_gone"), None)]), "shop")

    assert found.runs == (again,)


def test_other_subjects_and_other_things_of_the_partition_are_left_out() -> None:
    other = FIRST._replace(id="jr_other", schedule="shopping/a")
    records = [
        (cursor_key("shop/a"), b"no run"),
        (subject_key("shopping"), encode(HELD)),
        kept(other),
    ]

    assert find_under_way(Partition(records), "shop") == UnderWay((), SubjectNotes())


def test_a_subject_that_was_forgotten_is_not_held() -> None:
    records = [(subject_key("shop"), encode(HELD)), (subject_key("shop"), None)]

    assert find_under_way(Partition(records[:1]), "shop").notes == HELD
    assert find_under_way(Partition(records), "shop").notes == SubjectNotes()


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(going_on, "_look", lambda _: UnderWay((FIRST, NEXT), HELD))


@pytest.mark.usefixtures("busy")
def test_each_run_is_a_line_that_says_what_it_waits_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_subject("shop")
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]

    noon = "2026-06-01T12:00:00Z"
    assert lines[-2:] == [
        f"jr_first shop/a rack-a {noon} 1 started {noon} 2026-06-01T12:01:00Z",
        f"jr_next shop/a rack-a {noon} 1 waiting behind jr_first {noon} 2026-06-01T13:00:00Z",
    ]


@pytest.mark.usefixtures("busy")
def test_all_that_is_known_of_a_subject_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    show_subject("shop")
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]

    assert lines[:7] == [
        "subject shop",
        "held since 2026-06-01T12:00:00Z until 2026-06-01T13:00:00Z by user:eve: works",
        "runs 1 under way, 1 waiting",
        "activity 2 in flight, 1 waiting, last request none, seen 2026-06-01T12:00:00Z",
        "failed in a row shop/a 2",
        "unsuccessful in a row shop/a 2, shop/gone 3",
        "backfills b.7 (1 of 3 left)",
    ]


@pytest.mark.usefixtures("busy")
def test_a_program_gets_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    show_subject("shop", Form.JSON)
    found = json.loads(capsys.readouterr().out)

    assert found["held"] == {
        "since": "2026-06-01T12:00:00Z",
        "until": "2026-06-01T13:00:00Z",
        "actor": "user:eve",
        "reason": "works",
    }
    assert (found["actions_held"], found["failures_in_a_row"]) == (None, {"shop/a": 2})
    assert found["unsuccessful_in_a_row"] == {"shop/a": 2, "shop/gone": 3}
    assert found["backfills"][0]["left"] == 1
    assert [(run["run"], run["phase"], run["behind"]) for run in found["runs"]] == [
        ("jr_first", "started", None),
        ("jr_next", "waiting", "jr_first"),
    ]


def test_a_deployment_and_its_state_are_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = SubjectNotes(
        activity=Activity(None, 0, 0, NOON, 12, 3_000, 400_000),
        deployment=Deployment(Vllm("http://gpu:8000", level=2, stop=("down", "llama a")), 90),
        standing=Standing(DeploymentState.STOPPED, "user:ada", NOON, "user:ada"),
    )
    monkeypatch.setattr(going_on, "_look", lambda _: UnderWay((), notes))
    show_subject("llama")
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    show_subject("llama", Form.JSON)
    found = json.loads(capsys.readouterr().out)

    assert lines[4:] == [
        "state stopped since 2026-06-01T12:00:00Z by user:ada",
        "vllm url http://gpu:8000",
        "vllm level 2",
        "vllm stop down 'llama a'",
        "priority 90",
        "zone UTC",
    ]
    assert found["deployment"]["vllm"]["level"] == 2
    assert found["state"] == {
        "state": "stopped",
        "actor": "user:ada",
        "since": "2026-06-01T12:00:00Z",
        "stopped_by": "user:ada",
    }
    assert found["activity"]["served"] == 12
    assert (found["activity"]["rate"], found["activity"]["usual"]) == (3.0, 400.0)


def test_an_app_and_what_should_not_stay_so_are_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failing = Insight(InsightKind.FAILING, "shop/a", "3 runs in a row did not succeed", NOON)
    notes = SubjectNotes(app=App("shop:1"), insights=(failing,))
    monkeypatch.setattr(going_on, "_look", lambda _: UnderWay((), notes))
    show_subject("shop")
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    show_subject("shop", Form.JSON)
    found = json.loads(capsys.readouterr().out)

    assert "insights shop/a: 3 runs in a row did not succeed" in lines
    assert "app image shop:1" in lines
    assert found["app"] == {"image": "shop:1"}
    assert found["insights"] == [
        {
            "kind": "failing",
            "about": "shop/a",
            "message": "3 runs in a row did not succeed",
            "since": "2026-06-01T12:00:00Z",
        }
    ]


def test_that_nothing_goes_on_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(going_on, "_look", lambda _: UnderWay((), SubjectNotes()))
    show_subject("shop")
    out = capsys.readouterr().out

    assert "runs     none\n" in out
