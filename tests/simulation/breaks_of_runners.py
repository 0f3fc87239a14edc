"""
What if runners were served wrongly?

Deliberate faults like those of breaks.py, in what is decided about offers, claims, beats and the
lives of runners.
"""

from __future__ import annotations

from typing import Any

import pytest

from schemas.events import RunOffered
from schemas.snapshot import RunPhase
from streams.decider import offers, runs
from streams.processor import batch, hearing, ordering, serving, silence, takeover
from tests.simulation.breaks import Break


def an_old_offer_is_granted(patch: pytest.MonkeyPatch) -> None:
    """Whoever claims what is offered gets it, by whichever offer."""
    patch.setattr(
        offers,
        "_not_offered",
        lambda run, _command: None if run.phase is RunPhase.OFFERED else "it is not offered",
    )


def what_somebody_has_is_granted_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(offers, "_not_offered", lambda *_: None)
    patch.setattr(offers, "_has", lambda *_: False)


def a_later_life_ends_nothing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(hearing, "_with_earlier_lives", lambda *_: [])


def a_former_life_is_heard(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(offers, "_stale", lambda *_: None)


def silence_is_not_heard_out(patch: pytest.MonkeyPatch) -> None:
    """Leases run out by the clock, whatever lies in the inbox."""
    for module in (batch, silence):
        patch.setattr(module, "has_heard", lambda *_: True)
    patch.setattr(serving, "put_unheard_aside", lambda _partition, due, _now: list(due))


def a_further_offer_has_no_order(patch: pytest.MonkeyPatch) -> None:
    offered: Any = vars(ordering)["_offered"]
    patch.setattr(
        ordering,
        "_offered",
        lambda event: [] if isinstance(event, RunOffered) else offered(event),
    )


def anybody_may_give_it_back(patch: pytest.MonkeyPatch) -> None:
    """It is offered once more while whoever has it goes on."""
    patch.setattr(offers, "_has", lambda run, _command: run.phase is RunPhase.STARTED)


def anybody_may_report(patch: pytest.MonkeyPatch) -> None:
    ignored: Any = vars(runs)["_ignored"]

    def trusting(run: Any, command: Any) -> Any:
        return None if run.phase is RunPhase.STARTED else ignored(run, command)

    patch.setattr(runs, "_ignored", trusting)


def runners_are_not_restored(patch: pytest.MonkeyPatch) -> None:
    known: Any = vars(takeover)["_runners"]

    def forgetful(state: Any) -> dict[str, Any]:
        known(state)
        return {}

    patch.setattr(takeover, "_runners", forgetful)


BREAKS_OF_RUNNERS: tuple[Break, ...] = (
    *(an_old_offer_is_granted, what_somebody_has_is_granted_again, a_later_life_ends_nothing),
    *(a_former_life_is_heard, silence_is_not_heard_out, a_further_offer_has_no_order),
    *(anybody_may_give_it_back, anybody_may_report, runners_are_not_restored),
)
"""Every fault that has to be found."""
