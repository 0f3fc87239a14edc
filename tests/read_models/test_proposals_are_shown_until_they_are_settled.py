"""Is a proposal in the views with its evidence, and its first end its end?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from projections import traffic_queries
from projections.shown_traffic import ProposalShown
from schemas.events import (
    Event,
    ProposalAccepted,
    ProposalDismissed,
    ProposalMade,
    ProposalWithdrawn,
    SubjectRemoved,
)
from schemas.proposals import IdleWindow, Proposal, ProposalSource
from tests.read_models.ledger import NOON, SECOND, Notebook, stamp
from tests.read_models.tables import Tables, tables_in

WHOSE = "llama/"
NIGHT = IdleWindow(0, 22 * 3_600, 1, 6 * 3_600, 480, 4, 4)
WEEKEND = IdleWindow(5, 0, 6, 82_800, 2_820, 3, 3)
MADE = Proposal(
    *("p1", (NIGHT, WEEKEND), "Europe/Berlin", ProposalSource.MODEL, 810),
    *("quiet at night", "Is it?\0", "Yes."),
)


@pytest.fixture
def tables(database: str) -> Iterator[Tables]:
    with tables_in(database) as made:
        yield made


def take(tables: Tables, *batches: list[Event]) -> None:
    book = Notebook()
    for events in batches:
        records = []
        for event in events:
            at = len(book.records)
            records.append(book.event(event, stamp(at, NOON + at * SECOND, actor="user:ada")))
        assert tables.take(records) == []


def only(tables: Tables) -> ProposalShown:
    (found,) = tables.reads.look(traffic_queries.proposals).rows
    assert found == tables.reads.look(lambda views: traffic_queries.proposal(views, found.id))
    return found


def test_a_proposal_is_shown_with_its_evidence(tables: Tables) -> None:
    take(tables, [ProposalMade(WHOSE, MADE)])
    found = only(tables)

    assert (found.subject, found.id, found.status) == ("llama", "p1", "open")
    assert found.windows == MADE.windows
    assert (found.source, found.confidence, found.zone) == ("model", 810, "Europe/Berlin")
    assert (found.reason, found.answer) == ("quiet at night", "Yes.")
    assert found.prompt.startswith("Is it?")
    assert (found.proposed_at, found.proposed_by) == (NOON, "user:ada")
    assert (found.settled_at, found.schedules) == (None, ())


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize(
    ("end", "status"),
    [
        (ProposalAccepted(WHOSE, "p1", ("llama/sleep-p1", "llama/wake-p1"), "fine"), "accepted"),
        (ProposalDismissed(WHOSE, "p1", "fine"), "dismissed"),
        (ProposalWithdrawn(WHOSE, "p1", "fine"), "withdrawn"),
    ],
)
def test_its_first_end_is_its_end(
    tables: Tables, end: ProposalAccepted | ProposalDismissed, status: str, at_once: bool
) -> None:
    events: list[Event] = [ProposalMade(WHOSE, MADE), end, ProposalDismissed(WHOSE, "p1", "later")]
    take(tables, *([events] if at_once else [[event] for event in events]))
    found = only(tables)

    assert (found.status, found.settled_reason) == (status, "fine")
    assert (found.settled_at, found.settled_by) == (NOON + SECOND, "user:ada")
    assert found.schedules == getattr(end, "schedules", ())


def test_proposals_are_listed_by_status_the_newest_first(tables: Tables) -> None:
    made: list[Event] = [ProposalMade(WHOSE, replace(MADE, id=f"p{i}")) for i in range(3)]
    take(tables, made, [ProposalWithdrawn(WHOSE, "p1")])
    found = tables.reads.look(traffic_queries.proposals)
    still = tables.reads.look(lambda v: traffic_queries.proposals(v, status="open", limit=1))

    assert [one.id for one in found.rows] == ["p2", "p1", "p0"]
    assert found.following is None
    assert [one.id for one in still.rows] == ["p2"]


def test_pages_of_proposals_leave_out_none_that_were_made_at_once(tables: Tables) -> None:
    """Nor those of two deployments with the same id; what is added meanwhile moves nothing."""
    whose = ["llama", "alpaca", "vicuna"]
    for one in whose:
        take(tables, [ProposalMade(f"{one}/", MADE)])
    seen: list[str] = []
    after: str | None = None
    for _ in whose:
        page = tables.reads.look(
            lambda v: traffic_queries.proposals(v, after=after, limit=1)  # noqa: B023
        )
        seen += [one.subject for one in page.rows]
        after = page.following
        take(tables, [ProposalMade("zebra/", replace(MADE, id=f"p{len(seen)}"))])

    assert sorted(seen) == sorted(whose)
    assert after is None


def test_an_end_of_an_unknown_proposal_makes_no_row(tables: Tables) -> None:
    take(tables, [ProposalDismissed(WHOSE, "p9")])
    assert tables.reads.look(traffic_queries.proposals).rows == ()


def test_with_its_subject_a_proposal_is_gone_and_what_was_said_of_it_stays(
    tables: Tables,
) -> None:
    take(tables, [ProposalMade(WHOSE, MADE), ProposalMade("bert/", MADE)])
    take(tables, [ProposalWithdrawn(WHOSE, "p1"), SubjectRemoved(WHOSE, "sold")])
    told = [one.outcome for one in tables.reads.audit().rows]

    assert only(tables).subject == "bert"
    assert "proposal_made" in told
