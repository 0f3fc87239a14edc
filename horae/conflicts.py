"""
Which enabled schedules do the same to a target that a proposed one has, too?

Pure, and advice only: nothing is refused for it. The same operation is the same topic and key of
a record, the same method, url and body of a request, the same program with the same arguments in a
container or not, or the same act upon a deployment; a target is shared whatever components of it
are meant. Whether runs of one schedule may overlap is streams/decider/overlap.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple

from schemas.actions import Act, Http
from schemas.definition import Definition
from schemas.identity import subject_of
from schemas.work_limits import WORDS

_Operation = tuple[Hashable, ...]


class Conflict(NamedTuple):
    """A proposed schedule, another one that does the same, and the targets that both have."""

    schedule: str
    other: str
    targets: tuple[str, ...]
    """In the order of the proposed one."""


def find_conflicts(
    proposed: Mapping[str, Definition], enabled: Iterable[tuple[str, Definition]]
) -> list[Conflict]:
    """
    Conflicts of proposed definitions with the enabled ones and with each other, ordered by ids.

    A proposed definition stands for the one that its schedule has now; no schedule is in conflict
    with itself, and two proposed ones are told of once.
    """
    doing: dict[_Operation, dict[str, frozenset[str]]] = defaultdict(dict)
    for schedule, definition in enabled:
        if schedule not in proposed:
            doing[_operation(definition)][schedule] = frozenset(_targets(schedule, definition))
    found = []
    for schedule, definition in sorted(proposed.items(), key=lambda each: each[0]):
        mine, others = _targets(schedule, definition), doing[_operation(definition)]
        for other, theirs in sorted(others.items()):
            shared = tuple(target for target in mine if target in theirs)
            if shared:
                found.append(Conflict(schedule, other, shared))
        others[schedule] = frozenset(mine)
    return found


def _operation(definition: Definition) -> _Operation:
    work = definition.action.work
    if work is None:
        return "emit", definition.action.topic, definition.action.key
    if isinstance(work, Http):
        return "http", work.method, work.url, work.body
    if isinstance(work, Act):
        return WORDS[Act], work.verb
    return WORDS[type(work)], work.argv


def _targets(schedule: str, definition: Definition) -> tuple[str, ...]:
    """Without components; where nothing is said, the subject itself."""
    if definition.scopes is None:
        return (subject_of(schedule),)
    return tuple(scope.target for scope in definition.scopes)
