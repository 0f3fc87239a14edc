"""
Is it said what became of work that somebody reports about?

Runs of several targets, queues, overlap, skips, holds over a subject, backfills. What is said of
schedules without policies is test_explaining.py.
"""

from __future__ import annotations

from typing import Any

from schemas.commands import (
    Backfill,
    Define,
    HoldSubject,
    ReleaseSubject,
    ReportStatus,
    Skip,
)
from schemas.definition import CatchUp
from schemas.policies import Overlap, OverlapMode, Scope
from tests.decider.crew import crew_with, work
from tests.decider.house import House, tracked
from tests.decider.stage import DAY, at
from tests.face.remembered import Remembered, said

HALF_HOURS = "*/30 * * * *"


def house(**more: Any) -> House:
    found = House()
    found.ask("11:50", Define(tracked(HALF_HOURS, lease=DAY, **more)))
    return found


def told(found: House, when: str, now: str = "15:00") -> str:
    return said(Remembered(found.history), when, now)


def test_the_runs_of_each_target_and_their_ends_are_told() -> None:
    found = house(scopes=(Scope("rack-a"), Scope("rack-b")))
    found.wait("12:00")
    first, second = found.going()
    found.report("12:05", first.id)
    found.report("12:06", second.id, ReportStatus.FAILED)

    words = told(found, "12:00")

    assert f"Scope rack-a: run {first.id} started." in words
    assert f"Run {first.id} (rack-a): ended success at 2026-06-01T12:05:00Z." in words
    assert f"Run {second.id} (rack-b): ended failed at 2026-06-01T12:06:00Z." in words


def test_a_run_that_goes_on_is_named() -> None:
    """Whoever is to report about it, or to cancel it, needs its name."""
    found = house()
    found.wait("12:00")

    assert f"Scope {found.subject}: run {found.going()[0].id} started." in told(found, "12:00")


def test_work_that_no_runner_has_taken_is_not_said_to_have_begun() -> None:
    crew, run = crew_with(work("5 0 * * *"))

    words = told(crew, "00:05")

    assert f"Scope {crew.subject}: run {run} offered to the runners." in words
    assert "started" not in words


def test_what_waits_behind_another_run_is_told() -> None:
    found = house(overlap=Overlap(OverlapMode.QUEUE))
    found.wait("12:30")
    (first,) = found.going()
    found.report("12:40", first.id)

    words = told(found, "12:30")

    assert "waiting" in words
    assert "began (attempt 1) at 2026-06-01T12:40:00Z." in words


def test_what_overlaps_is_told() -> None:
    found = house()
    found.wait("12:30")

    assert "overlap" in told(found, "12:30")


def test_what_was_asked_to_be_skipped_is_told() -> None:
    found = house()
    found.ask("11:55", Skip(None, at("12:00"), "stocktaking"))
    found.wait("12:00")

    words = told(found, "12:00")

    assert "it was asked to be skipped by user:ann (the command at offset 1" in words
    assert "stocktaking" in words
    assert ": requested" in words


def test_a_hold_over_its_subject_is_told() -> None:
    found = house()
    found.wait("12:00")
    found.ask("12:10", HoldSubject("works", None), None)
    held = told(found, "12:30", "12:45")
    found.ask("12:50", ReleaseSubject("done"), None)
    found.wait("12:50")

    assert (
        "Its subject was held from 2026-06-01T12:10:00Z and still is, by user:ann: works." in held
    )
    assert "It has no end yet: nothing is decided while the hold lasts." in held
    assert "until 2026-06-01T12:50:00Z, by user:ann: works." in told(found, "12:30")


def test_what_was_run_once_more_is_told() -> None:
    found = house(catch_up=CatchUp())
    found.wait("12:00")
    found.report("12:05", found.going()[0].id)
    found.ask(
        "12:10",
        Backfill(at("12:00"), at("12:00"), (), newest_first=False, overlap=None, dry_run=False,
                 reason="again"),
    )  # fmt: skip
    found.wait("12:15")

    words = told(found, "12:00")

    assert "it was asked to run once more by user:ann" in words
    assert "By a backfill it fired at 2026-06-01T12:10:00Z" in words
