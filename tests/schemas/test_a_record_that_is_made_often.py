"""A record that is made often is the same record, made faster."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from schemas.made_often import made_often


@dataclass(frozen=True, slots=True)
class Plain:
    """As it would be without."""

    name: str
    size: int = 3
    marks: dict[str, int] = field(default_factory=dict, compare=False)


@made_often
@dataclass(frozen=True, slots=True)
class Often:
    """The same."""

    name: str
    size: int = 3
    marks: dict[str, int] = field(default_factory=dict, compare=False)


@made_often
@dataclass(frozen=True, slots=True)
class Wider(Often):
    """With a field more."""

    last: int = 7


def test_it_takes_the_same_arguments_and_has_the_same_defaults() -> None:
    assert repr(Often("a", marks={"b": 1})) == repr(Plain("a", marks={"b": 1})).replace(
        "Plain", "Often"
    )
    assert Often("a").marks is not Often("a").marks
    for wrong in ({}, {"name": "a", "colour": 1}):
        with pytest.raises(TypeError):
            Often(**wrong)  # type: ignore[arg-type]


def test_equal_ones_are_equal_and_hash_alike() -> None:
    assert Often("a", 1, {"x": 1}) == Often("a", 1)
    assert hash(Often("a", 1, {"x": 1})) == hash(Often("a", 1)) == hash(Plain("a", 1))
    assert Often("a") != Often("b")


def test_another_one_is_made_from_it() -> None:
    assert replace(Often("a", 1), size=2) == Often("a", 2)


def test_what_builds_on_it_has_all_fields() -> None:
    assert repr(Wider("a", 1, {}, 2)) == "Wider(name='a', size=1, marks={}, last=2)"
    assert replace(Wider("a"), size=2) == Wider("a", 2)
    assert Wider("a").last == 7


def test_it_has_no_room_for_other_fields() -> None:
    with pytest.raises(AttributeError):
        Often("a").colour = 1  # type: ignore[attr-defined]
