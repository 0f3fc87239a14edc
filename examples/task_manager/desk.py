"""
May this task begin, must it wait, or is it refused?

One task after the other is taken on, begun and ended here, under one lock. On a rack a task waits
while it conflicts with one that goes on, or with an older one that waits: none overtakes another
that it conflicts with. Who calls `promote` when is promoting.py.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from secrets import token_hex
from threading import RLock

from examples.task_manager.rules import MOST_WAITING, Doing, conflict
from examples.task_manager.store import Component, Store
from examples.task_manager.tasks import OPEN, OnConflict, Refused, Status, Task, Wanted
from schemas.units import SECOND
from streams.clock import Clock

log = logging.getLogger(__name__)


class Desk:
    """Takes tasks on, and says when each begins and ends."""

    def __init__(
        self, store: Store, clock: Clock, takes: int, freed: Callable[[str], None]
    ) -> None:
        self._store = store
        self._clock = clock
        self._takes = takes
        """How long a task goes on that does not say, microseconds."""
        self._freed = freed
        """Is told the rack whenever a task has ended."""
        self._lock = RLock()

    def submit(self, wanted: Wanted) -> Task | None:
        """Take a task on; None: there is nothing to do; Refused: it is not taken."""
        with self._lock:
            known = self._store.with_key(wanted.key) if wanted.key else None
            if known is not None and known.status in (*OPEN, Status.COMPLETED):
                return known
            components = self._meant(wanted)
            if not components:
                return None
            doing = Doing(wanted.operation, frozenset(one.type for one in components))
            task = Task(
                id=f"task-{token_hex(6)}",
                wanted=wanted,
                doing=doing,
                components=tuple(one.id for one in components),
                created_at=self._clock.wall(),
                status=Status.WAITING,
            )
            if self._is_free(task):
                task = self._begun(task)
            else:
                self._check_waiting(wanted)
            self._store.put(task)
            return task

    def promote(self, rack: str) -> None:
        """Begin whatever of the rack need not wait any more, oldest first."""
        with self._lock:
            self._expire(rack)
            for task in self._store.open_on(rack, Status.WAITING):
                if self._is_free(task):
                    self._store.put(self._begun(task))

    def promote_all(self) -> None:
        """The same for every rack."""
        with self._lock:
            for rack in self._store.busy_racks():
                self.promote(rack)

    def settle(self) -> None:
        """End what is over by now, and what has waited too long."""
        with self._lock:
            for rack in self._store.busy_racks():
                self._expire(rack)
                for task in self._store.open_on(rack, Status.RUNNING):
                    if self._clock.wall() >= self._over_at(task):
                        self._end(task)

    def _end(self, task: Task) -> None:
        failed = bool(task.wanted.fails)
        status = Status.FAILED if failed else Status.COMPLETED
        ended = self._clock.wall()
        self._store.put(replace(task, status=status, ended_at=ended, message=task.wanted.fails))
        self._freed(task.wanted.rack)

    def _expire(self, rack: str) -> None:
        now = self._clock.wall()
        for task in self._store.open_on(rack, Status.WAITING):
            if now >= task.expires_at:
                message = f"expired while waiting for {task.wanted.waits / SECOND:g} s"
                log.info("%s on %s %s", task.id, rack, message)
                ended = replace(task, status=Status.TERMINATED, ended_at=now, message=message)
                self._store.put(ended)

    def _is_free(self, task: Task) -> bool:
        """Whether nothing that goes on, and nothing older that waits, conflicts with it."""
        rack = task.wanted.rack
        if any(
            conflict(one.doing, task.doing) for one in self._store.open_on(rack, Status.RUNNING)
        ):
            return False
        for older in self._store.open_on(rack, Status.WAITING):
            if older.id == task.id:
                break
            if conflict(older.doing, task.doing):
                return False
        return True

    def _check_waiting(self, wanted: Wanted) -> None:
        if wanted.on_conflict is OnConflict.REFUSE:
            raise Refused(409, "conflict", f"{wanted.rack} has another task that conflicts with it")
        self._expire(wanted.rack)
        if len(self._store.open_on(wanted.rack, Status.WAITING)) >= MOST_WAITING:
            raise Refused(409, "full", f"{MOST_WAITING} tasks wait for {wanted.rack} already")

    def _meant(self, wanted: Wanted) -> list[Component]:
        """The components that are meant; those by id have to be in the rack, all of them."""
        if wanted.rack not in self._store.racks:
            raise Refused(404, "unknown_rack", f"there is no rack {wanted.rack}")
        here = list(self._store.components(wanted.rack))
        if wanted.types is not None:
            here = [one for one in here if one.type in wanted.types]
        if wanted.ids is None:
            return here
        missing = sorted(set(wanted.ids) - {one.id for one in here})
        if missing:
            raise Refused(409, "elsewhere", f"not in {wanted.rack}: {', '.join(missing)}")
        return [one for one in here if one.id in wanted.ids]

    def _begun(self, task: Task) -> Task:
        return replace(task, status=Status.RUNNING, started_at=self._clock.wall())

    def _over_at(self, task: Task) -> int:
        takes = self._takes if task.wanted.takes is None else task.wanted.takes
        return (task.started_at or 0) + takes
