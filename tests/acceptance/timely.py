"""
What may services ask of time beyond a rule?

A share of the made-up definitions has jitter, a limit, a window around now, exclusions, or counts
from its decisions; and what a clerk may say to everyone meanwhile: shared calendars and freezes.
All of it is dense enough to matter within a minute. How it is judged is laws.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from schemas.definition import (
    DAY,
    SECOND,
    Basis,
    Definition,
    Exclude,
    Hours,
    Interval,
    Once,
    Window,
)
from schemas.globals import Calendar, Freeze, GlobalRecord
from tests.acceptance.laws import wall_of

SHARE = 0.3
CALENDARS = ("works", "feasts")
"""`works` builds on `feasts` now and then."""


def timely(rng: Random, plain: Definition, now: int) -> Definition:
    """The definition, more often than not as it is."""
    if rng.random() >= SHARE or any(isinstance(one, Once) for one in plain.timings):
        return plain
    kinds = rng.sample(("jitter", "limit", "window", "exclude", "after"), rng.choice((1, 1, 2, 3)))
    for kind in kinds:
        plain = _with(kind, rng, plain, now)
    if plain.exclude is not None and isinstance(plain.timings[0], Interval):
        grid = replace(plain.timings[0], basis=Basis.GRID)  # laws.py knows no other excluded ones
        plain = replace(plain, timings=(grid, *plain.timings[1:]))
    return plain


def _with(kind: str, rng: Random, plain: Definition, now: int) -> Definition:
    match kind:
        case "jitter":
            return replace(plain, jitter=rng.randint(1, 40) * SECOND)
        case "limit":
            return replace(plain, max_fires=rng.randint(1, 5))
        case "window":
            return replace(plain, window=_window(rng, plain.zone, now))
        case "exclude":
            return replace(plain, exclude=_exclude(rng, plain.zone, now))
        case _:
            after = Interval(micros=rng.randint(5, 40) * SECOND, basis=Basis.AFTER_FIRE)
            return replace(plain, timings=(after,), start_at=None)


def _window(rng: Random, zone: str, now: int) -> Window:
    """Openings of some seconds, one after the other, beginning before now."""
    second = wall_of(zone, now) // SECOND - rng.randint(0, 30)
    gap, length = rng.choice(((30, 12), (40, 25), (90, 20)))
    starts = [(second + number * gap) % 86_400 for number in range(12)]
    hours = tuple(Hours(one, (one + length) % 86_400) for one in starts)
    return Window(hours, rng.choice((0, 5, 60)) * SECOND, rng.choice((20 * SECOND, 8 * DAY)))


def _exclude(rng: Random, zone: str, now: int) -> Exclude:
    today = wall_of(zone, now) // DAY
    dates = rng.choice(((), (), (today,), (today + 1,), (today - 1, today + 3)))
    names = (
        rng.choice((("works",), ("works",), ("feasts",), CALENDARS)) if dates != (today,) else ()
    )
    return Exclude(names, tuple(sorted(dates)))


def beginnings(now: int) -> Iterator[tuple[str, GlobalRecord]]:
    """What is told before anything is defined."""
    for name in CALENDARS:
        yield f"calendar/{name}", Calendar(at=now)


def told(rng: Random, now: int) -> tuple[str, GlobalRecord]:
    """What is told to everyone next."""
    if rng.random() < 0.4:
        return f"freeze/f{rng.randint(0, 2)}", _freeze(rng, now)
    name = rng.choice(CALENDARS)
    return f"calendar/{name}", _calendar(rng, name, now)


def _freeze(rng: Random, now: int) -> Freeze:
    subjects = rng.sample(("s1*", "s2?", "s*7", "s24*", "s3*"), 2)
    begins = now + rng.randint(-8, 8) * SECOND
    return Freeze(
        tuple(one.replace("?", "*") for one in subjects),
        begins,
        begins + rng.randint(2, 12) * SECOND,
        rng.choice(("", "works")),
        lifted=rng.random() < 0.2,
        actor="user:clerk",
        at=now,
    )


def _calendar(rng: Random, name: str, now: int) -> Calendar:
    if rng.random() < 0.1:
        return Calendar(removed=True, actor="user:clerk", at=now)
    minutes = sorted(rng.sample(range(60), rng.choice((0, 20, 40))))
    crons = (",".join(map(str, minutes)) + " * * * *",) if minutes else ()
    dates = (now // DAY,) if rng.random() < 0.1 else ()
    base = ("feasts",) if name == "works" and rng.random() < 0.5 else ()
    return Calendar(dates=dates, crons=crons, base=base, actor="user:clerk", at=now)
