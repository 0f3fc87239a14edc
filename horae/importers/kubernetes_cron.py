"""
What does the schedule of a CronJob say?

Kubernetes' own grammar (that of robfig/cron): five fields, aliases, `@every`, a zone in front. It
is narrower than ours and differs in what a star is, so expressions are checked by it and rewritten
to mean the same here. Objects around it are kubernetes.py.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final, NamedTuple

_ALIASES: Final = frozenset(
    {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}
)
_ITEM: Final = re.compile(
    r"(?P<low>\*|\?|[0-9]+|[A-Za-z]+)(?:-(?P<high>[0-9]+|[A-Za-z]+))?(?:/(?P<step>[0-9]+))?"
)
_DURATION: Final = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h)")
_UNITS: Final = {
    "ns": Decimal("0.001"),
    "us": Decimal(1),
    "µs": Decimal(1),
    "μs": Decimal(1),
    "ms": Decimal(1_000),
    "s": Decimal(1_000_000),
    "m": Decimal(60_000_000),
    "h": Decimal(3_600_000_000),
}
_SECOND: Final = 1_000_000


class CronFault(ValueError):
    """The schedule is none that Kubernetes takes; the message says which part and why."""


class Read(NamedTuple):
    """A schedule as it is written here."""

    cron: str | None
    every: int | None
    """Microseconds, where it is no cron but `@every`."""
    zone: str | None
    """What stood in front of it as TZ or CRON_TZ."""


class _Field(NamedTuple):
    name: str
    low: int
    high: int
    names: tuple[str, ...] = ()
    days: bool = False


_FIELDS: Final = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day of month", 1, 31, days=True),
    _Field(
        "month",
        1,
        12,
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
    ),
    _Field("day of week", 0, 6, ("sun", "mon", "tue", "wed", "thu", "fri", "sat"), days=True),
)


def read_schedule(text: str) -> Read:
    """The schedule; raises CronFault."""
    zone, rest = _zone_before(text)
    if rest.startswith("@every "):
        return Read(None, _every(rest.removeprefix("@every ").strip()), zone)
    if rest.startswith("@"):
        if rest not in _ALIASES:
            raise CronFault(f"{rest!r} is none of {', '.join(sorted(_ALIASES))}, @every")
        return Read(rest, None, zone)
    texts = rest.split()
    if len(texts) != len(_FIELDS):
        raise CronFault(f"it has {len(texts)} fields, wanted are 5")
    pairs = zip(_FIELDS, texts, strict=True)
    return Read(" ".join(_rewrite(field, each) for field, each in pairs), None, zone)


def _zone_before(text: str) -> tuple[str | None, str]:
    text = text.strip()
    found = re.match(r"(?:CRON_)?TZ=", text)
    if found is None:
        return None, text
    zone, _, rest = text[found.end() :].partition(" ")
    if not rest.strip():
        raise CronFault("nothing follows the zone")
    return zone, rest.strip()


def _every(text: str) -> int:
    """Go's way of writing a duration; whole seconds, one at least, as Kubernetes takes it."""
    pieces = _DURATION.findall(text)
    if not pieces or "".join(pieces) != text:
        raise CronFault(f"@every {text!r} is no length of time such as 1h30m")
    total = Decimal(0)
    for piece in pieces:
        unit = piece.lstrip("0123456789.")
        total += Decimal(piece.removesuffix(unit)) * _UNITS[unit]
    return max(int(total) // _SECOND, 1) * _SECOND


def _rewrite(field: _Field, text: str) -> str:
    """The field in our words: a star wherever Kubernetes sees one, and nowhere else."""
    items = [_item(field, item) for item in text.split(",") if item]
    if not items:
        raise CronFault(f"{field.name}: {text!r} is empty")
    return "*" if "*" in items else ",".join(items)


def _item(field: _Field, item: str) -> str:
    found = _ITEM.fullmatch(item)
    if found is None:
        raise CronFault(f"{field.name}: {item!r} is no value, range, step or *")
    step = None if found["step"] is None else int(found["step"])
    if step == 0:
        raise CronFault(f"{field.name}: {item!r}: a step must be at least 1")
    if found["low"] in ("*", "?"):
        if found["high"] is not None:
            raise CronFault(f"{field.name}: {item!r}: no range begins with {found['low']}")
        if step in (None, 1):
            return "*"
        # There a day field of stars with a step is a restriction, here one that begins with a star
        # is none.
        return f"{field.low}-{field.high}/{step}" if field.days else f"*/{step}"
    low = _value(field, found["low"], item)
    if found["high"] is None:
        return str(low) if step is None else f"{low}-{field.high}/{step}"
    high = _value(field, found["high"], item)
    if high < low:
        raise CronFault(f"{field.name}: {item!r}: {high} comes before {low}")
    return f"{low}-{high}" + ("" if step is None else f"/{step}")


def _value(field: _Field, text: str, item: str) -> int:
    if text.isdigit():
        number = int(text)
    elif text.lower() in field.names:
        number = field.names.index(text.lower()) + field.low
    else:
        raise CronFault(f"{field.name}: {item!r}: {text!r} is no name")
    if not field.low <= number <= field.high:
        raise CronFault(
            f"{field.name}: {item!r}: {number} is not among {field.low} to {field.high}"
        )
    return number
