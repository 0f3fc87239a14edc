"""Is a definition read as it was written, and is a mistake named with its place?"""

from __future__ import annotations

from pathlib import Path

import pytest

from horae.cli.apps import read_app_file
from horae.cli.definition_files import read_files
from horae.cli.endings import Said
from schemas.actions import Fresh, Http, Program
from schemas.definition import Cron, Emit, Interval, Once
from streams.calendar.occurrences import rule_for

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "schedules.yaml"


def test_one_definition_in_yaml(file: Path) -> None:
    file.write_text('schedule: a/b\ncron: "30 2 * * *"\nzone: UTC\nemit: {topic: t, value: x}\n')

    [found] = read_files([file])

    assert found.schedule == "a/b"
    assert found.definition.timings == (Cron("30 2 * * *"),)
    assert found.definition.action == Emit("t", value=b"x")


def test_a_name_without_a_slash_is_its_own_subject(file: Path) -> None:
    file.write_text("schedule: nightly\ninterval: 6h\nemit: {topic: t}\n")

    assert read_files([file])[0].schedule == "nightly/nightly"


def test_several_documents_and_lists(file: Path) -> None:
    one = "{schedule: a/%d, interval: 6h, emit: {topic: t}}"
    file.write_text(f"{one % 1}\n---\n- {one % 2}\n- {one % 3}\n---\n")

    assert [found.schedule for found in read_files([file])] == ["a/1", "a/2", "a/3"]


def test_json(tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    file.write_text('[{"schedule": "a/b", "interval": "6h", "emit": {"topic": "t"}}]')

    assert read_files([file])[0].definition.timings == (Interval(micros=6 * 3_600_000_000),)


def test_an_instant_without_quotes_keeps_its_offset(file: Path) -> None:
    file.write_text("schedule: a/b\nonce: 2026-12-01T09:00:00+01:00\nemit: {topic: t}\n")

    assert read_files([file])[0].definition.timings == (Once(1_796_112_000_000_000),)


def test_words_that_yaml_takes_for_truth_stay_words(file: Path) -> None:
    file.write_text("schedule: a/b\ninterval: 6h\nemit: {topic: t, value: {a: on, b: no, c: 6:00}}")

    action = read_files([file])[0].definition.action
    assert action.value == b'{"a":"on","b":"no","c":"6:00"}'


def test_a_folder_holds_files(tmp_path: Path) -> None:
    for name in ("b.yaml", "a.yml", "notes.txt"):
        (tmp_path / name).write_text(f"schedule: {name[0]}/x\ninterval: 6h\nemit: {{topic: t}}\n")

    assert [found.schedule for found in read_files([tmp_path])] == ["a/x", "b/x"]


MISTAKES = {
    "a field is wrong": ("schedule: a/b\ninterval: 6q\nemit: {topic: t}", r"\(a/b\): interval: "),
    "a field is unknown": ("schedule: a/b\ninterval: 6h\nwhen: 1\nemit: {topic: t}", "when"),
    "there is no schedule": ("interval: 6h\nemit: {topic: t}", "schedule: wanted is an id"),
    "the id is not allowed": ("schedule: 'a#b'\ninterval: 6h\nemit: {topic: t}", "not allowed"),
    "it is no mapping": ("hello", "wanted is a mapping"),
    "it is no YAML": ("a: [", "schedules.yaml: "),
    "a key stands there twice": ("schedule: a/b\nschedule: a/c", "'schedule' stands there twice"),
    "a schedule is defined twice": (
        "- &one {schedule: a/b, interval: 6h, emit: {topic: t}}\n- *one",
        "a/b is defined twice",
    ),
}


@pytest.mark.parametrize(("text", "why"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_named_with_its_place(file: Path, text: str, why: str) -> None:
    file.write_text(text)

    with pytest.raises(Said, match=why):
        read_files([file])


def test_what_is_not_utf8_is_said_so(file: Path) -> None:
    file.write_bytes(b"schedule: \xff")

    with pytest.raises(Said, match="not UTF-8"):
        read_files([file])


def test_the_examples_are_definitions_that_the_calendar_takes() -> None:
    found = read_files([EXAMPLES])

    assert len(found) >= 4
    for one in found:
        rule = one.definition
        assert rule_for(rule.timings, rule.zone, rule.dst, one.schedule).next_after(0)
        assert rule.action.topic == "demo.events" or rule.action.work is not None
    kinds = {type(one.definition.action.work) for one in found}
    assert kinds >= {type(None), Http, Program, Fresh}


@pytest.mark.parametrize("path", sorted((EXAMPLES / "apps").iterdir()), ids=lambda path: path.stem)
def test_the_examples_of_apps_are_apps(path: Path) -> None:
    assert read_app_file(path).image


def aliases(times: int) -> str:
    """Lists of nine, each made of nine of the one before it."""
    lists = "".join(f"&a{n} [{', '.join([f'*a{n - 1}'] * 9)}], " for n in range(1, times))
    return f"[&a0 [{', '.join('x' * 9)}], {lists}]"


def test_aliases_that_stand_for_more_than_memory_holds_are_refused(file: Path) -> None:
    file.write_text(
        f"schedule: a/b\ninterval: 6h\nemit: {{topic: t, value: {aliases(times=12)}}}\n"
    )

    with pytest.raises(Said, match="its aliases stand for more than 100,000 values"):
        read_files([file])


def test_aliases_in_measure_are_read(file: Path) -> None:
    file.write_text(
        "- {schedule: a/b, interval: 6h, emit: &e {topic: t}}\n"
        "- {schedule: a/c, interval: 6h, emit: *e}\n"
    )

    assert {found.definition.action for found in read_files([file])} == {Emit("t")}
