"""
What if a policy were decided wrongly?

Deliberate faults like those of breaks.py, in what is decided about runs, orders and subjects.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from schemas.events import RunStarted
from streams.decider import evolve_subject, overlap, promotion, requested, resting, runs
from streams.decider.subject import Subject
from streams.processor import takeover
from streams.processor.happening import Happening
from tests.simulation.breaks import Break


def everywhere(
    patch: pytest.MonkeyPatch, module: Any, name: str, wrong: Callable[..., Any]
) -> None:
    """Replace a function of streams under each name that somebody has imported it by."""
    right = vars(module)[name]
    for other in [one for at, one in sys.modules.items() if at.startswith("streams.")]:
        for known, value in list(vars(other).items()):
            if value is right:
                patch.setattr(other, known, wrong)


def overlap_is_forgotten(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, overlap, "blocked", lambda *_: False)


def the_cap_is_forgotten(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, overlap, "at_capacity", lambda *_: None)


def a_queue_is_one_too_long(patch: pytest.MonkeyPatch) -> None:
    in_line: Any = vars(overlap)["_in_line"]

    def longer(others: Any, rule: Any) -> Any:
        limit = overlap.QUEUE_LIMIT if rule.limit is None else rule.limit
        return in_line(others, replace(rule, limit=limit + 1))

    patch.setattr(overlap, "_in_line", longer)


def nobody_is_promoted(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, promotion, "promoted", lambda *_: ())


def a_report_counts_twice(patch: pytest.MonkeyPatch) -> None:
    """Also one of a run that is over."""
    patch.setattr(runs, "_ignored", lambda *_: None)


def a_later_attempt_writes_no_record(patch: pytest.MonkeyPatch) -> None:
    begin = Happening._begin

    def quiet(self: Happening, event: Any, *given: Any) -> None:
        if not isinstance(event, RunStarted):
            begin(self, event, *given)

    patch.setattr(Happening, "_begin", quiet)


def subjects_are_not_restored(patch: pytest.MonkeyPatch) -> None:
    subjects: Any = vars(takeover)["_subjects"]

    def forgetful(*given: Any) -> dict[str, Any]:
        subjects(*given)
        return {}

    patch.setattr(takeover, "_subjects", forgetful)


def skips_are_ignored(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, requested, "is_requested", lambda _state: False)


def a_held_subject_goes_on(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Subject, "held", property(lambda _self: False))
    everywhere(patch, resting, "hold_over", lambda *_: None)


def a_backfill_begins_over(patch: pytest.MonkeyPatch) -> None:
    """What of it had its turn is not remembered."""
    patch.setattr(evolve_subject, "_progressed", lambda notes, _event: notes)


BREAKS_OF_POLICIES: tuple[Break, ...] = (
    *(overlap_is_forgotten, a_queue_is_one_too_long, nobody_is_promoted, a_report_counts_twice),
    *(a_later_attempt_writes_no_record, subjects_are_not_restored, skips_are_ignored),
    *(a_held_subject_goes_on, a_backfill_begins_over, the_cap_is_forgotten),
)
"""Every fault that has to be found."""
