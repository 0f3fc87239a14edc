"""
Is a calendar that makes no sense refused by its field, before anything is sent?

Setting, showing and removing on a real broker is test_calendars_on_broker.py.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from horae.cli.asking import reply_as_line
from horae.cli.calendars import in_words
from schemas.reading_times import read_calendar
from schemas.replies import Reply, Verdict
from tests.face.typed import run


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HORAE_BOOTSTRAP", "127.0.0.1:1")
    monkeypatch.setenv("HORAE_REPLY_WITHIN", "0.3")


USAGE = {
    "nothing said": ((), "wanted is a file, or options"),
    "a date that is none": (("--date", "2026-02-30"), "dates[0]: '2026-02-30' is no date"),
    "the second date": (("--date", "2026-02-03", "--date", "x"), "dates[1]: 'x' is no date"),
    "a day that is none": (("--weekdays", "sat,holiday"), "weekdays: 'sat,holiday' names no days"),
    "a range that is none": (("--yearly", "12-32"), "yearly[0]: "),
    "a base that is no name": (("--base", "a/b"), "base[0]: a name is printable"),
    "a file and options": (("--date", "2026-02-03", "-f", "x"), "wanted is a file, or options"),
    "a file that is not there": (("-f", "nowhere.yaml"), "nowhere.yaml: No such file"),
}


@pytest.mark.parametrize(("options", "said"), USAGE.values(), ids=USAGE.keys())
def test_wrong_options_are_named_and_end_with_2(options: tuple[str, ...], said: str) -> None:
    code, out, err = run("calendar", "set", "days", *options)

    assert (code, out) == (2, "")
    assert said in err


def test_a_name_that_is_none_is_wrong_usage() -> None:
    code, _, err = run("calendar", "set", "2026-12-24", "--weekdays", "sat")

    assert code == 2
    assert "NAME: a name must not look like a date" in err


def test_a_file_with_a_wrong_field_is_named() -> None:
    Path("days.yaml").write_text("dates: [2026-12-24, soon]\n")

    code, _, err = run("calendar", "set", "days", "-f", "days.yaml")

    assert code == 1
    assert "days.yaml: dates[1]: 'soon' is no date" in err


def test_an_expression_that_cannot_be_read_is_refused_before_anything_is_sent() -> None:
    code, _, err = run("calendar", "set", "nights", "--cron", "* 22-6 * * *", "--cron", "* * *")

    assert code == 1
    assert "crons[1]: " in err
    assert "broker" not in err


def test_no_broker_is_one_sentence_and_3() -> None:
    for arguments in (("list",), ("show", "x"), ("remove", "x")):
        code, out, err = run("calendar", *arguments)

        assert (code, out) == (3, "")
        assert len(err.splitlines()) == 1
        assert "sent" not in err


def test_what_is_excluded_in_a_few_words() -> None:
    calendar = read_calendar(
        {
            "weekdays": "sat,sun",
            "dates": ["2026-12-24", "2026-12-31", "2027-12-24"],
            "yearly": ["12-25..12-26"],
            "crons": ["* 0-5 * * *", "* 22-23 * * *"],
            "base": ["company"],
        }
    )

    assert in_words(calendar) == (
        "sat-sun; 2026-12-24 and 2 more; every 12-25..12-26; "
        "at * 0-5 * * * and * 22-23 * * *; as company"
    )


def test_an_answer_about_everyone_names_what_it_is_about_once() -> None:
    reply = Reply("", "calendar/days", Verdict.ACCEPTED, 0, 1, 2, message="closed")

    assert reply_as_line(reply, None) == "calendar/days: accepted, closed"
    assert reply_as_line(replace(reply, verdict=Verdict.REFUSED, field="base"), None) == (
        "calendar/days: refused: base: closed"
    )
