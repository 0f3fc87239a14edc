"""
Which ledgers does the account read in these tests?

One that the decider wrote, and the same with events that say something else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from schemas.commands import Define, Pause, Resume, Trigger
from schemas.events import Event, Fired, Stamp
from streams.account.classing import Span
from streams.account.walking import Account, Walk
from streams.account.worlds import GlobalNote, Worlds
from streams.decider.state import Plan
from tests.account.telling import LONG, Telling
from tests.decider.stage import RING, at, rule

Kept = tuple[Event, Stamp]
FIRES = ("12:00", "12:30", "13:00", "13:30")


def ledger() -> list[Kept]:
    """Defined, four fires, a trigger, a pause and a fire after it: sequences 0 to 8."""
    stage = Telling()
    stage.play(Define(rule("*/30 * * * *")), at("11:50"))
    for when in FIRES:
        stage.play(RING, at(when))
    stage.play(Trigger(), at("13:40"))
    stage.play(Pause("lunch"), at("13:50"))
    stage.play(Resume(), at("14:20"))
    stage.play(RING, at("14:30"))
    return list(stage.history)


def account(
    events: Iterable[Kept],
    notes: Iterable[GlobalNote] = (),
    *,
    now: int = at("14:40"),
    kept: int = LONG,
    rows: dict[str, Plan] | None = None,
) -> Account:
    walk = Walk(0, Worlds(notes), Span(at("00:00"), at("15:00"), now, 0, kept), rows=rows or {})
    for event, stamp in events:
        walk.take(event, stamp)
    return walk.finish()


def whys(found: Account) -> list[str]:
    return [one.why for one in found.findings]


def changed(index: int, **fields: object) -> list[Kept]:
    """The ledger with one event that says something else."""
    events = ledger()
    event, stamp = events[index]
    if isinstance(event, Fired):
        events[index] = event._replace(**fields), stamp  # type: ignore[arg-type]
    else:
        events[index] = replace(event, **fields), stamp  # type: ignore[arg-type]
    return events
