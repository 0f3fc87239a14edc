"""
Where is the container engine of this machine?

As it is set, or where Docker's own variable says, or at the first usual socket that is there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

_SOCKETS = ("/var/run/docker.sock", "/run/podman/podman.sock", "/run/user/{uid}/docker.sock",
            "/run/user/{uid}/podman/podman.sock")  # fmt: skip


def address(given: str | None, environ: Mapping[str, str]) -> str:
    """Where the engine is: as set, or as DOCKER_HOST says, or the first usual socket that is."""
    named = given or environ.get("DOCKER_HOST")
    if named:
        return named
    places = [Path(each.format(uid=os.getuid())) for each in _SOCKETS]
    return f"unix://{next((each for each in places if each.exists()), places[0])}"
