"""
What happens to instants that were looked at too late?

When the oldest unsettled instant is older than the grace, everything due up to now is one missed
run: the catch-up rule says which part of it still runs (`judge`), and the rest ends in one record
with first, last and count (`skipped`). Late means now - due; the cases POL-001, -006, -008, -011
and -022 pin the edges.
"""

from __future__ import annotations

from typing import NamedTuple

from schemas.definition import CatchUp, CatchUpMode
from schemas.events import Reason, Skipped
from streams.calendar.occurrences import NEVER, Span, Tick
from streams.decider import agenda
from streams.decider.state import Plan, Schedule


class Verdict(NamedTuple):
    """Skip everything up to `skip_until` (None: nothing), then fire the oldest that is left."""

    skip_until: int | None
    fire: bool


def judge(state: Schedule, now: int) -> Verdict:
    """What the catch-up rule makes of a schedule whose oldest unsettled instant is late."""
    plan, cursor = state
    first_to_run = _first_to_run(plan, cursor.mark, now)
    if first_to_run is None:
        return Verdict(skip_until=now, fire=False)
    if first_to_run == cursor.nominal:
        return Verdict(skip_until=None, fire=True)
    return Verdict(skip_until=first_to_run - 1, fire=True)


def skipped(state: Schedule, until: int, reason: Reason, evidence: str | None) -> Skipped:
    """One record that ends every unsettled instant up to `until`."""
    plan, cursor = state
    missed = agenda.span(plan, cursor.mark, until)
    last = agenda.newest_tick(plan, cursor.mark, until)
    if plan.rule is None:  # only the instant that was computed when it could be read
        missed = Span(cursor.nominal, cursor.nominal, 1)
        last = Tick(cursor.nominal, cursor.nominal, 0)
    following = agenda.next_tick(plan, last.instant).instant
    alone = missed.count == 1
    return Skipped(
        schedule=plan.id,
        version=plan.version,
        incarnation=plan.incarnation,
        first=missed.first,
        last=last.instant,
        count=missed.count,
        reason=reason,
        wall=last.wall,
        second_pass=last.second_pass,
        next=following,
        next_due=following,
        deferred_at=(cursor.deferred_at or None) if alone else None,
        deferrals=cursor.deferrals if alone else 0,
        evidence=evidence,
    )


def _first_to_run(plan: Plan, mark: int, now: int) -> int | None:
    """The oldest instant that still runs, None if none does."""
    rule = plan.definition.catch_up
    youngest_lost = _youngest_lost(rule, now)
    if rule.mode is CatchUpMode.NONE:
        return None
    newest = agenda.newest_tick(plan, max(mark, youngest_lost), now).instant
    if newest == NEVER:
        return None
    if rule.mode is CatchUpMode.LATEST:
        return newest
    first = agenda.next_tick(plan, max(mark, youngest_lost)).instant
    return newest_of(plan, first, now, rule.limit)


def _youngest_lost(rule: CatchUp, now: int) -> int:
    """Instants up to this one lie beyond the lookback, whose end is inclusive."""
    return -NEVER if rule.lookback is None else now - rule.lookback - 1


def newest_of(plan: Plan, first: int, until: int, most: int) -> int:
    """The oldest of the newest `most` instants in [first, until], found by halving."""
    if agenda.span(plan, first - 1, until).count <= most:
        return first
    low, high = first - 1, until  # `most` instants or more come after low, fewer after high
    while high - low > 1:
        middle = (low + high) // 2
        if agenda.span(plan, middle, until).count >= most:
            low = middle
        else:
            high = middle
    return high
