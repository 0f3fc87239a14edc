"""Does any order of words about deployments, in any batches, leave what was told last?"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import pytest

from projections import traffic_queries
from schemas.deployments import ContainerDriver, Deployment, DeploymentState
from schemas.events import (
    ActivityNoted,
    DeploymentDefined,
    DeploymentStateNoted,
    Event,
    SubjectHeld,
    SubjectReleased,
    SubjectRemoved,
)
from tests.read_models.ledger import NOON, SECOND, Notebook, stamp
from tests.read_models.tables import tables_in

SUBJECTS = ("bert", "llama", "whisper")
STATES = [state for state in DeploymentState if state is not DeploymentState.UNKNOWN]

Known = tuple[int, str, str | None, str | None, int | None, int | None, int | None]


@dataclass
class Told:
    """What one subject was told to be."""

    priority: int | None = None
    state: str = "unknown"
    actor: str | None = None
    stopped_by: str | None = None
    in_flight: int | None = None
    held: int | None = None
    actions_held: int | None = None

    def take(self, event: Event, at: int) -> None:
        """One more word."""
        match event:
            case DeploymentDefined():
                self.priority = event.deployment.priority
            case DeploymentStateNoted():
                self.state, self.actor = event.state.value, event.actor
                if event.state is DeploymentState.STOPPED:
                    self.stopped_by = event.actor
            case ActivityNoted():
                self.in_flight = event.in_flight
            case SubjectHeld() | SubjectReleased():
                since = at if isinstance(event, SubjectHeld) else None
                if event.actions_only:
                    self.actions_held = since
                else:
                    self.held = since
            case SubjectRemoved():
                self.__init__()  # type: ignore[misc] # all is as at first
            case _:
                raise AssertionError(event)

    @property
    def known(self) -> Known | None:
        if self.priority is None:
            return None
        now = (self.priority, self.state, self.actor, self.stopped_by)
        return (*now, self.in_flight, self.held, self.actions_held)


def word(dice: Random, whose: str, at: int) -> Event:
    """Anything that can be told."""
    actor = dice.choice((None, "user:ada", "schedule:llama/night"))
    only = bool(dice.randrange(2))
    words: list[Event] = [
        DeploymentDefined(whose, Deployment(ContainerDriver(), dice.randrange(100))),
        DeploymentStateNoted(whose, dice.choice(STATES), actor),
        DeploymentStateNoted(whose, DeploymentState.STOPPED, actor),
        ActivityNoted(whose, None, dice.randrange(9), 0, at),
        SubjectHeld(whose, "why", at, None, only),
        SubjectReleased(whose, "why", only),
        *((SubjectRemoved(whose, "sold"),) if dice.randrange(4) == 0 else ()),
    ]
    return dice.choice(words)


@pytest.mark.parametrize("seed", range(4))
def test_what_was_told_last_of_each_kind_is_shown(database: str, seed: int) -> None:
    dice, book = Random(seed), Notebook()  # noqa: S311 - no secret
    told = {subject: Told() for subject in SUBJECTS}
    with tables_in(database) as tables:
        for _ in range(40):
            batch = []
            for _ in range(dice.choice((1, 2, 10))):
                subject, number = dice.choice(SUBJECTS), len(book.records)
                event = word(dice, f"{subject}/", NOON + number * SECOND)
                told[subject].take(event, NOON + number * SECOND)
                batch.append(book.event(event, stamp(number, NOON + number * SECOND)))
            assert tables.take(batch) == []
            rows = tables.reads.look(traffic_queries.deployments)
            found: dict[str, Known] = {
                row.subject: (
                    *(row.deployment.priority, row.state, row.state_actor, row.stopped_by),
                    *(row.in_flight, row.held_since, row.actions_held_since),
                )
                for row in rows
            }
            assert found == {name: one.known for name, one in told.items() if one.known}
