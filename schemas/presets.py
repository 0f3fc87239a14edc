"""
Which defaults does a preset stand for?

A preset is a table and nothing else: it is expanded when JSON is read, and stored with the version
only to say where the values came from. A value that is given alone wins alone. What was written
under a preset's name is read by it again, so a row here never changes: other defaults get another
name. Work for runners is tracked under each of them; what is done to a deployment
has its preset if it names none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from schemas.actions import Act, Verb, Work
from schemas.definition import Basis, CatchUp, CatchUpMode, Dst
from schemas.policies import (
    ALONE,
    Across,
    Gate,
    Manual,
    Overlap,
    OverlapMode,
    Preset,
    Tracking,
)
from schemas.units import HOUR, MINUTE

_USUAL: Final = CatchUp()


@dataclass(frozen=True, slots=True)
class Defaults:
    """What holds where a definition says nothing."""

    catch_up: CatchUp = _USUAL
    dst: Dst = Dst.SHIFT
    basis: Basis = Basis.GRID
    """Of an interval that is all there is, and names no anchor."""
    overlap: Overlap = ALONE
    """Of what is tracked: work for runners always is."""
    gate: Gate | None = None
    manual: Manual = Manual.OBEY
    tracked: Tracking | None = None
    """Of an emit."""
    start_within: int = HOUR
    """Of work for runners."""
    empty_zone: str | None = None
    """What an empty zone means; None: it is refused."""
    hold_on_failure: bool = False
    """Of a sleep or a wake."""


_TRACKED: Final = Tracking()
_QUARTER: Final = 15 * MINUTE
PRESETS: Final[Mapping[Preset, Defaults]] = {
    Preset.NONE: Defaults(),
    Preset.APP: Defaults(
        catch_up=CatchUp(grace=2 * MINUTE),
        dst=Dst.STRICT_ONCE,
        overlap=Overlap(OverlapMode.ALLOW),
        tracked=_TRACKED,
    ),
    Preset.INFRA: Defaults(
        catch_up=CatchUp(lookback=None),
        dst=Dst.LITERAL,
        basis=Basis.AFTER_FIRE,
        manual=Manual.IGNORE,
        tracked=_TRACKED,
        empty_zone="UTC",
    ),
    Preset.DEPLOYMENT: Defaults(
        catch_up=CatchUp(CatchUpMode.NONE, lookback=_QUARTER, grace=_QUARTER),
        overlap=Overlap(OverlapMode.QUEUE, across=Across.SUBJECT, supersedes=True),
        gate=Gate(),
        tracked=_TRACKED,
        start_within=_QUARTER,
        hold_on_failure=True,
    ),
}
_QUIET: Final = (Verb.SLEEP, Verb.STOP)
_HELD: Final = (Verb.SLEEP, Verb.WAKE)


def usual_preset(work: Work | None) -> Preset:
    """The preset of a definition with this work that names none."""
    return Preset.DEPLOYMENT if isinstance(work, Act) else Preset.NONE


def defaults_for(preset: Preset, work: Work | None) -> Defaults:
    """What holds with this work: a wake waits for no quiet, and only a sleep and a wake hold."""
    row = PRESETS[preset]
    verb = work.verb if isinstance(work, Act) else None
    gate = None if verb is not None and verb not in _QUIET else row.gate
    return replace(row, gate=gate, hold_on_failure=row.hold_on_failure and verb in _HELD)


def usual_overlap(defaults: Defaults, tracked: Tracking | None) -> Overlap:
    """The overlap rule that holds if none is given: nothing overlaps that is over at once."""
    return ALONE if tracked is None else defaults.overlap
