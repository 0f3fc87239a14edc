"""
What if a deployment were treated wrongly?

Deliberate faults like those of breaks.py, in what is decided about acts and proposals.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from schemas.events import ProposalWithdrawn
from streams.decider import acted, acts, busy, holding, proposals, quiet, resting
from tests.simulation.breaks import Break
from tests.simulation.breaks_of_policies import everywhere


def who_stopped_it_is_not_asked(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, acts, "needless", lambda *_: None)


def a_wake_that_waited_is_not_asked_about_again(patch: pytest.MonkeyPatch) -> None:
    """Neither who stopped it, nor whether it is quiet: only when it is due."""
    patch.setattr("streams.decider.beginning.otherwise", lambda *_: ())
    patch.setattr("streams.decider.offers.otherwise", lambda *_: ())


def a_busy_run_is_not_asked_again(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, busy, "put_off", lambda *_: ())


def a_request_that_ended_is_not_seen(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(holding, "_has_served", lambda *_: False)


def a_stale_sample_is_trusted(patch: pytest.MonkeyPatch) -> None:
    look: Any = vars(quiet)["look"]

    def trusting(gate: Any, activity: Any, now: int, *rests: Any) -> Any:
        return look(replace(gate, fresh=10**15), activity, now, *rests)

    everywhere(patch, quiet, "look", trusting)


def a_failure_holds_nothing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(acted, "_held", lambda *_: ())


def a_hold_lies_over_no_act(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, resting, "is_action", lambda _definition: False)


def two_proposals_are_open(patch: pytest.MonkeyPatch) -> None:
    """The one whose place another takes is not withdrawn."""
    propose = proposals.propose

    def beside(*given: Any) -> Any:
        return tuple(one for one in propose(*given) if not isinstance(one, ProposalWithdrawn))

    patch.setattr(proposals, "propose", beside)


BREAKS_OF_DEPLOYMENTS: tuple[Break, ...] = (
    *(who_stopped_it_is_not_asked, a_wake_that_waited_is_not_asked_about_again),
    *(a_busy_run_is_not_asked_again, a_request_that_ended_is_not_seen, a_stale_sample_is_trusted),
    *(a_failure_holds_nothing, a_hold_lies_over_no_act, two_proposals_are_open),
)
"""Every fault that has to be found."""
