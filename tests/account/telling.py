"""
How does a test keep what stood in horae.globals?

A stage of the decider on which every hold, calendar and freeze is a record with an offset, as the
account needs them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from typing_extensions import override

from schemas.events import Fired, ScheduleEvent, Skipped, Stamp
from schemas.globals import GlobalRecord, GlobalSettings, Hold
from streams.account.classing import Span
from streams.account.walking import Account, Walk
from streams.account.worlds import GlobalNote, Worlds
from streams.decider.worldview import fold
from tests.decider.stage import DAY, Breaks, Holds, Move, Stage, Tells

E = TypeVar("E")
Kept = tuple[ScheduleEvent, Stamp]
LONG = 1_000 * DAY
MOST_TRIED = 10
"""Events of one history that are taken away and doubled."""


@dataclass
class Telling(Stage):
    """A stage whose holds stand in horae.globals."""

    told: list[GlobalNote] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._tell("settings", GlobalSettings(("jobs*",), 0))

    @override
    def play(self, move: Move, now: int, appended_at: int | None = None) -> list[ScheduleEvent]:
        match move:
            case Holds(held):
                self._tell("hold", Hold(held, "works", "user:eve", now))
                return []
            case Tells(key, record):
                self._tell(key, record)
                return []
            case _:
                return super().play(move, now, appended_at)

    def _tell(self, key: str, record: GlobalRecord) -> None:
        self.told.append(GlobalNote(len(self.told), key, record))
        self.world = fold(self.world, record, len(self.told) - 1, key)

    def account(self, history: list[Kept], now: int) -> Account:
        """What the account says of these events, which are all there are."""
        span = Span(now - LONG, now + DAY, now, slack=0, kept=LONG)
        walk = Walk(0, Worlds(self.told, self.world.zone_data), span)
        for event, stamp in history:
            walk.take(event, stamp)
        return walk.finish()

    def settle(self, now: int) -> None:
        """Let everything be decided that is due."""
        self.play(Breaks(None), now)
        self.play(Holds(held=False), now)
        self.ring(now)


def is_explained_and_whole(stage: Telling, now: int) -> None:
    """The account finds nothing, and it does find what is missing or doubled."""
    history = list(stage.history)
    assert stage.account(history, now).findings == []
    for index in range(0, len(history), len(history) // MOST_TRIED + 1):
        event = history[index][0]
        missing = [*history[:index], *history[index + 1 :]]
        doubled = [*history[: index + 1], *history[index:]]
        assert stage.account(doubled, now).findings, (event, "was doubled")
        if isinstance(event, Fired | Skipped):
            assert stage.account(numbered(doubled), now).findings, (event, "was doubled")
        if is_of_the_calendar(history, index, now):
            assert stage.account(numbered(missing), now).findings, (event, "was taken away")
        elif index + 1 < len(history):  # nothing tells that there was a last one
            account = stage.account(missing, now)
            assert account.findings or account.begin, (event, "was taken away")


def numbered(history: list[tuple[E, Stamp]], since: int = 0) -> list[tuple[E, Stamp]]:
    """As if it had always been so: the sequence numbers tell nothing."""
    return [
        (event, stamp._replace(sequence=number))
        for number, (event, stamp) in enumerate(history, start=since)
    ]


def is_of_the_calendar(history: list[Kept], index: int, now: int) -> bool:
    """Whether a timer ended it, and the next event is about the calendar as well, or is none.

    What a command finds due may have become due between its sending and its decision; and what was
    decided before the clock was put back, may still be to come.
    """
    return all(
        isinstance(event, Fired | Skipped)
        and event.origin is None
        and stamp.offset is None
        and stamp.decided_at <= now
        for event, stamp in history[index : index + 2]
    )
