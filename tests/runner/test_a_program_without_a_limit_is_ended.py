"""A program that may take as long as it likes is ended like any other once it is to stop."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

from schemas.commands import ReportStatus
from streams.runner.work import Outcome
from tests.processor.cluster import await_that
from tests.runner.ordered import order
from tests.runner.processes import marked
from tests.runner.programs import RUN, Runs, script


def test_one_that_does_not_hear_is_killed_after_the_grace(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    deaf = script(f"trap '' TERM; touch {begun}; while :; do sleep 0.1; done")
    attempt = Runs(tmp_path).attempt(order(deaf, RUN), timeout=None, grace=0.2)
    found: list[Outcome] = []
    thread = Thread(target=lambda: found.append(attempt.run()))
    thread.start()
    await_that(begun.exists, "it has begun")
    attempt.stop("it was cancelled", kill=False)
    thread.join(20)
    [outcome] = found

    assert outcome.status is ReportStatus.CANCELLED
    assert outcome.detail == "it was cancelled; asked to end and killed, ended by SIGKILL"
    assert marked(RUN) == []
