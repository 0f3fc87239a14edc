"""
Which instants does this schedule have?

The compiled rule inside the definition's bounds (`start_at` and `end_at`, both inclusive, on the
nominal time). How a rule finds its instants is streams/calendar; what happens at one is firing.py.
"""

from __future__ import annotations

from streams.calendar.occurrences import NEVER, NO_TICK, Span, Tick
from streams.decider.state import Plan

NO_SPAN = Span(NEVER, NEVER, 0)


def next_tick(plan: Plan, after: int) -> Tick:
    """The first instant strictly later than `after`, or NO_TICK."""
    rule = plan.rule
    if rule is None:
        return NO_TICK
    definition = plan.definition
    if definition.start_at is not None and after < definition.start_at:
        after = definition.start_at - 1
    tick = rule.next_after(after, plan.origin)
    if definition.end_at is not None and tick.instant > definition.end_at:
        return NO_TICK
    return tick


def newest_tick(plan: Plan, after: int, until: int) -> Tick:
    """The last instant in (after, until], or NO_TICK."""
    after, until = _bounded(plan, after, until)
    if plan.rule is None or until <= after:
        return NO_TICK
    tick = plan.rule.previous(until, plan.origin)
    return tick if after < tick.instant <= until else NO_TICK


def span(plan: Plan, after: int, until: int) -> Span:
    """First, last and number of the instants in (after, until]."""
    after, until = _bounded(plan, after, until)
    if plan.rule is None or until <= after:
        return NO_SPAN
    return plan.rule.span(after, until, plan.origin)


def _bounded(plan: Plan, after: int, until: int) -> tuple[int, int]:
    definition = plan.definition
    if definition.start_at is not None:
        after = max(after, definition.start_at - 1)
    if definition.end_at is not None:
        until = min(until, definition.end_at)
    return after, until
