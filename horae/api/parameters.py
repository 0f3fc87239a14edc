"""
Does an address know all that stands behind its question mark?

A word that it does not know is refused: a filter with a typing error would answer with everything.
What an address knows is what /openapi.json says of it.
"""

from __future__ import annotations

from difflib import get_close_matches

from fastapi import Request

from schemas.faults import FieldFault

PREFIX = "/v1"
"""Of all addresses that this is asked of."""


def only_known(request: Request) -> None:
    """Refuse a parameter of the query that the route does not have, by its name."""
    if not request.query_params:
        return  # as nearly always
    known = _known(request)
    for name in request.query_params:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known) or 'none'}"
            raise FieldFault(name[:100], f"there is no such parameter; {hint}")


def _known(request: Request) -> list[str]:
    # The path of a route is what it was before the prefix came to it.
    described = request.app.openapi()["paths"][f"{PREFIX}{request.scope['route'].path}"]
    parameters = described[request.method.lower()].get("parameters", ())
    return sorted(one["name"] for one in parameters if one["in"] == "query")
