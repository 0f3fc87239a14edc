"""
What does a runner ask about one order: for components, for the work, for the state of a task?

Makes the requests of an attempt out of the templates of its action, and says in their headers which
run they belong to. Nothing is sent here (asking.py). Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from schemas.actions import Follow, Http, Setting
from schemas.identity import occurrence_id, run_digest, trace_parent_of
from schemas.instants import format_instant
from schemas.orders import Order
from schemas.policies import Filter
from streams.runner.asking import Header, Request
from streams.runner.templates import (
    components_value,
    fill_json,
    fill_text,
    fill_url,
    json_text,
    values_of,
)
from streams.runner.work import Job

JSON: Final = b"application/json"
FORM: Final = b"application/x-www-form-urlencoded"
_TYPE: Final = b"content-type"
_KEY: Final = b"idempotency-key"


class Questions:
    """The requests of one attempt, for these components; Misfit for templates that make none."""

    def __init__(self, job: Job, components: Filter | None) -> None:
        if not isinstance(job.order.work, Http):
            raise TypeError(f"no request: {job.order.work!r}")
        self._job = job
        self._work = job.order.work
        self._values = values_of(job.order, components)
        self._ours = dict(about(job.order, components))

    def order(self) -> Request:
        """The request that is the work; the same run always has the same key."""
        headers = self._headers()
        kind = next((one.value for one in headers if one.name == _TYPE), None)
        body = self._body(kind or JSON)
        if body is not None and kind is None:
            headers = (*headers, Header(_TYPE, JSON))
        key = Header(_KEY, self._job.order.run.encode())
        return Request(
            self._work.method.upper(),
            fill_url(self._work.url, self._values),
            (*headers, key),
            body,
        )

    def status(self, follow: Follow, task: str) -> Request:
        """The request for the state of a task."""
        return self._reading(fill_url(follow.url, {**self._values, "task": task}))

    def inventory(self, template: str) -> Request:
        """The request for the components of which some are meant."""
        return self._reading(fill_url(template, self._values))

    def _reading(self, url: str) -> Request:
        headers = tuple(one for one in self._headers() if one.name != _TYPE)
        return Request("GET", url, headers)

    def _headers(self) -> tuple[Header, ...]:
        """The order's own, and those that say which run it is."""
        own = (
            Header(one.name.lower().encode(), self._bytes(one), one.secret is not None)
            for one in self._work.headers
        )
        return (
            *(one for one in own if one.name not in self._ours and one.name != _KEY),
            *(Header(name, value) for name, value in self._ours.items()),
        )

    def _bytes(self, setting: Setting) -> bytes:
        if setting.secret is None:
            return fill_text(setting.value, self._values).encode()
        return self._job.secrets.value_of(setting).encode("utf-8", "surrogateescape")

    def _body(self, kind: bytes) -> bytes | None:
        """The body, with each value escaped as its kind of text needs it."""
        template = self._work.body
        if template is None:
            return None
        kind = kind.partition(b";")[0].strip().lower()
        if kind == JSON or kind.endswith(b"+json"):
            return fill_json(template, self._values).encode()
        if kind == FORM:
            return fill_url(template, self._values).encode()
        return fill_text(template, self._values).encode()


def about(order: Order, components: Filter | None) -> Iterator[tuple[bytes, bytes]]:
    """Which run this is, in the words of a record that is emitted."""
    occurrence = occurrence_id(order.schedule, order.incarnation, order.nominal, order.origin)
    yield b"horae-schedule", order.schedule.encode()
    yield b"horae-occurrence", occurrence.encode()
    yield b"horae-nominal", format_instant(order.nominal).encode()
    yield b"horae-run", order.run.encode()
    yield b"horae-attempt", str(order.attempt).encode()
    yield b"horae-scope", order.scope.encode()
    if components is not None:
        yield b"horae-components", json_text(components_value(components)).encode()
    digest = run_digest(occurrence.encode(), order.scope.encode())
    yield b"traceparent", order.trace.encode() if order.trace else trace_parent_of(digest)
