"""
Rule 3: what does the name of a process protect?

It is its transactional id: a restart ends what its earlier life left open, before it joins the
group. On one machine a lock keeps it unique; two machines that were given one name fence each other
and back off.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from schemas.definition import SECOND
from schemas.topics import EVENTS
from streams.faults import Halt
from streams.instance import claim_instance
from streams.processor import main
from streams.processor.inbox import Inbox
from streams.processor.serving import Serving
from streams.processor.transaction import Transactions
from streams.settings import ProcessorSettings
from tests.processor.cluster import Cluster, await_that
from tests.processor.forked import forked
from tests.processor.lives import each_second, living, now, once, settings_for

pytestmark = pytest.mark.broker


@pytest.mark.case("KAF-004")
def test_a_restart_ends_its_own_open_transaction_at_once(cluster: Cluster, tmp_path: Path) -> None:
    _leave_open(cluster, tmp_path, "one")
    began = time.monotonic()
    again = Transactions(settings_for(cluster, transaction_timeout=60.0), "one")
    await_that(lambda: not _blocked(cluster), "readers go on", 2)
    took = time.monotonic() - began
    again.close()

    assert took < 2


def test_a_start_under_another_name_would_leave_readers_blocked(
    cluster: Cluster, tmp_path: Path
) -> None:
    """What the stable name is good for."""
    _leave_open(cluster, tmp_path, "one")
    other = Transactions(settings_for(cluster), "another")
    time.sleep(0.5)

    assert _blocked(cluster)
    other.close()
    Transactions(settings_for(cluster), "one").close()


def test_what_was_left_open_is_ended_before_the_group_is_joined(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _leave_open(cluster, tmp_path, "one")
    blocked: list[bool] = []

    class Watching(Inbox):
        def __init__(self, settings: ProcessorSettings, name: str, serving: Serving) -> None:
            blocked.append(_blocked(cluster))
            super().__init__(settings, name, serving)

    monkeypatch.setattr(main, "Inbox", Watching)
    with living(cluster, "one"):
        pass

    assert blocked == [False]


def test_a_name_that_is_taken_on_this_machine_is_refused(tmp_path: Path) -> None:
    first = claim_instance(tmp_path, "one")
    with pytest.raises(Halt, match="'one' already"):
        claim_instance(tmp_path, "one")
    first.release()
    claim_instance(tmp_path, "one").release()


def test_processes_without_a_name_take_the_first_free_number(tmp_path: Path) -> None:
    with ExitStack() as held:
        names = []
        for _ in range(3):
            instance = claim_instance(tmp_path, None)
            held.callback(instance.release)
            names.append(instance.name)

    assert [name.rpartition("-")[2] for name in names] == ["0", "1", "2"]


def test_a_second_process_of_one_name_ends_with_a_word(cluster: Cluster, tmp_path: Path) -> None:
    out = cluster.target()
    with forked(cluster, tmp_path, "one") as first:
        cluster.define(f"{cluster.subject(0)}/a", each_second(out))
        await_that(lambda: cluster.read(out), "the first fires")
        with forked(cluster, tmp_path, "one") as second:
            second.process.join(10)
            assert second.process.exitcode == 1
            assert "is called 'one' already" in second.said()
        before = len(cluster.read(out))
        await_that(lambda: len(cluster.read(out)) > before, "the first fires on")
        assert first.stop(5) == 0
    cluster.require_each_once(out, every=SECOND)


def test_two_machines_with_one_name_fence_each_other_and_back_off(
    cluster: Cluster, tmp_path: Path
) -> None:
    out = cluster.target()
    for partition in range(cluster.partitions):
        cluster.define(f"{cluster.subject(partition)}/a", each_second(out))
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    with forked(cluster, one, "same") as first, forked(cluster, two, "same") as second:
        await_that(lambda: _restarts(first.said() + second.said()) >= 4, "they fence", 30)
        said = first.said() + second.said()
        assert first.alive
        assert second.alive
        second.stop(12)
        before = len(cluster.read(out))
        await_that(lambda: len(cluster.read(out)) >= before + 2, "the other one goes on", 20)
        assert first.stop(12) == 0

    waits = {
        line.split(" in ")[1].split(" s")[0] for line in said.splitlines() if " over in " in line
    }
    assert len(waits) > 1, "each pause is longer than the one before"
    cluster.require_each_once(out, every=SECOND)


def _restarts(said: str) -> int:
    return said.count("starting over in")


def _leave_open(cluster: Cluster, folder: Path, name: str) -> None:
    """A process of this name dies with a transaction open that no time-out ends soon."""
    out = cluster.target()
    cluster.define(f"{cluster.subject(0)}/a", once(out, now()))
    dying_at = ("before commit", 1)
    with forked(cluster, folder, name, dying_at=dying_at, transaction_timeout=60.0) as doomed:
        doomed.process.join(15)
        assert doomed.process.exitcode == -9, doomed.said()
    assert _blocked(cluster)


def _blocked(cluster: Cluster) -> bool:
    """Whether committed readers of the ledger have to wait for somebody."""
    return cluster.ends(EVENTS, committed=True) != cluster.ends(EVENTS, committed=False)
