"""
How is a preview asked for on the command line, and how does its answer look?

What it finds is test_previewing.py.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.face.typed import run

AFTER = ("--after", "2026-12-22T00:00:00Z")
DEFINITIONS = """
- schedule: a/noon
  description: at noon
  cron: "0 12 * * *"
  zone: Europe/Berlin
  exclude: ["2026-12-24", "2026-12-25"]
  jitter: 10m
  emit: {topic: t}
- schedule: a/six
  interval: {every: 6h, anchor: epoch}
  window: 08:00-09:00
  emit: {topic: t}
"""


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HORAE_BOOTSTRAP", "127.0.0.1:1")
    monkeypatch.setenv("HORAE_REPLY_WITHIN", "0.3")
    (tmp_path / "two.yaml").write_text(DEFINITIONS)


def test_the_definitions_of_a_file_are_previewed_one_after_the_other() -> None:
    code, out, _ = run("preview", "-f", "two.yaml", *AFTER, "-n", "3")

    assert code == 0
    assert "a/noon: at noon" in out
    assert "a/six" in out
    assert "2 up to 2026-12-25T12:00:00 excluded by its own dates" in out
    assert "deferred to the opening of the window" in out


def test_what_an_interval_counts_from_is_told() -> None:
    Path("six.yaml").write_text("{schedule: a/b, interval: 6h, emit: {topic: t}}")

    code, _, err = run("preview", "-f", "six.yaml")

    assert code == 0
    assert err == (
        "note: an interval without an anchor counts from its definition; here as if that were now\n"
    )


def test_as_json_all_of_it_is_apart() -> None:
    code, out, _ = run("preview", "-f", "two.yaml", *AFTER, "-n", "3", "-o", "json")

    noon, six = json.loads(out)
    assert code == 0
    assert noon["instants"] == [
        *("2026-12-22T11:00:00Z", "2026-12-23T11:00:00Z", "2026-12-26T11:00:00Z"),
    ]
    assert noon["left_out"] == [
        {
            "first": "2026-12-24T12:00:00",
            "last": "2026-12-25T12:00:00",
            "count": 2,
            "why": "excluded by its own dates",
        }
    ]
    assert all(each["due"] > each["instant"] for each in noon["details"])
    assert (noon["truncated"], six["schedule"]) == (True, "a/six")
    assert all(bool(each["starts"]) is not each["skipped"] for each in six["details"])
    assert six["details"][0]["starts"]


def test_a_definition_from_standard_input() -> None:
    text = '{"schedule": "a/b", "cron": "0 12 * * *", "emit": {"topic": "t"}}'

    code, out, _ = run("preview", "-f", "-", *AFTER, "-n", "1", stdin=text)

    assert code == 0
    assert "2026-12-22T12:00:00Z" in out


def test_from_to_and_limit_are_a_stretch_and_what_is_cut_off_is_told() -> None:
    stretch = ("--from", "2026-01-01T00:00:00Z", "--to", "2d")

    whole = json.loads(run("preview", "0 */12 * * *", *stretch, "-o", "json")[1])
    code, out, err = run("preview", "0 */12 * * *", *stretch, "--limit", "1")

    assert whole["instants"] == [
        *("2026-01-01T12:00:00Z", "2026-01-02T00:00:00Z"),
        *("2026-01-02T12:00:00Z", "2026-01-03T00:00:00Z"),
    ]
    assert not whole["truncated"]
    assert (code, err) == (0, "there are more than 1: --limit shows them\n")
    assert "2026-01-01T12:00:00Z" in out


def test_the_last_ones_newest_first() -> None:
    code, out, _ = run(
        *("preview", "@daily", "--previous", "--to", "2026-01-03T00:00:00Z", "-n", "2"),
        *("-o", "json"),
    )

    assert code == 0
    assert json.loads(out)["instants"] == ["2026-01-03T00:00:00Z", "2026-01-02T00:00:00Z"]


def test_what_it_means_is_said_first_in_plain_english() -> None:
    _, text, _ = run("preview", "30 2 * * 1-5", "--zone", "America/New_York", *AFTER)
    found = json.loads(run("preview", "H 2 * * *", "--schedule", "a/b", *AFTER, "-o", "json")[1])

    [instant, *_] = found["instants"]
    assert text.startswith("At 02:30 on weekdays, New York time")
    assert found["explain"] == f"At {instant[11:16]} every day, UTC."


def test_nothing_in_a_stretch_is_said() -> None:
    code, out, _ = run("preview", "@yearly", "--from", "2026-02-01T00:00:00Z", "--to", "2d")

    assert code == 0
    assert out.splitlines()[-1] == "it does not come again"


USAGE = {
    "nothing to preview": ((), "wanted is an expression, or --file, or --jsonl"),
    "two things": (("@daily", "-f", "two.yaml"), "wanted is an expression, or --file"),
    "an end before the beginning": (
        ("@daily", *AFTER, "--to", "2026-12-21T00:00:00Z"),
        "--to: must not be before --after",
    ),
    "an end that is no instant": (("@daily", "--to", "soon"), "--to: "),
    "no such zone": (("@daily", "--zone", "Mars"), "--zone: "),
    "no such dialect": (("@daily", "--dialect", "x"), "--dialect: 'x'; allowed are standard"),
    "a file that is not there": (("-f", "no.yaml"), "no.yaml: No such file"),
}


@pytest.mark.parametrize(("arguments", "said"), USAGE.values(), ids=USAGE.keys())
def test_wrong_usage_is_named_and_ends_with_2(arguments: tuple[str, ...], said: str) -> None:
    code, out, err = run("preview", *arguments)

    assert (code, out) == (2, "")
    assert said in err


def test_a_definition_that_makes_no_sense_is_refused_by_its_name() -> None:
    Path("bad.yaml").write_text('{schedule: a/b, cron: "61 * * * *", emit: {topic: t}}')

    code, _, err = run("preview", "-f", "bad.yaml")

    assert code == 1
    assert "a/b: cron: " in err


def test_shared_calendars_need_a_broker_and_nothing_else_does() -> None:
    Path("days.yaml").write_text(
        '{schedule: a/b, cron: "@daily", exclude: [company], emit: {topic: t}}'
    )

    code, out, err = run("preview", "-f", "days.yaml")

    assert (code, out) == (3, "")
    assert "127.0.0.1:1" in err


def test_after_the_last_instant_of_all_nothing_is_asked() -> None:
    code, _, err = run("preview", "* * * * *", "--after", "9999-12-31T23:59:00Z")

    assert code == 2
    assert err.startswith("horae: --after: nothing comes after 9999-")
