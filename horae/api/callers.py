"""
Who asks, and may they?

A request brings the secret of a token as `Authorization: Bearer …`. Without any token in the house,
whoever reaches it through loopback may do everything, but no page of a browser that belongs to
somebody else.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple
from urllib.parse import urlsplit

from fastapi import Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from horae.api.house import House
from horae.api.problems import Problem
from horae.api.settings import is_loopback
from horae.permissions import Ability

NOBODY = "service:api"
"""In whose name orders are sent while the house has no tokens."""
_bearer = HTTPBearer(auto_error=False, description="The secret that `horae token create` shows.")
Credentials = Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)]


def house_of(request: Request) -> House:
    """The house that the request came into."""
    found: House = request.app.state.house
    return found


class Caller(NamedTuple):
    """Who asks."""

    actor: str
    is_admin: bool
    """Whether they may say what is for admins to say."""


def actor_of(
    request: Request, credentials: HTTPAuthorizationCredentials | None, ability: Ability
) -> str:
    """In whose name is asked; a Problem if they are unknown, or may not."""
    return caller_of(request, credentials, ability).actor


def caller_of(
    request: Request, credentials: HTTPAuthorizationCredentials | None, ability: Ability
) -> Caller:
    """Who asks; a Problem if they are unknown, or may not."""
    house = house_of(request)
    _refuse_foreign_pages(request)
    if house.is_open and not house.keyring.is_set_up:
        _refuse_other_names(request)
        return Caller(NOBODY, is_admin=True)
    token = None if credentials is None else house.keyring.bearer(credentials.credentials)
    if token is None:
        raise Problem(401, "unauthorized", "wanted is a token: Authorization: Bearer <secret>")
    if not token.may(ability):
        raise Problem(403, "forbidden", f"token {token.name} has not the ability {ability}")
    return Caller(token.actor, token.may(Ability.ADMIN))


def _refuse_foreign_pages(request: Request) -> None:
    """A browser says from whose page it asks; only our own address may."""
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise Problem(403, "foreign_origin", "no page of somebody else may ask here")


def _refuse_other_names(request: Request) -> None:
    """A name that somebody else's server gave to this machine is none of ours."""
    host = urlsplit(f"//{request.headers.get('host', '')}").hostname or ""
    if not is_loopback(host):
        raise Problem(403, "foreign_origin", "without tokens this answers to loopback names only")
