"""
What may the description of an app hold, whatever it was written in?

Asked of what came as Avro and of what JSON said alike; fields are named as reading_works.py names
them. What the work in its containers may hold is work_limits.py.
"""

from __future__ import annotations

import re
from typing import Final

from schemas.actions import App, Volume
from schemas.codec import encode
from schemas.commands import DefineApp
from schemas.faults import FieldFault
from schemas.work_limits import (
    CALLED,
    MAX_NAME_BYTES,
    check_env,
    check_filled_up_to,
    check_once,
    check_place,
    check_pool,
    fits,
    is_path,
)

MAX_VOLUMES: Final = 100
MAX_APP_BYTES: Final = 256 * 1024
"""Encoded: it goes with each order, beside the work."""
LEAST_MEMORY: Final = 6 * 1024 * 1024
"""Container engines refuse less."""
MOST_MEMORY: Final = 1 << 50
LEAST_CPUS: Final = 10
"""Thousandths of one."""
MOST_CPUS: Final = 1_000_000
_IMAGE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./:@-]*")


def check_app(app: App) -> App:
    """Give the description of an app back if containers could be made of it."""
    fits(_IMAGE, app.image, "image", "the name of an image, such as shop:1.2")
    for name, path in ((app.container, "container"), (app.network, "network")):
        if name is not None:
            fits(CALLED, name, path, "of A-Z, a-z, 0-9, '_', '.' and '-', the first no sign")
    check_env(app.env, "env")
    _check_volumes(app.volumes)
    check_place(app.user, app.folder, "")
    if app.memory is not None:
        _check_between(app.memory, LEAST_MEMORY, MOST_MEMORY, "memory", "from 6MiB to 1024TiB")
    if app.cpus is not None:
        _check_between(app.cpus, LEAST_CPUS, MOST_CPUS, "cpus", "from 0.01 to 1000")
    if app.node is not None:
        check_pool(app.node, "node")
    size = len(encode(DefineApp(app)))
    if size > MAX_APP_BYTES:
        raise FieldFault("", f"an app has {MAX_APP_BYTES} bytes at most, this one has {size}")
    return app


def _check_volumes(volumes: tuple[Volume, ...]) -> None:
    if len(volumes) > MAX_VOLUMES:
        raise FieldFault("volumes", f"has {MAX_VOLUMES} entries at most, not {len(volumes):,}")
    for i, volume in enumerate(volumes):
        for text, name in ((volume.source, "source"), (volume.target, "target")):
            check_filled_up_to(text, f"volumes[{i}].{name}", MAX_NAME_BYTES)
        if not CALLED.fullmatch(volume.source) and not is_path(volume.source):
            raise FieldFault(
                f"volumes[{i}].source", "must be the name of a volume, or a full path without .."
            )
        if not is_path(volume.target) or not volume.target.strip("/"):
            raise FieldFault(f"volumes[{i}].target", "must be a full path without .., and not /")
    check_once([volume.target.rstrip("/") for volume in volumes], "volumes")


def _check_between(number: int, least: int, most: int, path: str, allowed: str) -> None:
    if not least <= number <= most:
        raise FieldFault(path, f"must be {allowed}")
