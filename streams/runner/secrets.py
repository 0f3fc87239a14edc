"""
What are the values that an order only refers to?

`env:<name>` is a variable of the runner's own environment, `file:<path>` a file on its machine, of
which one line end at the end is left out. They are looked up right before the attempt, and only if
the runner allows them; the values are never in Kafka, and output.py masks them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from typing_extensions import override

from schemas.actions import Act, App, Exec, Fresh, Http, Program, Setting, Work
from schemas.deployments import ContainerDriver
from schemas.orders import Deployed, Order
from streams.references import NoSuchValue, value_of
from streams.runner.allowed import Allowed
from streams.runner.faults import NotToBeHad


class Secrets:
    """The values of the references in one order."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = dict(values)

    def value_of(self, setting: Setting) -> str:
        """What a setting is, whether it is written out or referred to."""
        return setting.value if setting.secret is None else self._values[setting.secret]

    def values(self) -> tuple[str, ...]:
        """All of them, for masking."""
        return tuple(self._values.values())

    @override
    def __repr__(self) -> str:
        return f"Secrets({sorted(self._values)})"


def settings_of(order: Order) -> Iterator[Setting]:
    """All settings with which an order is carried out."""
    yield from _of_work(order.work)
    if order.app is not None and isinstance(order.work, Exec | Fresh):
        yield from _of_app(order.app)
    if order.deployed is not None and isinstance(order.work, Act):
        yield from _of_deployment(order.deployed)


def resolve(order: Order, allowed: Allowed, environ: Mapping[str, str]) -> Secrets:
    """Look up what the order refers to; NotToBeHad names the reference, never a value."""
    return Secrets(
        {reference: _value(reference, allowed, environ) for reference in _references(order)}
    )


def _references(order: Order) -> Iterable[str]:
    return {one.secret: None for one in settings_of(order) if one.secret is not None}


def _of_work(work: Work) -> tuple[Setting, ...]:
    match work:
        case Http():
            return work.headers
        case Program() | Exec() | Fresh():
            return work.env
        case Act():
            return ()


def _of_deployment(deployed: Deployed) -> Iterator[Setting]:
    driver, metrics = deployed.deployment.driver, deployed.deployment.metrics
    if not isinstance(driver, ContainerDriver):
        yield from driver.headers
    if deployed.quiet and metrics is not None:  # else they are not looked at
        yield from metrics.headers


def _of_app(app: App) -> tuple[Setting, ...]:
    return app.env


def _value(reference: str, allowed: Allowed, environ: Mapping[str, str]) -> str:
    objection = allowed.secret(reference)
    if objection is not None:
        raise NotToBeHad(objection)
    try:
        return value_of(reference, environ)
    except NoSuchValue as fault:
        raise NotToBeHad(str(fault)) from fault
