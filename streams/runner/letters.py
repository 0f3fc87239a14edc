"""
How does what a runner says become a record?

Claims, declines and reports go to the inbox of the subject's partition, beats to the one they are
meant for, pieces of output to whoever watches. Pure; how they are sent, and kept until they are,
is post.py.
"""

from __future__ import annotations

from typing import NamedTuple

from schemas.codec import encode
from schemas.command_keys import id_of_attempt, key_of_claim
from schemas.commands import Beat, ClaimRun, DeclineRun, ReportRun, ReportStatus
from schemas.identity import partition_of, subject_of
from schemas.limits import MAX_NOTE_BYTES
from schemas.orders import Order, OutputChunk
from schemas.reading import beat_record, command_record
from schemas.run_events import Result
from schemas.topics import COMMANDS, OUTPUT
from streams.runner.output import Kept, Piece
from streams.runner.work import Outcome, Runner


class Letter(NamedTuple):
    """One record."""

    topic: str
    partition: int
    key: bytes
    value: bytes
    headers: tuple[tuple[str, bytes], ...] = ()


class Span(NamedTuple):
    """From when to when an attempt went on, by the wall clock."""

    started_at: int | None
    """None: it never started."""
    ended_at: int


class Writer:
    """What one life of a runner says."""

    def __init__(self, runner: Runner, partitions: int) -> None:
        self._runner = runner
        self._partitions = partitions
        self._actor = f"service:runner/{runner.name}".encode()

    @property
    def boot(self) -> int:
        """Of this life."""
        return self._runner.boot

    def claim(self, order: Order) -> Letter:
        """Ask for an attempt."""
        return self._about(order, ClaimRun(order.run, order.attempt, order.issue, *self._runner))

    def decline(self, order: Order, why: str) -> Letter:
        """Give back what was granted and has not begun."""
        return self._about(
            order, DeclineRun(order.run, order.attempt, order.issue, *self._runner, _note(why))
        )

    def report(self, order: Order, outcome: Outcome, kept: Kept, span: Span) -> Letter:
        """Say how an attempt ended."""
        result = Result(
            outcome.exit_code,
            kept.text,
            kept.cut,
            None if outcome.reference is None else _note(outcome.reference),
            span.started_at,
            span.ended_at,
        )
        return self._report(order, outcome.status, _note(outcome.detail), result)

    def beat(self, partition: int, beat: Beat) -> Letter:
        """Say that the runner lives."""
        key, value = beat_record(self._runner.name, beat)
        return Letter(COMMANDS, partition, key, value, (("horae-actor", self._actor),))

    def piece(self, order: Order, piece: Piece, at: int) -> Letter:
        """Show what a run has just written."""
        chunk = OutputChunk(order.run, order.attempt, piece.sequence, piece.text, at)
        return Letter(OUTPUT, self._home(order), order.run.encode(), encode(chunk))

    def _report(self, order: Order, status: ReportStatus, detail: str, result: Result) -> Letter:
        command = ReportRun(order.run, status, order.attempt, detail, *self._runner, result)
        about = id_of_attempt(order.run, order.attempt, order.issue, self._runner)
        key, value = command_record(f"{subject_of(order.schedule)}/", command, about)
        return self._letter(order, about, key, value or b"")

    def _about(self, order: Order, command: ClaimRun | DeclineRun) -> Letter:
        key = key_of_claim(subject_of(order.schedule), command)
        return self._letter(order, key.rpartition(b":")[2].decode(), key, encode(command))

    def _letter(self, order: Order, about: str, key: bytes, value: bytes) -> Letter:
        headers = [("horae-id", about.encode()), ("horae-actor", self._actor)]
        if order.trace is not None:
            headers.append(("traceparent", order.trace.encode()))
        return Letter(COMMANDS, self._home(order), key, value, tuple(headers))

    def _home(self, order: Order) -> int:
        return partition_of(subject_of(order.schedule), self._partitions)


def _note(text: str) -> str:
    """A text as the log takes it: no NUL, no half characters, not too long."""
    clean = text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace")
    return clean[:MAX_NOTE_BYTES].decode("utf-8", "ignore")
