"""
Which schedules does a crontab become?

Each entry becomes a schedule; what it does when it is due is crontab_actions.py. The grammar of the
lines is crontab_lines.py; sending the schedules is the command line's part.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from horae.importers.crontab_actions import Action, Due, NotDone
from horae.importers.crontab_lines import Entry, Form, Setting, Unread, read_lines
from horae.importers.report import Check, Mapped, Refused, Remark, Report

DEFAULT_TOPIC = "cron.jobs"
SYSTEM_TABLE = Path("/etc/crontab")
SYSTEM_FOLDER = Path("/etc/cron.d")
_SPOOLS = ("/var/spool/cron/crontabs", "/var/spool/cron")
_FOLDER_NAME = re.compile(r"[A-Za-z0-9_-]+")
_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_.-]+")
_NAME_LENGTH = 32
_ACCOUNTS = frozenset({"root", "nobody", "daemon", "www-data"})
"""Users of system tables that are the names of no commands."""

# Settings that change when or how cron itself acts, which an emitted record cannot carry out.
_WITHOUT_EFFECT = {
    "TZ": "TZ is kept for the command; it does not move the time (CRON_TZ does)",
    "RANDOM_DELAY": "RANDOM_DELAY is kept in the record, but delays nothing",
    "START_HOURS_RANGE": "START_HOURS_RANGE is kept in the record, but limits nothing",
}


@dataclass(frozen=True, slots=True)
class Table:
    """A crontab to import."""

    path: Path
    data: bytes
    form: Form
    user: str | None = None
    """Whose table it is, where entries do not say."""
    told: bool = False
    """Whether the form was said by somebody, and not taken from the file's place."""


@dataclass(slots=True)
class _Above:
    """What the lines so far have set for the lines below."""

    zone: str
    env: dict[str, str] = field(default_factory=dict)
    names: Counter[str] = field(default_factory=Counter)


def table_of(path: Path, data: bytes, form: Form | None = None, user: str | None = None) -> Table:
    """The table in a file; its place says which form it has, unless the caller does."""
    place, told = path.absolute(), form is not None
    if form is None:
        system = place == SYSTEM_TABLE or place.parent == SYSTEM_FOLDER
        form = Form.SYSTEM if system else Form.USER
    if user is None and form is Form.USER and str(place.parent) in _SPOOLS:
        user = path.name
    return Table(path, data, form, user, told)


def machine_tables(
    table: Path = SYSTEM_TABLE, folder: Path = SYSTEM_FOLDER
) -> tuple[list[Table], list[tuple[Path, str]]]:
    """The machine's own crontabs, as cron would find them; and those that could not be read."""
    tables, unread = [], []
    for path in _machine_paths(table, folder):
        try:
            tables.append(Table(path, path.read_bytes(), Form.SYSTEM))
        except OSError as fault:
            unread.append((path, fault.strerror or str(fault)))
    return tables, unread


def machine_zone(link: Path = Path("/etc/localtime"), name: Path = Path("/etc/timezone")) -> str:
    """The zone that cron runs in on this machine: what its clock is set to, else UTC."""
    try:
        _, found, zone = str(link.resolve(strict=True)).partition("/zoneinfo/")
        zone = zone.removeprefix("posix/") if found else name.read_text().strip()
    except OSError:
        return "UTC"
    return "UTC" if zone in ("", "Etc/UTC") else zone


def _machine_paths(table: Path, folder: Path) -> Iterator[Path]:
    if table.is_file():
        yield table
    if folder.is_dir():
        # As cron does: names with a dot are backups and leftovers of packages, not tables.
        yield from (
            path
            for path in sorted(folder.iterdir())
            if path.is_file() and _FOLDER_NAME.fullmatch(path.name)
        )


def import_table(table: Table, *, action: Action, zone: str, check: Check) -> Report:
    """Map every line of a table; `zone` is the one that cron itself would use."""
    report, above = Report(table.path, table.form), _Above(zone)
    _wonder_about_the_form(table, report)
    for line in read_lines(table.data, table.form):
        match line:
            case Setting():
                _take_setting(line, above, report)
            case Unread():
                report.refused.append(Refused(line.number, line.text, line.why))
            case Entry():
                _take_entry(line, above, report, _Target(table, action, check))
    return report


def _wonder_about_the_form(table: Table, report: Report) -> None:
    """A table of the system that is read as a user's would run commands called `root`."""
    if table.told or table.form is Form.SYSTEM:
        return
    for line in read_lines(table.data, table.form):
        if isinstance(line, Entry) and line.command.split()[0] in _ACCOUNTS:
            name = line.command.split()[0]
            report.remarks.append(
                Remark(
                    line.number,
                    f"the command begins with {name!r}: if that is the user, the table has the "
                    "system's form, import it with --system (--user-form: it is no user)",
                )
            )
            return


def _take_setting(setting: Setting, above: _Above, report: Report) -> None:
    if setting.name == "CRON_TZ":
        above.zone = setting.value.removeprefix(":")
        report.remarks.append(Remark(setting.number, f"zone of the lines below: {above.zone}"))
        return
    above.env[setting.name] = setting.value
    remark = _WITHOUT_EFFECT.get(setting.name)
    if remark:
        report.remarks.append(Remark(setting.number, remark))


@dataclass(frozen=True, slots=True)
class _Target:
    """Where the entries of a table go."""

    table: Table
    action: Action
    check: Check


def _take_entry(entry: Entry, above: _Above, report: Report, target: _Target) -> None:
    schedule = _schedule_id(target.table, entry, above.names)
    try:
        definition = _definition(entry, above, schedule, target)
    except NotDone as fault:
        report.refused.append(Refused(entry.number, entry.text, str(fault)))
        return
    why = _not_for_a_calendar(entry.when) or target.check(definition)
    if why:
        report.refused.append(Refused(entry.number, entry.text, why))
        return
    report.mapped.append(Mapped(entry.number, entry.text, schedule, definition))
    if entry.quiet:
        report.remarks.append(
            Remark(entry.number, "the leading - (do not log) has no meaning here")
        )


def _not_for_a_calendar(when: str) -> str | None:
    if when.lower() == "@reboot":
        return "@reboot names no time: Horae fires by the calendar, not when a machine starts"
    return None


def _definition(entry: Entry, above: _Above, schedule: str, target: _Target) -> dict[str, Any]:
    return {
        "cron": entry.when,
        "zone": above.zone,
        # What cron itself does when clocks change.
        "dst": "vixie",
        "description": f"from {target.table.path.name}: {entry.text}"[:500],
        **target.action(Due(entry, schedule, entry.user or target.table.user, above.env)),
    }


def _schedule_id(table: Table, entry: Entry, names: Counter[str]) -> str:
    """
    A name that survives reordering: made of what the line says, not of where it stands.

    The same line twice runs twice, so its second copy gets a name of its own.
    """
    said = "\0".join((entry.when, entry.user or table.user or "", entry.command, entry.stdin or ""))
    digest = blake2b(said.encode(), digest_size=4).hexdigest()
    name = f"{_legible(Path(entry.command.split()[0]).name) or 'job'}-{digest}"
    names[name] += 1
    if names[name] > 1:
        name = f"{name}-{names[name]}"
    return f"cron-{_legible(table.path.name) or 'table'}/{name}"


def _legible(text: str) -> str:
    return _NOT_IN_IDS.sub("-", text).strip("-.")[:_NAME_LENGTH]
