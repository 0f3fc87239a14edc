"""
How is the interface served, and how does it end?

The address is taken first, so that one that is not to be had is named at once. Asked to end, it
lets in nobody more, answers those who wait, and leaves broker and database.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from horae.api.app import make_app
from horae.api.desk import KafkaDesk, Lent
from horae.api.house import House, NoViews, Told, Views
from horae.api.numbers import Numbers
from horae.api.settings import ApiSettings, is_loopback, tokens_file
from horae.permissions import Keyring
from horae.settings import FaceSettings
from projections.counting import CountedReads
from streams.clock import SystemClock

_LOG = logging.getLogger(__name__)
_SESSIONS = 4
"""Questions to the database at once; each takes a few milliseconds."""
_LAST_ANSWERS = 5
"""Seconds on top of a reply's, for requests that are under way at the end."""
_WAITING = 128


class Exposed(ValueError):
    """Whoever reaches the address could do everything."""

    def __init__(self, host: str) -> None:
        super().__init__(
            f"{host} is no loopback address, and no token was ever made: "
            "`horae token create NAME --can read` makes one"
        )


def serve(face: FaceSettings, settings: ApiSettings) -> None:
    """Serve until somebody asks this process to end."""
    keyring = Keyring(tokens_file(settings, face.data))
    keyring.tokens()  # a file that cannot be read is told now
    loopback = is_loopback(settings.api_host)
    if not keyring.is_set_up:
        if not loopback:
            raise Exposed(settings.api_host)
        _LOG.warning("there are no tokens: whoever reaches loopback may do everything")
    listening = _listen(settings)
    clock, numbers = SystemClock(), Numbers()
    desk = KafkaDesk(face.bootstrap, face.reply_within, settings.api_connections)
    dsn = None if face.postgres_dsn is None else face.postgres_dsn.get_secret_value()
    reads = Lent(lambda: CountedReads(dsn or ""), _SESSIONS, CountedReads.close)
    views: Views = NoViews() if dsn is None else reads

    def end() -> None:
        desk.close()
        reads.close()

    house = House(
        desk=desk,
        views=views,
        keyring=keyring,
        clock=clock,
        told=Told(clock),
        numbers=numbers,
        is_open=loopback,
        pools=settings.pools,
        canary_topic=settings.api_canary_topic,
    )
    config = uvicorn.Config(
        make_app(house, end),
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=int(face.reply_within) + _LAST_ANSWERS,
    )
    host, port = listening.getsockname()[:2]
    _LOG.info("serving http://%s:%d/v1", f"[{host}]" if ":" in host else host, port)
    with listening, _ending_in_order():
        uvicorn.Server(config).run(sockets=[listening])


def _listen(settings: ApiSettings) -> socket.socket:
    host, port = settings.api_host, settings.api_port
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=_WAITING)
    except OSError as fault:
        why = f"{_why(fault)} (HORAE_API_HOST, HORAE_API_PORT)"
        raise OSError(fault.errno, why, f"{host}:{port}") from fault


def _why(fault: OSError) -> str:
    """In the system's own words: the library adds the address, which is named beside them."""
    if isinstance(fault, socket.gaierror) or fault.errno is None:
        return fault.strerror or str(fault)
    return os.strerror(fault.errno)


@contextmanager
def _ending_in_order() -> Iterator[None]:
    """The server hears the signal, and raises it again when it has ended: that is no failure."""
    heard = (signal.SIGINT, signal.SIGTERM)
    before = {each: signal.signal(each, lambda *_: None) for each in heard}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
