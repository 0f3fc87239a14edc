"""
What does the usual week of a deployment look like in 80 columns?

Days down, hours across: seven lines of 24 cells. Where there are no colours, digits say the same.
What is drawn was counted by projections/profiles.py; who asks for it is traffic_shown.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

    from schemas.profiles import HourProfile, Profile

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
IDLE_SHARE = 900
"""Thousandths of the observed weeks in which an hour was idle, to be marked."""
MARK, NO_DATA, NO_RATE = "*", "·", "?"

_COLOURS = ("#22304f", "#2f6f8f", "#b0a03c", "#d9772b", "#c0302b")
"""From idle to the most."""
_ON_THEM = "#ffffff"
_STEPS = 4
_MILLI = 1_000
_LEAST = 10
"""A hundredth of a request a minute: the lowest bound of a shade that can be told apart."""


class Shown(StrEnum):
    """Which number of an hour is shaded."""

    P50 = "p50"
    P95 = "p95"
    ACTIVE = "active"


@dataclass(frozen=True, slots=True)
class Scale:
    """Which number gets which shade: as many as bounds, up to and with each, and one for none."""

    bounds: tuple[int, ...]
    """Growing; in thousandths."""

    def shade(self, value: int) -> int:
        """0 for none, else from 1 on."""
        return 0 if value <= 0 else 1 + sum(value > bound for bound in self.bounds[:-1])


def scale_of(profile: Profile, shown: Shown) -> Scale:
    """Four shades up to the largest number; each reaches four or five times as far as the last."""
    if shown is Shown.ACTIVE:
        return Scale((100, 500, 900, 1_000))
    most = max((value for hour in profile.hours if (value := _value(hour, shown))), default=0)
    round_ones = [factor * 10**power for power in range(1, 16) for factor in (1, 2, 5)]
    enough = next(at for at, each in enumerate(round_ones) if each >= max(most, _LEAST * 1_000))
    return Scale(tuple(round_ones[enough - 2 * back] for back in (3, 2, 1, 0)))


def is_idle(hour: HourProfile) -> bool:
    """Whether it was proven idle in at least nine of ten observed weeks."""
    return hour.weeks > 0 and hour.idle_weeks * _MILLI >= hour.weeks * IDLE_SHARE


def heat_map(profile: Profile, shown: Shown, *, coloured: bool) -> list[Text]:
    """The head, a line for each day, and what the shades mean."""
    from rich.text import Text

    scale = scale_of(profile, shown)
    known = {hour.hour: hour for hour in profile.hours}
    lines = [Text("    " + "".join(f" {hour:<2}" for hour in range(24)).rstrip())]
    for number, day in enumerate(DAYS):
        line = Text(f"{day} ")
        for hour in range(24):
            line.append_text(_cell(known.get(number * 24 + hour), shown, scale, coloured=coloured))
        if not coloured:
            line.rstrip()
        lines.append(line)
    return [*lines, Text(""), *_legend(scale, shown, coloured=coloured)]


def _cell(hour: HourProfile | None, shown: Shown, scale: Scale, *, coloured: bool) -> Text:
    from rich.text import Text

    if hour is None or not hour.minutes:
        return Text(f" {NO_DATA} ", style="dim" if coloured else "")
    mark = MARK if is_idle(hour) else " "
    value = _value(hour, shown)
    if value is None:
        return Text(f" {NO_RATE}{mark}")
    shade = scale.shade(value)
    return Text(f" {mark} ", style=_style(shade)) if coloured else Text(f" {shade}{mark}")


def _value(hour: HourProfile, shown: Shown) -> int | None:
    match shown:
        case Shown.P50:
            return hour.p50
        case Shown.P95:
            return hour.p95
        case Shown.ACTIVE:
            return hour.active


def _style(shade: int) -> str:
    return f"{_ON_THEM} on {_COLOURS[shade]}"


def _legend(scale: Scale, shown: Shown, *, coloured: bool) -> list[Text]:
    from rich.text import Text

    head = {
        Shown.P50: "requests a minute, p50",
        Shown.P95: "requests a minute, p95",
        Shown.ACTIVE: "busy minutes",
    }[shown]
    line = Text(f"    {head}: ")
    for shade, words in enumerate(["none", *_ranges(scale, shown)]):
        if coloured:
            line.append("   ", style=_style(shade))
            line.append(f" {words}  ")
        else:
            line.append(f"{shade}: {words}  ")
    line.rstrip()
    idle = f"{MARK} idle in 9 of 10 weeks or more"
    return [line, Text(f"    {idle}  {NO_RATE} seen, rate not known  {NO_DATA} no data")]


def _ranges(scale: Scale, shown: Shown) -> Sequence[str]:
    """Such as `to 2`; the last one says no bound that it does not need."""
    if shown is Shown.ACTIVE:
        return [f"to {bound // 10} %" for bound in scale.bounds]
    return [f"to {amount(bound)}" for bound in scale.bounds]


def amount(thousandths: int) -> str:
    """A rate as people write it: 0.05, 2, 1500."""
    return f"{thousandths / _MILLI:.2f}".rstrip("0").rstrip(".")
