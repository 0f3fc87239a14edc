"""
How is an import carried out and told?

Sends what the importers mapped, each pause right behind its definition, and shows for every part of
every file what it became. The mapping is horae/importers; which files and options there are is
importing.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from horae.cli.asking import asking, reply_as_json, reply_as_line, went_well
from horae.cli.endings import Ending, ending_of
from horae.cli.missing import warn_of_missing_targets
from horae.cli.output import Form, printable, say, show_json
from horae.cli.progress import counted

if TYPE_CHECKING:
    from horae.client import ClientFault, Order
    from horae.importers.report import Mapped, Report
    from schemas.replies import Reply

    Answers = Mapping[str, Sequence[Reply | ClientFault]]
    """The answers to what was sent for a schedule: the definition, and perhaps app and pause."""


_NAMED = 4
"""Crons of one schedule that a line shows."""


def why_refused(definition: Mapping[str, Any]) -> str | None:
    """Why Horae would not take a definition; None: it would."""
    from schemas.faults import FieldFault
    from schemas.reading import read_definition
    from streams.calendar.occurrences import TimingRefused, rule_for

    try:
        read = read_definition(definition)
        rule_for(read.timings, read.zone, read.dst, "of/import")
    except (FieldFault, TimingRefused) as fault:
        return str(fault)
    return None


def carry_out(reports: Sequence[Report], output: Form, *, dry_run: bool) -> None:
    """Send what was mapped unless it is a rehearsal, tell all of it, and end with its code."""
    answers = {} if dry_run else send(reports)
    if output is Form.JSON:
        show_json([_as_json(report, answers) for report in reports])
    else:
        for report in reports:
            for line in report_lines(report, answers):
                say(line)
    endings = [_ending(answer) for given in answers.values() for answer in given]
    if any(report.refused for report in reports):
        endings.append(Ending.REFUSED)
    ending = max(endings, default=Ending.DONE)
    if ending is not Ending.DONE:
        raise typer.Exit(ending)


def send(reports: Sequence[Report], bootstrap: str | None = None) -> Answers:
    """Define every schedule of the reports, and pause those that are to be; answers by schedule."""
    mapped = [entry for report in reports for entry in report.mapped]
    orders = [order for entry in mapped for order in _orders(entry)]
    if not orders:
        return {}
    with asking(bootstrap) as client, counted("Waiting for replies", len(orders)) as told:
        answers = client.ask_many(orders, told)
    warn_of_missing_targets(orders, answers, bootstrap)
    given = iter(answers)
    found: dict[str, list[Reply | ClientFault]] = {}
    for entry in mapped:
        found.setdefault(entry.schedule, []).extend(next(given) for _ in _orders(entry))
    return found


def _orders(entry: Mapped) -> Iterator[Order]:
    """The definition, the app of its subject if there is one, and the pause."""
    from horae.client import Order
    from schemas.commands import Define, DefineApp, Pause
    from schemas.identity import subject_of
    from schemas.reading import read_definition
    from schemas.reading_works import read_app

    if entry.app is not None:  # before the first fire can ask for it
        yield Order(subject_of(entry.schedule), DefineApp(read_app(entry.app)))
    yield Order(entry.schedule, Define(read_definition(entry.definition)))
    if entry.pause is not None:
        yield Order(entry.schedule, Pause(entry.pause))


def report_lines(report: Report, answers: Answers) -> list[str]:
    """What became of each part of a file, in the file's order."""
    found: list[tuple[int, int, str]] = []
    for entry in report.mapped:
        found += [(entry.number, 0, line) for line in _mapped_lines(entry, answers)]
        found += [
            (entry.number, 1, f"  {how.setting} -> {how.became}".rstrip()) for how in entry.how
        ]
    found += [(each.number, 2, f"refused: {each.why}: {each.text}") for each in report.refused]
    found += [(each.number, 3, f"note: {each.text}") for each in report.remarks]
    form = "" if report.form is None else f" ({report.form} form)"
    head = f"{report.path}{form}: {len(report.mapped)} mapped, {len(report.refused)} refused"
    # One line each, whatever a file holds.
    return [
        printable(head).replace("\n", " "),
        *(
            f"  {report.unit} {number}: {printable(text)}".replace("\n", " ")
            for number, _, text in sorted(found, key=lambda each: each[:2])
        ),
    ]


def _mapped_lines(entry: Mapped, answers: Answers) -> list[str]:
    zone = entry.definition.get("zone", "UTC")
    given = answers.get(entry.schedule)
    if given is None:
        return [f"{entry.schedule}  {_when(entry.definition)}  {zone}"]
    return [
        f"{entry.schedule}: {ending_of(answer)[0]}"
        if isinstance(answer, Exception)
        else reply_as_line(answer, zone)
        for answer in given
    ]


def _when(definition: Mapping[str, Any]) -> str:
    """The timings of a definition in a few words."""
    timings = definition.get("timings", [definition])
    return ", ".join(_words(timing) for timing in timings)


def _words(timing: Mapping[str, Any]) -> str:
    if "cron" in timing:
        found = timing["cron"]
        if isinstance(found, str):
            return found
        more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
        return ", ".join(found[:_NAMED]) + more
    if "once" in timing:
        return f"once at {timing['once']}"
    every = timing["interval"]
    return f"every {every if isinstance(every, str) else every['every']}"


def _ending(answer: Reply | ClientFault) -> Ending:
    if isinstance(answer, Exception):
        return ending_of(answer)[1]
    return Ending.DONE if went_well(answer) else Ending.REFUSED


def _as_json(report: Report, answers: Answers) -> dict[str, Any]:
    form = {} if report.form is None else {"form": str(report.form)}
    return {
        "file": str(report.path),
        **form,
        "mapped": [_mapped_json(each, report.unit, answers) for each in report.mapped],
        "refused": [
            {report.unit: each.number, "text": each.text, "why": each.why}
            for each in report.refused
        ],
        "notes": [{report.unit: each.number, "text": each.text} for each in report.remarks],
    }


def _mapped_json(entry: Mapped, unit: str, answers: Answers) -> dict[str, Any]:
    found = {
        unit: entry.number,
        "text": entry.text,
        "schedule": entry.schedule,
        "definition": entry.definition,
    }
    if entry.how:
        found["how"] = [each._asdict() for each in entry.how]
    if entry.pause is not None:
        found["pause"] = entry.pause
    names = ["reply", "pause_reply"]
    if entry.app is not None:
        found["app"] = entry.app
        names.insert(0, "app_reply")
    given = [_reply(answer) for answer in answers.get(entry.schedule, ())]
    return found | dict(zip(names, given, strict=False))


def _reply(answer: Reply | ClientFault) -> dict[str, Any]:
    if isinstance(answer, Exception):
        return {"verdict": None, "message": ending_of(answer)[0]}
    return reply_as_json(answer)
