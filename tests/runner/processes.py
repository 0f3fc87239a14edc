"""Which processes has a run?"""

from __future__ import annotations

from pathlib import Path

from streams.runner.remembered import MARK


def marked(run: str) -> list[int]:
    """Those that were started for it, wherever they went since."""
    beginning = f"{MARK}={run}.".encode()
    return [pid for pid, environ in _environments() if beginning in environ]


def all_marked() -> set[str]:
    """The runs that have processes on this machine."""
    beginning = f"{MARK}=".encode()
    return {
        one.removeprefix(beginning).partition(b".")[0].decode()
        for _, environ in _environments()
        for one in environ.split(b"\0")
        if one.startswith(beginning)
    }


def _environments() -> list[tuple[int, bytes]]:
    found = []
    for one in Path("/proc").iterdir():
        try:
            environ = (one / "environ").read_bytes() if one.name.isdigit() else b""
        except OSError:  # it has ended, or is somebody else's
            continue
        found.append((int(one.name) if one.name.isdigit() else 0, environ))
    return found
