"""Do the tables of numbers say what was measured, and leave the rest of the page alone?"""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.page import BEGIN, END, NOTHING, number, render, table, write_page
from bench.rows import Result, Row, machine, read_results

RATE = Row(
    name="fires", value=50_000, unit="fires/s", at_least=40_000, aim=80_000,
    reference_name="bare producer", reference=100_000, ratio_at_least=0.3,
)  # fmt: skip
TIME = Row(
    name="late", value=0.3, unit="s", less_is_better=True, at_least=0.25, aim=0.05, reference=0.6
)


def test_a_ratio_says_how_many_times_as_good() -> None:
    assert RATE.ratio == 0.5
    assert TIME.ratio == 2


def test_bounds_hold_in_the_direction_that_is_better() -> None:
    assert (RATE.good_enough, RATE.aim_reached) == (True, False)
    assert (TIME.good_enough, TIME.aim_reached) == (False, False)
    assert Row(name="r", value=1, unit="s").good_enough is None
    slow = Row(name="r", value=1, unit="/s", reference=10, ratio_at_least=0.3)
    assert slow.good_enough is False


def test_a_row_shows_value_bounds_reference_and_verdict() -> None:
    _, _, rate, late = table([RATE, TIME]).splitlines()

    assert rate == (
        "| fires | **50,000 fires/s** | ≥ 40,000 (≥ 0.3 times) | ≥ 80,000 "
        "| bare producer 100,000 | 0.5 |  |"
    )
    assert late == "| late | **0.3 s** | ≤ 0.25 | ≤ 0.05 | 0.6 | 2 | **too much** |"


@pytest.mark.parametrize(("value", "text"), [(1234.5, "1,234"), (0.1234, "0.123"), (7.0, "7")])
def test_numbers_have_three_digits(value: float, text: str) -> None:
    assert number(value) == text


def test_results_come_back_and_the_page_keeps_what_stands_around(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n\n{BEGIN}\n\nold\n\n{END}\n\nafter\n")
    result = Result("fires", "2026-11-29", machine(), [RATE, TIME])

    result.write(tmp_path / "results")
    assert read_results(tmp_path / "results") == [result]

    write_page([result], page)
    text = page.read_text()
    assert text.startswith(f"before\n\n{BEGIN}\n\n### fires\n\nMeasured on 2026-11-29: ")
    assert text.endswith(f"{END}\n\nafter\n")
    assert "old" not in text
    write_page([], page)
    assert NOTHING in page.read_text()
    assert render([]) == NOTHING
