"""How are other zone data installed under a schedule, and what do they say?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from streams.calendar import occurrences
from streams.calendar.zones import Segment
from streams.decider import agenda
from streams.decider.evolve import compiled
from streams.decider.state import Schedule
from tests.decider.stage import NIGHTLY, Stage, Upgrades

ZONE = "Europe/Berlin"
BEFORE, AFTER = (2026 - 2000) * 32 + 3, (2026 - 2000) * 32 + 4
INSTALLED = ("00:00", Upgrades(BEFORE))

Upgrade = Callable[[Stage, int], None]
"""Install data by which the zone is so many hours ahead of UTC."""


class OneOffset:
    """The clock of a zone that never changes."""

    def __init__(self, hours: int) -> None:
        self.offset = hours * 3600

    def segment_at(self, _second: int) -> Segment:
        return Segment(-(1 << 50), 1 << 50, self.offset, self.offset, -(1 << 50))


def forget_rules() -> None:
    """Let no rule be known that was made by other zone data."""
    occurrences._rule.cache_clear()
    occurrences._rules.clear()


def install(patch: pytest.MonkeyPatch, hours: int) -> None:
    forget_rules()
    for module in (occurrences, agenda):
        patch.setattr(module, "zone_clock", lambda _: OneOffset(hours))


def upgrade_by(patch: pytest.MonkeyPatch) -> Upgrade:
    def upgraded(stage: Stage, hours: int) -> None:
        install(patch, hours)
        stage.play(Upgrades(AFTER), 0)
        state = stage.state
        assert state is not None
        plan = replace(state.plan, rule=compiled(state.plan.definition, NIGHTLY))
        stage.state = Schedule(plan, state.cursor)

    return upgraded
