"""
May this address be asked?

A list of beginnings of urls, with `*` for any text: scheme, host and port are whole, the path
begins with what is given. What two readers may understand in two ways is refused. Whose list it is,
and what is asked, is for the runner and the sampler to say.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

_PORTS = {"http": 80, "https": 443}


class _Place(NamedTuple):
    """A pattern of urls, taken apart."""

    scheme: str
    host: str
    port: str
    path: str


class Addresses:
    """The addresses that a process may ask."""

    def __init__(self, patterns: str, setting: str) -> None:
        """Patterns, separated by commas; `setting` is the variable that they come from."""
        self._places = [_place(one) for one in parts(patterns)]
        self._setting = setting

    def objection_to(self, url: str) -> str | None:
        """Why an address is not asked, as it is about to be; each redirect is one more."""
        try:
            asked = urlsplit(url)
            port = asked.port or _PORTS.get(asked.scheme)
        except ValueError as fault:
            return f"{url!r} is no url: {fault}"
        odd = _odd(url, asked)
        if odd is not None:
            return odd
        if any(_reaches(place, asked, port) for place in self._places):
            return None
        return not_in(self._setting, url)


def parts(text: str) -> tuple[str, ...]:
    """The entries of a list that is separated by commas."""
    return tuple(part for one in text.split(",") if (part := one.strip()))


def not_in(setting: str, what: str) -> str:
    """What is said of something that a list does not name."""
    return f"{what[:200]!r} is not allowed here ({setting})"


@cache
def pattern(text: str) -> re.Pattern[str]:
    """Text in which only the star means something."""
    return re.compile(".*".join(re.escape(part) for part in text.split("*")), re.DOTALL)


def _place(text: str) -> _Place:
    scheme, _, rest = text.partition("://")
    authority, slash, path = rest.partition("/")
    # In brackets are the colons of an IPv6 address.
    host, colon, port = authority.rpartition(":")
    if not colon or "]" in port:
        host, port = authority, str(_PORTS.get(scheme, ""))
    return _Place(scheme.lower(), host.lower().strip("[]"), port, slash + path)


def _reaches(place: _Place, asked: SplitResult, port: int | None) -> bool:
    return (
        asked.scheme == place.scheme
        and pattern(place.host).fullmatch(asked.hostname or "") is not None
        and pattern(place.port).fullmatch(str(port)) is not None
        and _is_below(place.path, asked.path or "/")
    )


def _is_below(prefix: str, path: str) -> bool:
    """Whether a path begins with the prefix, as a whole number of its parts."""
    if prefix in ("", "/"):
        return True
    rest = "*" if prefix.endswith("/") else "/*"
    return any(pattern(one).fullmatch(path) for one in (prefix, prefix + rest))


def _odd(url: str, asked: SplitResult) -> str | None:
    """What two readers of a url may understand in two ways."""
    if asked.username is not None or asked.password is not None:
        return "a url holds no user and no password"
    # Whitespace and backslashes are left out or turned round by some clients.
    if "\\" in url or any(char <= " " or char == "\x7f" for char in url):
        return f"{url!r} is no url: it holds a space, a control character or a backslash"
    segments = unquote(asked.path).split("/")
    return f"the path of a url holds no ..: {url!r}" if ".." in segments else None
