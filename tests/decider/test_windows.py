"""With a window, what is due outside of it waits for the next opening, and starts once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import Define, Pause, Trigger
from schemas.definition import Definition, Hours, Window
from schemas.events import Deferred, Fired, Reason, Stamp
from streams.decider.evolve import evolve
from streams.decider.firing import due
from tests.decider.expected import (
    changed,
    completed,
    defined,
    fired,
    paused,
    refused,
    skipped,
    triggered,
)
from tests.decider.nights import DAILY, DEFINED, HOURLY, NIGHT, WAITS
from tests.decider.stage import (
    HOUR,
    MINUTE,
    NIGHTLY,
    OPEN,
    RING,
    Case,
    Stage,
    at,
    once,
    played,
    rule,
)

OPENS = "its window opens at 2026-06-01T23:30:00Z"


def put_off(nominal: str, until: str, first: str, times: int, evidence: str = OPENS) -> Deferred:
    instant = at(nominal)
    return Deferred(
        *(NIGHTLY, 0, 0, instant, instant, Reason.WINDOW),
        *(at(until), at(first), times, evidence, instant),
    )


def with_max_wait(max_wait: int) -> Definition:
    return replace(DAILY, window=replace(NIGHT, max_wait=max_wait))


WINDOWS = {
    "inside it fires": Case(
        [("22:30", Define(HOURLY)), ("23:00", RING), ("23:30", RING)],
        ("06-02T00:00", RING),
        [fired("06-02T00:00", "06-02T01:00")],
    ),
    "it is open over midnight (POL-090)": Case(
        [("00:05", Define(rule("10 0 * * *", window=NIGHT)))],
        ("00:10", RING),
        [fired("00:10", "06-02T00:10")],
    ),
    "outside it waits for the opening": Case(
        [DEFINED], ("20:00", RING), [put_off("20:00", "23:30", "20:00", 1)]
    ),
    "its end is outside": Case(
        [("03:30", Define(HOURLY))], ("04:00", RING), [put_off("04:00", "23:30", "04:00", 1)]
    ),
    "due in its last moment it does not wait for the next": Case(
        [("03:30", Define(rule("59 3 * * *", window=NIGHT)))],
        ("04:00", RING),
        [fired("03:59", "06-02T03:59")],
    ),
    "it fires when the window opens": Case(
        WAITS, ("23:30", RING), [fired("20:00", "06-02T20:00", deferred=("20:00", 1))]
    ),
    "and not before": Case(WAITS, ("23:29:59", RING), []),
    "seen in time and long after the opening it is not late": Case(
        WAITS, ("06-02T03:30", RING), [fired("20:00", "06-02T20:00", deferred=("20:00", 1))]
    ),
    "seen after the closing it waits again": Case(
        WAITS,
        ("06-02T05:00", RING),
        [put_off("20:00", "06-02T23:30", "20:00", 2, "its window opens at 2026-06-02T23:30:00Z")],
    ),
    "a missed one runs only inside": Case(
        [DEFINED], ("22:00", RING), [put_off("20:00", "23:30", "22:00", 1)]
    ),
    "and at once if it is open now": Case(
        [DEFINED], ("06-02T00:10", RING), [fired("20:00", "06-02T20:00", late=True)]
    ),
    "it waits as long as it may": Case(
        [("19:30", Define(with_max_wait(3 * HOUR + 30 * MINUTE)))],
        ("20:00", RING),
        [put_off("20:00", "23:30", "20:00", 1)],
    ),
    "if that is not long enough it is skipped at once": Case(
        [("19:30", Define(with_max_wait(3 * HOUR + 30 * MINUTE - 1)))],
        ("20:00", RING),
        [
            skipped(
                *("20:00", "20:00", 1, "06-02T20:00", Reason.DEFERRAL_EXPIRED),
                evidence=f"{OPENS}, too late for it",
            )
        ],
    ),
    "the last one that waits in vain completes the schedule": Case(
        [
            (
                "19:30",
                Define(rule(once("20:00"), window=replace(NIGHT, max_wait=HOUR))),
            )
        ],
        ("20:00", RING),
        [
            skipped(
                *("20:00", "20:00", 1, None, Reason.DEFERRAL_EXPIRED),
                evidence=f"{OPENS}, too late for it",
            ),
            completed(),
        ],
    ),
    "a fire by hand does not wait": Case(
        [DEFINED], ("19:40", Trigger()), [triggered("19:40", "20:00", 1)]
    ),
    "and leaves what waits waiting": Case(
        WAITS, ("20:40", Trigger()), [triggered("20:40", "20:00", 1, due_at="23:30")]
    ),
    "what would have to wait is withdrawn before an edit": Case(
        [DEFINED],
        ("20:00:10", Pause()),
        [
            skipped("20:00", "20:00", 1, "06-02T20:00", Reason.WITHDRAWN, evidence=OPENS),
            paused("20:00:10"),
        ],
    ),
    "what waits is withdrawn by a pause": Case(
        WAITS,
        ("20:30", Pause()),
        [
            skipped(
                *("20:00", "20:00", 1, "06-02T20:00", Reason.WITHDRAWN),
                evidence="the schedule changed while it waited",
                deferred=("20:00", 1),
            ),
            paused("20:30"),
        ],
    ),
    "another window is looked at at once": Case(
        WAITS,
        ("20:30", Define(replace(DAILY, window=None))),
        [replace(changed(replace(DAILY, window=None), "19:30", "20:00"), next_due=at("20:30"))],
    ),
    "another payload leaves it waiting": Case(
        WAITS,
        ("20:30", Define(replace(DAILY, description="x"))),
        [changed(replace(DAILY, description="x"), "19:30", "20:00")],
    ),
}


@pytest.mark.parametrize("case", WINDOWS.values(), ids=WINDOWS.keys())
def test_window(case: Case) -> None:
    assert case.outcome() == case.then


def test_without_a_window_it_goes_on_at_once() -> None:
    stage = played(*WAITS, ("20:30", Define(replace(DAILY, window=None))))

    (event,) = stage.ring(at("20:30"))

    assert isinstance(event, Fired)
    assert (event.nominal, event.late) == (at("20:00"), False)


def test_a_window_that_never_opens_is_refused() -> None:
    """POL-066."""
    never = rule("0 * * * *", window=Window((Hours(3600, 7200, days=0),)))

    assert Stage().ask(Define(never), at("10:00")) == [
        refused(
            "define", "window.hours[0].days", "name at least one day of the week, mon to sun", None
        )
    ]


def test_a_window_of_no_length_is_refused() -> None:
    """POL-096."""
    (refusal,) = Stage().ask(Define(rule("0 * * * *", window=Window((Hours(0, 0),)))), at("10:00"))

    assert refusal == refused(
        *("define", "window.hours[0]"),
        "it opens and closes at the same time; 00:00-24:00 is a day",
        None,
    )


def test_one_that_stands_in_an_old_record_is_waited_for_in_vain() -> None:
    """POL-066: the search ends, and what is due is skipped."""
    never = rule("0 * * * *", window=Window((Hours(3600, 7200, days=0),)))
    state = evolve(None, defined(never, "19:30", "20:00"), Stamp(0, 0, 0, -1, 0, "user:ann"))
    assert state is not None

    assert due(state, OPEN, at("20:00")) == (
        skipped(
            *("20:00", "20:00", 1, "21:00", Reason.DEFERRAL_EXPIRED),
            evidence="its window does not open within eight weeks",
        ),
    )
