"""Whose run it is that is to stop need not be said where the views know it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import pytest

from horae.cli import runs
from horae.cli.endings import Ending
from horae.cli.views import NO_DATABASE, NoDatabase
from projections.queries import Reads
from schemas.commands import CancelRun
from tests.face.test_runs_are_looked_at import RUN, Known
from tests.face.typed import run

Sent = list[tuple[object, ...]]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    found: Sent = []
    monkeypatch.setattr(runs, "send", lambda *order: found.append(order[:2]))
    return found


def known(monkeypatch: pytest.MonkeyPatch, views: Known | None) -> None:
    @contextmanager
    def opened() -> Iterator[Reads]:
        if views is None:
            raise NoDatabase(NO_DATABASE, Ending.UNREACHABLE)
        yield cast("Reads", views)

    monkeypatch.setattr(runs, "views", opened)


def test_the_views_say_whose_run_it_is(monkeypatch: pytest.MonkeyPatch, sent: Sent) -> None:
    known(monkeypatch, Known(RUN))
    code, _, err = run("runs", "cancel", RUN.run, "-r", "hangs")

    assert (code, err) == (0, "")
    assert sent == [("shop/", CancelRun(RUN.run, "hangs"))]


def test_with_the_subject_no_views_are_needed(monkeypatch: pytest.MonkeyPatch, sent: Sent) -> None:
    known(monkeypatch, None)

    assert run("runs", "cancel", "shop", RUN.run)[0] == 0
    assert sent == [("shop/", CancelRun(RUN.run))]


@pytest.mark.parametrize(
    ("views", "words", "code", "told"),
    [
        (Known(), [RUN.run], Ending.REFUSED, "the views know no such run"),
        (None, [RUN.run], Ending.UNREACHABLE, "horae runs cancel SUBJECT RUN"),
        (Known(RUN), ["a", "b", "c"], Ending.USAGE, "one run at a time"),
    ],
    ids=["a run that is not known", "no database", "several runs"],
)
def test_what_cannot_be_looked_up_is_told_and_nothing_is_sent(
    monkeypatch: pytest.MonkeyPatch,
    sent: Sent,
    views: Known | None,
    words: list[str],
    code: Ending,
    told: str,
) -> None:
    known(monkeypatch, views)
    ended, _, err = run("runs", "cancel", *words)

    assert (ended, sent) == (code, [])
    assert told in err
