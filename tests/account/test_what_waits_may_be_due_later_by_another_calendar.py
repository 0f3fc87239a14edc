"""
What waits for its window was due when it was put off, although its jitter may reach further by now.

Jitter reaches up to the next instant, and a calendar that changes while an occurrence waits may put
that one much further away. Nothing fires before it was due because of that.
"""

from __future__ import annotations

from schemas.commands import Define
from schemas.definition import HOUR, Exclude, Hours, Window
from schemas.events import Fired
from schemas.globals import Calendar
from streams.account.classing import Span
from streams.account.walking import Walk
from streams.account.worlds import Worlds
from tests.account.telling import Telling
from tests.decider.stage import RING, Tells, at, rule

OPENS = Window((Hours(12 * 3_600 + 600, 23 * 3_600),))
"""From 12:10 on."""


def test_what_waited_while_its_calendar_changed_fires_in_time() -> None:
    stage = Telling()
    for when, move in (
        ("11:00", Tells("calendar/works", Calendar())),
        (
            "11:58",
            Define(rule("* * * * *", jitter=HOUR, window=OPENS, exclude=Exclude(("works",)))),
        ),
        ("12:01", RING),
        ("12:05", Tells("calendar/works", Calendar(crons=("1-59 * * * *",)))),
        ("12:12", RING),
    ):
        stage.play(move, at(when))
    walk = Walk(0, Worlds(stage.told, stage.world.zone_data), Span(0, at("13:00"), at("12:12")))
    for event, stamp in stage.history:
        walk.take(event, stamp)

    [(fire, stamp)] = [(one, stamp) for one, stamp in stage.history if isinstance(one, Fired)]
    assert fire.deferred_at == at("12:01")
    assert fire.due <= fire.deferred_at < stamp.decided_at
    assert walk.finish().findings == []
