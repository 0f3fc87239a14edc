"""
Which components of a target does an order mean, now?

A filter names components by type or by id; where they are is known by an inventory, which answers
`[{"id", "type", "scope"}, …]`. An order whose components are not to be had in its own target, all
of them and each only once, is not carried out at all. Pure; asking is http.py.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from schemas.policies import Filter, FilterKind
from streams.runner.faults import Misfit


class Component(NamedTuple):
    """A part of a target."""

    id: str
    type: str
    scope: str
    """The target in which it is."""

    def is_named(self, name: str) -> bool:
        """Whether this is its id, alone or behind its type: two kinds may use the same ids."""
        return name in (self.id, f"{self.type}/{self.id}")


def components_in(body: bytes) -> tuple[Component, ...]:
    """What an inventory answered; Misfit if it is no list of components."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError) as fault:
        raise Misfit(f"the inventory did not answer with JSON: {fault}") from fault
    if not isinstance(data, list):
        raise Misfit("the inventory did not answer with a list")
    return tuple(_component(one) for one in data)


def resolve(filter_: Filter, scope: str, components: Sequence[Component]) -> Filter:
    """The components that are meant, by their ids; Misfit says why they are not to be had."""
    if filter_.kind is FilterKind.TYPES:
        found = [one for one in components if one.scope == scope and one.type in filter_.values]
        if not found:
            raise Misfit(f"{scope} has no component of type {' or '.join(filter_.values)}")
    else:
        found = [_the_one(name, components) for name in filter_.values]
        _check_place(found, scope)
    return Filter(FilterKind.IDS, tuple(dict.fromkeys(one.id for one in found)))


def _the_one(name: str, components: Sequence[Component]) -> Component:
    found = [one for one in components if one.is_named(name)]
    if not found:
        raise Misfit(f"the inventory knows no component {name!r}")
    if len(found) > 1:
        places = ", ".join(f"{one.type}/{one.id} in {one.scope}" for one in found[:5])
        raise Misfit(f"the component {name!r} is ambiguous: {places}")
    return found[0]


def _check_place(found: Sequence[Component], scope: str) -> None:
    """Refuse what has moved, all of it or some."""
    places = sorted({one.scope for one in found})
    if len(places) > 1:
        raise Misfit(f"its components lie in {len(places)} targets now: {', '.join(places[:5])}")
    if places != [scope]:
        raise Misfit(f"its components lie in {places[0]} now, and not in {scope}")


def _component(data: object) -> Component:
    if not isinstance(data, dict):
        raise Misfit("the inventory answered with something that is no component")
    texts = [data.get(name) for name in Component._fields]
    if not all(isinstance(text, str) and text for text in texts):
        raise Misfit(f"a component of the inventory has no {', '.join(Component._fields)}")
    return Component(*map(str, texts))
