"""For infrastructure no zone is UTC, and one that has nothing to say is kept."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.definition import Definition
from schemas.instants import format_instant, parse_instant
from schemas.reading import definition_json, read_definition
from streams.calendar.occurrences import Rule, TimingRefused, rule_for

CREATED = parse_instant("2026-01-15T10:30:00Z")


def read(**fields: Any) -> Definition:
    return read_definition({"preset": "infra", "emit": {"topic": "t"}, **fields})


def rule_of(found: Definition) -> Rule:
    return rule_for(found.timings, found.zone, found.dst, "infra/x")


def next_of(found: Definition) -> str:
    return format_instant(rule_of(found).next_after(CREATED, CREATED).instant)


@pytest.mark.parametrize("timing", [{"interval": "6h"}, {"once": "2026-03-29T01:30:00Z"}])
def test_a_zone_of_an_interval_or_a_once_is_kept_and_says_nothing(timing: dict[str, Any]) -> None:
    """IT-018: one that is none is refused like everywhere, so that it can be relied on later."""
    found = read(zone="Europe/Berlin", **timing)

    assert found.zone == definition_json(found)["zone"] == "Europe/Berlin"
    assert next_of(found) == next_of(read(**timing))
    with pytest.raises(TimingRefused) as caught:
        rule_of(read(zone="Not/AZone", **timing))
    assert caught.value.field == "zone"


def test_a_cron_with_an_empty_zone_is_in_utc() -> None:
    """IT-018."""
    assert next_of(read(cron="0 2 * * *", zone="")) == "2026-01-16T02:00:00Z"


def test_a_cron_that_is_changed_alone_stays_in_its_zone_until_that_is_emptied() -> None:
    """IT-066: an edit sends the whole definition, so what it does not touch is what was stored."""
    stored = definition_json(read(cron="0 2 * * *", zone="Europe/Berlin"))

    assert next_of(read_definition({**stored, "cron": "0 3 * * *"})) == "2026-01-16T02:00:00Z"
    assert next_of(read_definition({**stored, "zone": ""})) == "2026-01-16T02:00:00Z"
