"""
Does a preview end soon, however seldom a rule comes?

Counted in what is looked at (years of days, segments of a zone), not in seconds, which say more
about the machine than about the search.
"""

from __future__ import annotations

import pytest

from streams.calendar import days as days_module
from streams.calendar import zones as zones_module
from streams.calendar.occurrences import _rule
from streams.calendar.preview import answer

A_SEARCH = 6_000
"""Looks of a search that finds nothing in 400 years either way; hundreds of them a millisecond."""
A_TICK = 12
"""Looks from one instant to the next one, which is some years ahead at most."""


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many years of days and how many segments were looked at."""
    counted = [0]
    for owner, name in ((days_module.Days, "_fill"), (zones_module.ZoneClock, "segment_at")):
        real = getattr(owner, name)

        def counting(self: object, *given: object, real: object = real) -> object:
            counted[0] += 1
            return real(self, *given)  # type: ignore[operator]

        monkeypatch.setattr(owner, name, counting)
    _rule.cache_clear()
    return counted


def _ask(expression: str, zone: str, n: int) -> dict[str, object]:
    after = "2026-11-29T00:00:00Z"
    return answer({"expr": expression, "zone": zone, "after": after, "n": n})


@pytest.mark.case("ANC-08")
@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_a_thousand_leap_days_take_a_few_looks_each(looks: list[int], zone: str) -> None:
    found = _ask("0 0 29 2 *", zone, 1_000)["instants"]

    assert isinstance(found, list)
    assert len(found) == 1_000
    assert found == sorted(found)
    assert found[0].startswith("2028-02-2")
    assert looks[0] <= A_SEARCH + 1_000 * A_TICK


@pytest.mark.case("ANC-08")
@pytest.mark.parametrize("expression", ["0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 0 29 2 ? 2100"])
def test_what_never_comes_is_answered_within_one_search(looks: list[int], expression: str) -> None:
    found = _ask(expression, "Europe/Berlin", 1_000)

    assert set(found) == {"error"}
    assert looks[0] <= A_SEARCH


@pytest.mark.case("ANC-08")
def test_what_comes_no_more_is_none_within_the_same_bound(looks: list[int]) -> None:
    assert _ask("0 0 0 29 2 ? 2024", "Europe/Berlin", 1_000) == {"instants": []}
    assert looks[0] <= A_SEARCH


def test_the_end_of_time_ends_a_preview(looks: list[int]) -> None:
    found = _ask("0 0 29 2 *", "UTC", 10_000)["instants"]

    assert isinstance(found, list)
    assert found[-1] == "9996-02-29T00:00:00Z"
    assert looks[0] <= A_SEARCH + len(found) * A_TICK
