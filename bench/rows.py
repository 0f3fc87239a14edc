"""
What is one measured number, and on which machine was it measured?

A bench module has `run() -> list[Row]`. Running them is __main__.py, showing them page.py.
"""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One number, beside what it must be, what we want, and its reference in the same run."""

    name: str
    value: float
    unit: str
    less_is_better: bool = False
    """Times and sizes; else more is better."""
    at_least: float | None = None
    """The worst that is good enough; for a time, the longest."""
    aim: float | None = None
    reference_name: str = ""
    reference: float | None = None
    """The same measured for what this is held against, in the same unit and the same run."""
    ratio_at_least: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times as good as the reference; over one is better than it."""
        if not self.reference or not self.value:
            return None
        return self.reference / self.value if self.less_is_better else self.value / self.reference

    @property
    def good_enough(self) -> bool | None:
        """Whether every bound holds; None if there is none."""
        kept = []
        if self.at_least is not None:
            kept.append(self._reaches(self.at_least))
        if self.ratio_at_least is not None:
            kept.append(self.ratio is not None and self.ratio >= self.ratio_at_least)
        return all(kept) if kept else None

    @property
    def aim_reached(self) -> bool:
        """Whether it is as good as we want it."""
        return self.aim is not None and self._reaches(self.aim)

    def _reaches(self, bound: float) -> bool:
        return self.value <= bound if self.less_is_better else self.value >= bound


@dataclass(frozen=True, slots=True)
class Result:
    """All rows of one run of one bench."""

    bench: str
    measured_on: str
    """A date."""
    machine: str
    rows: list[Row]

    def write(self, folder: Path = RESULTS) -> None:
        """Keep it; an earlier result of the same bench is replaced."""
        folder.mkdir(exist_ok=True)
        (folder / f"{self.bench}.json").write_text(json.dumps(asdict(self), indent=1) + "\n")


def read_results(folder: Path = RESULTS) -> list[Result]:
    """What was kept, by name."""
    return [
        Result(**{**found, "rows": [Row(**row) for row in found["rows"]]})
        for path in sorted(folder.glob("*.json"))
        for found in [json.loads(path.read_text())]
    ]


def machine() -> str:
    """The machine in one line: cores, processor, memory, system, Python."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return (
        f"{os.cpu_count()} cores, {_processor()}, {pages / 2**30:.0f} GiB of memory, "
        f"{platform.system()} {platform.release().partition('-')[0]}, "
        f"Python {platform.python_version()}"
    )


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    except OSError:
        pass
    return platform.machine()
