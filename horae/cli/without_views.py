"""
What can be shown of a schedule where no database is?

What the public table and the ledger say: its definition and how it did when it last fired. All that
went before needs the views (describing.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from horae.cli.endings import Said
from horae.cli.output import Form, note, printable, say, show_fields, show_json, show_table

if TYPE_CHECKING:
    from horae.last_run import LastFire, LastRun
    from horae.past import Past
    from schemas.codec import Recorded
    from streams.decider.state import Plan

_NO_VIEWS = "no database is named: this is what the log alone says"


class Found(NamedTuple):
    """What the log says of a schedule."""

    plan: Plan
    last: LastFire | None


class _OfSubject(NamedTuple):
    """The ledger of one broker, by subject."""

    past: Past

    def events(self, subject: str) -> Iterable[Recorded]:
        """The events of its partition."""
        [place] = self.past.of([subject])
        return self.past.events(place)


def describe_from_log(schedule: str, output: Form) -> None:
    """Show what the log alone has of a schedule."""
    found = look(schedule)
    note(_NO_VIEWS)
    if output is Form.JSON:
        show_json(_as_json(found))
        return
    show_fields(_fields(found))
    say("")
    say(_definition_text(found))
    if found.last is None:
        say("it has not fired so far, as far as the ledger goes back")
        return
    runs = list(found.last.runs.values())
    show_table(
        ["run", "target", "status", "since", "exit", "detail"],
        [_row(run) for run in runs],
        empty="it fired for no target",
    )
    for run in runs:
        if run.result is not None and run.result.output:
            say("")
            say(f"what {run.run} wrote" + (", its last part" if run.result.cut else ""))
            say(printable(run.result.output))


def look(schedule: str) -> Found:
    """Read the public table and the ledger; a sentence if there is no such schedule."""
    from horae.last_run import find_last_fire
    from horae.past import Past
    from horae.settings import load_settings

    with Past(load_settings().bootstrap) as past:
        plan = past.plans(schedule.__eq__).get(schedule)
        if plan is None:
            raise Said(f"{schedule}: the log has no such schedule")
        return Found(plan, find_last_fire(_OfSubject(past), schedule))


def _fields(found: Found) -> dict[str, str]:
    from horae.cli.times import both_times

    plan, last = found
    zone = plan.definition.zone
    fields = {
        "schedule": plan.id,
        "status": plan.status.value,
        "version": str(plan.version),
        "changed": f"{both_times(plan.changed_at, zone)} by {plan.actor}",
    }
    if last is not None:
        how = f" by {last.event.origin}" if last.event.origin else ""
        fields["last fired"] = f"{both_times(last.stamp.decided_at, zone)}{how}"
    return fields


def _definition_text(found: Found) -> str:
    from horae.cli.exporting import as_yaml
    from schemas.definition_json import definition_json

    return as_yaml(definition_json(found.plan.definition))


def _row(run: LastRun) -> list[str]:
    from schemas.instants import format_instant

    code = None if run.result is None else run.result.exit_code
    since = format_instant(run.since)
    shown = "-" if code is None else str(code)
    return [run.run, run.scope, run.status.replace("_", " "), since, shown, run.detail]


def _as_json(found: Found) -> dict[str, Any]:
    from horae.cli.times import utc_or_none
    from schemas.definition_json import definition_json

    plan, last = found
    return {
        "schedule": plan.id,
        "status": plan.status.value,
        "version": plan.version,
        "definition": definition_json(plan.definition),
        "last": None
        if last is None
        else {
            "nominal": utc_or_none(last.event.nominal),
            "origin": last.event.origin,
            "fired_at": utc_or_none(last.stamp.decided_at),
            "runs": [_run_json(run) for run in last.runs.values()],
        },
    }


def _run_json(run: LastRun) -> dict[str, Any]:
    from horae.cli.times import utc_or_none

    result = run.result
    return {
        "run": run.run,
        "target": run.scope,
        "status": run.status,
        "since": utc_or_none(run.since),
        "detail": run.detail,
        "exit_code": None if result is None else result.exit_code,
        "output": None if result is None else result.output,
        "output_cut": result is not None and result.cut,
    }
