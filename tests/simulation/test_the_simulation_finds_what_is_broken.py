"""With the code broken in any one place, some play under the first seeds breaks a promise."""

from __future__ import annotations

import pytest

from tests.simulation.breaks import BREAKS, Break
from tests.simulation.breaks_of_deployments import BREAKS_OF_DEPLOYMENTS
from tests.simulation.breaks_of_policies import BREAKS_OF_POLICIES
from tests.simulation.breaks_of_runners import BREAKS_OF_RUNNERS
from tests.simulation.play import play
from tests.simulation.seeds import has_deployments, has_policies, has_runners

WITHIN = 250
"""Seeds. Most faults show themselves in the first few, the rarest in some hundreds."""


@pytest.mark.parametrize("broken", BREAKS, ids=lambda one: one.__name__)
def test_a_fault_is_found(broken: Break, monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch)

    assert any(play(seed) for seed in range(WITHIN))


@pytest.mark.parametrize("broken", BREAKS_OF_POLICIES, ids=lambda one: one.__name__)
def test_a_fault_of_a_policy_is_found(broken: Break, monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch)

    assert any(play(seed) for seed in range(WITHIN) if has_policies(seed))


@pytest.mark.parametrize("broken", BREAKS_OF_RUNNERS, ids=lambda one: one.__name__)
def test_a_fault_about_runners_is_found(broken: Break, monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch)

    assert any(play(seed) for seed in range(2 * WITHIN) if has_runners(seed))


@pytest.mark.parametrize("broken", BREAKS_OF_DEPLOYMENTS, ids=lambda one: one.__name__)
def test_a_fault_about_deployments_is_found(broken: Break, monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch)

    assert any(play(seed) for seed in range(5 * WITHIN) if has_deployments(seed))
