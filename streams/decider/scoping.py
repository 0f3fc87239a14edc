"""
Which targets does a schedule have after this edit?

Targets stand in the order in which they came, and the next fire reads them. An edit is a new
version that leaves all instants alone. What goes on for a target that is taken out goes on; what
has not begun for it never does (withdrawing.py). A schedule without scopes has one target, its
subject: adding others keeps it, and so does nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import assert_never

from schemas.commands import Asked, EditScopes, RemoveTarget, ScopeEdit
from schemas.definition import Definition
from schemas.faults import FieldFault
from schemas.limits import check_definition
from schemas.policies import Filter, Scope, same_filter
from streams.decider.answers import as_it_was, refuse, unchanged
from streams.decider.evolve_subject import world_after
from streams.decider.firing import Events
from streams.decider.lifecycle import repainted
from streams.decider.promotion import promoted
from streams.decider.state import Plan, Schedule, World

Targets = Mapping[str, Scope]
"""By name, in their order."""


@dataclass(frozen=True, slots=True)
class _Fault:
    """Why nothing of an edit is done."""

    field: str
    message: str


def edit(state: Schedule, asked: Asked, command: EditScopes, world: World, now: int) -> Events:
    """Add targets, let exactly these be the targets, or take some out; all of it or nothing."""
    plan = state.plan
    before = {scope.target: scope for scope in effective(plan)}
    found = _after(before, command)
    if isinstance(found, _Fault):
        return refuse(asked, "scopes", found.field, found.message, state)
    if found == before:
        return unchanged(state, "scopes")
    definition = replace(plan.definition, scopes=tuple(found.values()))
    too_much = _too_much(definition)
    if too_much is not None:
        return refuse(asked, "scopes", too_much.field, too_much.message, state)
    events = repainted(state, asked, definition, world, now)
    return (*events, *promoted(world_after(world, events, now), now))


def remove_target(asked: Asked, command: RemoveTarget, world: World, now: int) -> Events:
    """A target is gone: take it out of all schedules of the subject that name it.

    One that has no other is left without a target, and goes on: each of its occurrences is skipped,
    `no_scope`.
    """
    events: Events = ()
    for name in world.siblings.ids():
        state = world.siblings.get(name)
        scopes = None if state is None else state.plan.definition.scopes
        if state is None or scopes is None:
            continue
        left = tuple(one for one in scopes if one.target != command.target)
        if left != scopes:
            definition = replace(state.plan.definition, scopes=left)
            found = repainted(state, asked, definition, world, now)
            world = world_after(world, found, now)
            events += found
    if not events:
        return as_it_was(asked, "remove_target")
    return (*events, *promoted(world, now))


def effective(plan: Plan) -> tuple[Scope, ...]:
    """The targets that are meant: where nothing is said, the subject itself."""
    scopes = plan.definition.scopes
    return (Scope(plan.subject),) if scopes is None else scopes


def _after(before: Targets, command: EditScopes) -> dict[str, Scope] | _Fault:
    match command.edit:
        case ScopeEdit.ADD:
            return _added(before, command.scopes)
        case ScopeEdit.UPDATE:
            return _updated(before, command.scopes)
        case ScopeEdit.REMOVE:
            return _removed(before, command.scopes)
        case _:
            assert_never(command.edit)


def _added(before: Targets, scopes: Iterable[Scope]) -> dict[str, Scope] | _Fault:
    """The targets with these: of one that is there, more than before."""
    after = dict(before)
    for i, scope in enumerate(scopes):
        known = after.get(scope.target)
        if known is None:
            after[scope.target] = scope
            continue
        one, other = known.filter, scope.filter
        if one is not None and other is not None and one.kind is not other.kind:
            why = f"{scope.target} has a filter of {one.kind}; one of {other.kind} cannot widen it"
            return _Fault(f"scopes[{i}].{other.kind}", why)
        after[scope.target] = Scope(scope.target, _widened(one, other))
    return after


def _widened(one: Filter | None, other: Filter | None) -> Filter | None:
    """What either of two filters of one kind takes, in the order in which it came."""
    if one is None or other is None:
        return None
    more = [value for value in dict.fromkeys(other.values) if value not in one.values]
    return replace(one, values=(*one.values, *more)) if more else one


def _updated(before: Targets, scopes: tuple[Scope, ...]) -> dict[str, Scope]:
    """Exactly these; those that were there keep their place, and a filter that takes the same."""
    wanted = {scope.target: scope for scope in scopes}
    after = {name: wanted.pop(name) for name in before if name in wanted}
    for name, scope in after.items():
        if same_filter(before[name].filter, scope.filter):
            after[name] = before[name]
    return after | wanted


def _removed(before: Targets, scopes: Iterable[Scope]) -> dict[str, Scope] | _Fault:
    """Without these, each of which has to be there; but never without any."""
    after = dict(before)
    for i, scope in enumerate(scopes):
        if scope.filter is not None:
            why = "a whole target is taken out; to take less of it, update it"
            return _Fault(f"scopes[{i}].{scope.filter.kind}", why)
        if after.pop(scope.target, None) is None:
            return _Fault(f"scopes[{i}].target", f"{scope.target} is none of its targets")
    if not after:
        return _Fault("scopes", "the last target stays: remove or pause the schedule instead")
    return after


def _too_much(definition: Definition) -> _Fault | None:
    """Which limit the targets together are past."""
    try:
        check_definition(definition)
    except FieldFault as fault:
        return _Fault(fault.field or "scopes", fault.message)
    return None
