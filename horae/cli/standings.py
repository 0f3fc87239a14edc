"""
How does a command learn what holds for everyone, and what time it is?

Asks the broker that the settings name; what is done with the answer is each command's own affair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from horae.standing import Standing


def what_stands() -> Standing:
    """The hold, the calendars and the freezes as horae.globals says them now."""
    from horae.settings import load_settings
    from horae.standing import standing

    settings = load_settings()
    return standing(settings.bootstrap, settings.reply_within)


def now() -> int:
    """The wall clock of this machine in microseconds of UTC."""
    from streams.clock import SystemClock

    return SystemClock().wall()
