"""
Did every instant of every schedule have its end?

Walks the ledger partition by partition and puts the accounts together; what is counted and found is
streams/account, how it is shown the command line's part.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from horae.past import Past
from schemas.identity import partition_of
from schemas.instants import format_instant
from streams.account.classing import Finding, Span, Tally, Verdict, summed
from streams.account.walking import Account, Begin, Walk
from streams.account.worlds import Worlds
from streams.calendar.zones import zone_data_number
from streams.decider.state import Plan


@dataclass(frozen=True, slots=True)
class Audit:
    """What was found."""

    span: Span
    tallies: tuple[Tally, ...]
    findings: tuple[Finding, ...]
    begins: tuple[Begin, ...]
    """Where partitions of the ledger begin whose first events are gone."""
    events: int
    superseded: int
    unreadable: int
    known: frozenset[str]
    """The schedules that were wanted and are known, also those that had no instant."""

    @property
    def total(self) -> Tally:
        """All schedules together."""
        return summed(self.tallies)

    @property
    def unexplained(self) -> int:
        """How many instants or events nothing explains."""
        return self.total.of(Verdict.UNEXPLAINED)


def audit(
    past: Past, span: Span, wanted: Callable[[str], bool], subjects: Collection[str] = ()
) -> Audit:
    """Account for what these schedules had in the span.

    If all of them are of these subjects, nothing but their partitions is read.
    """
    # The ends of the ledger were noted before this, so no event names a record that is not here.
    worlds = Worlds(past.globals(), zone_data_number())
    rows: dict[str, Plan] | None = None
    accounts: list[Account] = []
    known: set[str] = set()
    for place in past.of(subjects):
        walk = Walk(place.partition, worlds, span, wanted)
        for event, stamp in past.events(place):
            if stamp.sequence > 0 and walk.is_new:
                rows = past.plans(wanted) if rows is None else rows
                walk.rows = _of(place.partition, len(past.places), rows)
            walk.take(event, stamp)
        accounts.append(walk.finish())
        known.update(walk.lives)
    return _together(span, accounts, past.unreadable, frozenset(known))


def _of(partition: int, partitions: int, rows: Mapping[str, Plan]) -> dict[str, Plan]:
    """Those whose events stand in that partition."""
    return {
        name: plan
        for name, plan in rows.items()
        if partition_of(plan.subject, partitions) == partition
    }


def _together(span: Span, accounts: list[Account], unreadable: int, known: frozenset[str]) -> Audit:
    tallies = sorted((one for each in accounts for one in each.tallies), key=_by_name)
    findings = sorted((one for each in accounts for one in each.findings), key=_by_time)
    return Audit(
        span=span,
        tallies=tuple(tallies),
        findings=tuple(findings),
        begins=tuple(each.begin for each in accounts if each.begin is not None),
        events=sum(each.events for each in accounts),
        superseded=sum(each.superseded for each in accounts),
        unreadable=unreadable,
        known=known,
    )


def audit_json(found: Audit) -> dict[str, Any]:
    """The audit as plain data; instants as text in UTC."""
    return {
        "from": format_instant(found.span.begin),
        "to": format_instant(found.span.end),
        "as_of": format_instant(found.span.now),
        "schedules": [tally_json(one) for one in found.tallies],
        "total": tally_json(found.total)["counts"],
        "unexplained": [_finding_json(one) for one in found.findings if not one.excuse],
        "not_told": [_finding_json(one) for one in found.findings if one.excuse],
        "ledger_begins": [
            {"partition": one.partition, "at": format_instant(one.at), "sequence": one.sequence}
            for one in found.begins
        ],
        "events": found.events,
        "superseded_events": found.superseded,
        "unreadable_records": found.unreadable,
    }


def tally_json(tally: Tally) -> dict[str, Any]:
    """The counts of one schedule, and how those with a reason divide."""
    counts = {each.value: tally.of(each) for each in Verdict if tally.of(each)}
    reasons: dict[str, dict[str, int]] = {}
    for one, count in sorted(tally.counts.items()):
        if one.reason:
            reasons.setdefault(one.verdict.value, {})[one.reason] = count
    return {"schedule": tally.schedule or None, "counts": counts, "reasons": reasons}


def _finding_json(one: Finding) -> dict[str, Any]:
    found = {
        "schedule": one.schedule or None,
        "at": format_instant(one.at),
        "count": one.number,
        "why": one.why,
        "partition": one.partition if one.partition >= 0 else None,
        "sequence": one.sequence if one.sequence >= 0 else None,
        "because": one.excuse or None,
    }
    return {name: value for name, value in found.items() if value is not None}


def _by_name(tally: Tally) -> str:
    return tally.schedule


def _by_time(finding: Finding) -> tuple[int, str]:
    return finding.at, finding.schedule
