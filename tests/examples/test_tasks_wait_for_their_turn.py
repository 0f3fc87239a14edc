"""Does a task wait while it has to, and no longer?"""

from __future__ import annotations

import logging
from dataclasses import replace
from itertools import product
from typing import Final

import pytest
from typing_extensions import override

from examples.task_manager.promoting import ROOM, Notices
from examples.task_manager.rules import POWER, Doing, Operation, conflict
from examples.task_manager.store import Store, StoreFault
from examples.task_manager.tasks import Status, Task
from tests.examples.task_managers import await_that, managed

SHELF: Final = {"types": ["power_shelf"]}
NODES: Final = {"types": ["compute"]}
SWITCHES: Final = {"types": ["switch"]}


Some = dict[str, list[str]] | None
PAIRS: Final[list[tuple[str, Some, str, Some]]] = [
    *(("power_reset", SHELF, power, NODES) for power in sorted(POWER)),
    *((power, SHELF, "power_on", SHELF) for power in sorted(POWER)),
    ("power_off", SHELF, "upgrade_firmware", SWITCHES),
    *(("bring_up", None, operation, NODES) for operation in Operation),
    ("power_on", None, "power_on", NODES),
]


def test_what_conflicts_waits_in_both_orders() -> None:
    """IT-055: power of the shelf with any power or firmware, bring-up with anything."""
    orders = [
        *(((one, some), (other, others)) for one, some, other, others in PAIRS),
        *(((other, others), (one, some)) for one, some, other, others in PAIRS),
    ]
    racks = [f"rack-{number}" for number in range(len(orders))]
    with managed(*racks) as manager:
        ids = [
            [manager.begin(operation, rack, components=some) for operation, some in order]
            for rack, order in zip(racks, orders, strict=True)
        ]

        assert [manager.status(*pair) for pair in ids] == [["running", "waiting"]] * len(racks)
        manager.pass_by(10)
        assert [manager.status(*pair) for pair in ids] == [["completed", "running"]] * len(racks)


def test_nothing_else_conflicts() -> None:
    calm = [
        *(Doing(power, frozenset({"compute"})) for power in sorted(POWER)),
        Doing(Operation.UPGRADE_FIRMWARE, frozenset({"power_shelf"})),
        Doing(Operation.INGEST, frozenset({"compute", "power_shelf"})),
    ]

    assert [pair for pair in product(calm, calm) if conflict(*pair)] == []
    assert not conflict(Doing(Operation.POWER_ON, frozenset({"power_shelf"})), calm[-1])


def test_another_rack_is_never_in_the_way() -> None:
    with managed() as manager:
        ids = [manager.begin("bring_up", rack) for rack in ("rack-a", "rack-b")]

        assert manager.status(*ids) == ["running", "running"]


def test_a_sixth_task_that_would_wait_is_refused_as_full() -> None:
    """IT-048: five wait for a rack, a sixth is refused, the five keep their order."""
    with managed() as manager:
        manager.begin("bring_up")
        waiting = [manager.begin("bring_up") for _ in range(5)]
        sixth = manager.ask("bring_up")

        assert (sixth.status_code, sixth.json()["error"]) == (409, "full")
        manager.begin("bring_up", "rack-b")
        for number in range(5):
            manager.pass_by(10)
            expected = ["completed"] * number + ["running"] + ["waiting"] * (4 - number)
            assert manager.status(*waiting) == expected


def test_what_has_waited_too_long_is_terminated() -> None:
    """IT-049: after the time it asked for, or an hour; the message says that it expired."""
    with managed() as manager:
        manager.begin("bring_up", seconds=7_200)
        usual = manager.begin("power_on")
        hasty = manager.begin("power_on", waiting_timeout=30)

        manager.pass_by(29.5)
        assert manager.status(usual, hasty) == ["waiting", "waiting"]
        manager.pass_by(0.5)
        assert manager.status(usual, hasty) == ["waiting", "terminated"]
        assert manager.task(hasty)["message"] == "expired while waiting for 30 s"
        manager.pass_by(3_569)
        assert manager.status(usual) == ["waiting"]
        manager.pass_by(1)
        assert manager.status(usual) == ["terminated"]
        assert manager.task(usual)["message"] == "expired while waiting for 3600 s"
        assert manager.task(usual)["started_at"] is None


def test_of_two_that_conflict_only_the_older_is_promoted() -> None:
    """IT-050: the rack becomes free, and the two that wait conflict with each other."""
    with managed() as manager:
        manager.begin("bring_up")
        older = manager.begin("power_off", components=SHELF, seconds=100)
        younger = manager.begin("power_on", components=NODES)

        manager.pass_by(10)

        assert manager.status(older, younger) == ["running", "waiting"]


def test_those_that_do_not_conflict_are_promoted_together_in_their_order() -> None:
    """IT-051: three wait, none conflicts with another: one pass begins all three."""
    with managed() as manager:
        manager.begin("bring_up")
        ids = [
            manager.begin("power_on", components=NODES, seconds=100),
            manager.begin("upgrade_firmware", components=SWITCHES, seconds=100),
            manager.begin("ingest", seconds=100),
        ]
        assert manager.status(*ids) == ["waiting"] * 3

        manager.pass_by(10)

        assert manager.status(*ids) == ["running"] * 3
        running = manager.store.open_on("rack-a", Status.RUNNING)
        assert [one.id for one in running] == ids


def test_none_overtakes_an_older_one_that_it_conflicts_with() -> None:
    with managed() as manager:
        manager.begin("upgrade_firmware", seconds=20)
        shelf = manager.begin("power_off", components=SHELF)
        nodes = manager.begin("power_on", components=NODES)
        ingest = manager.begin("ingest")

        assert manager.status(shelf, nodes, ingest) == ["waiting", "waiting", "running"]


def test_a_lost_notice_is_made_up_for_by_a_sweep() -> None:
    """IT-053: the buffer is full; a sweep every five minutes promotes what waits."""
    notices = Notices()
    for number in range(ROOM + 1):
        notices.tell(f"rack-{number}")
    kept = [notices.take() for _ in range(ROOM + 1)]
    assert (ROOM, kept[-2], kept[-1]) == (64, "rack-63", None)

    with managed(room=0) as manager:
        manager.look_round()
        first = manager.begin("bring_up")
        second = manager.begin("bring_up")
        manager.pass_by(299)
        assert manager.status(first, second) == ["completed", "waiting"]

        manager.pass_by(1)

        assert manager.status(second) == ["running"]


def test_what_waits_is_looked_at_when_the_service_begins() -> None:
    """IT-053: a sweep at start promotes the waiting task, too."""
    store = Store(["rack-a", "probe"])
    with managed(store=store) as manager:
        first, second = manager.begin("bring_up"), manager.begin("bring_up")
        # The service ends here, with a task that is over and one that waits for it.
        clock = manager.clock
    done = store.task(first)
    assert done is not None
    store.put(ended(done))

    with managed(store=store, clock=clock, room=0) as manager:
        manager.look_round()

        assert manager.status(first, second) == ["completed", "running"]


class Failing(Store):
    """A store that fails when it was told to."""

    fault: Exception | None = None
    failures = 0

    @override
    def open_on(self, rack: str, status: Status) -> list[Task]:
        fault, self.fault = self.fault, None
        if fault is not None and rack != "probe":
            self.failures += 1
            raise fault
        self.fault = fault
        return super().open_on(rack, status)


@pytest.mark.parametrize("fault", [StoreFault("no connection"), RuntimeError("a mistake")])
def test_neither_the_store_nor_a_mistake_ends_the_service(
    fault: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    """IT-054: errors of the store are logged; after a panic the loop begins anew in 5 s."""
    store = Failing(["rack-a", "probe"])
    with managed(store=store) as manager, caplog.at_level(logging.ERROR):
        first, second = manager.begin("bring_up"), manager.begin("bring_up")
        manager.look_round()
        store.fault = fault
        await_that(lambda: store.failures == 1)
        manager.clock.pass_by(4_900_000)  # type: ignore[attr-defined]
        assert manager.status(first, second) == ["running", "waiting"]
        probe = manager.begin("ingest", "probe", seconds=0)
        assert manager.status(probe) == ["running"]

        manager.pass_by(5.2)

        assert manager.status(first, second, probe) == ["completed", "running", "completed"]
    assert [one.levelname for one in caplog.records] == ["ERROR"]
    assert (caplog.records[0].exc_info is None) == isinstance(fault, StoreFault)


def ended(task: Task) -> Task:
    """The same task, completed."""
    return replace(task, status=Status.COMPLETED, ended_at=task.created_at)
