"""
How is work for runners written as JSON, and an app?

The inverse of reading_works.py: what is read back is the same, and values at their default are left
out. An argv that is all there is to say stands alone.
"""

from __future__ import annotations

from typing import Any, assert_never

from schemas.actions import (
    DEFAULT_POOL,
    Act,
    App,
    Exec,
    Follow,
    Fresh,
    Http,
    Program,
    Setting,
    Volume,
    Work,
)
from schemas.durations import format_duration
from schemas.reading_works import UNITS
from schemas.work_limits import WORDS


def work_json(work: Work) -> dict[str, Any]:
    """The field of a definition that asks for this work."""
    return {WORDS[type(work)]: _work(work)}


def app_json(app: App) -> dict[str, Any]:
    """The value of the command that describes an app."""
    found: dict[str, Any] = {"image": app.image}
    if app.env:
        found["env"] = settings_json(app.env)
    if app.volumes:
        found["volumes"] = [_volume(one) for one in app.volumes]
    if app.memory is not None:
        found["memory"] = memory_json(app.memory)
    if app.cpus is not None:
        found["cpus"] = cpus_text(app.cpus)
    plain = ("container", "network", "user", "folder", "node")
    return found | given({name: getattr(app, name) for name in plain})


def memory_json(size: int) -> str | int:
    """Bytes in the largest unit that has a whole number of them; the plain number if none has."""
    fitting = [name for name, unit in UNITS.items() if size % unit == 0]
    return f"{size // UNITS[fitting[-1]]}{fitting[-1]}" if fitting else size


def cpus_text(thousandths: int) -> str:
    """How many processors, to the thousandth."""
    whole, rest = divmod(thousandths, 1000)
    return f"{whole}.{rest:03d}".rstrip("0").rstrip(".")


def _work(work: Work) -> Any:
    match work:
        case Http():
            return _http(work)
        case Program() | Exec():
            places = {"folder": work.folder, "user": work.user}
            return _process(work, places)
        case Fresh():
            return _process(work, {})
        case Act():
            beside = given({"level": work.level, "pool": work.pool})
            return {"do": work.verb.value, **beside} if beside else work.verb.value
        case _:
            assert_never(work)


def _http(http: Http) -> dict[str, Any]:
    found: dict[str, Any] = {"url": http.url}
    if http.method != "POST":
        found["method"] = http.method
    if http.headers:
        found["headers"] = settings_json(http.headers)
    if http.follow is not None:
        found["follow"] = _follow(http.follow)
    return found | given({"body": http.body, "inventory": http.inventory, "pool": _pool(http.pool)})


def _process(work: Program | Exec | Fresh, places: dict[str, str | None]) -> Any:
    env = settings_json(work.env) if work.env else None
    pool = _pool(work.pool) if isinstance(work, Program) else work.pool
    beside = given({**places, "env": env, "pool": pool})
    return {"argv": list(work.argv), **beside} if beside else list(work.argv)


def _pool(pool: str) -> str | None:
    return None if pool == DEFAULT_POOL else pool


def _follow(follow: Follow) -> dict[str, Any]:
    usual = Follow(follow.url)
    found: dict[str, Any] = {"url": follow.url}
    for name in ("task", "status"):
        if getattr(follow, name) != getattr(usual, name):
            found[name] = getattr(follow, name)
    for name in ("succeeded", "failed"):
        if getattr(follow, name) != getattr(usual, name):
            found[name] = list(getattr(follow, name))
    if follow.every != usual.every:
        found["every"] = format_duration(micros=follow.every)
    return found


def settings_json(settings: tuple[Setting, ...]) -> dict[str, Any]:
    """Names with their values, or with where a runner finds them."""
    return {
        one.name: one.value if one.secret is None else {"secret": one.secret} for one in settings
    }


def _volume(volume: Volume) -> dict[str, Any]:
    found: dict[str, Any] = {"source": volume.source, "target": volume.target}
    return found | ({"read_only": True} if volume.read_only else {})


def given(values: dict[str, Any]) -> dict[str, Any]:
    """Those of them that are there."""
    return {name: value for name, value in values.items() if value is not None}
