"""
Are unit files and time spans read as systemd reads them?

What the settings become is test_systemd.py.
"""

from __future__ import annotations

import pytest

from horae.importers.time_spans import read_span
from horae.importers.unit_files import Setting, read_units

SECOND = 1_000_000
SPANS = {
    "5": 5 * SECOND,
    "90s": 90 * SECOND,
    "1h 30min": 5_400 * SECOND,
    "1h30m": 5_400 * SECOND,
    "2hours": 7_200 * SECOND,
    "2 hr": 7_200 * SECOND,
    "1.5h": 5_400 * SECOND,
    ".5s": SECOND // 2,
    "55s500ms": 55 * SECOND + 500_000,
    "300ms20s 5day": 432_020 * SECOND + 300_000,
    "1d12": 86_412 * SECOND,
    "1 week 2 days": 777_600 * SECOND,
    "5M": 13_149_000 * SECOND,
    "5 months": 13_149_000 * SECOND,
    "1y 12month": 63_115_200 * SECOND,
    "2µs": 2,
    "0": 0,
}


@pytest.mark.parametrize("text", SPANS)
def test_a_time_span_has_the_length_it_has_there(text: str) -> None:
    assert read_span(text) == SPANS[text]


@pytest.mark.parametrize("text", ["", "soon", "1H", "5S", "1h -5min", "infinity", "1e3", "20000y"])
def test_what_is_no_time_span_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"empty|time span|longer"):
        read_span(text)


FILE = b"""\
# a comment
; another
[Timer]
 OnCalendar = daily
OnCalendar=Mon \\
# between
   12:00
Description=a=b
[Install]
WantedBy=timers.target
"""


def test_settings_are_read_with_their_lines_and_long_ones_joined() -> None:
    [unit] = read_units(FILE, "x.timer")

    assert unit.name == "x.timer"
    assert unit.of("Timer") == [
        Setting(4, "Timer", "OnCalendar", "daily"),
        Setting(5, "Timer", "OnCalendar", "Mon 12:00"),
        Setting(8, "Timer", "Description", "a=b"),
    ]


def test_a_line_that_is_no_setting_is_told() -> None:
    [unit] = read_units(b"OnCalendar=x\n[Timer]\nbogus\nOnCalendar=daily\\", "x.timer")

    assert unit.faults == [
        (1, "it stands before any section: OnCalendar=x"),
        (3, "it is no Name=value: bogus"),
    ]
    assert unit.of("Timer") == [Setting(4, "Timer", "OnCalendar", "daily")]


def test_files_in_a_row_are_told_apart_by_their_paths() -> None:
    data = (
        b"# /usr/lib/systemd/system/a.timer\n[Timer]\nOnCalendar=daily\n"
        b"# /etc/systemd/system/a.timer.d/x.conf\n[Timer]\nOnCalendar=\n"
        b"# /usr/lib/systemd/system/a.service\n[Service]\nType=oneshot\n"
    )

    units = read_units(data, "stdin")

    assert [unit.name for unit in units] == ["a.timer", "a.service"]
    assert [each.value for each in units[0].of("Timer")] == ["daily", ""]


def test_an_empty_file_is_a_unit_without_settings() -> None:
    assert [unit.settings for unit in read_units(b"", "x.timer")] == [[]]


def test_a_mark_of_byte_order_is_no_part_of_the_first_line() -> None:
    [unit] = read_units(b"\xef\xbb\xbf[Timer]\r\nOnCalendar=daily\r\n", "x.timer")

    assert unit.settings == [Setting(2, "Timer", "OnCalendar", "daily")]
    assert unit.faults == []
