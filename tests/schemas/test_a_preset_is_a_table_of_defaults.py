"""A preset says what holds where a definition says nothing, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.definition import Basis, CatchUp, CatchUpMode, Definition, Dst, Interval
from schemas.faults import FieldFault
from schemas.policies import (
    ALONE,
    NO_RETRY,
    Across,
    Gate,
    Manual,
    Overlap,
    OverlapMode,
    Preset,
    Tracking,
)
from schemas.reading import definition_json, read_definition
from schemas.units import DAY, HOUR, MINUTE


def read(preset: str, **fields: Any) -> Definition:
    timing = {} if {"interval", "once", "timings"} & fields.keys() else {"cron": "@daily"}
    return read_definition({"preset": preset, "emit": {"topic": "t"}, **timing, **fields})


def policies_of(found: Definition) -> tuple[Any, ...]:
    return (
        *(found.catch_up, found.dst, found.overlap, found.gate, found.manual),
        *(found.action.tracked, found.preset),
    )


QUARTER = 15 * MINUTE
ONE_AT_A_TIME = Overlap(OverlapMode.QUEUE, None, HOUR, Across.SUBJECT, supersedes=True)
TABLE = {
    "none": (CatchUp(), Dst.SHIFT, ALONE, None, Manual.OBEY, None, Preset.NONE),
    "app": (
        CatchUp(CatchUpMode.LATEST, DAY, 2 * MINUTE),
        *(Dst.STRICT_ONCE, Overlap(OverlapMode.ALLOW), None, Manual.OBEY, Tracking(), Preset.APP),
    ),
    "infra": (
        CatchUp(CatchUpMode.LATEST, None, MINUTE),
        *(Dst.LITERAL, ALONE, None, Manual.IGNORE, Tracking(), Preset.INFRA),
    ),
    "deployment": (
        CatchUp(CatchUpMode.NONE, QUARTER, QUARTER),
        *(Dst.SHIFT, ONE_AT_A_TIME, Gate(), Manual.OBEY, Tracking(), Preset.DEPLOYMENT),
    ),
}


@pytest.mark.parametrize("preset", TABLE)
def test_a_preset_stays_the_table_that_it_is(preset: str) -> None:
    """What was written under its name is read by it for ever."""
    found = read(preset)

    assert policies_of(found) == TABLE[preset]
    assert (found.retry, found.timeout, found.pause_on_failure) == (NO_RETRY, None, 0)
    assert found.zone == "UTC"


@pytest.mark.parametrize("preset", ["app", "infra", "deployment"])
def test_what_is_as_the_preset_says_is_not_written_again(preset: str) -> None:
    assert definition_json(read(preset)) == {
        "cron": "@daily",
        "preset": preset,
        "emit": {"topic": "t", "value": None},
    }


def test_the_preset_of_none_is_not_written() -> None:
    assert "preset" not in definition_json(read("none"))


@pytest.mark.parametrize(
    ("preset", "field", "written", "meant", "again"),
    {
        "the grace of an app": (
            *("app", "catch_up", {"grace": "10m"}, CatchUp(grace=10 * MINUTE)),
            {"mode": "latest", "grace": "PT10M"},
        ),
        "the mode of an app": (
            *("app", "catch_up", "none", CatchUp(CatchUpMode.NONE, grace=2 * MINUTE)),
            "none",
        ),
        "the plain grace of an app": (
            *("app", "catch_up", {"grace": "60s"}, CatchUp()),
            {"mode": "latest", "grace": "PT1M"},
        ),
        "the lookback of infra": (
            *("infra", "catch_up", {"lookback": "24h"}, CatchUp()),
            {"mode": "latest", "lookback": "PT24H"},
        ),
        "the lookback of a deployment": (
            *("deployment", "catch_up", {"lookback": None}),
            CatchUp(CatchUpMode.NONE, None, QUARTER),
            {"mode": "none", "lookback": None},
        ),
        "the clocks of an app": ("app", "dst", "shift", Dst.SHIFT, "shift"),
        "the clocks of a deployment": ("deployment", "dst", "skip", Dst.SKIP, "skip"),
        "one run of an app": ("app", "overlap", "skip", Overlap(), "skip"),
        "some runs of an app": (
            *("app", "overlap", {"limit": 3}, Overlap(OverlapMode.ALLOW, 3)),
            {"mode": "allow", "limit": 3},
        ),
        "no queue of a deployment": (
            *("deployment", "overlap", "skip"),
            Overlap(across=Across.SUBJECT, supersedes=True),
            "skip",
        ),
        "a deployment for itself": (
            *("deployment", "overlap", {"across": "scope", "supersedes": False}),
            Overlap(OverlapMode.QUEUE),
            {"mode": "queue", "across": "scope", "supersedes": False},
        ),
        "no gate of a deployment": ("deployment", "gate", None, None, None),
        "a longer quiet of a deployment": (
            *("deployment", "gate", {"quiet": "20m"}, Gate(quiet=20 * MINUTE)),
            {"quiet": "PT20M"},
        ),
        "a hand that asks": ("infra", "manual", "obey", Manual.OBEY, "obey"),
    }.values(),
)
def test_a_value_that_is_given_wins_alone(
    preset: str, field: str, written: Any, meant: Any, again: Any
) -> None:
    """The others of the preset stay, also inside of an object."""
    found = read(preset, **{field: written})
    by_preset = read(preset)

    assert getattr(found, field) == meant
    for name in {"catch_up", "dst", "overlap", "gate", "manual", "action"} - {field}:
        assert getattr(found, name) == getattr(by_preset, name)
    shown = definition_json(found)
    assert shown[field] == again
    assert shown.keys() == {"cron", "preset", "emit", field}
    assert read_definition(shown) == found


def test_an_emit_that_nobody_reports_about_has_no_overlap_by_its_preset() -> None:
    found = read("deployment", emit={"topic": "t", "tracked": False})

    assert found.overlap == ALONE
    assert found.gate == Gate()
    assert definition_json(found)["emit"] == {"topic": "t", "value": None, "tracked": False}
    assert read_definition(definition_json(found)) == found


def test_an_emit_that_nobody_reports_about_gets_no_overlap_by_hand_either() -> None:
    with pytest.raises(FieldFault, match=r"needs emit\.tracked"):
        read("app", emit={"topic": "t", "tracked": False}, overlap="allow")


def acting(do: str, **fields: Any) -> Definition:
    return read_definition({"cron": "@daily", "deployment": do, **fields})


@pytest.mark.parametrize(
    ("do", "gate", "holds"),
    [
        ("sleep", Gate(), True),
        ("stop", Gate(), False),
        ("wake", None, True),
        ("start", None, False),
    ],
)
def test_what_is_done_to_a_deployment_has_its_preset(
    do: str, gate: Gate | None, holds: bool
) -> None:
    """A stop waits for quiet like a sleep; a wake is not subject to that."""
    found = acting(do)

    assert found.preset is Preset.DEPLOYMENT
    assert (found.gate, found.hold_on_failure) == (gate, holds)
    assert (found.catch_up, found.overlap) == (
        CatchUp(CatchUpMode.NONE, QUARTER, QUARTER),
        ONE_AT_A_TIME,
    )
    assert found.start_within == QUARTER
    assert definition_json(found) == {"cron": "@daily", "deployment": do}


@pytest.mark.parametrize("preset", ["none", "app", "infra"])
def test_a_preset_that_a_deployment_names_wins(preset: str) -> None:
    found = acting("sleep", preset=preset)

    assert (found.gate, found.hold_on_failure) == (None, False)
    assert found.preset.value == preset
    assert definition_json(found) == {"cron": "@daily", "deployment": "sleep", "preset": preset}
    assert read_definition(definition_json(found)) == found


@pytest.mark.parametrize(
    ("do", "field", "written", "meant"),
    [
        ("wake", "gate", "quiet", Gate()),
        ("sleep", "gate", None, None),
        ("sleep", "hold_on_failure", False, False),
        ("stop", "hold_on_failure", True, True),
    ],
)
def test_a_deployment_may_be_asked_for_other_than_usual(
    do: str, field: str, written: Any, meant: Any
) -> None:
    found = acting(do, **{field: written})

    assert getattr(found, field) == meant
    assert definition_json(found).keys() == {"cron", "deployment", field}
    assert read_definition(definition_json(found)) == found


def test_a_record_under_the_preset_of_deployments_holds_nothing() -> None:
    found = read("deployment")

    assert found.hold_on_failure is False
    assert found.gate == Gate()


@pytest.mark.parametrize(
    ("fields", "basis", "again"),
    {
        "alone": ({"interval": "6h"}, Basis.AFTER_FIRE, {"interval": "PT6H"}),
        "alone in an object": (
            *({"interval": {"every": "6h"}}, Basis.AFTER_FIRE),
            {"interval": "PT6H"},
        ),
        "alone in a list": (
            *({"timings": [{"interval": "6h"}]}, Basis.AFTER_FIRE),
            {"interval": "PT6H"},
        ),
        "as it is said": (
            *({"interval": {"every": "6h", "basis": "grid"}}, Basis.GRID),
            {"interval": {"every": "PT6H", "basis": "grid"}},
        ),
        "from its creation on": (
            *({"interval": {"every": "6h", "anchor": "creation"}}, Basis.GRID),
            {"interval": {"every": "PT6H", "basis": "grid"}},
        ),
        "from an anchor on": (
            *({"interval": {"every": "6h", "anchor": "epoch"}}, Basis.GRID),
            {"interval": {"every": "PT6H", "anchor": "1970-01-01T00:00:00Z"}},
        ),
        "beside another": (
            *({"timings": [{"interval": "6h"}, {"cron": "@daily"}]}, Basis.GRID),
            {"timings": [{"interval": "PT6H"}, {"cron": "@daily"}]},
        ),
    }.values(),
)
def test_an_interval_of_infra_counts_from_its_fires_if_it_may(
    fields: dict[str, Any], basis: Basis, again: dict[str, Any]
) -> None:
    found = read("infra", **fields)

    assert isinstance(found.timings[0], Interval)
    assert found.timings[0].basis is basis
    shown = definition_json(found)
    assert {name: shown[name] for name in again} == again
    assert read_definition(shown) == found


def test_an_interval_of_another_preset_stays_on_its_grid() -> None:
    (timing,) = read("app", interval="6h").timings

    assert timing == Interval(micros=6 * HOUR)


def test_an_interval_in_something_that_is_no_list_is_named() -> None:
    with pytest.raises(FieldFault, match="at least one entry"):
        read("infra", timings="6h")


def test_an_empty_zone_is_utc_for_infra_only() -> None:
    """IT-018."""
    assert read("infra", zone="").zone == "UTC"
    for preset in ("none", "app", "deployment"):
        with pytest.raises(FieldFault, match="must not be empty"):
            read(preset, zone="")
    with pytest.raises(FieldFault, match="must not be empty"):
        read("infra", zone=" ")
