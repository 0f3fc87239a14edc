"""
How is the interface over HTTP tried without a broker and without a database?

The desk decides with the real decider, in memory; the views show what it has decided so far. What
it cannot know (runs, the ledger itself) is tried on the real ones, by the same tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from horae.api.desk import Answered
from horae.api.house import House, Told
from horae.api.numbers import Numbers
from horae.client.orders import ForAll, Order
from horae.past import Past
from horae.permissions import Keyring
from projections.counting import CountedReads
from projections.queries import BadPage, ScheduleFilter
from projections.shown import Page, ScheduleShown, VersionShown
from schemas.codec import encode, encode_event
from schemas.commands import Asked, Define, Remove
from schemas.definition_json import definition_json
from schemas.events import CommandRefused, Event, Fired, ScheduleChanged, ScheduleDefined, Stamp
from schemas.globals import GlobalSettings
from schemas.identity import subject_of
from schemas.replies import Reply, Verdict
from streams.calendar.occurrences import NEVER
from streams.clock import SystemClock
from streams.decider.decide import decide
from streams.decider.evolve import evolve
from streams.decider.state import Schedule, World
from streams.processor.partitions import row_of
from streams.processor.replying import kind_of, reply_to

OPEN = World(settings=GlobalSettings(("*",), 0))


@dataclass
class Rehearsal:
    """A desk and views of what it has decided."""

    clock: SystemClock = field(default_factory=SystemClock)
    states: dict[str, Schedule] = field(default_factory=dict)
    history: list[tuple[Event, Stamp]] = field(default_factory=list)
    handed_in: list[Order] = field(default_factory=list)
    said: list[tuple[str, ForAll]] = field(default_factory=list)
    answers: dict[str, tuple[Any, Reply]] = field(default_factory=dict)

    # ------------------------------------------------------------------ the desk

    def ask(self, order: Order) -> Reply:
        return self.answer(order)[0]

    def ask_many(self, orders: Sequence[Order]) -> list[Reply]:
        return [self.ask(order) for order in orders]

    def fire(self, order: Order, patience: float = 0.0) -> Answered:  # noqa: ARG002
        reply, events = self.answer(order)
        fired = [event for event in events if isinstance(event, Fired)]
        return Answered(reply, fired[0] if fired else None)

    def tell(self, key: str, record: ForAll) -> Reply:
        self.said.append((key, record))
        return Reply("", key, Verdict.ACCEPTED, self.clock.wall(), 0, len(self.said))

    @contextmanager
    def past(self) -> Iterator[Past]:
        raise NotImplementedError
        yield

    def answer(self, order: Order) -> tuple[Reply, tuple[Event, ...]]:
        offset, now, about = len(self.handed_in), self.clock.wall(), order.about
        self.handed_in.append(order)
        asked = Asked(about, order.command, order.id, 0, offset, offset, now, order.actor or "")
        before = self.states.get(about)
        once = not isinstance(order.command, Define | Remove)
        known = self.answers.get(order.id) if once else None
        events: tuple[Any, ...]
        if known is not None and known[0] == (about, order.command):
            return known[1], ()
        if known is not None:
            message = "this id was used before, with another payload"
            events = (CommandRefused(about, kind_of(order.command), "id", message),)
        else:
            events = decide(before, asked, OPEN, now)
        for event in events:
            stamp = Stamp(now, 0, offset, -1, len(self.history), asked.actor, order.id)
            self.history.append((event, stamp))
            after = evolve(self.states.get(about), event, stamp, OPEN.zone_data)
            if after is None:
                self.states.pop(about, None)
            else:
                self.states[about] = after
        reply = reply_to(asked, events, before, self.states.get(about), now)
        if once and known is None:
            self.answers[order.id] = ((about, order.command), reply)
        return reply, events

    # ------------------------------------------------------------------ the views

    @contextmanager
    def lend(self) -> Iterator[CountedReads]:
        yield cast("CountedReads", self)

    def schedule(self, schedule: str) -> ScheduleShown | None:
        state = self.states.get(schedule)
        return None if state is None else _shown(state)

    def schedules(
        self, which: ScheduleFilter, *, after: str | None = None, limit: int = 50
    ) -> Page[ScheduleShown]:
        if after is not None and "/" not in after:
            raise BadPage(f"{after!r} is not the name of a page")
        found = [name for name in sorted(self.states) if name > (after or "")]
        rows = [_shown(self.states[name]) for name in found if self._takes(which, name)]
        more = len(rows) > limit
        return Page(tuple(rows[:limit]), rows[limit - 1].schedule if more else None)

    def count_schedules(self, which: ScheduleFilter) -> int:
        return sum(self._takes(which, name) for name in self.states)

    def _takes(self, which: ScheduleFilter, name: str) -> bool:
        return (
            which.subject in (None, subject_of(name))
            and which.status in (None, self.states[name].plan.status.value)
            and (which.containing or "") in name
        )

    def versions(self, schedule: str) -> list[VersionShown]:
        return [
            _version(event, stamp)
            for event, stamp in reversed(self.history)
            if isinstance(event, ScheduleDefined | ScheduleChanged) and event.schedule == schedule
        ]

    def occurrences(self, _: str, *__: object, **___: object) -> Page[Any]:
        return Page((), None)

    def calendars(self) -> list[Any]:
        return []

    def holds(self) -> list[Any]:
        return []

    def lag(self) -> list[Any]:
        return []

    def subject(self, _: str) -> None:
        return None

    def run(self, _: str) -> None:
        return None


def house_on(rehearsal: Any, folder: Path, *, pools: tuple[str, ...] = ("*",)) -> House:
    """A house with this desk and these views, whose tokens are in the folder."""
    clock = SystemClock()
    return House(
        desk=rehearsal,
        views=rehearsal,
        keyring=Keyring(folder / "tokens.json"),
        clock=clock,
        told=Told(clock),
        numbers=Numbers(),
        is_open=True,
        pools=pools,
    )


def _shown(state: Schedule) -> ScheduleShown:
    plan, cursor = state
    pause, following = plan.pause, None if cursor.nominal == NEVER else cursor.nominal
    return ScheduleShown(
        schedule=plan.id,
        subject=plan.subject,
        version=plan.version,
        incarnation=plan.incarnation,
        status=plan.status.value,
        created_at=plan.created_at,
        changed_at=plan.changed_at,
        actor=plan.actor,
        zone=plan.definition.zone,
        description=plan.definition.description,
        definition=definition_json(plan.definition),
        pause_reason=pause.reason if pause else None,
        pause_actor=pause.actor if pause else None,
        paused_since=pause.since if pause else None,
        paused_until=pause.until if pause else None,
        record=encode(row_of(plan)),
        last_nominal=None,
        last_state=None,
        last_reason=None,
        last_decided_at=None,
        next=None if pause else following,
        next_due=None if pause else following,
    )


def _version(event: ScheduleDefined | ScheduleChanged, stamp: Stamp) -> VersionShown:
    return VersionShown(
        schedule=event.schedule,
        version=event.version,
        incarnation=event.incarnation,
        previous_version=None,
        change="defined" if isinstance(event, ScheduleDefined) else "changed",
        definition=definition_json(event.definition),
        begins_at=None,
        next=event.next,
        next_due=event.next_due,
        decided_at=stamp.decided_at,
        actor=stamp.actor,
        command_id=stamp.command_id,
        partition=stamp.partition,
        sequence=stamp.sequence,
        cause_offset=stamp.offset,
        record=encode_event(event, stamp),
    )
