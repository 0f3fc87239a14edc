"""What the policies of a schedule mean is told in words, also what its preset has filled in."""

from __future__ import annotations

from typing import Any

import pytest

from horae.cli.policy_words import policy_words
from schemas.reading import read_definition

TRACKED = "interrupted after 1 hour without a report"
BESIDE = "left out beside an earlier run of its target"


@pytest.mark.parametrize(
    ("fields", "words"),
    {
        "runs beside each other": (
            {"overlap": "allow"},
            "starts beside an earlier run of its target",
        ),
        "two at once": (
            {"overlap": {"mode": "allow", "limit": 2}},
            "starts beside an earlier run of its target, 2 at once at most",
        ),
        "a queue": (
            {"overlap": {"mode": "queue", "full": "oldest"}},
            (
                "up to 5 wait for an earlier run of its target, 1 hour at most; "
                "a full queue drops its oldest"
            ),
        ),
        "the newest": (
            {"overlap": {"mode": "latest", "max_wait": "90m"}},
            "the newest waits for an earlier run of its target, 1 hour and 30 minutes at most",
        ),
        "another one's place": (
            {"overlap": "replace"},
            "an earlier run of its target is stopped first",
        ),
        "one at a time": (
            {"overlap": {"across": "subject"}},
            "left out beside an earlier run of the subject",
        ),
    }.values(),
)
def test_an_overlap_that_is_not_as_usual_is_told(fields: dict[str, Any], words: str) -> None:
    found = read_definition({"cron": "@daily", "emit": {"topic": "t", "tracked": True}, **fields})

    assert policy_words(found) == f"{words}; {TRACKED}"


def test_what_a_runner_that_is_silent_or_late_means_is_told() -> None:
    found = read_definition({"cron": "@daily", "command": ["a"], "start_within": "5m"})

    assert policy_words(found) == (
        f"{BESIDE}; interrupted after 30 seconds without a word of its runner; "
        "given up if no runner begins it within 5 minutes"
    )


def test_what_is_done_to_a_deployment_says_what_its_preset_has_filled_in() -> None:
    sleep = policy_words(read_definition({"cron": "@daily", "deployment": "sleep"}))
    start = policy_words(read_definition({"cron": "@daily", "deployment": "start"}))

    common = (
        "preset deployment; up to 5 wait for an earlier run of the subject, 1 hour at most; "
        "what is due closes what still waits; interrupted after 30 seconds without a word of its "
        "runner; given up if no runner begins it within 15 minutes"
    )
    assert start == common
    assert sleep == (
        f"{common}; only after 10 minutes without a request, for which it waits 1 hour at most; "
        "a failure holds the sleep and wake of the subject until somebody releases it"
    )


@pytest.mark.parametrize(
    ("fields", "words"),
    {
        "nothing": ({}, ""),
        "one more attempt": (
            {"retry": {"max": 1}, "emit": {"topic": "t", "tracked": True}},
            f"{BESIDE}; {TRACKED}; 1 further attempt, the first after 30 seconds",
        ),
        "what fails": (
            {
                "retry": {"max": 3, "backoff": "1m"},
                "timeout": "30m",
                "pause_on_failure": 3,
                "emit": {"topic": "t", "tracked": {"lease": "10m"}},
            },
            (
                f"{BESIDE}; interrupted after 10 minutes without a report; "
                "3 further attempts, the first after 1 minute; "
                "an attempt takes 30 minutes at most; paused after 3 failures in a row"
            ),
        ),
        "one failure": (
            {"pause_on_failure": 1, "emit": {"topic": "t", "tracked": True}},
            f"{BESIDE}; {TRACKED}; paused after a failure",
        ),
        "targets": (
            {"scopes": ["rack-a", {"target": "rack-b", "ids": ["n1", "n2"]}]},
            "for rack-a, rack-b (2 ids)",
        ),
        "many targets": ({"scopes": [f"rack-{i}" for i in range(6)]}, "6 targets"),
        "no target": ({"scopes": []}, "no target is left"),
        "what still runs": (
            {"catch_up": {"on_resume": "all", "on_lifted": "latest"}},
            (
                "after a pause all that was due still runs; "
                "after a hold the latest of what was due still runs"
            ),
        ),
        "infrastructure": (
            {"preset": "infra"},
            f"preset infra; {BESIDE}; {TRACKED}; a fire by hand asks about no other run",
        ),
        "a deployment": (
            {"preset": "deployment"},
            (
                "preset deployment; "
                "up to 5 wait for an earlier run of the subject, 1 hour at most; "
                f"what is due closes what still waits; {TRACKED}; "
                "only after 10 minutes without a request, for which it waits 1 hour at most"
            ),
        ),
    }.values(),
)
def test_each_policy_that_is_not_as_usual_is_told(fields: dict[str, Any], words: str) -> None:
    assert (
        policy_words(read_definition({"cron": "@daily", "emit": {"topic": "t"}, **fields})) == words
    )
