"""A schedule's targets are edited as a whole or not at all, and the next fire reads them."""

from __future__ import annotations

import pytest

from schemas.actions import Verb
from schemas.commands import (
    Define,
    EditScopes,
    ScopeEdit,
)
from schemas.definition import Definition
from schemas.events import (
    CommandRefused,
    CommandUnchanged,
    ScheduleChanged,
)
from schemas.policies import Filter, FilterKind, Scope
from tests.decider.deployed import SLEEP, place
from tests.decider.house import House
from tests.decider.stage import NIGHTLY, rule

ADD, UPDATE, REMOVE = ScopeEdit.ADD, ScopeEdit.UPDATE, ScopeEdit.REMOVE


def types(target: str, *values: str) -> Scope:
    return Scope(target, Filter(FilterKind.TYPES, values))


def ids(target: str, *values: str) -> Scope:
    return Scope(target, Filter(FilterKind.IDS, values))


A, B, C, D = map(Scope, ("rack-a", "rack-b", "rack-c", "rack-d"))


def hourly(*scopes: Scope, **more: object) -> Definition:
    return rule("0 * * * *", scopes=scopes or None, **more)  # type: ignore[arg-type]


def house_with(*scopes: Scope) -> House:
    house = House()
    house.ask("11:30", Define(hourly(*scopes)))
    return house


def scopes_of(house: House, schedule: str = NIGHTLY) -> tuple[Scope, ...] | None:
    return house.schedules[schedule].plan.definition.scopes


EDITS: dict[str, tuple[tuple[Scope, ...], ScopeEdit, tuple[Scope, ...], tuple[Scope, ...]]] = {
    "another target comes behind those that are there": ((A,), ADD, (B,), (A, B)),
    "values of the same kind are merged in their order": (
        (types("rack-a", "compute"), B),
        ADD,
        (types("rack-a", "switch", "compute"),),
        (types("rack-a", "compute", "switch"), B),
    ),
    "all of a target is more than some of it": ((types("rack-a", "x"),), ADD, (A,), (A,)),
    "without scopes the subject is the target, and stays": ((), ADD, (A,), (Scope("shop"), A)),
    "exactly these, those that were there in their places": (
        (A, B, C),
        UPDATE,
        (D, types("rack-b", "compute"), A),
        (A, types("rack-b", "compute"), D),
    ),
    "exactly these instead of the subject": ((), UPDATE, (A,), (A,)),
    "without one": ((A, B, C), REMOVE, (B,), (A, C)),
}


@pytest.mark.parametrize(("before", "edit", "named", "after"), EDITS.values(), ids=EDITS.keys())
def test_an_edit_is_a_new_version_with_these_targets(
    before: tuple[Scope, ...],
    edit: ScopeEdit,
    named: tuple[Scope, ...],
    after: tuple[Scope, ...],
) -> None:
    """IT-086: of {A, B, C} the set {A, B with a filter, D} is left, and nothing else.

    IT-088: they stand in the order in which they came.
    """
    house = house_with(*before)
    cursor = house.schedules[NIGHTLY].cursor
    [event] = house.ask("11:40", EditScopes(edit, named))

    assert isinstance(event, ScheduleChanged)
    assert scopes_of(house) == after
    assert (event.version, event.previous_version) == (1, 0)
    assert house.schedules[NIGHTLY].cursor == cursor


SAME: dict[str, tuple[tuple[Scope, ...], ScopeEdit, tuple[Scope, ...]]] = {
    "what is there": ((A, B), ADD, (B,)),
    "a part of a filter": ((types("rack-a", "x", "y"),), ADD, (types("rack-a", "y"),)),
    "a part of all of it": ((A,), ADD, (types("rack-a", "y"),)),
    "the subject of a schedule without scopes": ((), ADD, (Scope("shop"),)),
    "the same set in another order": (
        (types("rack-a", "x", "y"), B),
        UPDATE,
        (B, types("rack-a", "y", "x")),
    ),
}


@pytest.mark.parametrize(("before", "edit", "named"), SAME.values(), ids=SAME.keys())
def test_what_is_so_already_is_unchanged(
    before: tuple[Scope, ...], edit: ScopeEdit, named: tuple[Scope, ...]
) -> None:
    """IT-085."""
    house = house_with(*before)
    [event] = house.ask("11:40", EditScopes(edit, named))

    assert isinstance(event, CommandUnchanged)
    assert scopes_of(house) == (before or None)


def test_a_filter_counts_what_is_there_twice() -> None:
    house = house_with(types("rack-a", "compute", "compute"))
    house.ask("11:40", EditScopes(UPDATE, (types("rack-a", "compute"),)))

    assert scopes_of(house) == (types("rack-a", "compute"),)


MANY = tuple(Scope(f"rack-{i}") for i in range(600))


REFUSED: dict[
    str, tuple[tuple[Scope, ...], ScopeEdit, tuple[Scope, ...], tuple[str, str]]
] = {
    "another kind of filter": (
        (types("rack-a", "x"),),
        ADD,
        (B, ids("rack-a", "7")),
        ("scopes[1].ids", "rack-a has a filter of types; one of ids cannot widen it"),
    ),
    "the last one": (
        (A,),
        REMOVE,
        (A,),
        ("scopes", "the last target stays: remove or pause the schedule instead"),
    ),
    "the subject of a schedule without scopes": (
        (),
        REMOVE,
        (Scope("shop"),),
        ("scopes", "the last target stays: remove or pause the schedule instead"),
    ),
    "one that is not there": (
        (A, B),
        REMOVE,
        (A, C),
        ("scopes[1].target", "rack-c is none of its targets"),
    ),
    "a part of one": (
        (A, B),
        REMOVE,
        (types("rack-a", "x"),),
        ("scopes[0].types", "a whole target is taken out; to take less of it, update it"),
    ),
    "too many together": (
        MANY,
        ADD,
        tuple(Scope(f"row-{i}") for i in range(600)),
        ("scopes", "has 1,000 entries at most, not 1,200"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("before", "edit", "named", "why"), REFUSED.values(), ids=REFUSED.keys())
def test_a_wrong_edit_is_refused_as_a_whole(
    before: tuple[Scope, ...], edit: ScopeEdit, named: tuple[Scope, ...], why: tuple[str, str]
) -> None:
    """IT-084: the rack that is named beside it is not stored either. IT-087: never the last one."""
    house = house_with(*before)
    [event] = house.ask("11:40", EditScopes(edit, named))

    assert isinstance(event, CommandRefused)
    assert (event.command, event.field, event.message) == ("scopes", *why)
    assert scopes_of(house) == (before or None)


def test_what_acts_on_its_subject_gets_no_targets() -> None:
    """Each of them would have the same done to the same deployment once more."""
    found = place(Verb.SLEEP)
    (refused,) = found.ask("00:02", EditScopes(ADD, (A,)), SLEEP)

    assert isinstance(refused, CommandRefused)
    assert (refused.field, refused.message[:19]) == ("scopes", "not with deployment")
