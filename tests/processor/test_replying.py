"""Every command gets one answer, and it says what became of it."""

from __future__ import annotations

import pytest

from schemas.commands import Command, Define, Pause, Remove, Resume, Trigger, Unacceptable
from schemas.definition import Definition
from schemas.replies import Reply, Verdict
from tests.decider.stage import HOUR, MINUTE, at, once, rule
from tests.processor.desk import Desk

NAME = "shop/nightly"
HOURLY = rule("0 * * * *")


def desk(definition: Definition = HOURLY) -> Desk:
    found = Desk(at("10:30"))
    found.ask(NAME, Define(definition))
    found.step()
    return found


def answer(one: Desk, command: Command) -> Reply:
    one.ask(NAME, command)
    one.step()
    return one.replies()[-1]


def reply(command: str, verdict: Verdict = Verdict.ACCEPTED, **more: object) -> Reply:
    plain = {"version": 0, "incarnation": 0, "next": at("11:00")}
    return Reply(NAME, command, verdict, at("10:30"), 0, 1, **plain | more)  # type: ignore[arg-type]


def test_a_definition_is_answered_with_version_and_next_instant() -> None:
    assert desk().replies() == [
        Reply(NAME, "define", Verdict.ACCEPTED, at("10:30"), 0, 0, 0, 0, at("11:00"))
    ]


@pytest.mark.parametrize(
    ("command", "expected"),
    {
        "the same again": (Define(HOURLY), reply("define", Verdict.UNCHANGED)),
        "an edit (POL-058)": (
            Define(rule("*/10 * * * *")),
            reply("define", version=1, next=at("10:40")),
        ),
        "a stale edit (ANC-07)": (
            Define(rule("*/10 * * * *"), expected_version=9),
            reply(
                "define",
                Verdict.REFUSED,
                field="expected_version",
                message="version 9 was expected, the schedule has 0",
            ),
        ),
        "a pause has no next": (Pause(), reply("pause", next=None)),
        "a resume of what runs": (Resume(), reply("resume", Verdict.UNCHANGED)),
        "a trigger names its occurrence": (
            Trigger(),
            reply("trigger", occurrence=f"{NAME}~0@trigger:id-1.1"),
        ),
        "a removal leaves nothing": (
            Remove(),
            reply("remove", version=None, incarnation=None, next=None),
        ),
    }.values(),
)
def test_a_command_is_answered(command: Command, expected: Reply) -> None:
    assert answer(desk(), command) == expected


def test_what_could_not_be_meant_is_answered_under_its_kind() -> None:
    one = desk()
    one.put(b"shop/nightly#pause:p", b'{"until": 5}')
    one.step()
    found = one.replies()[-1]

    assert (found.command, found.verdict, found.field) == ("pause", Verdict.REFUSED, "until")


def test_an_unknown_schedule_has_no_version() -> None:
    found = answer(Desk(at("10:30")), Remove())

    assert (found.verdict, found.field, found.version) == (Verdict.REFUSED, "schedule", None)


def test_a_removal_that_settles_a_fire_came_too_late_for_it() -> None:
    """KPR-19."""
    one = desk()
    one.now = at("11:00:10")
    found = answer(one, Remove())

    assert (found.verdict, found.message) == (Verdict.ACCEPTED, "too late for what has fired")
    assert found.occurrence == f"{NAME}~0@2026-06-01T11:00:00Z"


def test_a_removal_of_a_one_time_that_fired_names_the_fire() -> None:
    """KPR-19: it went out, so nobody is told that it was prevented."""
    one = desk(rule(once("11:00")))
    one.pass_time(30 * MINUTE)
    found = answer(one, Remove())

    assert (found.verdict, found.message) == (Verdict.ACCEPTED, "too late for what has fired")
    assert found.occurrence == f"{NAME}~0@2026-06-01T11:00:00Z"


@pytest.mark.parametrize("times", ["pending", "consumed"])
def test_a_one_time_that_did_not_fire_by_itself_names_none(times: str) -> None:
    one = desk(rule(once("11:00")))
    if times == "consumed":
        answer(one, Trigger())
    found = answer(one, Remove())

    assert (found.occurrence, found.message) == (None, None)


def test_a_one_time_that_was_missed_names_none() -> None:
    one = desk(rule(once("11:00")))
    one.pass_time(48 * HOUR)

    assert answer(one, Remove()).occurrence is None


def test_the_kind_of_what_is_not_acceptable_is_what_it_was_sent_as() -> None:
    one = desk()
    one.put(b"shop/nightly", b'{"cron": 5}')
    one.step()

    assert one.replies()[-1].command == Unacceptable("define", "", "").kind
