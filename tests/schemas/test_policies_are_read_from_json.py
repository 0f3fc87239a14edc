"""What a person writes about overlap, failures and targets is what was meant, and comes back."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.definition import CatchUp, CatchUpMode, Definition, Emit
from schemas.faults import FieldFault
from schemas.policies import (
    Across,
    Filter,
    FilterKind,
    Full,
    Gate,
    Manual,
    Overlap,
    OverlapMode,
    Retry,
    Scope,
    Tracking,
    same_filter,
)
from schemas.reading import definition_json, read_definition
from schemas.units import HOUR, MINUTE, SECOND

IDS, TYPES = FilterKind.IDS, FilterKind.TYPES


def read(**fields: Any) -> Definition:
    return read_definition({"cron": "@daily", "emit": {"topic": "t", "tracked": True}, **fields})


@pytest.mark.parametrize(
    ("field", "written", "meant", "short"),
    {
        "a word": ("overlap", "queue", Overlap(OverlapMode.QUEUE), "queue"),
        "another word for skip": ("overlap", "forbid", Overlap(), None),
        "another word in an object": ("overlap", {"mode": "forbid"}, Overlap(), None),
        "an object of nothing": ("overlap", {}, Overlap(), None),
        "at most two at once": (
            *("overlap", {"mode": "allow", "limit": 2}, Overlap(OverlapMode.ALLOW, 2)),
            {"mode": "allow", "limit": 2},
        ),
        "no limit": (
            *("overlap", {"mode": "allow", "limit": None}, Overlap(OverlapMode.ALLOW)),
            "allow",
        ),
        "the newest waits a minute": (
            *("overlap", {"mode": "latest", "max_wait": "60s"}),
            Overlap(OverlapMode.LATEST, max_wait=MINUTE),
            {"mode": "latest", "max_wait": "PT1M"},
        ),
        "the oldest makes room": (
            *("overlap", {"mode": "queue", "limit": 2_048, "full": "oldest"}),
            Overlap(OverlapMode.QUEUE, 2_048, full=Full.OLDEST),
            {"mode": "queue", "limit": 2_048, "full": "oldest"},
        ),
        "over the whole subject": (
            *("overlap", {"across": "subject", "supersedes": True}),
            Overlap(across=Across.SUBJECT, supersedes=True),
            {"mode": "skip", "across": "subject", "supersedes": True},
        ),
        "three more attempts": ("retry", {"max": 3}, Retry(3), {"max": 3}),
        "attempts with their waits": (
            *("retry", {"max": 1, "backoff": "1s", "longest": "1m"}, Retry(1, SECOND, MINUTE)),
            {"max": 1, "backoff": "PT1S", "longest": "PT1M"},
        ),
        "a limit of time": ("timeout", "90m", 90 * MINUTE, "PT1H30M"),
        "no limit of time": ("timeout", None, None, None),
        "the third failure": ("pause_on_failure", 3, 3, 3),
        "no failure": ("pause_on_failure", 0, 0, None),
        "the subject itself": ("scopes", None, None, None),
        "no target left": ("scopes", [], (), []),
        "targets in their order": (
            *("scopes", ["rack-b", {"target": "rack-a"}], (Scope("rack-b"), Scope("rack-a"))),
            ["rack-b", "rack-a"],
        ),
        "some of a target": (
            "scopes",
            [{"target": "a", "types": ["x", "x"]}, {"target": "b", "ids": ["n2", "n1"]}],
            (Scope("a", Filter(TYPES, ("x", "x"))), Scope("b", Filter(IDS, ("n2", "n1")))),
            [{"target": "a", "types": ["x", "x"]}, {"target": "b", "ids": ["n2", "n1"]}],
        ),
        "a quiet subject": ("gate", "quiet", Gate(), "quiet"),
        "a gate of nothing special": ("gate", {}, Gate(), "quiet"),
        "a gate with its times": (
            *("gate", {"quiet": "5m", "fresh": "10s", "look": "30s", "max_wait": "2h"}),
            Gate(5 * MINUTE, 10 * SECOND, 30 * SECOND, 2 * HOUR),
            {"quiet": "PT5M", "fresh": "PT10S", "look": "PT30S", "max_wait": "PT2H"},
        ),
        "no gate": ("gate", None, None, None),
        "a free hand": ("manual", "ignore", Manual.IGNORE, "ignore"),
        "a hand that asks": ("manual", "obey", Manual.OBEY, None),
    }.values(),
)
def test_each_policy_is_read_and_written_as_short_as_can_be(
    field: str, written: Any, meant: Any, short: Any
) -> None:
    definition = read(**{field: written})

    assert getattr(definition, field) == meant
    assert definition_json(definition).get(field) == short


@pytest.mark.parametrize(
    ("written", "tracked", "short"),
    [
        (True, Tracking(), True),
        ({}, Tracking(), True),
        ({"lease": "10m"}, Tracking(10 * MINUTE), {"lease": "PT10M"}),
        (False, None, None),
        (None, None, None),
    ],
)
def test_an_emit_says_whether_somebody_reports(
    written: Any, tracked: Tracking | None, short: Any
) -> None:
    definition = read(emit={"topic": "t", "tracked": written})

    assert definition.action == Emit("t", tracked=tracked)
    assert definition_json(definition)["emit"].get("tracked") == short


def test_what_runs_after_a_pause_and_after_a_hold_is_said_apart() -> None:
    written = {"mode": "all", "on_resume": "latest", "on_lifted": "none"}
    meant = CatchUp(CatchUpMode.ALL, on_resume=CatchUpMode.LATEST, on_lifted=CatchUpMode.NONE)

    assert read(catch_up=written).catch_up == meant
    assert definition_json(read(catch_up=written))["catch_up"] == written
    assert read(catch_up={"on_lifted": None}).catch_up == CatchUp()


def test_an_untracked_emit_may_have_targets_a_gate_and_a_free_hand() -> None:
    definition = read(emit={"topic": "t"}, scopes=["a"], gate="quiet", manual="ignore")

    assert definition.scopes == (Scope("a"),)
    assert definition_json(definition) == {
        "cron": "@daily",
        "scopes": ["a"],
        "gate": "quiet",
        "manual": "ignore",
        "emit": {"topic": "t", "value": None},
    }


@pytest.mark.parametrize(
    ("one", "other", "same"),
    {
        "another order (IT-093)": (
            *(Filter(TYPES, ("compute", "power shelf")), Filter(TYPES, ("power shelf", "compute"))),
            True,
        ),
        "one more of the same (IT-093)": (
            *(Filter(TYPES, ("compute", "compute")), Filter(TYPES, ("compute",))),
            False,
        ),
        "another kind": (Filter(TYPES, ("a",)), Filter(IDS, ("a",)), False),
        "everything and some": (None, Filter(IDS, ("a",)), False),
        "some and everything": (Filter(IDS, ("a",)), None, False),
        "everything": (None, None, True),
    }.values(),
)
def test_filters_are_the_same_whatever_their_order(
    one: Filter | None, other: Filter | None, same: bool
) -> None:
    assert same_filter(one, other) is same


@pytest.mark.parametrize(
    ("damaged", "why"),
    {
        "no values": (Filter(TYPES, ()), "at least one value"),
        "an empty value": (Filter(IDS, ("n1", "")), "must not be empty"),
        "an unknown kind": (Filter("racks", ("a",)), "of types or ids"),  # type: ignore[arg-type]
    }.values(),
)
def test_a_damaged_filter_is_an_error_when_it_is_written(damaged: Filter, why: str) -> None:
    """IT-092: it would be read as everything, or as something else."""
    definition = read(scopes=["rack-a"])

    with pytest.raises(FieldFault, match=why):
        definition_json(
            Definition(definition.timings, definition.action, scopes=(Scope("a", damaged),))
        )
