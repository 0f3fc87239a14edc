"""Zone names are those of the package, and clocks stand as Python says."""

import random
import zoneinfo
from datetime import datetime

import pytest

from schemas.definition import Cron, Dst
from streams.calendar.occurrences import TimingRefused, rule_for
from streams.calendar.zones import check_zone, tzdata_version, zone_clock, zone_names

REFUSED = {
    "POL-100": [
        *("", "../../etc/passwd", "/etc/localtime", "Europe/Berlin\0", "zone.tab", "tzdata.zi"),
        *("leapseconds", "Europe/../Europe/Berlin", "Europe/Berlin ", "\ud800", "C:\\zone", "."),
    ],
    "POL-101": ["Europe", "America/Argentina", "Europe/"],
    "POL-103": ["localtime", "posixrules", "Factory"],
    "POL-104": ["europe/berlin", "FOO5BAR", "EST5EDT,M3.2.0,M11.1.0"],
}
CASES = [(case, name) for case, names in REFUSED.items() for name in names]


@pytest.mark.parametrize(("case", "name"), CASES, ids=[f"{case} {name!a}" for case, name in CASES])
def test_a_name_that_is_no_zone_is_refused(case: str, name: str) -> None:
    with pytest.raises(TimingRefused) as refused:
        rule_for((Cron("@daily"),), name, Dst.SHIFT)

    assert refused.value.field == "zone", case
    assert refused.value.message.isascii()
    assert refused.value.message.isprintable()


def test_a_wrong_case_is_answered_with_the_right_one() -> None:
    with pytest.raises(TimingRefused, match="did you mean Europe/Berlin"):
        check_zone("europe/berlin")


@pytest.mark.parametrize("name", ["US/Eastern", "Asia/Calcutta", "Europe/Kyiv", "UTC", "Etc/GMT+5"])
def test_links_are_zones_too_and_keep_their_name(name: str) -> None:
    """POL-105."""
    assert check_zone(name) == name


def test_data_come_from_the_package_alone() -> None:
    assert zoneinfo.TZPATH == ()
    assert tzdata_version() >= "2026c"


def test_every_clock_stands_as_python_says() -> None:
    chance = random.Random("clocks")  # noqa: S311 - a seed, no secret
    for name in sorted(zone_names()):
        zone, clock = zoneinfo.ZoneInfo(name), zone_clock(name)
        near = [chance.randrange(-3 * 10**9, 6 * 10**9) for _ in range(40)]
        far = [chance.randrange(-62 * 10**9, 250 * 10**9) for _ in range(20)]
        edges = []
        segment = clock.segment_at(-4 * 10**9)
        while segment.high < 3 * 10**9:
            edges += [segment.high - 1, segment.high]
            segment = clock.segment_at(segment.high)
        for second in (*near, *far, *edges):
            shown = datetime.fromtimestamp(second, zone).utcoffset()
            found = clock.segment_at(second)
            assert shown is not None
            assert found.offset == shown.total_seconds(), (name, second)
            assert found.low <= second < found.high


def test_no_clock_changes_again_before_the_last_change_is_made_good() -> None:
    """What the resolver takes for granted, held against the data of this release."""
    for name in sorted(zone_names()):
        clock = zone_clock(name)
        segment = clock.segment_at(-60 * 10**9)
        while segment.high < 5 * 10**9:
            assert segment.high - segment.calm > 86_400, name
            assert abs(segment.offset - segment.before) <= 86_400, name
            assert abs(segment.offset) < 86_400, name
            segment = clock.segment_at(segment.high)
