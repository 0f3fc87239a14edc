"""
How is one request asked, and what was the answer?

Each address is held against the allow-list as it will be asked, those of redirects too. A redirect
is followed if it asks for the same again; values of secrets go to the first server only. What an
answer means is its caller's, as is how long it may take: until it is cancelled a request waits.
"""

from __future__ import annotations

import re
import socket
import ssl
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, NamedTuple
from urllib.parse import unquote

import httpx

from streams.runner.allowed import Allowed
from streams.runner.faults import Misfit, NoAnswer, NotToBeHad, RunnerFault, Unreached

MOST_BYTES: Final = 4 * 1024 * 1024
"""Of an answer; what follows is not read."""
CONNECT: Final = 10.0
"""Seconds for a connection to be there."""
MOST_REDIRECTS: Final = 5
MOST_AT_ONCE: Final = 10
"""Connections of one attempt, which may follow many tasks."""

_SAME_AGAIN: Final = frozenset({307, 308})
_ELSEWHERE: Final = frozenset({301, 302, 303})
_SAFE: Final = frozenset({"GET", "HEAD"})
_NAME: Final = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE: Final = re.compile(rb"[\t\x20-\x7e\x80-\xff]*")
_NOT_FOR_ORDERS: Final = frozenset(
    {b"host", b"content-length", b"transfer-encoding", b"connection", b"upgrade", b"te"}
)
"""They say where a request goes and where it ends, which the allow-list relies on."""
_KEEP_ALIVE: Final = [
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 30),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 10),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3),
]
"""A machine that is gone without a word is noticed after a minute."""


class Header(NamedTuple):
    """One header of a request."""

    name: bytes
    value: bytes
    secret: bool = False
    """Only for the server that the order names."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked."""

    method: str
    url: str
    headers: tuple[Header, ...] = ()
    body: bytes | None = None


class Answer(NamedTuple):
    """What was answered."""

    status: int
    body: bytes
    note: str = ""
    """Why a redirect was not followed."""

    @property
    def good(self) -> bool:
        """Whether the other side says that it did what was asked."""
        return 200 <= self.status < 300


class Asker:
    """The requests of one attempt; used inside of one event loop, as a context manager."""

    def __init__(self, allowed: Allowed) -> None:
        self._allowed = allowed
        transport = httpx.AsyncHTTPTransport(
            verify=_trusted(),
            trust_env=False,
            # No connection waits for a second request: it could break just as that is sent.
            limits=httpx.Limits(max_connections=MOST_AT_ONCE, max_keepalive_connections=0),
            socket_options=_KEEP_ALIVE,
        )
        # Proxies and passwords from the runner's surroundings are nothing that an order may use.
        self._client = httpx.AsyncClient(
            transport=transport,
            headers={"user-agent": "horae", "accept-encoding": "identity"},
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(None, connect=CONNECT),
        )

    async def __aenter__(self) -> Asker:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def ask(self, request: Request) -> Answer:
        """Send it and read the answer.

        NotToBeHad if the address is not allowed, NoAnswer if there was none (Unreached: nothing
        was sent), Misfit for what cannot be sent: then nothing was.
        """
        _check_headers(request.headers)
        url = self._checked(request.url)
        for _ in range(1 + MOST_REDIRECTS):
            answer, to = await self._once(request, url)
            if to is None:
                return answer
            again = _redirected(request, answer.status, same=_origin(to) == _origin(url))
            if again is None:
                return answer._replace(note=f"a redirect of a {request.method} is another request")
            try:
                url = self._checked(str(to))
            except RunnerFault as fault:
                return answer._replace(note=f"where it leads was not asked: {fault}")
            request = again
        raise Misfit(f"more than {MOST_REDIRECTS} redirects")

    def check(self, text: str) -> None:
        """Refuse an address that would not be asked; NotToBeHad or Misfit."""
        self._checked(text)

    def _checked(self, text: str) -> httpx.URL:
        """The address, exactly as it will be asked."""
        objection = self._allowed.url(text)
        if objection is not None:
            raise NotToBeHad(objection)
        try:
            url = httpx.URL(text)
        except httpx.InvalidURL as fault:
            raise Misfit(f"{text[:200]!r} is no url: {fault}") from fault
        path = text.partition("?")[0].partition("#")[0]
        if {".", ".."} & set(unquote(path).split("/")):
            raise Misfit(f"the path of a url holds no . and no ..: {text[:200]!r}")
        # Both have to read it in the same way; so the form that is sent is asked about too.
        objection = self._allowed.url(str(url))
        if objection is not None:
            raise NotToBeHad(objection)
        return url

    async def _once(self, request: Request, url: httpx.URL) -> tuple[Answer, httpx.URL | None]:
        """One request and its answer, and where it says to ask instead."""
        sent = self._client.build_request(
            request.method,
            url,
            headers=[(one.name, one.value) for one in request.headers],
            content=request.body,
        )
        try:
            response = await self._client.send(sent, stream=True)
            try:
                body = await _read(response)
            finally:
                await response.aclose()
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol) as fault:
            raise Unreached(
                f"{_where(url)} cannot be reached: {_why(fault)}", refused=_is_refused(fault)
            ) from fault
        except httpx.HTTPError as fault:
            raise NoAnswer(
                f"{_where(url)} gave no whole answer: {_why(fault)}; "
                "whether it did what was asked is not known"
            ) from fault
        return Answer(response.status_code, body), _location(response)


async def _read(response: httpx.Response) -> bytes:
    """The body as it came: it was asked for unpacked, and what is packed may unpack to anything."""
    body = bytearray()
    async for piece in response.aiter_raw():
        body += piece
        if len(body) >= MOST_BYTES:
            break
    return bytes(body[:MOST_BYTES])


def _location(response: httpx.Response) -> httpx.URL | None:
    if response.status_code not in _SAME_AGAIN | _ELSEWHERE:
        return None
    location = response.headers.get("location")
    if not location:
        return None
    try:
        return response.request.url.join(location)
    except httpx.InvalidURL:
        return None


def _redirected(request: Request, status: int, *, same: bool) -> Request | None:
    """What to ask at the place that a redirect names; None: that is for a person to decide."""
    if request.method not in _SAFE and status not in _SAME_AGAIN:
        if status != 303:
            return None
        # The answer to what was done lies elsewhere.
        request = replace(request, method="GET", body=None)
    if same:
        return request
    return replace(request, headers=tuple(one for one in request.headers if not one.secret))


def _check_headers(headers: tuple[Header, ...]) -> None:
    """Refuse what would end a header early; a value is not told, it may be a secret."""
    for header in headers:
        shown = header.name[:60].decode("utf-8", "replace")
        if not _NAME.fullmatch(header.name) or header.name.lower() in _NOT_FOR_ORDERS:
            raise Misfit(f"no order may set a header {shown!r}")
        if not _VALUE.fullmatch(header.value):
            raise Misfit(f"the header {shown} holds a line end or another control character")


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _where(url: httpx.URL) -> str:
    """The server of an address: the rest may be long."""
    return f"{url.scheme}://{url.netloc.decode('ascii', 'replace')}"


def _why(fault: httpx.HTTPError) -> str:
    return str(fault)[:200] or type(fault).__name__


def _is_refused(fault: BaseException | None) -> bool:
    """Whether nobody listens there, as far as that can be seen through three libraries."""
    while fault is not None:
        if isinstance(fault, ConnectionRefusedError):
            return True
        fault = fault.__cause__ or fault.__context__
    return False


@cache
def _trusted() -> ssl.SSLContext:
    """Whom the machine trusts; read once, since it takes a while."""
    return ssl.create_default_context()
