"""
What may work for runners hold, whatever it was written in?

Asked of what came as Avro and of what JSON said alike; fields are named as reading_works.py names
them. Whether a runner may carry it out is asked of its own settings, by streams/runner. The
description of an app is app_limits.py, that of a deployment deployment_limits.py.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final
from urllib.parse import urlsplit

from schemas.actions import (
    Act,
    Exec,
    Follow,
    Fresh,
    Http,
    Program,
    Setting,
    Verb,
    Work,
)
from schemas.faults import FieldFault
from schemas.json_text import check_text
from schemas.policy_limits import check_span
from schemas.templates import FOLLOWING, NAMES, check_template, parts_of

WORDS: Final[Mapping[type[Work], str]] = {
    Http: "http",
    Program: "command",
    Exec: "exec",
    Fresh: "fresh",
    Act: "deployment",
}
"""What each kind of work is called in a definition."""
VERBS: Final = tuple(verb for verb in Verb if verb is not Verb.OTHER)
"""What may be asked of a deployment."""
LEVELS: Final = (1, 2)
"""Of a sleep."""
METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
MAX_WORDS: Final = 1_000
"""Of one argv."""
MAX_SETTINGS: Final = 200
MAX_WORD_BYTES: Final = 32 * 1024
"""Of one word of an argv, one value, one url: Linux takes 128 KiB for each word."""
MAX_NAME_BYTES: Final = 400

_ENV: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_POOL: Final = re.compile(r"[A-Za-z0-9._-]{1,200}")
CALLED: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_USER: Final = re.compile(r"[A-Za-z0-9_.-]+(:[A-Za-z0-9_.-]+)?")
POINTER: Final = re.compile(r"(/([^~/]|~[01])*)*")
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
    if isinstance(work, Act):
        _check_act(work, path)
        return work
    check_argv(work.argv, f"{path}.argv")
    check_env(work.env, f"{path}.env")
    if not isinstance(work, Fresh):
        check_place(work.user, work.folder, f"{path}.")
    return work


def check_pool(pool: str, path: str) -> str:
    """Give the name of a pool back if there can be a topic of its orders."""
    return fits(_POOL, pool, path, "1 to 200 of A-Z, a-z, 0-9, '.', '_' and '-'")


def check_argv(argv: tuple[str, ...], path: str) -> tuple[str, ...]:
    """Give a program and its arguments back if there is one, and no word is blank (AJ-012)."""
    if not argv:
        raise FieldFault(path, "needs at least one word: the program")
    if len(argv) > MAX_WORDS:
        raise FieldFault(path, f"has {MAX_WORDS:,} words at most, not {len(argv):,}")
    for i, word in enumerate(argv):
        check_filled_up_to(word, f"{path}[{i}]", MAX_WORD_BYTES)
    return argv


def check_env(env: tuple[Setting, ...], path: str) -> None:
    """Refuse, by their names, variables that no process can have."""
    _check_settings(env, path)
    for setting in env:
        where = f"{path}.{setting.name}"
        fits(_ENV, setting.name, where, "a name of A-Z, a-z, 0-9, '_', '.' and '-', no digit first")
    check_once([setting.name for setting in env], path)


def check_filled_up_to(text: str, path: str, most: int) -> str:
    """Give a text back if it says something and is no longer than so many bytes."""
    if not check_text(text, path).strip():
        raise FieldFault(path, "must not be blank")
    size = len(text.encode())
    if size > most:
        raise FieldFault(path, f"has {most} bytes at most, this one has {size}")
    return text


def _check_act(act: Act, path: str) -> None:
    if act.verb not in VERBS:
        allowed = ", ".join(verb.value for verb in VERBS)
        raise FieldFault(f"{path}.do", f"must be one of {allowed}, not {act.verb.value!r}")
    if act.level is not None:
        if act.verb is not Verb.SLEEP:
            raise FieldFault(f"{path}.level", f"only with sleep, not {act.verb.value}")
        check_level(act.level, f"{path}.level")


def check_level(level: int, path: str) -> int:
    """Give the level of a sleep back if there is such a one."""
    if level not in LEVELS:
        raise FieldFault(path, f"must be 1 or 2, not {level}")
    return level


def _check_http(http: Http, path: str) -> None:
    _check_url(http.url, f"{path}.url", NAMES)
    check_method(http.method, f"{path}.method")
    _check_headers(http.headers, f"{path}.headers")
    if http.body is not None:
        check_template(check_text(http.body, f"{path}.body"), f"{path}.body")
    if http.follow is not None:
        _check_follow(http.follow, f"{path}.follow")
    if http.inventory is not None:
        _check_url(http.inventory, f"{path}.inventory", NAMES)


def check_method(method: str, path: str) -> str:
    """Give the method of a request back if a runner sends such."""
    if method not in METHODS:
        raise FieldFault(path, f"must be one of {', '.join(METHODS)}, not {method[:20]!r}")
    return method


def _check_url(url: str, path: str, names: Collection[str]) -> None:
    check_filled_up_to(url, path, MAX_WORD_BYTES)
    check_template(url, path, names)
    check_address("".join(part if isinstance(part, str) else "x" for part in parts_of(url)), path)


def check_address(filled: str, path: str) -> None:
    """Refuse what is no url of http without a user, whose placeholders are filled."""
    if _ODD_IN_URLS.search(filled):
        raise FieldFault(path, "a url holds no space, no control character and no backslash")
    try:
        found = urlsplit(filled)
        _ = found.port
    except ValueError as fault:
        raise FieldFault(path, f"is no url: {fault}") from fault
    if found.scheme not in ("http", "https") or not found.hostname:
        raise FieldFault(path, "must be a url like https://host:8000/path, or with http://")
    if found.username is not None or found.password is not None:
        raise FieldFault(path, "holds no user and no password: give a header with a secret")


def _check_headers(headers: tuple[Setting, ...], path: str) -> None:
    check_headers(headers, path)
    for header in headers:
        check_template(header.value, f"{path}.{header.name}")


def check_headers(headers: tuple[Setting, ...], path: str) -> None:
    """Refuse, by their names, headers that no request can have."""
    _check_settings(headers, path)
    for header in headers:
        where = f"{path}.{header.name}"
        fits(_HEADER, header.name, where, "the name of a header")
        if header.name.lower() in _OURS:
            raise FieldFault(where, "is set by the runner itself")
        if _CONTROL.search(header.value):
            raise FieldFault(where, "a header holds no control character")
    check_once([header.name.lower() for header in headers], path)


def _check_follow(follow: Follow, path: str) -> None:
    _check_url(follow.url, f"{path}.url", FOLLOWING)
    for pointer, name in ((follow.task, "task"), (follow.status, "status")):
        where = f"{path}.{name}"
        check_text(pointer, where)
        fits(POINTER, pointer, where, "a JSON pointer such as /task/id")
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
    if kind != "file" or not is_path(name):
        raise FieldFault(path, "must be env:NAME or file:/a/full/path")


def check_place(user: str | None, folder: str | None, path: str) -> None:
    """Refuse a user or a folder that there can be nowhere; `path` stands before their names."""
    if user is not None:
        fits(_USER, user, f"{path}user", "a user's name or number, or user:group")
    if folder is not None:
        check_filled_up_to(folder, f"{path}folder", MAX_NAME_BYTES)
        if not folder.startswith("/") or _CONTROL.search(folder):
            raise FieldFault(f"{path}folder", "must be a full path: it begins with /")


def is_path(text: str) -> bool:
    """A full path that leads nowhere else, and that engines take apart in one way."""
    odd = ":" in text or _CONTROL.search(text)
    return text.startswith("/") and not odd and ".." not in text.split("/")


def check_once(names: list[str], path: str) -> None:
    """Refuse names of which one is there twice."""
    for name in names:
        if names.count(name) > 1:
            raise FieldFault(path, f"{name[:40]!r} is there twice")


def fits(pattern: re.Pattern[str], text: str, path: str, allowed: str) -> str:
    """Give a text back if it is of this pattern and not too long."""
    if not pattern.fullmatch(text) or len(text) > MAX_NAME_BYTES:
        shown = repr(text[:40]) if text else "empty"
        raise FieldFault(path, f"must be {allowed}, not {shown}")
    return text
