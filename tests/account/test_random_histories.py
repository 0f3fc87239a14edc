"""
Does the account explain whatever the decider does, and does it notice what is missing or doubled?

The random histories of the decider's own promises, with holds, calendars and freezes that stand in
horae.globals. At the end of each the account is asked, of all events and of all but one.
"""

from __future__ import annotations

from typing_extensions import override

from schemas.globals import Calendar
from streams.calendar.zones import zone_data_number
from tests.account.telling import Telling, is_explained_and_whole
from tests.decider.stage import Tells, Upgrades
from tests.decider.test_promises import Histories
from tests.decider.test_promises_about_time import START, Times


class Audited(Histories):
    """Commands, outages, holds, clocks."""

    def __init__(self) -> None:
        super().__init__()
        self.stage = self.telling = Telling()

    @override
    def teardown(self) -> None:
        if self.stage.history:
            self.telling.settle(self.now)
            is_explained_and_whole(self.telling, self.now)


class AuditedTimes(Times):
    """Calendars that change, freezes, windows, jitter, intervals that count from decisions."""

    def __init__(self) -> None:
        super().__init__()
        self.stage = self.telling = Telling()
        self.stage.play(Upgrades(zone_data_number()), START)
        self.stage.play(Tells("calendar/feasts", Calendar()), START)
        self.stage.play(Tells("calendar/office", Calendar()), START)

    @override
    def teardown(self) -> None:
        if self.stage.history:
            self.telling.settle(self.now)
            is_explained_and_whole(self.telling, self.now)


TestAudited = Audited.TestCase
TestAuditedTimes = AuditedTimes.TestCase
