"""
What does each setting of a timer unit become?

When it elapses (by the calendar, or some time after the unit was started), how far it may be moved,
what a missed one means, and which settings have no counterpart. The unit around it is systemd.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from horae.importers.on_calendar import CalendarFault, WallTimes, read_calendar
from horae.importers.on_calendar_cron import as_crons
from horae.importers.report import Check, How, Refused, Remark
from horae.importers.time_spans import read_span
from horae.importers.unit_files import Setting, Unit
from schemas.durations import format_duration
from schemas.instants import format_instant

_SECOND = 1_000_000
_NAMED = 2
"""Crons of one expression that are shown; the definition has all."""
_TRUE = frozenset({"1", "yes", "y", "true", "t", "on"})
_FALSE = frozenset({"0", "no", "n", "false", "f", "off"})
_AFTER_START = "OnUnitActiveSec"
_NO_TIME = {
    "OnBootSec": "it counts from a machine's boot, which is no time that Horae knows",
    "OnStartupSec": "it counts from the start of a service manager, which Horae does not know",
    "OnActiveSec": "it counts from the timer's own start, once; define a schedule with `once`",
    "OnUnitInactiveSec": "it counts from the end of the unit, and an emitted record has none",
    "OnClockChange": "a change of the clock is no time on a calendar",
    "OnTimezoneChange": "a change of the zone is no time on a calendar",
    "RandomizedOffsetSec": "there is no random offset here, only a delay (RandomizedDelaySec)",
}
"""What has no counterpart here, and why."""
_LISTS = ("OnCalendar", _AFTER_START, *list(_NO_TIME)[:4])
"""Settings that may be there several times; an empty one takes all of them back."""
_NOTHING = {
    "AccuracySec": "nothing: what is due is due on the instant",
    "WakeSystem": "nothing: no machine is woken",
    "RemainAfterElapse": "nothing: a schedule stays, and is completed",
    "FixedRandomDelay": "nothing: each instant has a delay of its own, the same for ever",
    "DeferReactivation": "nothing: an emitted record does not go on",
}
_WISHES = ("Persistent", "RandomizedDelaySec", "Unit")


class TimerFault(ValueError):
    """The whole timer is refused, with the line that is to blame."""

    def __init__(self, number: int, why: str) -> None:
        super().__init__(why)
        self.number = number


@dataclass(frozen=True, slots=True)
class Aim:
    """Where timers go, and what holds where they do not say."""

    topic: str
    subject: str
    zone: str
    """That of the machine, for expressions without one."""
    check: Check


@dataclass(slots=True)
class Draft:
    """What is known of one timer so far."""

    unit: Unit
    aim: Aim
    number: int = 1
    """The line that says when."""
    starts: str = ""
    """The unit that the timer starts."""
    definition: dict[str, Any] = field(default_factory=dict)
    how: list[How] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)

    def became(self, setting: Setting, what: str) -> None:
        """Say what a setting became."""
        self.how.append(How(f"{setting.name}={setting.value}", what))

    def remark(self, setting: Setting, text: str) -> None:
        """Say something about a setting that was taken."""
        self.remarks.append(Remark(setting.number, f"{self.unit.name}: {text}"))

    def refuse(self, setting: Setting, why: str) -> None:
        """Leave one setting out, and say so; what else the timer says counts."""
        self.refused.append(
            Refused(setting.number, f"{setting.name}={setting.value}", f"{self.unit.name}: {why}")
        )


def take_settings(draft: Draft) -> None:
    """Map every setting of the timer; raises TimerFault if there is no time left."""
    settings = _in_force(draft.unit.of("Timer"))
    if not settings:
        raise TimerFault(1, "there is no setting in a [Timer] section")
    calendar = [each for each in settings if each.name == "OnCalendar"]
    after = [each for each in settings if each.name == _AFTER_START]
    if calendar:
        _by_calendar(draft, calendar)
        for each in after:
            draft.refuse(each, "beside OnCalendar it cannot be kept: an interval stands alone")
    elif after:
        _after_start(draft, after)
    _without_time(draft, settings, kept=bool(calendar or after))
    _wishes(draft, settings, by_calendar=bool(calendar))


def _in_force(settings: list[Setting]) -> list[Setting]:
    """Without what a later empty setting took back."""
    found: list[Setting] = []
    for each in settings:
        if each.value:
            found.append(each)
        elif each.name in _LISTS:
            found = [one for one in found if one.name not in _LISTS]
        else:
            found = [one for one in found if one.name != each.name]
    return found


def _by_calendar(draft: Draft, settings: list[Setting]) -> None:
    """All expressions together, in the one zone that a schedule has."""
    timings: list[dict[str, Any]] = []
    zones: dict[str, Setting] = {}
    draft.number = settings[0].number
    for each in settings:
        try:
            found = read_calendar(each.value)
            of_this = _timings(draft, each, found)
        except CalendarFault as fault:
            raise TimerFault(each.number, f"OnCalendar={each.value}: {fault}") from fault
        if _never(draft.aim, of_this):
            draft.how.pop()
            draft.refuse(each, "it never comes")
            continue
        timings += of_this
        if isinstance(found, WallTimes):
            zones.setdefault(found.zone or draft.aim.zone, each)
    if len(zones) > 1:
        [_, second, *_] = zones.values()
        raise TimerFault(
            second.number,
            f"OnCalendar={second.value}: there are expressions in {' and in '.join(zones)}; "
            "a schedule has one zone, so they have to be several timers",
        )
    if not timings:
        raise TimerFault(draft.number, "OnCalendar: none of them ever comes")
    draft.definition |= _together(timings)
    if zones:
        [zone] = zones
        draft.definition["zone"] = zone
        # What systemd does when clocks change: a skipped time never comes, a repeated one once.
        draft.definition["dst"] = "skip"


def _never(aim: Aim, timings: list[dict[str, Any]]) -> bool:
    """Whether it names a day that no calendar has; beside others it would make no difference."""
    why = aim.check({**_together(timings), "emit": {"topic": aim.topic}})
    return why is not None and "never comes" in why


def _timings(draft: Draft, setting: Setting, found: WallTimes | int) -> list[dict[str, Any]]:
    if isinstance(found, int):
        once = format_instant(found * _SECOND)
        draft.became(setting, f"once at {once}")
        return [{"once": once}]
    crons = as_crons(found)
    zone = found.zone or f"{draft.aim.zone}, as the machine's"
    named = [*crons.expressions[:_NAMED], *["..."] * (len(crons.expressions) > _NAMED)]
    draft.became(setting, f"cron {', '.join(named)}, zone {zone}")
    if crons.remark:
        draft.remark(setting, crons.remark)
    return [{"cron": each} for each in crons.expressions]


def _together(timings: list[dict[str, Any]]) -> dict[str, Any]:
    if len(timings) == 1:
        return timings[0]
    if all("cron" in each for each in timings):
        return {"cron": [each["cron"] for each in timings]}
    return {"timings": timings}


def _after_start(draft: Draft, settings: list[Setting]) -> None:
    """The shortest of them, since whichever elapses first starts the unit."""
    spans = {each: _span(each) for each in settings}
    first = min(settings, key=lambda each: spans[each])
    every = format_duration(micros=spans[first])
    draft.number = first.number
    draft.definition["interval"] = {"every": every, "basis": "after_fire"}
    draft.became(first, f"interval {every} after each fire")
    draft.remark(
        first,
        f"it counts from each fire, and first from the definition here ({every} later), not from "
        "a boot; nor does a start of the unit by somebody else count",
    )
    for each in settings:
        if each is not first:
            draft.became(each, f"nothing: {first.value} always comes first")


def _without_time(draft: Draft, settings: list[Setting], *, kept: bool) -> None:
    for each in settings:
        why = _NO_TIME.get(each.name)
        if why is None or each.value.lower() in _FALSE:
            continue
        if not kept:
            raise TimerFault(each.number, f"{each.name}={each.value}: {why}")
        if each.name.endswith("Sec") and "interval" in draft.definition:
            draft.became(each, f"nothing: {why}")
        else:
            draft.refuse(each, why)
    if not kept:
        raise TimerFault(settings[0].number, "no setting says when (OnCalendar, OnUnitActiveSec)")


def _wishes(draft: Draft, settings: list[Setting], *, by_calendar: bool) -> None:
    last = {each.name: each for each in settings}
    _lateness(draft, last.get("Persistent"), by_calendar=by_calendar)
    delay = last.get("RandomizedDelaySec")
    if delay is not None and (micros := _span(delay)):
        draft.definition["jitter"] = format_duration(micros=micros)
        draft.became(delay, f"jitter {draft.definition['jitter']}, the same on every host")
    unit = last.get("Unit")
    draft.starts = unit.value if unit else draft.unit.name.removesuffix(".timer") + ".service"
    if unit is not None:
        draft.became(unit, "in the record")
        if "%" in unit.value:
            draft.remark(unit, "specifiers with % are in the record as they are written")
    _others(draft, settings)


def _lateness(draft: Draft, setting: Setting | None, *, by_calendar: bool) -> None:
    if not by_calendar:
        draft.definition["catch_up"] = {"mode": "latest", "lookback": None}
        return
    persistent = setting is not None and _truth(setting)
    draft.definition["catch_up"] = {"mode": "latest", "lookback": None} if persistent else "none"
    said = "no Persistent" if setting is None else f"Persistent={setting.value}"
    draft.how.append(How(said, "catch_up latest, without limit" if persistent else "catch_up none"))


def _others(draft: Draft, settings: list[Setting]) -> None:
    known = {"OnCalendar", _AFTER_START, *_NO_TIME, *_WISHES}
    for each in settings:
        if each.name in _NOTHING and each.value.lower() not in _FALSE:
            draft.became(each, _NOTHING[each.name])
        elif each.name not in known and each.name not in _NOTHING:
            draft.remark(each, f"{each.name} is no setting of a timer that is known here; left out")
    for each in draft.unit.of("Unit"):
        if each.name.startswith(("Condition", "Assert")):
            draft.remark(each, f"{each.name}={each.value} is not kept: it fires in any case")


def _span(setting: Setting) -> int:
    try:
        return read_span(setting.value)
    except ValueError as fault:
        raise TimerFault(setting.number, f"{setting.name}: {fault}") from fault


def _truth(setting: Setting) -> bool:
    if setting.value.lower() in _TRUE | _FALSE:
        return setting.value.lower() in _TRUE
    raise TimerFault(setting.number, f"{setting.name}={setting.value}: must be yes or no")
