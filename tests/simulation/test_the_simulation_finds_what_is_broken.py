"""With the code broken in any one place, some play under the first seeds breaks a promise."""

from __future__ import annotations

import pytest

from tests.simulation.breaks import BREAKS, Break
from tests.simulation.play import play

WITHIN = 150
"""Seeds. Most faults show themselves in the first; a fence is needed once in thirty."""


@pytest.mark.parametrize("broken", BREAKS, ids=lambda one: one.__name__)
def test_a_fault_is_found(broken: Break, monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch)

    assert any(play(seed) for seed in range(WITHIN))
