"""
How does a proposal look, as JSON and to a person?

Windows are as in the command that proposes them; shares are from 0 to 1, instants text in UTC.
What a round has found is told by the same words, whether it was sent or not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from horae.api.shown import utc
from horae.proposing.question import window_words
from horae.proposing.rounds import Finding
from projections.shown_traffic import ProposalShown
from schemas.deployments_json import proposal_json, windows_json
from schemas.proposals import IdleWindow


def shown_json(row: ProposalShown) -> dict[str, Any]:
    """A proposal as the views have it, without its evidence."""
    return {
        "proposal": row.id,
        "subject": row.subject,
        "status": row.status,
        "windows": windows_json(row.windows),
        "zone": row.zone,
        "source": row.source,
        "confidence": row.confidence / 1_000,
        "reason": row.reason,
        "proposed_at": utc(row.proposed_at),
        "proposed_by": row.proposed_by,
        "settled_at": utc(row.settled_at),
        "settled_by": row.settled_by,
        "settled_reason": row.settled_reason,
        "schedules": list(row.schedules),
    }


def evidence_json(row: ProposalShown) -> dict[str, Any]:
    """What the model was asked and answered; null where it was not."""
    return {"prompt": row.prompt or None, "answer": row.answer or None}


def finding_json(finding: Finding) -> dict[str, Any]:
    """What a round has found out about a deployment."""
    looked = () if finding.candidate is None else finding.candidate.looked
    windows = windows_json(one.window for one in looked)
    return {
        "subject": finding.subject,
        "proposal": None if finding.proposal is None else proposal_json(finding.proposal),
        "withdraw": finding.withdraw,
        "why": finding.why,
        "answer": finding.answer or None,
        "windows": [
            window | {"why_not": one.why_not} for window, one in zip(windows, looked, strict=True)
        ],
    }


def windows_words(windows: Iterable[IdleWindow]) -> str:
    """All windows for a person."""
    return ", ".join(map(window_words, windows))
