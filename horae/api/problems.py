"""
What does somebody get who cannot have what was asked for?

Every fault becomes a problem as RFC 9457 describes it: a kind, a status, a sentence and, where one
is at fault, the field. Nothing of what happened inside goes out.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from psycopg import DataError, OperationalError
from starlette.exceptions import HTTPException

from horae.client.faults import ClientFault, NoReply, NotSent
from horae.permissions import PermissionFault
from projections.faults import NotBuilt
from projections.queries import BadPage
from schemas.faults import FieldFault, TooLarge, Unreadable
from schemas.identity import IdFault
from streams.calendar.refusals import TimingRefused

MEDIA = "application/problem+json"
_LOG = logging.getLogger(__name__)
_TITLES = {
    "unauthorized": "Who asks is not known",
    "forbidden": "The token does not allow this",
    "foreign_origin": "Asked from a page of somebody else",
    "not_found": "There is no such thing",
    "method_not_allowed": "This is not asked of it",
    "not_json": "The body is no JSON",
    "refused": "Refused",
    "conflict": "It is not as this expects",
    "skipped": "It was skipped",
    "too_large": "Too large",
    "no_runner": "No runner does this",
    "no_reply": "Nobody answered in time",
    "unreachable": "The broker was not reached",
    "unsure": "The broker did not confirm it",
    "no_views": "The views are not to be had",
    "busy": "Too much is asked at once",
    "unexpected": "Something went wrong",
}


class Problem(Exception):
    """What was asked cannot be had, and this is said about it."""

    def __init__(
        self, status: int, kind: str, detail: str, field: str | None = None, **more: Any
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.kind = kind
        self.detail = detail
        self.field = field
        self.more = more

    @property
    def document(self) -> dict[str, Any]:
        """As RFC 9457 has it; further members behind its own."""
        found: dict[str, Any] = {
            "type": f"urn:horae:problem:{self.kind.replace('_', '-')}",
            "title": _TITLES[self.kind],
            "status": self.status,
            "detail": self.detail,
        }
        if self.field is not None:
            found["field"] = self.field
        return found | {name: value for name, value in self.more.items() if value is not None}


class Unasked(Exception):
    """An order has no reply: which one, and why."""

    def __init__(self, command_id: str, fault: ClientFault) -> None:
        super().__init__(str(fault))
        self.command_id = command_id
        self.fault = fault


def not_there(what: str) -> Problem:
    """The same for what is not there and for what is somebody else's."""
    return Problem(404, "not_found", f"there is no {what}")


def of_field(fault: FieldFault | TimingRefused, before: str = "") -> Problem:
    """A field holds what nobody may ask for; `before` is the path to where it stands."""
    field = f"{before}.{fault.field}" if before and fault.field else before or fault.field
    if isinstance(fault, TooLarge):
        return Problem(413, "too_large", fault.message, field or None)
    return Problem(400, "refused", fault.message, field or None)


def of_no_reply(unasked: Unasked) -> Problem:
    """An order that nobody answered: with its id it can be asked again."""
    fault = unasked.fault
    more: dict[str, Any] = {"command_id": unasked.command_id}
    again = "; the same request with this id as its Idempotency-Key is done once at most"
    match fault:
        case NoReply():
            more |= {"partition": fault.partition, "offset": fault.offset}
            return Problem(504, "no_reply", f"{fault}{again}", **more)
        case NotSent(too_large=True):
            return Problem(413, "too_large", str(fault), **more)
        case NotSent(perhaps=True):
            return Problem(504, "unsure", f"{fault}{again}", **more)
        case _:
            return Problem(503, "unreachable", str(fault), **more)


def install(app: FastAPI) -> None:
    """Let the app answer every fault with a problem."""

    def on(kind: type[Exception], problem_of: Callable[[Any], Problem]) -> None:
        def answer(_: Request, fault: Exception) -> JSONResponse:
            return response(problem_of(fault))

        app.add_exception_handler(kind, answer)

    on(Problem, lambda fault: fault)
    on(FieldFault, of_field)
    on(TimingRefused, of_field)
    on(IdFault, lambda fault: Problem(400, "refused", str(fault), "schedule"))
    on(Unreadable, lambda fault: Problem(400, "not_json", fault.reason))
    on(BadPage, lambda fault: Problem(400, "refused", str(fault), "after"))
    on(Unasked, of_no_reply)
    on(ClientFault, lambda fault: Problem(503, "unreachable", str(fault)))
    on(NotBuilt, lambda _: Problem(503, "no_views", "the views were never built"))
    on(OperationalError, _no_database)
    on(DataError, lambda _: Problem(400, "refused", "nothing here can have such a name or number"))
    on(PermissionFault, _no_tokens)
    on(RequestValidationError, _of_parameter)
    on(HTTPException, _of_route)
    on(Exception, _unexpected)


def response(problem: Problem) -> JSONResponse:
    """The problem as it is sent."""
    headers = {"WWW-Authenticate": "Bearer"} if problem.status == 401 else {}
    if problem.status == 503:
        headers["Retry-After"] = "1"
    return JSONResponse(problem.document, problem.status, headers, MEDIA)


def _no_database(fault: OperationalError) -> Problem:
    _LOG.warning("the database does not answer: %s", fault)
    return Problem(503, "no_views", "the database of the views does not answer")


def _no_tokens(fault: PermissionFault) -> Problem:
    _LOG.error("%s", fault)
    return Problem(503, "unexpected", "the tokens cannot be read")


def _of_parameter(fault: RequestValidationError) -> Problem:
    """A parameter of the path, the query or a header is not of its kind."""
    [first, *_] = fault.errors()
    field = ".".join(str(part) for part in first["loc"][1:])
    return Problem(400, "refused", str(first["msg"]), field or None)


def _of_route(fault: HTTPException) -> Problem:
    if fault.status_code == 404:
        return Problem(404, "not_found", "there is nothing under this address")
    if fault.status_code == 405:
        return Problem(405, "method_not_allowed", "this method is not asked of this address")
    return Problem(fault.status_code, "refused", str(fault.detail))


def _unexpected(fault: Exception) -> Problem:
    _LOG.error("a request failed", exc_info=fault)
    return Problem(500, "unexpected", "this is a mistake of ours, and stands in our log")
