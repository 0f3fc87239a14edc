"""
How do the numbers look to a reader?

Renders results as markdown tables, and puts them between the two marks of the page that shows
them; what stands around the marks is written by hand.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bench.rows import Result, Row

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "benchmarks.md"
BEGIN = "<!-- measured: begin -->"
END = "<!-- measured: end -->"
HEAD = (
    "| what | measured | at least | aim | reference | times as good | |",
    "|---|--:|--:|--:|---|--:|---|",
)
NOTHING = "Nothing has been measured yet: `make bench` does it and fills this in."


def table(rows: Iterable[Row]) -> str:
    """The rows as one table."""
    return "\n".join([*HEAD, *map(_line, rows)])


def render(results: Iterable[Result]) -> str:
    """A section for each bench, under the machine that it ran on."""
    sections = [
        f"### {result.bench}\n\nMeasured on {result.measured_on}: {result.machine}.\n\n"
        f"{table(result.rows)}"
        for result in results
    ]
    return "\n\n".join(sections) or NOTHING


def write_page(results: Iterable[Result], page: Path = PAGE) -> None:
    """Replace what stands between the marks."""
    before, _, rest = page.read_text().partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise ValueError(f"{page} has no place for results: {BEGIN} ... {END}")
    page.write_text(f"{before}{BEGIN}\n\n{render(results)}\n\n{END}{after}")


def _line(row: Row) -> str:
    sign = "≤" if row.less_is_better else "≥"
    cells = [
        row.name,
        f"**{number(row.value)} {row.unit}**",
        _bound(sign, row.at_least) + _times(row.ratio_at_least),
        _bound(sign, row.aim),
        "" if row.reference is None else f"{row.reference_name} {number(row.reference)}".strip(),
        "" if row.ratio is None else number(row.ratio),
        ", ".join(filter(None, (_verdict(row), row.note))),
    ]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _bound(sign: str, bound: float | None) -> str:
    return "" if bound is None else f"{sign} {number(bound)}"


def _times(ratio: float | None) -> str:
    return "" if ratio is None else f" (≥ {number(ratio)} times)"


def _verdict(row: Row) -> str:
    if row.good_enough is False:
        return "**too little**" if not row.less_is_better else "**too much**"
    return "aim reached" if row.aim_reached else ""


def number(value: float) -> str:
    """Three significant digits, thousands apart."""
    if abs(value) >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"
