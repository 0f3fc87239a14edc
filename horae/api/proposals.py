"""
What is proposed for deployments over HTTP, what was measured of them, and what is said to it?

Lists and profiles come from the views. Whoever accepts a proposal makes schedules, so that takes an
admin, as dismissing one does: nothing is accepted by itself.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse

from horae.api.asking import Asking, Rules
from horae.api.bodies import Body, read_about, read_command, takes, with_id
from horae.api.house import House
from horae.api.places import Subject, instant
from horae.api.problems import Problem, not_there
from horae.api.reading import AfterPage, Limit, Reading
from horae.proposing.shown import evidence_json, shown_json
from horae.traffic_shown import minute_json, profile_json
from projections import traffic_queries
from projections.counting import CountedReads
from projections.shown_traffic import ProposalShown
from schemas.identity import subject_id
from schemas.proposals import AcceptProposal, DismissProposal, ProposalStatus
from schemas.replies import Reply, Verdict
from schemas.units import DAY, HOUR

router = APIRouter(tags=["proposals"])
_USUAL = 50
_LONGEST = 7 * DAY
"""Of minutes in one answer."""


@router.get("/proposals")
def list_proposals(
    *,
    house: Reading,
    subject: Annotated[str | None, Query(description="Only for this deployment.")] = None,
    status: Annotated[ProposalStatus | None, Query(description="Only in this state.")] = None,
    limit: Limit = None,
    after: AfterPage = None,
) -> dict[str, Any]:
    """A page of what was proposed, the newest first."""
    with house.views.lend() as views:
        page = views.look(
            lambda session: traffic_queries.proposals(
                session, status=status, subject=subject, after=after, limit=limit or _USUAL
            )
        )
    return {"proposals": [shown_json(row) for row in page.rows], "next": page.following}


@router.get("/proposals/{proposal}")
def show(house: Reading, proposal: str) -> dict[str, Any]:
    """A proposal with its evidence: what the model was asked, and what it answered."""
    row = _need(house, proposal)
    return shown_json(row) | evidence_json(row)


@router.post("/proposals/{proposal}/accept", openapi_extra=takes("subject", "reason"))
def accept(asks: Rules, proposal: str, body: Body) -> JSONResponse:
    """Make its schedules, once. `subject` saves a look at the views."""
    subject, rest = read_about(body)
    command = read_command(AcceptProposal, with_id(rest, "proposal", proposal))
    return _settle(asks, proposal, subject, command)


@router.post("/proposals/{proposal}/dismiss", openapi_extra=takes("subject", "reason"))
def dismiss(asks: Rules, proposal: str, body: Body) -> JSONResponse:
    """Make nothing of it; the same is not proposed again for 30 days."""
    subject, rest = read_about(body)
    command = read_command(DismissProposal, with_id(rest, "proposal", proposal))
    return _settle(asks, proposal, subject, command)


@router.get("/traffic/{subject}")
def traffic(
    house: Reading,
    about: Subject,
    since: Annotated[
        str | None,
        Query(alias="from", description="The first minute; default: an hour before `to`."),
    ] = None,
    before: Annotated[
        str | None, Query(alias="to", description="Up to this instant; default: now.")
    ] = None,
) -> dict[str, Any]:
    """What is usual for a deployment at each hour of its week, and its minutes lately."""
    name = about.removesuffix("/")
    end = house.clock.wall() if before is None else instant(before, "to")
    begin = end - HOUR if since is None else instant(since, "from")
    if not begin <= end <= begin + _LONGEST:
        raise Problem(400, "refused", "wanted are 7 days at most, before `to`", "from")
    with house.views.lend() as views:
        known, profile, minutes = views.look(
            lambda session: (
                traffic_queries.deployment(session, name),
                traffic_queries.profile(session, name),
                traffic_queries.minutes(session, name, begin, end),
            )
        )
    if known is None and profile is None and not minutes:
        raise not_there(f"traffic of {name}")
    return {
        "subject": name,
        "profile": None if profile is None else profile_json(profile),
        "minutes": [minute_json(one) for one in minutes],
    }


def _settle(
    asks: Asking, proposal: str, subject: str | None, command: AcceptProposal | DismissProposal
) -> JSONResponse:
    whose = _need(asks.house, proposal).subject if subject is None else subject
    reply = asks.ask(subject_id(whose), command)
    _await_it(asks.house, proposal, reply)
    return asks.answer(reply)


def _await_it(house: House, proposal: str, reply: Reply) -> None:
    """Whoever settles a proposal and then looks at the list does not find it open."""
    if reply.verdict is Verdict.ACCEPTED:
        house.until(
            lambda views: _find(views, proposal),
            lambda row: row is not None and row.status != ProposalStatus.OPEN,
        )


def _need(house: House, proposal: str) -> ProposalShown:
    with house.views.lend() as views:
        row = _find(views, proposal)
    if row is None:
        raise not_there(f"proposal {proposal}")
    return row


def _find(views: CountedReads, proposal: str) -> ProposalShown | None:
    return views.look(lambda session: traffic_queries.proposal(session, proposal))
