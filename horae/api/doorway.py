"""
What happens to every request before and after its answer?

A slash that is escaped in the path stays part of its name, so that every id can be named; and each
request is counted under what it asked, not under whom it asked about.
"""

from __future__ import annotations

from urllib.parse import unquote

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from horae.api.numbers import Numbers
from streams.clock import Clock

ESCAPED_SLASH = "\x1f"
"""Stands for an escaped slash inside of a path's part: no id may have it."""
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Doorway:
    """An ASGI application around another one."""

    def __init__(self, app: ASGIApp, numbers: Numbers, clock: Clock) -> None:
        self._app = app
        self._numbers = numbers
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        raw: bytes | None = scope.get("raw_path")
        if raw is not None and b"%2f" in raw.lower():
            escaped = raw.replace(b"%2f", b"%2F").split(b"%2F")
            scope["path"] = ESCAPED_SLASH.join(unquote(part) for part in escaped)
        begun, status = self._clock.monotonic(), 500

        async def heard(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, heard)
        finally:
            seconds = (self._clock.monotonic() - begun) / 1_000_000
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._numbers.asked(method, _route(scope), status, seconds)


def _route(scope: Scope) -> str:
    """The pattern that the path matched: there are few of those."""
    return str(getattr(scope.get("route"), "path", "none"))
