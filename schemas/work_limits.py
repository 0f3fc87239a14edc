"""
What may work for runners, and the description of an app, hold, whatever they were written in?

Asked of what came as Avro and of what JSON said alike; fields are named as reading_works.py names
them. Whether a runner may carry it out is asked of its own settings, by streams/runner.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final
from urllib.parse import urlsplit

from schemas.actions import App, Exec, Follow, Fresh, Http, Program, Setting, Volume, Work
from schemas.codec import encode
from schemas.commands import DefineApp
from schemas.faults import FieldFault
from schemas.json_text import check_text
from schemas.policy_limits import check_span
from schemas.templates import FOLLOWING, NAMES, check_template, parts_of

WORDS: Final[Mapping[type[Work], str]] = {
    Http: "http",
    Program: "command",
    Exec: "exec",
    Fresh: "fresh",
}
"""What each kind of work is called in a definition."""
METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
MAX_WORDS: Final = 1_000
"""Of one argv."""
MAX_SETTINGS: Final = 200
MAX_VOLUMES: Final = 100
MAX_WORD_BYTES: Final = 32 * 1024
"""Of one word of an argv, one value, one url: Linux takes 128 KiB for each word."""
MAX_NAME_BYTES: Final = 400
MAX_APP_BYTES: Final = 256 * 1024
"""Encoded: it goes with each order, beside the work."""
LEAST_MEMORY: Final = 6 * 1024 * 1024
"""Container engines refuse less."""
MOST_MEMORY: Final = 1 << 50
LEAST_CPUS: Final = 10
"""Thousandths of one."""
MOST_CPUS: Final = 1_000_000

_ENV: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_POOL: Final = re.compile(r"[A-Za-z0-9._-]{1,200}")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_USER: Final = re.compile(r"[A-Za-z0-9_.-]+(:[A-Za-z0-9_.-]+)?")
_IMAGE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./:@-]*")
_POINTER: Final = re.compile(r"(/([^~/]|~[01])*)*")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_ODD_IN_URLS: Final = re.compile(r"[\x00-\x20\x7f\\]")
_OURS: Final = (
    *("host", "content-length", "transfer-encoding", "connection", "upgrade", "te"),
    "idempotency-key",
)
"""Headers that the runner sets by itself."""


def check_work(work: Work) -> Work:
    """Give work back if a runner could be asked for it; FieldFault names the field if not."""
    path = WORDS[type(work)]
    if work.pool is not None:
        check_pool(work.pool, f"{path}.pool")
    if isinstance(work, Http):
        _check_http(work, path)
        return work
    check_argv(work.argv, f"{path}.argv")
    _check_env(work.env, f"{path}.env")
    if not isinstance(work, Fresh):
        _check_place(work.user, work.folder, f"{path}.")
    return work


def check_app(app: App) -> App:
    """Give the description of an app back if containers could be made of it."""
    _fits(_IMAGE, app.image, "image", "the name of an image, such as shop:1.2")
    for name, path in ((app.container, "container"), (app.network, "network")):
        if name is not None:
            _fits(_NAME, name, path, "of A-Z, a-z, 0-9, '_', '.' and '-', the first no sign")
    _check_env(app.env, "env")
    _check_volumes(app.volumes)
    _check_place(app.user, app.folder, "")
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


def check_pool(pool: str, path: str) -> str:
    """Give the name of a pool back if there can be a topic of its orders."""
    return _fits(_POOL, pool, path, "1 to 200 of A-Z, a-z, 0-9, '.', '_' and '-'")


def check_argv(argv: tuple[str, ...], path: str) -> tuple[str, ...]:
    """Give a program and its arguments back if there is one, and no word is blank (AJ-012)."""
    if not argv:
        raise FieldFault(path, "needs at least one word: the program")
    if len(argv) > MAX_WORDS:
        raise FieldFault(path, f"has {MAX_WORDS:,} words at most, not {len(argv):,}")
    for i, word in enumerate(argv):
        check_filled_up_to(word, f"{path}[{i}]", MAX_WORD_BYTES)
    return argv


def _check_env(env: tuple[Setting, ...], path: str) -> None:
    _check_settings(env, path)
    for setting in env:
        where = f"{path}.{setting.name}"
        _fits(
            _ENV, setting.name, where, "a name of A-Z, a-z, 0-9, '_', '.' and '-', no digit first"
        )
    _check_once([setting.name for setting in env], path)


def check_filled_up_to(text: str, path: str, most: int) -> str:
    """Give a text back if it says something and is no longer than so many bytes."""
    if not check_text(text, path).strip():
        raise FieldFault(path, "must not be blank")
    size = len(text.encode())
    if size > most:
        raise FieldFault(path, f"has {most} bytes at most, this one has {size}")
    return text


def _check_http(http: Http, path: str) -> None:
    _check_url(http.url, f"{path}.url", NAMES)
    if http.method not in METHODS:
        raise FieldFault(
            f"{path}.method", f"must be one of {', '.join(METHODS)}, not {http.method[:20]!r}"
        )
    _check_headers(http.headers, f"{path}.headers")
    if http.body is not None:
        check_template(check_text(http.body, f"{path}.body"), f"{path}.body")
    if http.follow is not None:
        _check_follow(http.follow, f"{path}.follow")
    if http.inventory is not None:
        _check_url(http.inventory, f"{path}.inventory", NAMES)


def _check_url(url: str, path: str, names: Collection[str]) -> None:
    check_filled_up_to(url, path, MAX_WORD_BYTES)
    check_template(url, path, names)
    filled = "".join(part if isinstance(part, str) else "x" for part in parts_of(url))
    if _ODD_IN_URLS.search(filled):
        raise FieldFault(path, "a url holds no space, no control character and no backslash")
    try:
        found = urlsplit(filled)
        _ = found.port
    except ValueError as fault:
        raise FieldFault(path, f"is no url: {fault}") from fault
    if found.scheme not in ("http", "https") or not found.hostname:
        raise FieldFault(path, "must be a url like https://tasks.example/racks/{scope}")
    if found.username is not None or found.password is not None:
        raise FieldFault(path, "holds no user and no password: give a header with a secret")


def _check_headers(headers: tuple[Setting, ...], path: str) -> None:
    _check_settings(headers, path)
    for header in headers:
        where = f"{path}.{header.name}"
        _fits(_HEADER, header.name, where, "the name of a header")
        if header.name.lower() in _OURS:
            raise FieldFault(where, "is set by the runner itself")
        if _CONTROL.search(header.value):
            raise FieldFault(where, "a header holds no control character")
        check_template(header.value, where)
    _check_once([header.name.lower() for header in headers], path)


def _check_follow(follow: Follow, path: str) -> None:
    _check_url(follow.url, f"{path}.url", FOLLOWING)
    for pointer, name in ((follow.task, "task"), (follow.status, "status")):
        where = f"{path}.{name}"
        check_text(pointer, where)
        _fits(_POINTER, pointer, where, "a JSON pointer such as /task/id")
    for words, name in ((follow.succeeded, "succeeded"), (follow.failed, "failed")):
        if not 0 < len(words) <= MAX_SETTINGS:
            raise FieldFault(f"{path}.{name}", f"must be a list of 1 to {MAX_SETTINGS} words")
        for i, word in enumerate(words):
            check_filled_up_to(word, f"{path}.{name}[{i}]", MAX_NAME_BYTES)
    succeeded = {word.casefold() for word in follow.succeeded}
    for i, word in enumerate(follow.failed):
        if word.casefold() in succeeded:
            raise FieldFault(f"{path}.failed[{i}]", f"{word[:40]!r} is among succeeded too")
    check_span(follow.every, f"{path}.every")


def _check_settings(settings: tuple[Setting, ...], path: str) -> None:
    if len(settings) > MAX_SETTINGS:
        raise FieldFault(path, f"has {MAX_SETTINGS} entries at most, not {len(settings):,}")
    for setting in settings:
        check_filled_up_to(setting.name, path, MAX_NAME_BYTES)
        where = f"{path}.{setting.name}"
        if len(check_text(setting.value, where).encode()) > MAX_WORD_BYTES:
            raise FieldFault(where, f"has {MAX_WORD_BYTES} bytes at most")
        if setting.secret is not None:
            if setting.value:
                raise FieldFault(where, "has a value, or says where it is; not both")
            _check_secret(setting.secret, f"{where}.secret")


def _check_secret(reference: str, path: str) -> None:
    check_filled_up_to(reference, path, MAX_NAME_BYTES)
    kind, _, name = reference.partition(":")
    if kind == "env" and _ENV.fullmatch(name):
        return
    if kind != "file" or not _is_path(name):
        raise FieldFault(path, "must be env:NAME or file:/a/full/path")


def _check_place(user: str | None, folder: str | None, path: str) -> None:
    if user is not None:
        _fits(_USER, user, f"{path}user", "a user's name or number, or user:group")
    if folder is not None:
        check_filled_up_to(folder, f"{path}folder", MAX_NAME_BYTES)
        if not folder.startswith("/") or _CONTROL.search(folder):
            raise FieldFault(f"{path}folder", "must be a full path: it begins with /")


def _check_volumes(volumes: tuple[Volume, ...]) -> None:
    if len(volumes) > MAX_VOLUMES:
        raise FieldFault("volumes", f"has {MAX_VOLUMES} entries at most, not {len(volumes):,}")
    for i, volume in enumerate(volumes):
        for text, name in ((volume.source, "source"), (volume.target, "target")):
            check_filled_up_to(text, f"volumes[{i}].{name}", MAX_NAME_BYTES)
        if not _NAME.fullmatch(volume.source) and not _is_path(volume.source):
            raise FieldFault(
                f"volumes[{i}].source", "must be the name of a volume, or a full path without .."
            )
        if not _is_path(volume.target) or not volume.target.strip("/"):
            raise FieldFault(f"volumes[{i}].target", "must be a full path without .., and not /")
    _check_once([volume.target.rstrip("/") for volume in volumes], "volumes")


def _is_path(text: str) -> bool:
    """A full path that leads nowhere else, and that engines take apart in one way."""
    odd = ":" in text or _CONTROL.search(text)
    return text.startswith("/") and not odd and ".." not in text.split("/")


def _check_once(names: list[str], path: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise FieldFault(path, f"{name[:40]!r} is there twice")


def _check_between(number: int, least: int, most: int, path: str, allowed: str) -> None:
    if not least <= number <= most:
        raise FieldFault(path, f"must be {allowed}")


def _fits(pattern: re.Pattern[str], text: str, path: str, allowed: str) -> str:
    if not pattern.fullmatch(text) or len(text) > MAX_NAME_BYTES:
        shown = repr(text[:40]) if text else "empty"
        raise FieldFault(path, f"must be {allowed}, not {shown}")
    return text
