"""
How does a program ask the scheduler for something, and learn what became of it?

Each method puts one command into the log and returns the reply of the processor that decided it.
A refusal is a reply as well; a fault (faults.py) means that there is no reply, and says what may
have happened. Connections, sending and waiting are exchange.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Self
from uuid import uuid4

from horae.client.exchange import Exchange, Letter, Progress
from horae.client.faults import ClientFault
from schemas import codec, topics
from schemas.commands import Define, Pause, Remove, Resume, Trigger
from schemas.definition import Definition
from schemas.globals import Calendar, ClockAccepted, Freeze, Hold
from schemas.identity import partition_of, schedule_id, subject_of
from schemas.limits import check_global
from schemas.reading import command_record
from schemas.replies import Reply
from schemas.time_limits import check_name

WITHIN = 10.0

Wish = Define | Remove | Pause | Resume | Trigger
"""What may be asked of a schedule."""


def _new_id() -> str:
    return uuid4().hex


@dataclass(frozen=True, slots=True)
class Order:
    """A command for one schedule; the same id asked twice is answered once."""

    schedule: str
    command: Wish
    id: str = field(default_factory=_new_id)
    trace: str | None = None
    """A W3C traceparent that goes on to the event and to the target."""


class Client:
    """A sender of commands. Not to be shared between threads; use it in a `with` block."""

    def __init__(
        self, bootstrap: str, *, actor: str = "service:unknown", within: float = WITHIN
    ) -> None:
        self._actor = actor
        self._exchange = Exchange(bootstrap, topics.REPLIES, within)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the connections."""
        self._exchange.close()

    def define(
        self, schedule: str, definition: Definition, expected_version: int | None = None
    ) -> Reply:
        """Create the schedule or change it; unchanged content is answered `unchanged`."""
        return self.ask(Order(schedule, Define(definition, expected_version)))

    def remove(self, schedule: str) -> Reply:
        """Remove the schedule; what fired stays fired."""
        return self.ask(Order(schedule, Remove()))

    def pause(self, schedule: str, reason: str = "", until: int | None = None) -> Reply:
        """Let nothing of it fire, until it is resumed or the instant `until` has come."""
        return self.ask(Order(schedule, Pause(reason, until)))

    def resume(self, schedule: str, reason: str = "") -> Reply:
        """End the pause."""
        return self.ask(Order(schedule, Resume(reason)))

    def trigger(self, schedule: str, reason: str = "") -> Reply:
        """Fire once, now."""
        return self.ask(Order(schedule, Trigger(reason)))

    def hold(self, reason: str, *, at: int) -> Reply:
        """Let nothing fire anywhere; `at` is the sender's clock in microseconds of UTC.

        Here and below a field that no record may hold is a FieldFault, and nothing is sent.
        """
        return self._tell_all(
            "hold", Hold(held=True, reason=reason, actor=self._actor, at=at, command_id=_new_id())
        )

    def lift(self, reason: str = "", *, at: int) -> Reply:
        """End the hold over everything; what was due meanwhile is late."""
        return self._tell_all(
            "hold", Hold(held=False, reason=reason, actor=self._actor, at=at, command_id=_new_id())
        )

    def accept_clock(self, reason: str, *, at: int) -> Reply:
        """Say that our clocks are right where they differ from the broker's."""
        return self._tell_all("clock", ClockAccepted(self._actor, reason, at, _new_id()))

    def set_calendar(self, name: str, calendar: Calendar, *, at: int) -> Reply:
        """Let the shared calendar be this; schedules that use it are computed anew."""
        return self._tell_named("calendar", name, calendar, at)

    def remove_calendar(self, name: str, *, at: int) -> Reply:
        """Take a shared calendar away; under this name nothing is excluded any more."""
        return self._tell_named("calendar", name, Calendar(removed=True), at)

    def freeze(self, name: str, freeze: Freeze, *, at: int) -> Reply:
        """Skip what is due inside of the freeze; the same name again replaces it."""
        return self._tell_named("freeze", name, freeze, at)

    def lift_freeze(self, name: str, freeze: Freeze, reason: str = "", *, at: int) -> Reply:
        """End a freeze before its time; what it skipped stays skipped."""
        lifted = replace(freeze, lifted=True, reason=reason)
        return self._tell_named("freeze", name, lifted, at)

    def ask(self, order: Order) -> Reply:
        """Send one order and wait for its reply."""
        [answer] = self.ask_many([order])
        if isinstance(answer, ClientFault):
            raise answer
        return answer

    def ask_many(
        self, orders: Sequence[Order], progress: Progress | None = None
    ) -> list[Reply | ClientFault]:
        """
        Send all, then collect the replies, in the order asked; tens of thousands at once.

        Orders for one subject are decided in this order. A fault takes the place of its reply, so
        that one silent partition does not hide the answers of the others.
        """
        letters = [self._letter(order) for order in orders]
        return [_read(answer) for answer in self._exchange.ask(letters, progress)]

    def _letter(self, order: Order) -> Letter:
        schedule = schedule_id(order.schedule)
        count = self._exchange.partitions(topics.COMMANDS)
        partition = partition_of(subject_of(schedule), count)
        key, value = command_record(schedule, order.command, order.id)
        return Letter(
            id=order.id,
            about=schedule,
            topic=topics.COMMANDS,
            partition=partition,
            key=key,
            value=value,
            headers=self._headers(order.id, order.trace),
            reply_partition=partition,
        )

    def _headers(self, id_: str, trace: str | None) -> tuple[tuple[str, bytes], ...]:
        headers = [("horae-id", id_.encode()), ("horae-actor", self._actor.encode())]
        if trace is not None:
            headers.append(("traceparent", trace.encode()))
        return tuple(headers)

    def _tell_named(self, kind: str, name: str, record: Calendar | Freeze, at: int) -> Reply:
        record = replace(record, actor=self._actor, at=at, command_id=_new_id())
        return self._tell_all(f"{kind}/{check_name(name, 'name')}", record)

    def _tell_all(self, name: str, record: Hold | ClockAccepted | Calendar | Freeze) -> Reply:
        check_global(record)
        id_ = record.command_id or _new_id()
        letter = Letter(
            id=id_,
            about=f"all ({name})",
            topic=topics.GLOBALS,
            partition=0,
            key=name.encode(),
            value=codec.encode(record),
            headers=self._headers(id_, None),
            # The owner of the first inbox partition answers for all.
            reply_partition=0,
        )
        [answer] = self._exchange.ask([letter])
        reply = _read(answer)
        if isinstance(reply, ClientFault):
            raise reply
        return reply


def _read(answer: bytes | ClientFault) -> Reply | ClientFault:
    return answer if isinstance(answer, ClientFault) else codec.decode_as(answer, Reply)
