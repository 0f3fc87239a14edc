"""
How does a command get into the log, and its reply out of it?

Takes the ends of the reply partitions first, then sends, then reads from those ends until every
command has its reply or the deadline has passed. What a command says is client.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from time import monotonic

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from horae.client import options
from horae.client.faults import ClientFault, NoReply, NoTopic, NotReachable, NotSent

Progress = Callable[[int, int], None]
"""Told how many commands are confirmed, and how many are answered."""

_PAUSE = 0.05
_BATCH = 2_000
_UNKNOWN = frozenset(
    {KafkaError._MSG_TIMED_OUT, KafkaError._TIMED_OUT, KafkaError.REQUEST_TIMED_OUT}  # noqa: SLF001
)
"""The broker did not refuse; whether it took the record is not known."""
_TOO_LARGE = frozenset({KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.RECORD_LIST_TOO_LARGE})
_PASSING = frozenset({KafkaError.NOT_LEADER_FOR_PARTITION, KafkaError.LEADER_NOT_AVAILABLE})
"""Said while a leader changes; the next one is there in a moment."""


@dataclass(frozen=True, slots=True)
class Letter:
    """One record that asks for a reply."""

    id: str
    """The command's id: the key of its reply."""
    about: str
    topic: str
    partition: int
    key: bytes
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...]
    reply_partition: int


@dataclass(frozen=True, slots=True)
class Record:
    """One record that nobody answers."""

    about: str
    topic: str
    partition: int
    key: bytes
    value: bytes


@dataclass(frozen=True, slots=True)
class Deadline:
    """The moment until which an answer is worth waiting for."""

    within: float
    at: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """So many seconds from now."""
        return cls(seconds, monotonic() + seconds)

    @property
    def left(self) -> float:
        """Seconds until then, never below zero."""
        return max(0.0, self.at - monotonic())


@dataclass(slots=True)
class _Conversation:
    """What is known of the letters of one call, by their ids."""

    open: set[str]
    """Those that still wait for a reply."""
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    unsent: dict[str, ClientFault] = field(default_factory=dict)
    replies: dict[str, bytes] = field(default_factory=dict)

    def failed(self, letter: Letter, detail: str, code: int | None) -> None:
        """The letter cannot be counted on to be in the log."""
        self.unsent[letter.id] = NotSent(
            letter.about, detail, perhaps=code in _UNKNOWN, too_large=code in _TOO_LARGE
        )
        self.open.discard(letter.id)

    def heard(self, key: bytes | None, value: bytes | None) -> None:
        """A reply, to one of ours or to somebody else's command."""
        id_ = (key or b"").decode(errors="replace")
        if id_ in self.open and value is not None:
            self.replies[id_] = value
            self.open.discard(id_)

    def outcome(self, letter: Letter, waited: float) -> bytes | ClientFault:
        """The reply, or why there is none."""
        if letter.id in self.replies:
            return self.replies[letter.id]
        if letter.id in self.unsent:
            return self.unsent[letter.id]
        if letter.id in self.places:
            return NoReply(*self.places[letter.id], waited)
        return NotSent(letter.about, "the broker did not confirm it in time", perhaps=True)


class Exchange:
    """Connections for asking; not to be shared between threads."""

    def __init__(self, bootstrap: str, replies: str, within: float) -> None:
        self._bootstrap = bootstrap
        self._replies = replies
        self._within = within
        self._producer = Producer(options.producer(bootstrap, within))
        self._consumer = Consumer(options.consumer(bootstrap))
        self._partitions: dict[str, int] = {}

    def close(self) -> None:
        """End the connections; what was not confirmed is reported to nobody."""
        self._consumer.close()
        self._producer.flush(1.0)

    def partitions(self, topic: str) -> int:
        """How many partitions the broker has for the topic: fixed when it was created."""
        if topic not in self._partitions:
            self._partitions[topic] = self._count(topic)
        return self._partitions[topic]

    def _count(self, topic: str) -> int:
        try:
            found = self._producer.list_topics(topic, timeout=self._within).topics[topic]
        except KafkaException as fault:
            raise NotReachable(self._bootstrap, _detail(fault)) from fault
        if found.error is not None or not found.partitions:
            raise NoTopic(self._bootstrap, topic)
        return len(found.partitions)

    def ask(
        self, letters: Sequence[Letter], progress: Progress | None = None
    ) -> list[bytes | ClientFault]:
        """
        The reply to each letter, in their order, or why there is none.

        The deadline is for silence: as long as replies come in, it moves on.
        """
        talk = _Conversation({letter.id for letter in letters})
        self._listen({letter.reply_partition for letter in letters})
        try:
            self._send(letters, talk)
            self._hear_out(talk, progress)
        finally:
            self._consumer.unassign()
        return [talk.outcome(letter, self._within) for letter in letters]

    def put(self, record: Record) -> None:
        """Send a record that nobody answers; NotSent if the broker does not confirm it in time."""
        found: list[KafkaError | None] = []
        try:
            self._producer.produce(
                record.topic,
                partition=record.partition,
                key=record.key,
                value=record.value,
                on_delivery=lambda error, _: found.append(error),
            )
        except (KafkaException, BufferError) as fault:
            code = _code(fault) if isinstance(fault, KafkaException) else None
            raise NotSent(
                record.about, _detail(fault), perhaps=False, too_large=code in _TOO_LARGE
            ) from fault
        deadline = Deadline.after(self._within)
        while not found and deadline.left:
            self._producer.poll(min(_PAUSE, deadline.left))
        if not found:
            raise NotSent(record.about, "the broker did not confirm it in time", perhaps=True)
        if found[0] is not None:
            code = found[0].code()
            raise NotSent(
                record.about,
                found[0].str(),
                perhaps=code in _UNKNOWN,
                too_large=code in _TOO_LARGE,
            )

    def _listen(self, partitions: Iterable[int]) -> None:
        self.partitions(self._replies)
        deadline = Deadline.after(self._within)
        self._consumer.assign(
            [
                TopicPartition(self._replies, partition, self._end_of(partition, deadline))
                for partition in sorted(partitions)
            ]
        )

    def _end_of(self, partition: int, deadline: Deadline) -> int:
        place = TopicPartition(self._replies, partition)
        while True:
            try:
                _, end = self._consumer.get_watermark_offsets(place, timeout=deadline.left)
            except KafkaException as fault:
                if _code(fault) not in _PASSING or not deadline.left:
                    raise NotReachable(self._bootstrap, _detail(fault)) from fault
                self._producer.poll(_PAUSE)
            else:
                return end

    def _send(self, letters: Sequence[Letter], talk: _Conversation) -> None:
        for letter in letters:
            try:
                self._produce(letter, talk)
            except KafkaException as fault:
                talk.failed(letter, _detail(fault), _code(fault))

    def _produce(self, letter: Letter, talk: _Conversation) -> None:
        def confirmed(error: KafkaError | None, message: Message) -> None:
            if error is None:
                talk.places[letter.id] = (message.partition() or 0, message.offset() or 0)
            else:
                talk.failed(letter, error.str(), error.code())

        while True:
            try:
                self._producer.produce(
                    letter.topic,
                    partition=letter.partition,
                    key=letter.key,
                    value=letter.value,
                    headers=list(letter.headers),
                    on_delivery=confirmed,
                )
            except BufferError:
                self._producer.poll(_PAUSE)
                self._read(talk, 0.0)
            else:
                return

    def _hear_out(self, talk: _Conversation, progress: Progress | None) -> None:
        deadline, seen = Deadline.after(self._within), (0, 0)
        while talk.open and deadline.left:
            self._producer.poll(0)
            self._read(talk, min(_PAUSE, deadline.left))
            now = (len(talk.places), len(talk.replies))
            if now != seen:
                deadline, seen = Deadline.after(self._within), now
                if progress is not None:
                    progress(*now)

    def _read(self, talk: _Conversation, within: float) -> None:
        first = self._consumer.poll(within)
        if first is None:
            return
        # Asking for many with a pause would wait for that many.
        for message in [first, *self._consumer.consume(_BATCH, 0)]:
            if message.error() is None:
                talk.heard(message.key(), message.value())


def _code(fault: KafkaException) -> int | None:
    error = fault.args[0] if fault.args else None
    return error.code() if isinstance(error, KafkaError) else None


def _detail(fault: KafkaException | BufferError) -> str:
    error = fault.args[0] if fault.args else fault
    return error.str() if isinstance(error, KafkaError) else str(error)
