"""
What became of a schedule, and why, over HTTP?

Lists come from the views; explain and the recomputed audit read the ledger itself, which takes
longer. What is said there is horae/explaining.py and horae/auditing.py.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from horae.api.places import Schedule, Viewer, instant
from horae.api.problems import Problem, not_there
from horae.api.reading import AfterPage, Before, Limit, Reading, Since
from horae.api.shown import command_json, occurrence_json, version_json
from horae.auditing import audit as account
from horae.auditing import audit_json
from horae.explained_json import explained_json
from horae.explaining import explain as look
from horae.reasons_told import sentences
from projections.queries import AuditFilter, OccurrenceFilter
from schemas.identity import IdFault, schedule_id, subject_of
from streams.account.classing import Span

router = APIRouter(tags=["history"])
_USUAL = 50
_DAY = 86_400_000_000


@router.get("/schedules/{subject}/{name}/occurrences")
def occurrences(
    *,
    house: Reading,
    schedule: Schedule,
    since: Since,
    before: Before,
    state: Annotated[
        Literal["fired", "skipped", "deferred"] | None, Query(description="Only those.")
    ] = None,
    reason: Annotated[str | None, Query(description="Why it was skipped or deferred.")] = None,
    limit: Limit = None,
    after: AfterPage = None,
    viewer: Viewer = None,
) -> dict[str, Any]:
    """A page of its occurrences, the newest first."""
    which = OccurrenceFilter(since=since, before=before, state=state, reason=reason)
    with house.views.lend() as views:
        page = views.occurrences(schedule, which, after=after, limit=limit or _USUAL)
        versions = () if page.rows else views.versions(schedule)
    row = house.find(schedule)
    if row is None and not page.rows and not versions:
        raise not_there(f"schedule {schedule}")
    zone = "UTC" if row is None else row.zone
    rows = [occurrence_json(each, zone, viewer) for each in page.rows]
    return {"schedule": schedule, "occurrences": rows, "next": page.following}


@router.get("/schedules/{subject}/{name}/versions")
def versions(house: Reading, schedule: Schedule) -> dict[str, Any]:
    """Every version that it had, the newest first, also after its removal."""
    with house.views.lend() as views:
        found = views.versions(schedule)
    if not found:
        raise not_there(f"schedule {schedule}")
    return {"schedule": schedule, "versions": [version_json(each) for each in found]}


@router.get("/schedules/{subject}/{name}/explain")
def explain(
    house: Reading,
    schedule: Schedule,
    at: Annotated[str, Query(description="The instant that is asked about, with its offset.")],
) -> dict[str, Any]:
    """Why it ran, or did not run, at that time: in sentences, and as data."""
    when = instant(at, "at")
    with house.desk.past() as past:
        found = look(past, schedule, when, house.clock.wall())
    if not found.is_known:
        raise not_there(f"schedule {schedule}")
    return explained_json(found, list(sentences(found)))


@router.get("/audit")
def audit(
    house: Reading,
    since: Annotated[
        str | None, Query(alias="from", description="The first instant. Default: a day ago.")
    ] = None,
    before: Annotated[
        str | None, Query(alias="to", description="The end, itself not meant. Default: now.")
    ] = None,
    schedule: Annotated[list[str] | None, Query(description="Only these schedules.")] = None,
    subject: Annotated[str | None, Query(description="Only those of this subject.")] = None,
) -> dict[str, Any]:
    """What should have run, computed anew, and what became of each instant."""
    now = house.clock.wall()
    begin = now - _DAY if since is None else instant(since, "from")
    end = now if before is None else instant(before, "to")
    if end <= begin:
        raise Problem(400, "refused", "must be after from", "to")
    ids = frozenset(map(_id, schedule or ()))

    def is_wanted(one: str) -> bool:
        return (not ids or one in ids) and subject in (None, subject_of(one))

    subjects = {subject_of(one) for one in ids} or ({subject} if subject is not None else set())
    with house.desk.past() as past:
        found = account(past, Span(begin, end, now), is_wanted, sorted(subjects))
    unknown = sorted(ids - found.known)
    if unknown:
        raise not_there(f"schedule {unknown[0]}")
    return audit_json(found)


@router.get("/commands")
def commands(
    *,
    house: Reading,
    since: Since,
    before: Before,
    schedule: Annotated[str | None, Query(description="Only about this schedule.")] = None,
    outcome: Annotated[str | None, Query(description="What became of it: refused, …")] = None,
    actor: Annotated[str | None, Query(description="Who asked.")] = None,
    limit: Limit = None,
    after: AfterPage = None,
) -> dict[str, Any]:
    """A page of what was asked and what became of it, the newest first."""
    which = AuditFilter(
        schedule=None if schedule is None else _id(schedule),
        outcome=outcome,
        actor=actor,
        since=since,
        before=before,
    )
    with house.views.lend() as views:
        page = views.audit(which, after=after, limit=limit or _USUAL)
    return {"commands": [command_json(each) for each in page.rows], "next": page.following}


def _id(text: str) -> str:
    try:
        return schedule_id(text)
    except IdFault as fault:
        raise Problem(400, "refused", str(fault), "schedule") from fault
