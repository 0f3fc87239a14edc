"""
What do the views say of proposals?

Turns proposals into rows of `proposals`, and what became of them into their ends: an end is final.
The order of the fields here is the order of the columns in sql/traffic_merges.sql.
"""

from __future__ import annotations

from typing import assert_never

from projections.encoding import bigint, field_count, instant, jsonb, text, texts, words
from projections.folding import Batch
from schemas.events import (
    ProposalAccepted,
    ProposalDismissed,
    ProposalMade,
    ProposalWithdrawn,
    Stamp,
)
from schemas.identity import subject_of
from schemas.proposals import ProposalStatus

_MADE_COLUMNS = field_count(14)
_SETTLED_COLUMNS = field_count(9)

Settled = ProposalAccepted | ProposalDismissed | ProposalWithdrawn


def made(event: ProposalMade, stamp: Stamp, batch: Batch) -> None:
    """Somebody should look at it."""
    subject, said = subject_of(event.schedule), event.proposal
    data = b"".join(
        (
            _MADE_COLUMNS,
            text(subject),
            text(said.id),
            text(ProposalStatus.OPEN.value),
            jsonb([window._asdict() for window in said.windows]),
            text(said.zone),
            text(said.source.value),
            bigint(said.confidence),
            words(said.reason),
            words(said.prompt),
            words(said.answer),
            instant(stamp.decided_at),
            text(stamp.actor),
            bigint(stamp.partition),
            bigint(stamp.sequence),
        )
    )
    batch.proposals.keep((subject, said.id), (0, stamp.sequence), data)


def settled(event: Settled, stamp: Stamp, batch: Batch) -> None:
    """It is accepted, dismissed or withdrawn."""
    subject = subject_of(event.schedule)
    data = b"".join(
        (
            _SETTLED_COLUMNS,
            text(subject),
            text(event.proposal),
            text(_status(event).value),
            instant(stamp.decided_at),
            text(stamp.actor),
            words(event.reason),
            texts(event.schedules if isinstance(event, ProposalAccepted) else ()),
            bigint(stamp.partition),
            bigint(stamp.sequence),
        )
    )
    # of several ends in one batch the first one is its end
    batch.settlements.keep((subject, event.proposal), (0, -stamp.sequence), data)


def _status(event: Settled) -> ProposalStatus:
    match event:
        case ProposalAccepted():
            return ProposalStatus.ACCEPTED
        case ProposalDismissed():
            return ProposalStatus.DISMISSED
        case ProposalWithdrawn():
            return ProposalStatus.WITHDRAWN
        case _:
            assert_never(event)
