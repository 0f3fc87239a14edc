"""Nobody is given up before everything is read that was said by the end of the lease."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from schemas.commands import Define, ReportRun, ReportStatus
from schemas.definition import Cron
from schemas.events import RunEnded
from schemas.policies import Retry, Tracking
from streams.processor.partitions import Partition, Rung
from streams.processor.silence import Silence, put_unheard_aside
from tests.processor.desk import HOUR, MINUTE, NOON, SECOND, Desk
from tests.processor.running import TRACKED, desk_with_run, report, runs

LEASED = replace(TRACKED, action=replace(TRACKED.action, tracked=Tracking(10 * MINUTE)))


class Broker:
    """How far the inbox goes, and how far it is read."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.end = 0
        self.here = 0
        self.asked = 0
        self.silence = Silence(self.ends, lambda: desk.now)
        self.silence.begin(desk.partition)

    def ends(self, numbers: Iterable[int]) -> dict[int, int]:
        self.asked += 1
        return dict.fromkeys(numbers, self.end)

    def due(self) -> list[Rung]:
        """What an iteration takes."""
        partition = self.desk.partition
        self.silence.listen([partition], lambda _: self.here)
        return put_unheard_aside(
            partition, partition.timers.pop_due(self.desk.now, 100), self.desk.now
        )


def ended(desk: Desk) -> list[str]:
    return [one.status for one in desk.events() if isinstance(one, RunEnded)]


def silent() -> tuple[Desk, Broker, str]:
    """A desk on which a lease has just run out; commands 5 and 6 are in the inbox, not read."""
    desk, run = desk_with_run(replace(LEASED, timings=(Cron("0 13 29 11 *"),)))
    broker = Broker(desk)
    broker.end, broker.here = 7, 5
    desk.now = NOON + HOUR + 10 * MINUTE
    return desk, broker, run


def test_a_lease_waits_until_the_inbox_is_read_to_an_end_that_was_taken_after_it() -> None:
    desk, broker, _ = silent()

    first = broker.due()
    desk.now += SECOND
    second = broker.due()
    broker.end, broker.here = 9, 6
    third = broker.due()
    broker.here = 7
    fourth = broker.due()

    assert [first, second, third] == [[], [], []]
    assert [name for _, name, _ in fourth] == ["shop/"]
    assert broker.asked == 1
    assert desk.partition.heard_until == NOON + HOUR + 10 * MINUTE + SECOND


def test_whoever_was_heard_in_time_is_not_given_up() -> None:
    desk, broker, run = silent()
    broker.due()
    broker.due()
    desk.ask("shop/", ReportRun(run, ReportStatus.RUNNING))
    desk.step()
    broker.here = 7

    assert broker.due() == []
    assert ended(desk) == []
    assert [one.id for one in runs(desk)] == [run]


def test_a_batch_gives_nobody_up_of_whom_more_may_be_in_the_inbox() -> None:
    desk, _, _ = silent()
    due = desk.partition.timers.pop_due(desk.now, 100)
    desk.partition.timers.put_all(due)

    written = desk.step()

    assert ended(desk) == []
    assert written
    assert desk.partition.unheard == due
    desk.partition.heard_until = desk.now
    desk.partition.timers.put_all(due)
    desk.step()
    assert ended(desk) == ["interrupted"]


def test_those_that_follow_within_the_second_are_for_the_next_look() -> None:
    desk = Desk()
    desk.ask("shop/a", Define(LEASED))
    desk.ask("shop/b", Define(LEASED))
    desk.step()
    desk.pass_time(HOUR)
    first, second = runs(desk)
    report(desk, first.id, ReportStatus.RUNNING, SECOND // 5)
    report(desk, second.id, ReportStatus.RUNNING, SECOND // 5)
    desk.now = NOON + HOUR + 10 * MINUTE + SECOND // 2
    desk.partition.heard_until = NOON + HOUR + 10 * MINUTE + SECOND // 5

    desk.step()
    once = ended(desk)
    desk.step()
    desk.partition.heard_until = desk.now
    desk.partition.timers.put_all(desk.partition.unheard)
    desk.step()

    assert once == ["interrupted"]
    assert ended(desk) == ["interrupted", "interrupted"]


def test_what_nobody_could_have_said_anything_about_waits_for_nothing() -> None:
    desk, run = desk_with_run(replace(LEASED, retry=Retry(1, MINUTE)))
    report(desk, run, ReportStatus.FAILED, SECOND)
    broker = Broker(desk)
    broker.end, broker.here = 7, 5
    desk.now += MINUTE

    assert [name for _, name, _ in broker.due()] == ["shop/"]
    assert broker.asked == 0


def test_a_partition_that_was_another_ones_meanwhile_is_heard_anew() -> None:
    desk, broker, _ = silent()
    broker.due()
    broker.due()
    other = Partition(0, desk.partition.owner)
    broker.silence.begin(other)
    broker.here = 7

    broker.silence.listen([other], lambda _: 7)

    assert other.heard_until == 0
