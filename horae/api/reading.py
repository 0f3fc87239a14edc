"""
What does every question about the views have in common?

Who asks may read; lists come in pages that stay stable while rows are added.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query, Request

from horae.api.callers import Credentials, actor_of, house_of
from horae.api.house import House
from horae.api.places import instant
from horae.permissions import Ability
from projections.queries import MOST_ROWS
from schemas.instants import FIRST


def _reading(request: Request, credentials: Credentials = None) -> House:
    actor_of(request, credentials, Ability.READ)
    return house_of(request)


def _since(
    since: Annotated[
        str | None, Query(alias="from", description="An instant with its offset, inclusive.")
    ] = None,
) -> int:
    return FIRST if since is None else instant(since, "from")


def _before(
    before: Annotated[
        str | None, Query(alias="to", description="An instant with its offset, not inclusive.")
    ] = None,
) -> int | None:
    return None if before is None else instant(before, "to")


Reading = Annotated[House, Depends(_reading)]
"""The house, for somebody who may read."""
Limit = Annotated[int | None, Query(ge=1, le=MOST_ROWS, description="At most so many.")]
AfterPage = Annotated[str | None, Query(description="`next` of the page before.")]
Since = Annotated[int, Depends(_since)]
Before = Annotated[int | None, Depends(_before)]
