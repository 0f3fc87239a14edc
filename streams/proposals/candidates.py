"""
Which windows of a deployment's week are worth a sleep, and why are others not?

From two idle hours on a stretch is looked at; one that is too short, or that was seen in one week
only, is dropped with its reason. What is left goes to a decision model, or is proposed by the rules
alone if it is beyond doubt. Which hours are idle is stretches.py.
"""

from __future__ import annotations

from typing import NamedTuple

from schemas.profiles import Profile
from schemas.proposals import IdleWindow
from streams.proposals.stretches import HOUR, WEEK, Stretch, stretches_of

LEAST_DAYS = 7
"""Local dates with data; fewer show no week."""
LOOKED_AT = 2 * HOUR
"""Minutes from which on a stretch is a window at all."""
WORTH = 4 * HOUR
"""Minutes from which on a window is worth a sleep."""
LEAST_WEEKS = 2
"""What was seen in one week only may never be so again."""
EARLY = 15
"""Minutes before the first active hour at which it wakes."""
STRONG_WEEKS = 3
STRONG_BELOW = 90
"""From this priority on nothing is proposed by the rules alone."""
_DAY = 24 * HOUR


class Looked(NamedTuple):
    """A window, and why it is none; None: it is one."""

    window: IdleWindow
    why_not: str | None


class Candidate(NamedTuple):
    """What the rules say of a deployment."""

    subject: str
    zone: str
    priority: int
    looked: tuple[Looked, ...]
    why_not: str | None
    """Why it has no windows; None: it has some."""
    weak: str | None
    """Why the rules alone do not propose them; None: they do."""

    @property
    def windows(self) -> tuple[IdleWindow, ...]:
        """Those that may be proposed."""
        return tuple(each.window for each in self.looked if each.why_not is None)


def find_candidate(profile: Profile) -> Candidate:
    """The windows of a deployment's week, each with what is said of it."""
    if profile.days < LEAST_DAYS:
        return _none(
            profile,
            f"data of {LEAST_DAYS} local days are needed, there are those of {profile.days}",
        )
    stretches = stretches_of(profile)
    if stretches is None:
        return _none(profile, "no hour of the week is active: nothing would wake it")
    return judge(profile, stretches)


def judge(profile: Profile, stretches: tuple[Stretch, ...]) -> Candidate:
    """What is said of these idle stretches of its week."""
    wide = [stretch for stretch in stretches if stretch.minutes >= LOOKED_AT]
    looked = tuple(Looked(window_of(each), why_dropped(each)) for each in wide)
    if not looked:
        return _none(profile, "no 2 h in a row are idle in 90 % of their weeks")
    reasons = dict.fromkeys(each.why_not for each in looked)
    why_not = None if None in reasons else "each window is " + ", or ".join(filter(None, reasons))
    weak = why_weak(tuple(wide), profile.priority)
    return Candidate(profile.subject, profile.zone, profile.priority, looked, why_not, weak)


def why_dropped(stretch: Stretch) -> str | None:
    """Why a stretch is not worth anybody's judgement; None: it is."""
    if stretch.minutes < WORTH:
        return f"shorter than {WORTH // HOUR} h"
    if stretch.weeks < LEAST_WEEKS:
        return "seen in one week only"
    return None


def why_weak(stretches: tuple[Stretch, ...], priority: int) -> str | None:
    """Why these are not beyond doubt, the short ones included; None: they are."""
    if priority >= STRONG_BELOW:
        return f"its priority is {priority}, and has to be below {STRONG_BELOW}"
    if any(stretch.minutes < WORTH for stretch in stretches):
        return f"a window is shorter than {WORTH // HOUR} h"
    if any(stretch.weeks < STRONG_WEEKS for stretch in stretches):
        return f"a window was seen in fewer than {STRONG_WEEKS} weeks"
    if not all(stretch.always for stretch in stretches):
        return "a window was not idle in each of its weeks"
    return None


def still_fits(windows: tuple[IdleWindow, ...], zone: str, profile: Profile) -> bool:
    """Whether what was proposed lies inside of windows that the profile still has."""
    found = find_candidate(profile)
    now = [_stretch_of(window) for window in found.windows]
    return zone == profile.zone and all(
        any(one.holds(*_stretch_of(window)[:2]) for one in now) for window in windows
    )


def window_of(stretch: Stretch) -> IdleWindow:
    """When to sleep and wake for a stretch."""
    sleep_day, sleep_at = divmod(stretch.begin % WEEK, _DAY)
    wake_day, wake_at = divmod((stretch.begin + stretch.minutes - EARLY) % WEEK, _DAY)
    return IdleWindow(
        sleep_day=sleep_day,
        sleep_at=sleep_at * 60,
        wake_day=wake_day,
        wake_at=wake_at * 60,
        minutes=stretch.minutes,
        weeks=stretch.weeks,
        idle_weeks=stretch.idle_weeks,
    )


def _stretch_of(window: IdleWindow) -> Stretch:
    begin = window.sleep_day * _DAY + window.sleep_at // 60
    always = window.weeks == window.idle_weeks
    return Stretch(begin, window.minutes, window.weeks, window.idle_weeks, always)


def _none(profile: Profile, why_not: str) -> Candidate:
    return Candidate(profile.subject, profile.zone, profile.priority, (), why_not, why_not)
