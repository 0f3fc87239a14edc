"""
Which of the agreed cases does a test prove, and which are still to come?

A test proves a case whose id stands in its name for a row or in its docstring; the calendar's cases
are run as they are, line by line. Every other id is on the to-do list with a reason. The files
in tests/cases are copies of those that were handed over, which are compared when they are there.
"""

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).resolve().parent
CASES = TESTS / "cases"
HANDED_OVER = TESTS.parents[1] / "shared" / "cases"
RUN_LINE_BY_LINE = "calendar"
AREAS = {
    "ANC": "behaviour",
    "AVR": "behaviour",
    "KAF": "behaviour",
    "KPR": "behaviour",
    "PGP": "behaviour",
    "POL": "behaviour",
    "AJ": "systems",
    "DP": "systems",
    "IT": "systems",
    "AFT": RUN_LINE_BY_LINE,
    "DAY": RUN_LINE_BY_LINE,
    "DOM": RUN_LINE_BY_LINE,
    "DST": RUN_LINE_BY_LINE,
    "STP": RUN_LINE_BY_LINE,
    "SYN": RUN_LINE_BY_LINE,
    "WLD": RUN_LINE_BY_LINE,
}
ID = re.compile(rf"\b(?:{'|'.join(AREAS)})-[0-9]{{2,3}}\b")
LATER_ISSUES = {3, 4, 5, 6, 7}


@cache
def lines(name: str) -> tuple[dict[str, Any], ...]:
    return tuple(json.loads(line) for line in (CASES / f"{name}.jsonl").read_text().splitlines())


def known() -> dict[str, str]:
    """Every id, and the file it is in."""
    return {case["id"]: name for name in sorted(set(AREAS.values())) for case in lines(name)}


def texts(path: Path) -> Iterator[str]:
    """The texts in a test file: names of rows and docstrings, but no comments."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@cache
def named() -> dict[str, str]:
    """Every id that a test names, and one file in which it does."""
    return {
        case: str(path.relative_to(TESTS))
        for path in sorted(TESTS.rglob("test_*.py"))
        if path != Path(__file__).resolve()
        for text in texts(path)
        for case in ID.findall(text)
    }


def todo() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads((TESTS / "cases_todo.toml").read_text())["todo"]
    return found


def postponed() -> list[str]:
    return [case for group in todo() for case in group["cases"]]


def test_every_case_is_proven_or_has_a_reason_not_to_be() -> None:
    ours = {case for case, name in known().items() if name != RUN_LINE_BY_LINE}

    assert sorted(ours - set(named()) - set(postponed())) == []


def test_no_case_is_proven_and_postponed() -> None:
    both = {case: named()[case] for case in postponed() if case in named()}

    assert both == {}


def test_no_test_names_a_case_that_there_is_not() -> None:
    assert {case: file for case, file in named().items() if case not in known()} == {}


def test_the_to_do_list_names_each_case_once_with_a_reason() -> None:
    assert len(postponed()) == len(set(postponed()))
    assert sorted(set(postponed()) - set(known())) == []
    assert [group for group in todo() if group["issue"] not in LATER_ISSUES] == []
    assert [group for group in todo() if not group["reason"].strip()] == []


def test_every_case_is_of_a_kind_that_is_known() -> None:
    for case, name in known().items():
        assert AREAS.get(case.partition("-")[0]) == name, case
    assert {case["system"] for case in lines("systems")} == {
        *("infra-tasks", "app-jobs", "deployments")
    }
    assert {case["basis"] for case in lines("systems")} <= {
        *("stated", "code", "tested", "inferred", "decided")
    }
    assert all(case["expect"] and case["given"] for case in lines("behaviour"))


def test_an_id_is_used_once() -> None:
    count = sum(len(lines(name)) for name in set(AREAS.values()))

    assert count == len(known())


def test_every_line_of_the_calendar_is_run() -> None:
    from tests.calendar import test_cases as calendar

    run = [*calendar.ANSWERED, *calendar.REFUSED, *calendar.SILENT]

    assert sorted(case["id"] for case in run) == sorted(
        case for case, name in known().items() if name == RUN_LINE_BY_LINE
    )


@pytest.mark.skipif(
    not HANDED_OVER.is_dir(), reason="the files that were handed over are not beside this checkout"
)
@pytest.mark.parametrize("name", sorted(set(AREAS.values())))
def test_our_copies_are_what_was_handed_over(name: str) -> None:
    assert (CASES / f"{name}.jsonl").read_bytes() == (HANDED_OVER / f"{name}.jsonl").read_bytes()
