"""Is an accepted clock difference news only where there is one?"""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

import pytest

from schemas.definition import SECOND
from schemas.globals import ClockAccepted
from streams.processor.watch import Watch


@pytest.mark.parametrize(
    ("difference", "level"), [(0, logging.INFO), (2, logging.INFO), (-3, logging.WARNING)]
)
def test_a_difference_below_the_alarm_is_accepted_quietly(
    difference: int, level: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    clock = SimpleNamespace(wall=lambda: 0)
    watch: Any = SimpleNamespace(
        difference=difference * SECOND, _acceptance=None, _jumped=False, _clock=clock,
        _alarm=2 * SECOND,
    )  # fmt: skip

    Watch._accept(watch, ClockAccepted("user:ann", "", difference * SECOND))

    [told] = caplog.records
    assert told.levelno == level
