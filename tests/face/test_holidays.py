"""Are public holidays found by country and region, and what is not known told?"""

from __future__ import annotations

from datetime import date

import pytest

from horae.importers.days_off import Years
from horae.importers.public_holidays import UnknownPlace, public_holidays
from tests.face.typed import run


def test_a_region_has_holidays_of_its_own() -> None:
    country = public_holidays("DE", None, Years(2026, 2026))
    region = public_holidays("DE", "BY", Years(2026, 2026))

    assert date(2026, 12, 25) in country.days
    assert date(2026, 1, 6) in region.days.keys() - country.days.keys()


def test_every_year_is_written_out() -> None:
    found = public_holidays("de", None, Years(2026, 2028))

    assert sorted({day.year for day in found.days}) == [2026, 2027, 2028]
    assert found.source.startswith("public holidays of DE, 2026-2028, by holidays ")
    assert found.dates == tuple(sorted(found.dates))


def test_a_year_without_any_is_told() -> None:
    [remark] = public_holidays("DE", None, Years(1800, 1800)).remarks

    assert remark == "no holiday is known for 1800"


@pytest.mark.parametrize(
    ("country", "part", "option"), [("XX", None, "COUNTRY"), ("DE", "ZZ", "--subdivision")]
)
def test_a_place_that_is_not_known_is_refused(country: str, part: str | None, option: str) -> None:
    with pytest.raises(UnknownPlace) as caught:
        public_holidays(country, part, Years(2026, 2026))

    assert caught.value.option == option


def test_a_rehearsal_needs_no_broker() -> None:
    code, out, _ = run(
        *("calendar", "holidays", "DE", "--years", "2026", "--name", "germany", "--dry-run")
    )

    assert code == 0
    assert "dates for the calendar germany, 0 refused" in out
    assert "  2026-12-25  " in out


def test_a_place_that_is_not_known_is_wrong_usage() -> None:
    code, _, err = run("calendar", "holidays", "DE", "--subdivision", "ZZ", "--name", "a")

    assert code == 2
    assert "--subdivision: 'ZZ' is no part of DE; there are: " in err
