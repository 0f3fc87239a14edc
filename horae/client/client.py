"""
How does a program ask the scheduler for something, and learn what became of it?

Each method puts one command into the log and returns the reply of the processor that decided it.
A refusal is a reply as well; a fault (faults.py) means that there is no reply, and says what may
have happened. What may be asked is schedules.py and subjects.py, and here of everything at once;
connections, sending and waiting are exchange.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType
from typing import Self

from typing_extensions import override

from horae.client.exchange import Exchange, Letter, Progress, Record
from horae.client.faults import ClientFault
from horae.client.orders import ForAll, Order, new_id
from horae.client.schedules import AsksSchedules
from horae.client.subjects import AsksSubjects
from schemas import codec, topics
from schemas.globals import Calendar, ClockAccepted, Freeze, Hold
from schemas.identity import partition_of, subject_id, subject_of
from schemas.limits import check_global
from schemas.reading import command_record
from schemas.reading_traffic import check_sample
from schemas.replies import Reply
from schemas.time_limits import check_name
from schemas.traffic import Sample

WITHIN = 10.0


class Client(AsksSchedules, AsksSubjects):
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

    def hold(self, reason: str, *, at: int) -> Reply:
        """Let nothing fire anywhere; `at` is the sender's clock in microseconds of UTC.

        Here and below a field that no record may hold is a FieldFault, and nothing is sent.
        """
        return self.tell(
            "hold", Hold(held=True, reason=reason, actor=self._actor, at=at, command_id=new_id())
        )

    def lift(self, reason: str = "", *, at: int) -> Reply:
        """End the hold over everything; what was due meanwhile is late."""
        return self.tell(
            "hold", Hold(held=False, reason=reason, actor=self._actor, at=at, command_id=new_id())
        )

    def accept_clock(self, reason: str, *, at: int) -> Reply:
        """Say that our clocks are right where they differ from the broker's."""
        return self.tell("clock", ClockAccepted(self._actor, reason, at, new_id()))

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

    def send_sample(self, subject: str, sample: Sample) -> None:
        """Put a look at a deployment's traffic into horae.samples; nobody replies to that.

        A FieldFault if there can be no such sample; NotSent if the broker did not confirm it.
        """
        name = subject_id(subject).removesuffix("/")
        count = self._exchange.partitions(topics.SAMPLES)
        record = Record(
            about=name,
            topic=topics.SAMPLES,
            partition=partition_of(name, count),
            key=name.encode(),
            value=codec.encode(check_sample(sample)),
        )
        self._exchange.put(record)

    @override
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

    def tell(self, key: str, record: ForAll) -> Reply:
        """Put a record of everyone's under its key, such as `hold` or `calendar/bank-holidays`."""
        check_global(record)
        id_ = record.command_id or new_id()
        letter = Letter(
            id=id_,
            about=f"all ({key})",
            topic=topics.GLOBALS,
            partition=0,
            key=key.encode(),
            value=codec.encode(record),
            headers=self._headers(id_, None, record.actor),
            # The owner of the first inbox partition answers for all.
            reply_partition=0,
        )
        [answer] = self._exchange.ask([letter])
        reply = _read(answer)
        if isinstance(reply, ClientFault):
            raise reply
        return reply

    def _letter(self, order: Order) -> Letter:
        about = order.about
        count = self._exchange.partitions(topics.COMMANDS)
        partition = partition_of(subject_of(about), count)
        key, value = command_record(about, order.command, order.id)
        return Letter(
            id=order.id,
            about=about,
            topic=topics.COMMANDS,
            partition=partition,
            key=key,
            value=value,
            headers=self._headers(order.id, order.trace, order.actor),
            reply_partition=partition,
        )

    def _headers(
        self, id_: str, trace: str | None, actor: str | None
    ) -> tuple[tuple[str, bytes], ...]:
        headers = [("horae-id", id_.encode()), ("horae-actor", (actor or self._actor).encode())]
        if trace is not None:
            headers.append(("traceparent", trace.encode()))
        return tuple(headers)

    def _tell_named(self, kind: str, name: str, record: Calendar | Freeze, at: int) -> Reply:
        record = replace(record, actor=self._actor, at=at, command_id=new_id())
        return self.tell(f"{kind}/{check_name(name, 'name')}", record)


def _read(answer: bytes | ClientFault) -> Reply | ClientFault:
    return answer if isinstance(answer, ClientFault) else codec.decode_as(answer, Reply)
