"""A runner says at its start what it may do, and what is missing for it to do anything."""

from __future__ import annotations

import pytest

from streams.runner.allowed_words import allowed_words, complaints
from streams.settings import RunnerSettings

NONE_OF_ITS = "is allowed, but no {} (HORAE_RUNNER_ALLOW_{} is empty): such work ends unavailable"

NOTHING = (
    "nothing is allowed here (HORAE_RUNNER_ALLOW_ACTIONS is empty): such work ends unavailable"
)


def settings(**given: str) -> RunnerSettings:
    return RunnerSettings(**given)  # type: ignore[arg-type] # by their names


def test_what_is_allowed_is_one_line() -> None:
    found = settings(
        allow_actions="command, http", allow_programs="df,/opt/*", allow_secrets="env:A"
    )

    assert allowed_words(found) == "actions command, http; programs df, /opt/*; secrets env:A"
    assert allowed_words(settings()) == ""


@pytest.mark.parametrize(
    ("given", "told"),
    {
        "nothing at all": (
            {},
            [NOTHING],
        ),
        "no program": (
            {"allow_actions": "command,http", "allow_urls": "http://h/"},
            ["command " + NONE_OF_ITS.format("programs", "PROGRAMS")],
        ),
        "no url": ({"allow_actions": "http"}, ["http " + NONE_OF_ITS.format("urls", "URLS")]),
        "no image": (
            {"allow_actions": "fresh"},
            ["fresh " + NONE_OF_ITS.format("images", "IMAGES")],
        ),
        "a misspelt action": (
            {"allow_actions": "comand"},
            ["HORAE_RUNNER_ALLOW_ACTIONS: there is no action 'comand'"],
        ),
        "all that is needed": ({"allow_actions": "command", "allow_programs": "df"}, []),
    }.values(),
)
def test_what_is_missing_is_a_complaint(given: dict[str, str], told: list[str]) -> None:
    assert list(complaints(settings(**given))) == told
