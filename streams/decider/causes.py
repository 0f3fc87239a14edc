"""
Why is this instant late, and which catch-up rule is asked for that?

An outage is judged by the schedule's own mode; what was due while a hold lay over it, by
`on_lifted`, if that says something of its own; what was due during a pause, by `on_resume`. Late
instants that have one cause without a break are a stretch, and each stretch is judged by itself.
What the judgement says is lateness.py; what a pause leaves is resuming.py.
"""

from __future__ import annotations

from typing import NamedTuple

from schemas.definition import CatchUpMode
from schemas.snapshot import Cursor, PastHold
from streams.calendar.occurrences import NEVER
from streams.decider.agenda import Agenda
from streams.decider.state import World


class Stretch(NamedTuple):
    """Late instants from the oldest unsettled one on that have one cause."""

    mode: CatchUpMode
    until: int
    """They are those up to here, inclusive."""
    most: int
    """Mode `all`: so many run."""
    newest: int = -NEVER
    """The newest late instant under the same rule, if another stretch has it."""


def stretch_of(agenda: Agenda, world: World, cursor: Cursor, until: int) -> Stretch:
    """The first of the stretches that the late instants up to `until` fall into."""
    rule = agenda.definition.catch_up
    if rule.on_lifted is None:
        return Stretch(rule.mode, until, rule.limit)
    holds = _past_holds(world)
    oldest = cursor.nominal
    for hold in holds:
        if cursor.due < hold.since:
            end = min(until, max(oldest, agenda.due_by(hold.since - 1)))
            newest = _newest_outside(agenda, holds, oldest - 1, until)
            return Stretch(rule.mode, end, rule.limit, newest)
        if cursor.due <= hold.until:
            end = min(until, max(oldest, agenda.due_by(hold.until)))
            newest = _newest_inside(agenda, holds, oldest - 1, until)
            return Stretch(rule.on_lifted, end, rule.limit, newest)
    return Stretch(rule.mode, until, rule.limit)


def _past_holds(world: World) -> list[PastHold]:
    """The last hold over everything and the last one over the subject, as one if they touch."""
    found: list[PastHold] = []
    both = (world.past_hold, world.subject.notes.past_hold)
    for hold in sorted((one for one in both if one is not None), key=lambda one: one.since):
        if found and hold.since <= found[-1].until:
            found[-1] = PastHold(found[-1].since, max(found[-1].until, hold.until))
        else:
            found.append(hold)
    return found


def _newest_outside(agenda: Agenda, holds: list[PastHold], after: int, until: int) -> int:
    newest = agenda.newest_tick(after, until).instant
    for hold in reversed(holds):
        if newest != NEVER and hold.since <= agenda.due_at(newest) <= hold.until:
            newest = agenda.newest_tick(after, agenda.due_by(hold.since - 1)).instant
    return -NEVER if newest == NEVER else newest


def _newest_inside(agenda: Agenda, holds: list[PastHold], after: int, until: int) -> int:
    for hold in reversed(holds):
        begins, ends = agenda.due_by(hold.since - 1), agenda.due_by(hold.until)
        newest = agenda.newest_tick(max(after, begins), min(until, ends)).instant
        if newest != NEVER:
            return newest
    return -NEVER
