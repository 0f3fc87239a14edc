"""A call that does not come back in its time holds nobody up."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event, get_ident

import pytest

from streams.faults import StartOver
from streams.processor import hand as hands
from streams.processor.hand import Hand


@pytest.fixture
def hand() -> Iterator[Hand]:
    found = Hand("hand")
    yield found
    found.close()


def test_a_call_is_made_with_what_is_given_by_another_thread(hand: Hand) -> None:
    seen: list[tuple[int, str]] = []

    hand.ask(lambda word: seen.append((get_ident(), word)), "go", within=5)
    [(thread, word)] = seen

    assert word == "go"
    assert thread != get_ident()


def test_what_a_call_raises_is_raised(hand: Hand) -> None:
    def fails() -> None:
        raise LookupError("gone")

    for _ in range(2):
        with pytest.raises(LookupError, match="gone"):
            hand.ask(fails, within=5)


def test_a_call_that_does_not_come_back_is_left_behind(
    hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hands, "LENIENCY", 0.05)
    gone_on, later = Event(), Event()

    def commit() -> None:
        gone_on.wait(30)

    with pytest.raises(StartOver, match="commit does not come back"):
        hand.ask(commit, within=0)
    with pytest.raises(StartOver, match="commit does not come back"):
        hand.ask(later.set, within=5)
    gone_on.set()

    assert not later.wait(0.1), "nothing is done after a call whose outcome nobody heard"
