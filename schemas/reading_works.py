"""
Which work does this JSON ask of a runner, and of what are an app's containers made?

The five actions beside an emit, and the description of an app: each form that a person may write,
and each wrong value refused by its path with what is allowed. Secrets are never written here, only
where a runner finds them. Back to JSON is works_json.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Final

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
    Verb,
    Volume,
    Work,
)
from schemas.app_limits import check_app
from schemas.faults import FieldFault
from schemas.fields import (
    Fields,
    kind_of,
    or_null,
    read_elapsed,
    read_list,
    read_text,
    read_truth,
    read_whole,
    shown,
)
from schemas.json_text import check_data
from schemas.templates import json_template
from schemas.work_limits import VERBS, check_argv, check_work

UNITS: Final = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
"""Of memory, in bytes."""
APP_FIELDS: Final = (
    *("image", "container", "env", "volumes", "network", "user", "folder"),
    *("memory", "cpus", "node"),
)
_MEMORY: Final = re.compile(r"([0-9]{1,15})([KMGT]iB)")
_CPUS: Final = re.compile(r"([0-9]{1,7})(\.[0-9]{1,3})?")
_HTTP: Final = ("url", "method", "headers", "body", "follow", "inventory", "pool")
_FOLLOW: Final = ("url", "task", "status", "succeeded", "failed", "every")
_PROCESS: Final = ("argv", "folder", "env", "user", "pool")
_FRESH: Final = ("argv", "env", "pool")
_ACT: Final = ("do", "level", "pool")
_USUAL_FOLLOW: Final = Follow("")


def work_reader(word: str) -> Callable[[object, str], Work]:
    """A reader of the work that a definition has under this word; it raises FieldFault."""
    read = _READERS[word]
    return lambda data, path: check_work(read(data, path))


def read_app(data: object) -> App:
    """The description of an app; raises FieldFault."""
    check_data(data)
    return app_of(Fields(data, "", APP_FIELDS))


def app_of(fields: Fields) -> App:
    """The description of an app in the fields of its command."""
    return check_app(
        App(
            image=fields.need("image", read_text),
            container=fields.take("container", or_null(read_text), None),
            env=fields.take("env", read_settings, ()),
            volumes=fields.take("volumes", _volumes, ()),
            network=fields.take("network", or_null(read_text), None),
            user=fields.take("user", or_null(read_text), None),
            folder=fields.take("folder", or_null(read_text), None),
            memory=fields.take("memory", or_null(_memory), None),
            cpus=fields.take("cpus", or_null(_cpus), None),
            node=fields.take("node", or_null(read_text), None),
        )
    )


def _http(data: object, path: str) -> Http:
    fields = Fields(data, path, _HTTP)
    return Http(
        url=fields.need("url", read_text),
        method=fields.take("method", read_text, "POST").upper(),
        headers=fields.take("headers", read_settings, ()),
        body=fields.take("body", or_null(_body), None),
        follow=fields.take("follow", or_null(_follow), None),
        inventory=fields.take("inventory", or_null(read_text), None),
        pool=fields.take("pool", read_text, DEFAULT_POOL),
    )


def _program(data: object, path: str) -> Program:
    fields, argv = _with_argv(data, path, _PROCESS)
    return Program(
        argv=argv,
        folder=fields.take("folder", or_null(read_text), None),
        env=fields.take("env", read_settings, ()),
        user=fields.take("user", or_null(read_text), None),
        pool=fields.take("pool", read_text, DEFAULT_POOL),
    )


def _exec(data: object, path: str) -> Exec:
    fields, argv = _with_argv(data, path, _PROCESS)
    return Exec(
        argv=argv,
        env=fields.take("env", read_settings, ()),
        user=fields.take("user", or_null(read_text), None),
        folder=fields.take("folder", or_null(read_text), None),
        pool=fields.take("pool", or_null(read_text), None),
    )


def _fresh(data: object, path: str) -> Fresh:
    fields, argv = _with_argv(data, path, _FRESH)
    return Fresh(
        argv=argv,
        env=fields.take("env", read_settings, ()),
        pool=fields.take("pool", or_null(read_text), None),
    )


def _act(data: object, path: str) -> Act:
    if isinstance(data, str):
        return Act(_verb(data, path))
    fields = Fields(data, path, _ACT)
    return Act(
        verb=fields.need("do", _verb),
        level=fields.take("level", or_null(read_whole), None),
        pool=fields.take("pool", or_null(read_text), None),
    )


def _verb(data: object, path: str) -> Verb:
    for verb in VERBS:
        if data == verb.value:
            return verb
    allowed = ", ".join(verb.value for verb in VERBS)
    raise FieldFault(path, f"must be one of {allowed}, not {shown(data)}")


_READERS: Final[dict[str, Callable[[object, str], Work]]] = {
    "http": _http,
    "command": _program,
    "exec": _exec,
    "fresh": _fresh,
    "deployment": _act,
}
WORKS: Final = tuple(_READERS)
"""The words of a definition for work that runners do."""


def _with_argv(data: object, path: str, allowed: tuple[str, ...]) -> tuple[Fields, tuple[str, ...]]:
    """The fields of a process and its argv, which may stand alone."""
    if isinstance(data, list):
        return Fields({}, path, allowed), read_argv(data, path)
    if isinstance(data, str):
        raise FieldFault(path, _NO_SHELL)
    fields = Fields(data, path, allowed)
    return fields, fields.need("argv", read_argv)


_NO_SHELL: Final = (
    'must be a list of words like ["backup", "--all"], or an object with it as argv: no shell '
    "takes a line apart"
)


def read_argv(data: object, path: str) -> tuple[str, ...]:
    """A program and its arguments, as a list."""
    if isinstance(data, str):
        raise FieldFault(path, _NO_SHELL)
    return check_argv(tuple(read_list(data, path, read_text)), path)


def read_settings(data: object, path: str) -> tuple[Setting, ...]:
    """Names with their values, or with where a runner finds them."""
    if not isinstance(data, dict):
        raise FieldFault(path, f"must be an object of names and texts, not {kind_of(data)}")
    return tuple(_setting(name, value, f"{path}.{name}") for name, value in data.items())


def _setting(name: str, data: object, path: str) -> Setting:
    if isinstance(data, dict):
        return Setting(name, "", Fields(data, path, ("secret",)).need("secret", read_text))
    if not isinstance(data, str):
        raise FieldFault(path, f'must be a text or {{"secret": "env:NAME"}}, not {kind_of(data)}')
    return Setting(name, data)


def _body(data: object, path: str) -> str:
    """A text as it is; an object or a list as JSON whose texts are templates."""
    if isinstance(data, str):
        return data
    if not isinstance(data, dict | list):
        raise FieldFault(path, f"must be a text, an object or a list, not {kind_of(data)}")
    return json_template(data)


def _follow(data: object, path: str) -> Follow:
    fields = Fields(data, path, _FOLLOW)
    return Follow(
        url=fields.need("url", read_text),
        task=fields.take("task", read_text, _USUAL_FOLLOW.task),
        status=fields.take("status", read_text, _USUAL_FOLLOW.status),
        succeeded=fields.take("succeeded", _words, _USUAL_FOLLOW.succeeded),
        failed=fields.take("failed", _words, _USUAL_FOLLOW.failed),
        every=fields.take("every", read_elapsed, _USUAL_FOLLOW.every),
    )


def _words(data: object, path: str) -> tuple[str, ...]:
    return tuple(read_list(data, path, read_text))


def _volumes(data: object, path: str) -> tuple[Volume, ...]:
    if not isinstance(data, list):
        raise FieldFault(path, f"must be a list of volumes, not {kind_of(data)}")
    return tuple(_volume(one, f"{path}[{i}]") for i, one in enumerate(data))


def _volume(data: object, path: str) -> Volume:
    fields = Fields(data, path, ("source", "target", "read_only"))
    return Volume(
        source=fields.need("source", read_text),
        target=fields.need("target", read_text),
        read_only=fields.take("read_only", read_truth, False),  # noqa: FBT003
    )


def _memory(data: object, path: str) -> int:
    if isinstance(data, int) and not isinstance(data, bool):
        return data
    found = _MEMORY.fullmatch(data) if isinstance(data, str) else None
    if found is None:
        raise FieldFault(path, f'must be like "512MiB" or "2GiB", or bytes, not {shown(data)}')
    return int(found[1]) * UNITS[found[2]]


def _cpus(data: object, path: str) -> int:
    """Thousandths of one."""
    text = data if isinstance(data, str) else None
    if isinstance(data, int | float) and not isinstance(data, bool):
        text = repr(data)
    if text is None or not _CPUS.fullmatch(text):
        raise FieldFault(path, f'must be like "0.5" or 2, to the thousandth, not {shown(data)}')
    return int(Decimal(text) * 1000)
