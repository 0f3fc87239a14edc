"""
Which instants should there have been?

Asks a schedule's calendar about a stretch of time, under one world or under all that held
meanwhile: what was excluded at some time between two decisions may have had no turn. How an event
is held against that is checking.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from streams.calendar.occurrences import NEVER
from streams.decider.agenda import Agenda, agenda_of
from streams.decider.state import Schedule, World

_MOST_WALKED: Final = 10_000
"""Instants that are looked at one by one where a calendar changed meanwhile."""


class Found(NamedTuple):
    """How many instants, and the first of them (NEVER: none)."""

    number: int
    first: int = NEVER


NOTHING: Final = Found(0)


class Split(NamedTuple):
    """The instants of the bare rule in a stretch: inside the definition's bounds, and outside."""

    inside: int
    outside: int


def called_for(state: Schedule, worlds: Sequence[World], after: int, until: int) -> Found:
    """The instants in (after, until] that none of the worlds excludes; the last one is asked first.

    Of very many, in a stretch in which a calendar changed, only the first are looked at.
    """
    agenda = agenda_of(state.plan, worlds[-1], state.cursor)
    if len(worlds) == 1:
        span = agenda.span(after, until)
        return Found(span.count, span.first) if span.count else NOTHING
    others = [agenda_of(state.plan, world, state.cursor) for world in worlds[:-1]]
    count, first = 0, NEVER
    instant = agenda.next_tick(after).instant
    for _ in range(_MOST_WALKED):
        if instant > until:
            break
        if all(has(other, instant) for other in others):
            count, first = count + 1, min(first, instant)
        instant = agenda.next_tick(instant).instant
    return Found(count, first)


def has(agenda: Agenda, instant: int) -> bool:
    """Whether the calendar has this very instant."""
    return agenda.newest_tick(instant - 1, instant).instant == instant


def is_known(state: Schedule, worlds: Sequence[World], instant: int) -> bool:
    """Whether the calendar has this instant in one of the worlds."""
    return any(has(agenda_of(state.plan, world, state.cursor), instant) for world in worlds)


def split(state: Schedule, after: int, until: int) -> Split:
    """How many instants the rule has in (after, until] before anything is excluded."""
    plan = state.plan
    rule, definition = plan.rule, plan.definition
    if rule is None or until <= after or plan.counts_from_decisions:
        return Split(0, 0)
    low, high = after, until
    if definition.start_at is not None:
        low = max(low, definition.start_at - 1)
    if definition.end_at is not None:
        high = min(high, definition.end_at)
    every = rule.span(after, until, plan.origin).count
    inside = rule.span(low, high, plan.origin).count if low < high else 0
    return Split(inside, every - inside)
