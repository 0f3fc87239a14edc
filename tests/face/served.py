"""
How does a test ask a house over HTTP?

A real server in a thread, on a port of its own on loopback; clients with tokens of that house.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Thread

import httpx
import uvicorn

from horae.api.app import make_app
from horae.api.house import House
from horae.permissions import Ability, Keyring
from tests.face.asked_over_http import Http

WITHIN = 30.0
TLS = httpx.create_ssl_context()
"""Made once: reading all the certificates takes longer than most questions, and none needs them."""


@contextmanager
def served(house: House) -> Iterator[str]:
    """The address of the house for the length of the block."""
    config = uvicorn.Config(make_app(house), log_config=None, access_log=False, lifespan="on")
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = Thread(target=server.run, args=([listening],), name="served")
        thread.start()
        try:
            deadline = time.monotonic() + 10
            while not server.started and time.monotonic() < deadline:
                time.sleep(0.005)
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)


@contextmanager
def with_tokens(address: str, keyring: Keyring) -> Iterator[Http]:
    """Makes clients, each with a token that has the abilities it names."""
    secrets: dict[tuple[str, ...], str] = {}
    with ExitStack() as clients:

        def client(*abilities: str) -> httpx.Client:
            if abilities not in secrets:
                name, may = "-".join(abilities), frozenset(map(Ability, abilities))
                secrets[abilities] = keyring.create(name, may, 0)
            headers = {"Authorization": f"Bearer {secrets[abilities]}"} if abilities else {}
            return clients.enter_context(
                httpx.Client(
                    base_url=address, headers=headers, timeout=WITHIN, trust_env=False, verify=TLS
                )
            )

        keyring.create("first", frozenset({Ability.ADMIN}), 0)
        secrets[()] = ""
        yield client
