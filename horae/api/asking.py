"""
How does a request become an order, and its reply the answer?

The order carries the actor of the token, the id that the request gave as its Idempotency-Key (or a
new one), and its trace. What a reply means for the status of the answer is said here, once for all.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Header, Request
from fastapi.responses import JSONResponse

from horae.api.callers import Credentials, caller_of, house_of
from horae.api.house import House
from horae.api.problems import Problem
from horae.api.shown import moment, utc
from horae.client.orders import ForAll, Order, Wish, new_id
from horae.permissions import Ability
from schemas.reading import MAX_COMMAND_ID_BYTES
from schemas.replies import Reply, Verdict

_TRACE = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")
_AS_IT_IS = frozenset(
    {"expected_version", "id", "hold", "freeze", "schedule", "subject", "proposal"}
)
"""Fields that are refused for what is so at the moment, not for what was written."""

Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="The command's id: asked twice under one it is done once. Default: a new one.",
    ),
]
Trace = Annotated[str | None, Header(alias="traceparent", include_in_schema=False)]


@dataclass(frozen=True, slots=True)
class Asking:
    """One request that asks for something."""

    house: House
    actor: str
    is_admin: bool
    """Whether who asks may also say what is for admins to say."""
    id: str
    is_named: bool
    """Whether the request gave the id: then it may have been asked before."""
    trace: str | None

    def order(self, about: str, command: Wish) -> Order:
        """The order about a schedule, or a subject (`subject/`)."""
        return Order(about, command, self.id, self.trace, self.actor)

    def need_admin(self, what: str) -> None:
        """A Problem if who asks is none; `what` is what takes one."""
        if not self.is_admin:
            raise Problem(403, "forbidden", f"{what} takes a token with the ability admin")

    def ask(self, about: str, command: Wish) -> Reply:
        """Hand it in; a Problem if it is refused."""
        order = self.order(about, command)
        return self.went_well(self.house.ask(order))

    def tell(self, key: str, record: ForAll) -> Reply:
        """Say something to everyone; a Problem if it is refused."""
        reply = self.house.desk.tell(key, record)
        self.house.numbers.replied(reply)
        return self.went_well(reply)

    def went_well(self, reply: Reply, place: str = "") -> Reply:
        """Give the reply back if what was asked is so now; `place` is where its fields stand."""
        if reply.verdict is Verdict.REFUSED:
            raise self._refusal(reply, place)
        if reply.verdict is Verdict.SKIPPED:
            said = reply.message or "it was skipped"
            raise self._problem(409, "skipped", said, reply)
        return reply

    def _refusal(self, reply: Reply, place: str) -> Problem:
        said = reply.message or "it was refused"
        if _is_missing(reply):
            return Problem(404, "not_found", said)
        target = (reply.command, reply.field) == ("trigger", "emit.topic")
        if target or reply.field in _AS_IT_IS:
            return self._problem(409, "conflict", said, reply, reply.field)
        path = ".".join(part for part in (place, reply.field) if part)
        return self._problem(400, "refused", said, reply, path or None)

    def _problem(
        self, status: int, kind: str, said: str, reply: Reply, field: str | None = None
    ) -> Problem:
        return Problem(
            status,
            kind,
            said,
            field,
            schedule=reply.schedule or None,
            version=reply.version,
            occurrence=reply.occurrence,
            command_id=self.id,
        )

    def answer(
        self, reply: Reply, status: int = 200, *, zone: str | None = None, **more: Any
    ) -> JSONResponse:
        """The reply as the answer to the request."""
        document = reply_json(reply, zone) | {"command_id": self.id} | more
        return JSONResponse(document, status, {"Idempotency-Key": self.id})


def asking(ability: Ability) -> Callable[..., Asking]:
    """A dependency: who asks, under which id, if they may."""

    def ask(
        request: Request, credentials: Credentials = None, key: Key = None, trace: Trace = None
    ) -> Asking:
        caller = caller_of(request, credentials, ability)
        if key is not None:
            _check_key(key)
        if trace is not None and not _TRACE.fullmatch(trace):
            trace = None
        return Asking(house_of(request), *caller, key or new_id(), key is not None, trace)

    return ask


Writes = Annotated[Asking, Depends(asking(Ability.WRITE))]
Runs = Annotated[Asking, Depends(asking(Ability.RUN))]
Rules = Annotated[Asking, Depends(asking(Ability.ADMIN))]


def reply_json(reply: Reply, zone: str | None) -> dict[str, Any]:
    """A reply for a program; what it does not say is left out."""
    found = {
        "schedule": reply.schedule or None,
        "command": reply.command,
        "verdict": reply.verdict.value,
        "version": reply.version,
        "incarnation": reply.incarnation,
        "next": None if reply.next is None else moment(reply.next, zone),
        "occurrence": reply.occurrence,
        "message": reply.message,
        "decided_at": utc(reply.decided_at),
        "partition": reply.partition,
        "offset": reply.offset,
    }
    return {name: value for name, value in found.items() if value is not None}


def created(reply: Reply) -> bool:
    """Whether this very order brought the schedule into being."""
    return reply.verdict is Verdict.ACCEPTED and reply.version == reply.incarnation


def _is_missing(reply: Reply) -> bool:
    """Whether it was refused because what it is about is not there."""
    if reply.field == "schedule":
        return reply.version is None
    return (reply.command, reply.field) in {
        ("remove", "subject"),
        ("cancel", "run"),
        ("report", "run"),
        ("cancel_backfill", "backfill"),
    }


def _check_key(key: str) -> None:
    if not key.isprintable() or not key or len(key.encode()) > MAX_COMMAND_ID_BYTES:
        said = f"has 1 to {MAX_COMMAND_ID_BYTES} bytes that can be printed"
        raise Problem(400, "refused", said, "Idempotency-Key")
