"""What if the line to the container engine is cut, or nobody at its other end says anything?"""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class Line:
    """A socket that passes everything on to another one, as long as it is whole."""

    def __init__(self, path: Path, target: str) -> None:
        self.address = f"unix://{path}"
        self._target = target.removeprefix("unix://")
        self._ends: list[socket.socket] = []
        self._silent = False
        self._whole = True
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(path))
        self._listening.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Break all connections, and each new one."""
        self._whole = False
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def fall_silent(self) -> None:
        """Take what is said and answer nothing."""
        self._silent = True

    def mend(self) -> None:
        """Be whole again, for new connections."""
        self._whole, self._silent = True, False

    def close(self) -> None:
        self.cut()
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                if not self._whole:
                    near.close()
                    continue
                threading.Thread(target=self._pass_on, args=(near,), daemon=True).start()

    def _pass_on(self, near: socket.socket) -> None:
        with near, socket.socket(socket.AF_UNIX) as far, suppress(OSError):
            far.connect(self._target)
            self._ends += [near, far]
            other = {near: far, far: near}
            while True:
                for end in select.select(list(other), [], [], 20)[0]:
                    data = end.recv(65536)
                    if not data:
                        return
                    if not self._silent:
                        other[end].sendall(data)


@contextmanager
def line_to(target: str, folder: Path) -> Iterator[Line]:
    """A line that is whole at first."""
    line = Line(folder / "line.sock", target)
    try:
        yield line
    finally:
        line.close()
