"""
Do calendars, freezes and a hold get into horae.globals, and are they read back from there?

A stand-in answers; what processors make of the records is tests/processor.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest

from horae.client import Client
from horae.local.kafka import Broker
from horae.standing import standing
from schemas import codec
from schemas.faults import FieldFault
from schemas.globals import Calendar, Freeze
from schemas.replies import Reply
from schemas.topics import GLOBALS
from streams.topics_check import TopicsOf
from streams.topics_outlook import Wishes
from tests.face.answering import Answering, answering
from tests.face.typed import run

pytestmark = pytest.mark.broker


@pytest.fixture(autouse=True)
def bootstrap(broker: Broker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HORAE_BOOTSTRAP", broker.bootstrap)
    monkeypatch.setenv("HORAE_ACTOR", "user:ann")
    monkeypatch.delenv("HORAE_DATA", raising=False)
    topics = TopicsOf(broker.bootstrap)
    if topics.look().missing:
        topics.create(topics.look(Wishes(partitions=3)).missing)
    return broker.bootstrap


@pytest.fixture
def answers(bootstrap: str) -> Iterator[Answering]:
    with answering(bootstrap) as found:
        yield found


@pytest.fixture
def name() -> str:
    return f"c{uuid4().hex[:8]}"


def test_a_calendar_is_one_absolute_record_under_its_name(answers: Answering, name: str) -> None:
    code, out, err = run("calendar", "set", name, "--weekdays", "sat,sun", "--date", "2026-12-24")

    [message] = answers.seen
    record = codec.decode(message.value() or b"")
    assert (code, err) == (0, "")
    assert "accepted" in out
    assert (message.topic(), message.partition()) == (GLOBALS, 0)
    assert message.key() == f"calendar/{name}".encode()
    assert isinstance(record, Calendar)
    assert (record.weekdays, record.dates, record.actor) == (96, (20_811,), "user:ann")
    assert record.at > 0


@pytest.mark.usefixtures("answers")
def test_what_was_set_is_shown_listed_and_gone_after_its_removal(bootstrap: str, name: str) -> None:
    run("calendar", "set", name, "--weekdays", "sat,sun", "--description", "weekends")

    shown = json.loads(run("calendar", "show", name, "-o", "json")[1])
    listed = {
        each["calendar"]: each for each in json.loads(run("calendar", "list", "-o", "json")[1])
    }
    table = run("calendar", "list")[1]
    assert listed[name] == shown
    assert shown["version"] == standing(bootstrap, 10).calendars[name][0]
    assert shown["definition"] == {"weekdays": "sat-sun", "description": "weekends"}
    assert name in table
    assert "weekdays: sat-sun" in run("calendar", "show", name)[1]

    assert run("calendar", "remove", name)[0] == 0
    code, _, err = run("calendar", "show", name)
    assert code == 1
    assert f"{name}: there is no such calendar" in err


@pytest.mark.usefixtures("answers")
def test_bases_are_there_make_no_circle_and_are_not_pulled_away(name: str) -> None:
    nowhere = run("calendar", "set", name, "--base", f"{name}-not-there")
    run("calendar", "set", f"{name}-a", "--weekdays", "sun")
    on_it = run("calendar", "set", name, "--base", f"{name}-a")
    circle = run("calendar", "set", f"{name}-a", "--base", name)
    away = run("calendar", "remove", f"{name}-a")

    assert (nowhere[0], on_it[0], circle[0], away[0]) == (1, 0, 1, 1)
    assert "base[0]: " in nowhere[2]
    assert "is no calendar" in nowhere[2]
    assert "is built on" in circle[2]
    assert f"{name} is built on it" in away[2]


@pytest.mark.usefixtures("answers")
def test_days_of_a_file_replace_the_dates_and_nothing_else(
    bootstrap: str, name: str, tmp_path: Path
) -> None:
    run("calendar", "set", name, "--weekdays", "sun", "--date", "2020-01-01")
    file = tmp_path / "days.ics"
    file.write_text(
        "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//t//EN\nBEGIN:VEVENT\nUID:1\n"
        "DTSTART;VALUE=DATE:20261224\nEND:VEVENT\nEND:VCALENDAR\n"
    )

    code, out, _ = run("import", "ics", str(file), "--calendar", name)

    [(_, calendar)] = [standing(bootstrap, 10).calendars[name]]
    assert code == 0
    assert "1 dates are new in the calendar, 1 are gone; its weekdays stay" in out
    assert (calendar.dates, calendar.weekdays) == ((20_811,), 64)
    assert calendar.description == f"from {file}"


@pytest.mark.usefixtures("answers")
def test_a_freeze_is_added_listed_and_lifted(bootstrap: str, name: str) -> None:
    added = run("freeze", "add", name, "--subject", "billing*", "--to", "2h", "-r", "why")
    [before] = [each for each in _freezes() if each["freeze"] == name]
    listed = run("freeze", "list")[1]
    lifted = run("freeze", "lift", name, "-r", "over")
    again = run("freeze", "lift", name)

    assert (added[0], lifted[0], again[0]) == (0, 0, 1)
    assert (before["subjects"], before["state"], before["reason"]) == (
        *(["billing*"], "in force", "why"),
    )
    assert name in listed
    assert name not in {each["freeze"] for each in _freezes()}
    last = standing(bootstrap, 10).noted[f"freeze/{name}"].record
    assert isinstance(last, Freeze)
    assert (last.lifted, last.reason, last.subjects) == (True, "over", ("billing*",))


def _freezes() -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(run("freeze", "list", "-o", "json")[1])
    return found


@pytest.mark.usefixtures("answers")
def test_a_hold_is_shown_with_who_set_it_and_why() -> None:
    run("hold", "all", "-r", "moving")
    held = json.loads(run("hold", "show", "-o", "json")[1])
    line = run("hold", "show")[1]
    run("hold", "lift")

    assert (held["held"], held["actor"], held["reason"]) == (True, "user:ann", "moving")
    assert line == f"everything is held since {held['since']} by user:ann: moving\n"
    assert run("hold", "show")[1].startswith("nothing is held, since ")
    assert json.loads(run("hold", "show", "-o", "json")[1])["held"] is False


def test_what_no_record_may_hold_is_refused_by_its_field_before_it_is_sent(
    answers: Answering, bootstrap: str
) -> None:
    long = "y" * 5_000
    with Client(bootstrap) as client:
        asked: list[Callable[..., Reply]] = [
            partial(client.hold, long),
            partial(client.lift, long),
            partial(client.accept_clock, long),
            partial(client.freeze, "x", Freeze(("*",), 1, 2, long)),
        ]
        for ask in asked:
            with pytest.raises(FieldFault, match=r"^reason: has 4096 bytes at most"):
                ask(at=1)
        with pytest.raises(FieldFault, match=r"^name: "):
            client.set_calendar("a/b", Calendar(), at=1)

    assert answers.seen == []
    assert run("hold", "all", "-r", long)[0] == 1
