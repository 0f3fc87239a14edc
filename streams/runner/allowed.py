"""
What may be carried out here?

Whoever may write to horae.commands may cause work, so a runner does only what its own settings
name; with empty ones it does nothing. Every answer is None, or an objection that names the setting.
Patterns hold `*` for any text. What an order has yet to become, such as a url from a template, is
asked about by the executor, once it is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from schemas.actions import Act, Exec, Fresh, Http, Program, Work
from schemas.identity import subject_of
from schemas.orders import Order
from schemas.work_limits import WORDS
from streams.settings import RunnerSettings

_PORTS = {"http": 80, "https": 443}
_LOADER = "LD_"
"""Variables with this beginning make any program load other code than its own."""
_CODE = re.compile(
    r"BASH_ENV|BASH_FUNC_.*|BASHOPTS|SHELLOPTS|PS4|GCONV_PATH|PERL5OPT|PERL5DB|PERL5LIB|PERLLIB"
    r"|PYTHON(PATH|HOME|STARTUP|WARNINGS|BREAKPOINT|USERBASE|PYCACHEPREFIX)|RUBYOPT|RUBYLIB"
    r"|NODE_OPTIONS|NODE_PATH|CLASSPATH|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|_JAVA_OPTIONS",
    re.DOTALL,
)
"""Variables in which interpreters look for code, or find some: an allowed script may need one."""


class _Place(NamedTuple):
    """A pattern of urls, taken apart."""

    scheme: str
    host: str
    port: str
    path: str


class Allowed:
    """The allow-lists of a runner."""

    def __init__(self, settings: RunnerSettings) -> None:
        self._actions = _parts(settings.allow_actions)
        self._programs = _parts(settings.allow_programs)
        self._images = _parts(settings.allow_images)
        self._urls = [_place(one) for one in _parts(settings.allow_urls)]
        self._secrets = _parts(settings.allow_secrets)
        self._volumes = _parts(settings.allow_volumes)
        self._networks = _parts(settings.allow_networks)
        self._containers = _parts(settings.allow_containers)

    def objection_to(self, order: Order) -> str | None:
        """Why an order is not carried out, as far as it shows before it is; secrets aside."""
        work = order.work
        objection = self.action(type(work))
        if objection is not None:
            return objection + _why_here(order)
        if isinstance(work, Http | Act):
            return None  # what it needs shows as it is done
        objection = _loader(work)
        if objection is not None:
            return objection
        if isinstance(work, Program):
            return self.program(work.argv[0])
        if order.app is None:
            return None  # the executor says what is missing
        return _first([self.image(order.app.image), *self._of_container(order)])

    def action(self, work: type[Work]) -> str | None:
        """Whether this kind of action is done here at all."""
        word = WORDS[work]
        return None if word in self._actions else _not_in("actions", word)

    def program(self, name: str) -> str | None:
        """A program by its name, looked up in the runner's own PATH, or by its full path."""
        path = PurePosixPath(name)
        if "/" in name and (not path.is_absolute() or ".." in path.parts):
            return f"a program is given by name or by a full path without ..: {name!r}"
        return self._listed("programs", self._programs, name)

    def image(self, name: str) -> str | None:
        """An image, as the order names it."""
        return self._listed("images", self._images, name)

    def secret(self, reference: str) -> str | None:
        """A reference to a secret."""
        kind, _, name = reference.partition(":")
        if kind not in ("env", "file") or not name or "\0" in name:
            return f"a secret is env:<name> or file:<path>: {reference!r}"
        path = PurePosixPath(name)
        if kind == "file" and (not path.is_absolute() or ".." in path.parts):
            return f"the file of a secret is a full path without ..: {reference!r}"
        return self._listed("secrets", self._secrets, reference)

    def volume(self, source: str) -> str | None:
        """A folder of the machine, or a volume by name."""
        if ".." in PurePosixPath(source).parts:
            return f"the source of a volume is a path without ..: {source!r}"
        return self._listed("volumes", self._volumes, source)

    def network(self, name: str | None) -> str | None:
        """A network by its name: `host` is the machine's own, `container:…` that of another."""
        if name in (None, "none"):
            return None
        return self._listed("networks", self._networks, name)

    def container(self, name: str) -> str | None:
        """A container by its name, which is to be paused, stopped and started."""
        return self._listed("containers", self._containers, name)

    def url(self, url: str) -> str | None:
        """An address as it is about to be asked; each redirect is one more."""
        try:
            asked = urlsplit(url)
            port = asked.port or _PORTS.get(asked.scheme)
        except ValueError as fault:
            return f"{url!r} is no url: {fault}"
        odd = _odd(url, asked)
        if odd is not None:
            return odd
        if any(_reaches(place, asked, port) for place in self._urls):
            return None
        return _not_in("urls", url)

    def _of_container(self, order: Order) -> Iterator[str | None]:
        if order.app is not None and isinstance(order.work, Fresh):
            yield from (self.volume(one.source) for one in order.app.volumes)
            yield self.network(order.app.network)

    def _listed(self, setting: str, patterns: Iterable[str], name: str) -> str | None:
        fits = any(_pattern(one).fullmatch(name) for one in patterns)
        return None if fits else _not_in(setting, name)


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part for one in text.split(",") if (part := one.strip()))


def _not_in(setting: str, what: str) -> str:
    return f"{what[:200]!r} is not allowed here (HORAE_RUNNER_ALLOW_{setting.upper()})"


def _why_here(order: Order) -> str:
    """Without an app, work for its containers comes to runners that were never meant."""
    if order.app is not None or not isinstance(order.work, Exec | Fresh):
        return ""
    return f"; {subject_of(order.schedule)} has no app, which would name the node of its containers"


def _first(objections: Iterable[str | None]) -> str | None:
    return next((one for one in objections if one is not None), None)


def _loader(work: Program | Exec | Fresh) -> str | None:
    for setting in work.env:
        is_code = isinstance(work, Program) and _CODE.fullmatch(setting.name)
        if is_code or setting.name.startswith(_LOADER):
            return f"the variable {setting.name} changes what a program is: no order may set it"
    return None


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """Text in which only the star means something."""
    return re.compile(".*".join(re.escape(part) for part in text.split("*")), re.DOTALL)


def _place(text: str) -> _Place:
    """A prefix of urls: scheme, host and port are whole, the path begins with what is given."""
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
        and _pattern(place.host).fullmatch(asked.hostname or "") is not None
        and _pattern(place.port).fullmatch(str(port)) is not None
        and _is_below(place.path, asked.path or "/")
    )


def _is_below(prefix: str, path: str) -> bool:
    """Whether a path begins with the prefix, as a whole number of its parts."""
    if prefix in ("", "/"):
        return True
    rest = "*" if prefix.endswith("/") else "/*"
    return any(_pattern(one).fullmatch(path) for one in (prefix, prefix + rest))


def _odd(url: str, asked: SplitResult) -> str | None:
    """What two readers of a url may understand in two ways."""
    if asked.username is not None or asked.password is not None:
        return "a url holds no user and no password"
    # Whitespace and backslashes are left out or turned round by some clients.
    if "\\" in url or any(char <= " " or char == "\x7f" for char in url):
        return f"{url!r} is no url: it holds a space, a control character or a backslash"
    parts = unquote(asked.path).split("/")
    return f"the path of a url holds no ..: {url!r}" if ".." in parts else None
