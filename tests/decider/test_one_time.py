"""A one-time schedule has one instant, which ends once; each row is a promise."""

from __future__ import annotations

import pytest

from schemas.commands import Define
from schemas.definition import CatchUp, CatchUpMode, Emit
from schemas.instants import FIRST
from tests.decider.expected import changed, completed, defined, fired, refused, skipped
from tests.decider.stage import DAY, RING, Case, at, once, rule

NO_CATCH_UP = CatchUp(CatchUpMode.NONE)
UNLIMITED = CatchUp(lookback=None)
PAST = "the instant lies in the past, further than catch_up looks back"

ONCE = {
    "a once in the past but inside the lookback is accepted": Case(
        [],
        ("12:00", Define(rule(once("10:00")))),
        [defined(rule(once("10:00")), at("12:00") - DAY - 1, "10:00")],
    ),
    "and fires at the next look, marked late (IT-012)": Case(
        [("12:00", Define(rule(once("10:00"))))],
        ("12:00", RING),
        [fired("10:00", None, late=True), completed()],
    ),
    "a once outside the lookback is refused (POL-060)": Case(
        [],
        ("2026-06-01T00:00", Define(rule(once("2026-01-01T00:00")))),
        [refused("define", "once", PAST, version=None)],
    ),
    "the lookback of a once is inclusive": Case(
        [],
        ("06-02T10:00", Define(rule(once("10:00")))),
        [defined(rule(once("10:00")), at("10:00") - 1, "10:00")],
    ),
    "and a microsecond later it is refused": Case(
        [],
        ("06-02T10:00:00.000001", Define(rule(once("10:00")))),
        [refused("define", "once", PAST, version=None)],
    ),
    "without catch-up a once may be as old as the grace": Case(
        [],
        ("10:01", Define(rule(once("10:00"), catch_up=NO_CATCH_UP))),
        [defined(rule(once("10:00"), catch_up=NO_CATCH_UP), at("10:00") - 1, "10:00")],
    ),
    "and no older": Case(
        [],
        ("10:01:00.000001", Define(rule(once("10:00"), catch_up=NO_CATCH_UP))),
        [refused("define", "once", PAST, version=None)],
    ),
    "without a limit any past is accepted": Case(
        [],
        ("10:00", Define(rule(once("2001-01-01T00:00"), catch_up=UNLIMITED))),
        [
            defined(
                rule(once("2001-01-01T00:00"), catch_up=UNLIMITED),
                FIRST,
                "2001-01-01T00:00",
            )
        ],
    ),
    "a once fires on time and is completed (IT-011)": Case(
        [("09:00", Define(rule(once("10:00"))))],
        ("10:00", RING),
        [fired("10:00", None), completed()],
    ),
    "a once that fired never fires again": Case(
        [("09:00", Define(rule(once("10:00")))), ("10:00", RING)], ("10:00:01", RING), []
    ),
    "a once due before midnight fires after it, marked late (KPR-22)": Case(
        [("09:00", Define(rule(once("23:50"))))],
        ("06-02T00:10", RING),
        [fired("23:50", None, late=True), completed()],
    ),
    "of an edited once the last edit fires, once (KPR-17)": Case(
        [
            ("09:00", Define(rule(once("10:00")))),
            ("09:10", Define(rule(once("11:00")))),
            ("09:20", Define(rule(once("09:30")))),
            ("09:25", Define(rule(once("09:30"), emit=Emit("jobs", b"k", b"other")))),
        ],
        ("11:00:30", RING),
        [fired("09:30", None, late=True, version=3), completed(version=3)],
    ),
    "an edit does not revive a once that fired": Case(
        [("09:00", Define(rule(once("10:00")))), ("10:00", RING)],
        ("10:10", Define(rule(once("11:00")))),
        [changed(rule(once("11:00")), "10:00", None)],
    ),
    "nor do two edits, the first of them to a rule that goes on": Case(
        [
            ("09:00", Define(rule(once("10:00")))),
            ("10:00", RING),
            ("10:10", Define(rule("0 * * * *"))),
        ],
        ("10:20", Define(rule("30 * * * *"))),
        [changed(rule("30 * * * *"), "10:20", None, version=2, previous=1)],
    ),
    "nor does a new payload": Case(
        [("09:00", Define(rule(once("10:00")))), ("10:00", RING)],
        ("06-09T10:10", Define(rule(once("10:00"), emit=Emit("jobs")))),
        [changed(rule(once("10:00"), emit=Emit("jobs")), "10:00", None)],
    ),
    "an all-skipped once is completed too": Case(
        [("09:00", Define(rule(once("10:00"))))],
        ("06-02T10:00:00.000001", RING),
        [skipped("10:00", "10:00", 1, None), completed()],
    ),
}


@pytest.mark.parametrize("case", ONCE.values(), ids=ONCE.keys())
def test_once(case: Case) -> None:
    assert case.outcome() == case.then
