"""
What does one look at a deployment's page of metrics show?

One request, of a bounded size and time, to an address that the sampler's settings allow, with
headers that may refer to secrets. What keeps it from showing anything is a NoLook, with one word
for the metrics. When it is time to look is sampler.py.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import Self

import httpx

from schemas.actions import Setting
from schemas.deployments import Metrics
from streams.addresses import Addresses, parts
from streams.references import NoSuchValue, objection_to, value_of
from streams.scrape import Counts, NotMeasured, counts_of
from streams.traffic.settings import SamplerSettings

MOST_BYTES = 8 * 1024 * 1024
"""Of a page; one of vLLM has some 100 KiB."""
_VALUE = re.compile(rb"[\t\x20-\x7e\x80-\xff]*")


class NoLook(Exception):
    """Nothing was seen; the text says why."""

    def __init__(self, outcome: str, detail: str) -> None:
        super().__init__(detail)
        self.outcome = outcome
        """One of not_allowed, timeout, unreachable, refused and unreadable."""


class Looker:
    """Asks for pages of metrics."""

    def __init__(self, settings: SamplerSettings, environ: Mapping[str, str]) -> None:
        self._timeout = settings.timeout
        self._addresses = Addresses(settings.allow_urls, "HORAE_SAMPLER_ALLOW_URLS")
        self._secrets = parts(settings.allow_secrets)
        self._environ = environ
        # Proxies and passwords from our surroundings are nothing that a deployment may use.
        self._client = httpx.AsyncClient(
            headers={"user-agent": "horae", "accept": "text/plain"},
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(settings.timeout),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=settings.at_once),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def look(self, metrics: Metrics) -> Counts:
        """The counters as they are now; raises NoLook."""
        objection = self._addresses.objection_to(metrics.url)
        if objection is not None:
            raise NoLook("not_allowed", objection)
        headers = {one.name.encode(): self._value(one) for one in metrics.headers}
        try:
            async with asyncio.timeout(self._timeout):
                return counts_of(await self._page(metrics.url, headers), metrics)
        except (TimeoutError, httpx.TimeoutException) as fault:
            raise NoLook("timeout", f"no answer within {self._timeout:g} s") from fault
        except (httpx.HTTPError, httpx.InvalidURL) as fault:
            raise NoLook("unreachable", str(fault) or type(fault).__name__) from fault
        except (NotMeasured, UnicodeError) as fault:
            raise NoLook("unreadable", str(fault)) from fault

    async def _page(self, url: str, headers: Mapping[bytes, bytes]) -> str:
        found = bytearray()
        async with self._client.stream("GET", url, headers=headers) as answer:
            if answer.status_code != 200:
                raise NoLook("refused", f"answered with {answer.status_code}")
            async for piece in answer.aiter_bytes():
                found += piece
                if len(found) > MOST_BYTES:
                    raise NoLook("unreadable", f"more than {MOST_BYTES} bytes")
        return found.decode()

    def _value(self, header: Setting) -> bytes:
        """As it is sent; one that no header can hold is not told, since it may be a secret."""
        value = self._secret(header.secret) if header.secret is not None else header.value
        found = value.encode("utf-8", "surrogateescape")
        if not _VALUE.fullmatch(found):
            said = f"the header {header.name} holds a line end or another control character"
            raise NoLook("not_allowed", said)
        return found

    def _secret(self, reference: str) -> str:
        objection = objection_to(reference, self._secrets, "HORAE_SAMPLER_ALLOW_SECRETS")
        if objection is not None:
            raise NoLook("not_allowed", objection)
        try:
            return value_of(reference, self._environ)
        except NoSuchValue as fault:
            raise NoLook("not_allowed", str(fault)) from fault
