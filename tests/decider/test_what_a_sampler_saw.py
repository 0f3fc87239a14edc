"""The newest word of a sampler counts, as long as there can be such a one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import (
    ReportActivity,
)
from schemas.events import (
    CommandRefused,
    CommandUnchanged,
)
from schemas.snapshot import Activity
from streams.calendar.occurrences import NEVER
from tests.decider.house import House
from tests.decider.stage import SECOND, at


def test_an_older_sample_says_nothing_new() -> None:
    seen = House()
    first = ReportActivity(1, 2, at("10:00"), at("09:59"))
    assert [type(one).__name__ for one in seen.ask("10:00", first, None)] == ["ActivityNoted"]
    nothing_new = [CommandUnchanged("shop/", "activity", 0, 0, NEVER)]

    assert seen.ask("10:01", first, None) == nothing_new
    assert seen.ask("10:01", replace(first, sampled_at=at("09:59:59")), None) == nothing_new
    assert seen.known.notes.activity == Activity(at("09:59"), 1, 2, at("10:00"))


def test_a_request_that_was_seen_is_not_forgotten_by_a_sampler_that_begins_anew() -> None:
    seen = House()
    seen.ask("10:00", ReportActivity(0, 0, at("10:00"), at("09:59")), None)
    seen.ask("10:01", ReportActivity(0, 0, at("10:01")), None)

    assert seen.known.notes.activity == Activity(at("09:59"), 0, 0, at("10:01"))


WRONG = {
    "a sample of a later time": (
        ReportActivity(0, 0, at("10:01") + SECOND),
        "sampled_at",
        "2026-06-01T10:01:01Z lies in the future",
    ),
    "a request after the sample": (
        ReportActivity(0, 0, at("10:00"), at("10:00") + 1),
        "last_request",
        "must not be later than sampled_at",
    ),
}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG.keys())
def test_a_sample_that_cannot_be_is_refused(case: tuple[ReportActivity, str, str]) -> None:
    """One from the future would outlive all true ones."""
    sample, field, message = case
    refusal = CommandRefused("shop/", "activity", field, message, None)

    assert House().ask("10:00", sample, None) == [refusal]
