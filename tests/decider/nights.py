"""
Which window and which schedules do the tests of windows share?

From 23:30 to 04:00, with an hourly schedule and one that is due hours before it opens.
"""

from __future__ import annotations

from schemas.commands import Define
from schemas.definition import Hours, Window
from tests.decider.stage import RING, Step, rule

NIGHT = Window((Hours(23 * 3600 + 1800, 4 * 3600),), spread=0)
"""23:30 to 04:00."""
HOURLY = rule("0 * * * *", window=NIGHT)
DAILY = rule("0 20 * * *", window=NIGHT)
DEFINED = ("19:30", Define(DAILY))
WAITS: list[Step] = [DEFINED, ("20:00", RING)]
