"""What everyone shares is the newest record under each name, told in a sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.codec import encode
from schemas.globals import (
    KEYS,
    Calendar,
    Freeze,
    GlobalRecord,
    Hold,
    YearlyRange,
    name_under,
)
from schemas.instants import parse_instant
from streams.decider.state import World
from streams.decider.worldview import fold, summary
from streams.processor.globals import read_global

BEGIN, END = map(parse_instant, ("2026-12-20T00:00:00Z", "2027-01-04T00:00:00Z"))
FREEZE = Freeze(("app", "billing*"), BEGIN, END, "audit")
WEEKENDS = Calendar(weekdays=96)


def after(*told: tuple[str, GlobalRecord]) -> World:
    world = World()
    for offset, (key, record) in enumerate(told):
        world = fold(world, record, offset, key)
    return world


def test_calendars_and_freezes_stand_under_their_names() -> None:
    other = replace(FREEZE, reason="move")
    world = after(
        ("calendar/a", Calendar()),
        ("calendar/b", Calendar(base=("a",))),
        ("freeze/a", FREEZE),
        ("calendar/a", WEEKENDS),
        ("freeze/b", other),
    )

    assert world.calendars == {"a": WEEKENDS, "b": Calendar(base=("a",))}
    assert world.freezes == {"a": FREEZE, "b": other}
    assert world.globals_offset == 4


def test_what_is_removed_or_lifted_stands_no_more_and_may_come_back() -> None:
    gone: list[tuple[str, GlobalRecord]] = [
        ("calendar/a", replace(WEEKENDS, removed=True)),
        ("freeze/a", replace(FREEZE, lifted=True)),
    ]
    there: list[tuple[str, GlobalRecord]] = [
        ("calendar/a", WEEKENDS),
        ("freeze/a", FREEZE),
        ("calendar/b", WEEKENDS),
    ]

    world = after(*there, *gone, *gone)

    assert (world.calendars, world.freezes) == ({"b": WEEKENDS}, {})
    again, once = after(*there, *gone, *there), after(*there)
    assert (again.calendars, again.freezes) == (once.calendars, once.freezes)


def test_a_world_that_was_seen_is_not_changed_by_what_comes_after() -> None:
    before = after(("calendar/a", WEEKENDS), ("freeze/a", FREEZE))

    fold(before, Calendar(removed=True), 2, "calendar/a")
    fold(before, Calendar(), 3, "calendar/b")

    assert (before.calendars, before.freezes) == ({"a": WEEKENDS}, {"a": FREEZE})


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (Calendar(), "the calendar excludes nothing"),
        (Calendar(removed=True, weekdays=96), "the calendar is removed"),
        (
            Calendar((1, 2), 96, (YearlyRange(1224, 106),), ("* 12 * * *",), ("base",)),
            (
                "the calendar excludes dates: 2, weekdays: 2, ranges of every year: 1, "
                "cron expressions: 1, further calendars: 1"
            ),
        ),
        (
            FREEZE,
            "app, billing*: frozen from 2026-12-20T00:00:00Z to 2027-01-04T00:00:00Z: audit",
        ),
        (replace(FREEZE, lifted=True, reason=""), "the freeze is lifted: no reason given"),
    ],
)
def test_each_is_summed_up_in_a_sentence(record: GlobalRecord, told: str) -> None:
    assert summary(record) == told


@pytest.mark.parametrize(
    ("kind", "key", "name"),
    [
        (Hold, "hold", ""),
        (Hold, "hold/x", None),
        (Calendar, "calendar/x", "x"),
        (Calendar, "calendar/", None),
        (Calendar, "calendar", None),
        (Calendar, "freeze/x", None),
        (Freeze, "freeze/x", "x"),
    ],
)
def test_a_key_belongs_to_one_kind(kind: type[GlobalRecord], key: str, name: str | None) -> None:
    assert name_under(kind, key) == name
    assert KEYS[Calendar].endswith("/")


@pytest.mark.parametrize(
    ("key", "record", "fault"),
    [
        (b"calendar/a", FREEZE, "Freeze under the key"),
        (b"calendar/", WEEKENDS, "Calendar under the key"),
        (b"calendar/a/b", WEEKENDS, "key: a name is printable"),
        (b"calendar/2026-12-24", WEEKENDS, "key: a name must not look like a date"),
        (b"freeze/" + b"n" * 201, FREEZE, "key: a name has 200 bytes"),
        (b"calendar/a", Calendar(weekdays=128), "weekdays: must be from 0 to 127"),
        (b"freeze/a", replace(FREEZE, ends_at=BEGIN), "ends_at: must be later"),
        (b"calendar/a", None, "has a key and a value"),
    ],
)
def test_what_cannot_stand_changes_nothing_and_says_why(
    key: bytes, record: GlobalRecord | None, fault: str
) -> None:
    told = read_global(key, None if record is None else encode(record), 5)

    assert told.record is None
    assert fault in (told.fault or "")


def test_what_can_stand_is_read_with_its_key() -> None:
    told = read_global(b"freeze/Jahresende", encode(FREEZE), 5)

    assert (told.name, told.record, told.fault) == ("freeze/Jahresende", FREEZE, None)
