"""
Which schedules do timer units of systemd become?

Each timer becomes a schedule `systemd/<name>` that emits one record with the unit it would start:
Horae starts no units, whoever reads the topic does. A timer by the calendar is a union of crons,
one that counts from the unit's last start an interval after each fire. A setting that names no such
time (after boot, after the unit ended) is refused, for itself, with its line. Settings are
timer_settings.py, files unit_files.py, calendar expressions on_calendar.py.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from horae.importers.report import Mapped, Refused, Remark, Report
from horae.importers.timer_settings import Aim, Draft, TimerFault, take_settings
from horae.importers.unit_files import Unit, read_units
from schemas.identity import IdFault, schedule_id

DEFAULT_TOPIC = "systemd.units"
_SUFFIX = ".timer"
_NOT_IN_IDS = re.compile(r"[#@~|/]")


def import_timers(path: Path, data: bytes, aim: Aim, seen: dict[str, str]) -> Report:
    """Map every timer of a file; `seen` holds where the schedules so far stand, over all files."""
    report = Report(path)
    for unit in read_units(data, path.name):
        if not unit.name.endswith(_SUFFIX) and not unit.of("Timer"):
            report.remarks.append(Remark(1, f"passed over, it is no timer: {unit.name}"))
            continue
        report.refused += [Refused(number, unit.name, why) for number, why in unit.faults]
        _take(unit, aim, seen, report)
    return report


def _take(unit: Unit, aim: Aim, seen: dict[str, str], report: Report) -> None:
    draft = Draft(unit, aim)
    try:
        schedule = _schedule_id(unit, aim)
        take_settings(draft)
        definition = _definition(draft, schedule)
        _check(draft, definition)
        _check_new(schedule, seen)
    except TimerFault as fault:
        report.refused += [*draft.refused, Refused(fault.number, unit.name, str(fault))]
        return
    seen[schedule] = str(report.path)
    report.mapped.append(Mapped(draft.number, unit.name, schedule, definition, tuple(draft.how)))
    report.refused += draft.refused
    report.remarks += draft.remarks


def _schedule_id(unit: Unit, aim: Aim) -> str:
    name = unit.name.removesuffix(_SUFFIX)
    if name.endswith("@"):
        raise TimerFault(1, "a template is no timer; import its instances under their names")
    try:
        return schedule_id(f"{aim.subject}/{_NOT_IN_IDS.sub('-', name)}")
    except IdFault as fault:
        raise TimerFault(1, str(fault)) from fault


def _definition(draft: Draft, schedule: str) -> dict[str, Any]:
    said = next((each.value for each in draft.unit.of("Unit") if each.name == "Description"), "")
    description = f"from {draft.unit.name}: {said}" if said else f"from {draft.unit.name}"
    return {
        **draft.definition,
        "description": description[:500],
        "emit": {
            "topic": draft.aim.topic,
            "key": schedule,
            "value": {"unit": draft.starts, "timer": draft.unit.name},
        },
    }


def _check(draft: Draft, definition: dict[str, Any]) -> None:
    why = draft.aim.check(definition)
    if why:
        ours, mark, rest = why.partition(": ")
        [word, *_] = re.split(r"[.\[]", ours)
        names = {"interval": "OnUnitActiveSec", "jitter": "RandomizedDelaySec"}
        said = f"{names.get(word, 'OnCalendar')}: {rest}" if mark else why
        raise TimerFault(draft.number, said)


def _check_new(schedule: str, seen: dict[str, str]) -> None:
    if schedule in seen:
        raise TimerFault(1, f"{schedule} stands already in {seen[schedule]}")
