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
from pathlib import PurePosixPath

from schemas.actions import Act, Exec, Fresh, Http, Program, Work
from schemas.identity import subject_of
from schemas.orders import Order
from schemas.work_limits import WORDS
from streams.addresses import Addresses, not_in, parts, pattern
from streams.references import objection_to
from streams.settings import RunnerSettings

_LOADER = "LD_"
"""Variables with this beginning make any program load other code than its own."""
_CODE = re.compile(
    r"BASH_ENV|BASH_FUNC_.*|BASHOPTS|SHELLOPTS|PS4|GCONV_PATH|PERL5OPT|PERL5DB|PERL5LIB|PERLLIB"
    r"|PYTHON(PATH|HOME|STARTUP|WARNINGS|BREAKPOINT|USERBASE|PYCACHEPREFIX)|RUBYOPT|RUBYLIB"
    r"|NODE_OPTIONS|NODE_PATH|CLASSPATH|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|_JAVA_OPTIONS",
    re.DOTALL,
)
"""Variables in which interpreters look for code, or find some: an allowed script may need one."""


class Allowed:
    """The allow-lists of a runner."""

    def __init__(self, settings: RunnerSettings) -> None:
        self._actions = parts(settings.allow_actions)
        self._programs = parts(settings.allow_programs)
        self._images = parts(settings.allow_images)
        self._urls = Addresses(settings.allow_urls, _variable("urls"))
        self._secrets = parts(settings.allow_secrets)
        self._volumes = parts(settings.allow_volumes)
        self._networks = parts(settings.allow_networks)
        self._containers = parts(settings.allow_containers)

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
        return objection_to(reference, self._secrets, _variable("secrets"))

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
        return self._urls.objection_to(url)

    def _of_container(self, order: Order) -> Iterator[str | None]:
        if order.app is not None and isinstance(order.work, Fresh):
            yield from (self.volume(one.source) for one in order.app.volumes)
            yield self.network(order.app.network)

    def _listed(self, setting: str, patterns: Iterable[str], name: str) -> str | None:
        fits = any(pattern(one).fullmatch(name) for one in patterns)
        return None if fits else _not_in(setting, name)


def _not_in(setting: str, what: str) -> str:
    return not_in(_variable(setting), what)


def _variable(setting: str) -> str:
    return f"HORAE_RUNNER_ALLOW_{setting.upper()}"


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
