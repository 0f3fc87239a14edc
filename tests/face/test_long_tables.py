"""Is a long table, which is written as lines, the same as one that was laid out?"""

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console

from horae.cli import output

Cells = Sequence[str]
words = st.text(st.sampled_from("ab Zä漢\u0301\n\x1b-"), max_size=12)
tables = st.integers(1, 4).flatmap(
    lambda size: st.lists(st.lists(words, min_size=size, max_size=size), min_size=2, max_size=12)
)


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(tables, st.sampled_from([20, 40, 80, 10_000]), st.booleans())
def test_many_rows_look_as_few_do(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    rows: list[list[str]],
    width: int,
    terminal: bool,
) -> None:
    def console() -> Console:
        return Console(
            highlight=False, markup=False, emoji=False, width=width, force_terminal=terminal
        )

    monkeypatch.setattr(output, "console", console)
    shown = []
    for few in (0, 1_000):
        monkeypatch.setattr(output, "_FEW", few)
        output.show_table(["a", "column", "c", "漢"][: len(rows[0])], rows, "")
        shown.append(capsys.readouterr().out)

    assert shown[0] == shown[1]


def test_ten_thousand_rows_are_not_laid_out_each(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    laid_out: list[int] = []
    real = output._print_table

    def counting(where: Console, columns: Cells, cells: Sequence[Cells], widths: list[int]) -> None:
        laid_out.append(len(cells))
        real(where, columns, cells, widths)

    monkeypatch.setattr(output, "_print_table", counting)

    output.show_table(["one", "two"], [[str(n), "x" * (n % 7)] for n in range(10_000)], "none")

    assert laid_out == [1]
    assert len(capsys.readouterr().out.splitlines()) == 10_002
