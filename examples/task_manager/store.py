"""
Where are tasks and components kept?

In memory, and gone with the service. Whoever builds upon this puts a database here; that one may
fail, which is why those who read it know `StoreFault`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from examples.task_manager.rules import POWER_SHELF
from examples.task_manager.tasks import OPEN, Status, Task

KEPT: Final = 10_000
"""Tasks that have ended; older ones are forgotten."""
BUILT: Final = (("compute", 2), ("switch", 1), (POWER_SHELF, 1))
"""What a rack has in it, and how many of each."""


class StoreFault(Exception):
    """The store could not be read or written; later it may be."""


class Component(NamedTuple):
    """A part of a rack; its type and its id name it."""

    type: str
    id: str
    rack: str


class Store:
    """Tasks in the order in which they came, and components.

    Read from several threads; tasks are written by one at a time (desk.py).
    """

    def __init__(self, racks: Iterable[str] = ()) -> None:
        self.racks = dict.fromkeys(racks)
        self._tasks: dict[str, Task] = {}
        self._open: dict[str, dict[str, None]] = {}
        """The open ones of each rack, oldest first."""
        self._keys: dict[str, str] = {}
        self._ended: deque[str] = deque()
        self._components: dict[tuple[str, str], Component] = {}
        for rack in self.racks:
            for kind, count in BUILT:
                for number in range(1, count + 1):
                    self.place(Component(kind, f"{rack}-{kind}-{number}", rack))

    def put(self, task: Task) -> None:
        """Keep this state of a task."""
        rack = self._open.setdefault(task.wanted.rack, {})
        self._tasks[task.id] = task
        if task.wanted.key is not None:
            self._keys[task.wanted.key] = task.id
        if task.status in OPEN:
            rack[task.id] = None
        elif task.id in rack:
            del rack[task.id]
            self._ended.append(task.id)
            self._forget()

    def task(self, id_: str) -> Task | None:
        """One of them; None: there is none of this name, or it was forgotten."""
        return self._tasks.get(id_)

    def with_key(self, key: str) -> Task | None:
        """The last task that was made under this key."""
        return self._tasks.get(self._keys.get(key, ""))

    def tasks(self, rack: str | None = None) -> list[Task]:
        """All of a rack, or of all racks, oldest first."""
        return [one for one in list(self._tasks.values()) if rack in (None, one.wanted.rack)]

    def open_on(self, rack: str, status: Status) -> list[Task]:
        """Those of a rack that wait, or that go on, oldest first."""
        found = (self._tasks[one] for one in self._open.get(rack, ()))
        return [one for one in found if one.status is status]

    def busy_racks(self) -> list[str]:
        """Where anything waits or goes on."""
        return [rack for rack, found in self._open.items() if found]

    def place(self, component: Component) -> None:
        """Say where a component is now."""
        self.racks.setdefault(component.rack)
        self._components[component.type, component.id] = component

    def components(self, rack: str | None = None) -> Iterator[Component]:
        """Those of a rack, or all."""
        return (one for one in list(self._components.values()) if rack in (None, one.rack))

    def _forget(self) -> None:
        while len(self._ended) > KEPT:
            gone = self._tasks.pop(self._ended.popleft())
            if self._keys.get(gone.wanted.key or "") == gone.id:
                del self._keys[gone.wanted.key or ""]
