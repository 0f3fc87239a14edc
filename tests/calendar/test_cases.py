"""Every case of the calendar has the answer that was agreed on, by iterating and by asking anew."""

import json
from pathlib import Path
from typing import Any

import pytest

from schemas.definition import Cron, Dst
from schemas.instants import format_instant, parse_instant
from streams.calendar.occurrences import NEVER, Rule, TimingRefused, rule_for
from streams.calendar.preview import answer

HERE = Path(__file__).resolve()
SHARED = HERE.parents[3] / "shared" / "cases" / "calendar.jsonl"
OURS = HERE.parents[1] / "cases" / "calendar.jsonl"
CASES: list[dict[str, Any]] = [
    json.loads(line) for line in (SHARED if SHARED.exists() else OURS).read_text().splitlines()
]
KINDS = {"fire", "wild", "star", "tzdata", "choice", "reject", "never"}


def kind(case: dict[str, Any]) -> str:
    return str(case["rule"]).split("]")[0].removeprefix("[")


def rule_of(case: dict[str, Any]) -> Rule:
    return rule_for((Cron(case["expr"]),), case["zone"], Dst.SHIFT)


def test_the_cases_are_known_and_all_here() -> None:
    assert len(CASES) >= 145
    assert {kind(case) for case in CASES} <= KINDS


ANSWERED = [case for case in CASES if kind(case) not in {"reject", "never"}]
REFUSED = [case for case in CASES if kind(case) == "reject"]
SILENT = [case for case in CASES if kind(case) == "never"]


@pytest.mark.parametrize("case", ANSWERED, ids=lambda case: case["id"])
def test_asking_anew_from_each_answer(case: dict[str, Any]) -> None:
    rule, at, got = rule_of(case), parse_instant(case["after"]), []
    for _ in case["expect"]:
        at = rule.next_after(at).instant
        got.append(format_instant(at))

    assert got == case["expect"]


@pytest.mark.parametrize("case", ANSWERED, ids=lambda case: case["id"])
def test_iterating(case: dict[str, Any]) -> None:
    line = {**case, "n": len(case["expect"])}

    assert answer(line) == {"instants": case["expect"]}


@pytest.mark.parametrize("case", ANSWERED, ids=lambda case: case["id"])
def test_looking_back_from_the_last_answer(case: dict[str, Any]) -> None:
    rule, after = rule_of(case), parse_instant(case["after"])
    at, got = parse_instant(case["expect"][-1]), []
    while after < at < NEVER:
        got.append(format_instant(at))
        at = rule.previous(at - 1).instant

    assert got[::-1] == case["expect"]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["id"])
def test_refused_with_the_field_named(case: dict[str, Any]) -> None:
    with pytest.raises(TimingRefused) as refused:
        rule_of(case)

    assert refused.value.field == "cron"
    assert answer(case)["error"]


@pytest.mark.parametrize("case", SILENT, ids=lambda case: case["id"])
def test_never_comes(case: dict[str, Any]) -> None:
    try:
        tick = rule_of(case).next_after(parse_instant(case["after"]))
    except TimingRefused:
        return

    assert tick.instant == NEVER
