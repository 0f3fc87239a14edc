"""What do tests of the decider find around them?"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.decider.upgrading import Upgrade, forget_rules, install, upgrade_by


@pytest.fixture
def upgrade(monkeypatch: pytest.MonkeyPatch) -> Iterator[Upgrade]:
    """The zone is an hour ahead of UTC; then other data are installed, which say otherwise."""
    install(monkeypatch, 1)
    yield upgrade_by(monkeypatch)
    forget_rules()
