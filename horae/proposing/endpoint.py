"""
How is a decision model asked over HTTP?

By one request to any endpoint that speaks OpenAI's chat completions. Whoever is not ready (away,
slow, loading, overloaded, or not willing to talk to us) is told from one that answered something
that is no answer. What is asked and what an answer says is question.py.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

import httpx

from horae.api.settings import is_loopback
from horae.proposing.question import ANSWER_FORMAT, BadAnswer, plain
from horae.proposing.settings import ProposingSettings
from streams.clock import Deadline

MOST_BYTES = 1_048_576
"""Of an answer; a decision has some hundred."""
_SHOWN = 200


class NotReady(Exception):
    """No model answers at present; the message says why."""


class Spoken(NamedTuple):
    """What the model said."""

    content: str
    refusal: str | None = None
    """Why it does not want to decide."""


class Endpoint:
    """A model behind an address. Not to be shared between threads; use it in a `with` block."""

    def __init__(self, url: str, name: str, key: str | None, timeout: float) -> None:
        self._url = f"{url}/chat/completions"
        self._name = name
        self._timeout = timeout
        # A file's line end is no part of the key, and no header could hold it.
        self._key = (key or "").strip()
        # A proxy of the environment is for the world outside, not for this machine.
        outside = not is_loopback(urlsplit(url).hostname or "")
        headers = {b"Authorization": f"Bearer {self._key}".encode()} if self._key else {}
        self._client = httpx.Client(timeout=timeout, trust_env=outside, headers=headers)

    @classmethod
    def of(cls, settings: ProposingSettings) -> Self | None:
        """The endpoint that the settings name; None: the model is off."""
        if settings.model_url is None or settings.model_name is None:
            return None
        key = None if settings.model_key is None else settings.model_key.get_secret_value()
        return cls(settings.model_url, settings.model_name, key, settings.model_timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the connections."""
        self._client.close()

    def ask(self, messages: Sequence[dict[str, str]]) -> Spoken:
        """Ask once; NotReady if nobody answers, BadAnswer if that is no completion."""
        # Nothing that only some understand: there are models that refuse a temperature.
        asked = {
            "model": self._name,
            "messages": list(messages),
            "response_format": ANSWER_FORMAT,
        }
        return _spoken(self._post(asked))

    def _post(self, asked: dict[str, Any]) -> bytes:
        deadline = Deadline.after(self._timeout)
        try:
            with self._client.stream("POST", self._url, json=asked) as response:
                body = self._read(response, deadline)
        except httpx.TimeoutException as fault:
            raise self._too_slow() from fault
        except httpx.LocalProtocolError:
            # Its words, and those of what caused it, hold the header.
            raise NotReady("not asked: no header can hold HORAE_MODEL_KEY") from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as fault:
            raise NotReady(f"not reached: {str(fault) or type(fault).__name__}") from fault
        if not response.is_success:
            said = plain(self._without_key(body.decode(errors="replace"))[:_SHOWN])
            raise NotReady(f"answered {response.status_code} {said}".rstrip())
        return body

    def _without_key(self, text: str) -> str:
        """What was answered goes into proposals, and some repeat the key that they refuse."""
        return text.replace(self._key, "***") if self._key else text

    def _read(self, response: httpx.Response, deadline: Deadline) -> bytes:
        """All of it within the one limit, also where it comes drop by drop."""
        body = bytearray()
        for part in response.iter_bytes():
            body += part
            if len(body) > MOST_BYTES:
                raise BadAnswer(f"it has more than {MOST_BYTES:,} bytes")
            if deadline.over:
                raise self._too_slow()
        return bytes(body)

    def _too_slow(self) -> NotReady:
        return NotReady(f"no answer within {self._timeout:g} s (HORAE_MODEL_TIMEOUT)")


def _spoken(body: bytes) -> Spoken:
    """What stands in a completion."""
    try:
        [choice, *_] = json.loads(body)["choices"]
        message = choice["message"]
        content, refusal = message.get("content"), message.get("refusal")
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as fault:
        raise BadAnswer("it is no chat completion") from fault
    if choice.get("finish_reason") == "content_filter":
        return Spoken("", "the endpoint's filter held the answer back")
    if isinstance(refusal, str) and refusal.strip():
        return Spoken("", plain(refusal))
    if not isinstance(content, str):
        raise BadAnswer("it has no content")
    return Spoken(plain(content))
