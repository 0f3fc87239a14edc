"""
Is one partition of the ledger whole, and what became of the schedules in it?

Takes the partition's events in their order and hands each to its schedule's account (life.py).
Remembers a state for each schedule and no events, so that a ledger of any length can be walked. A
ledger that begins late is no fault, and what was decided under other zone data is told as such.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from schemas.events import (
    Event,
    GlobalChanged,
    ScheduleRecomputed,
    Stamp,
    SubjectHeld,
    SubjectReleased,
    SubjectRemoved,
)
from schemas.identity import subject_of
from streams.account.adopting import untouched
from streams.account.classing import Finding, Span, Tally, Verdict
from streams.account.life import Life
from streams.account.remaining import class_rest
from streams.account.worlds import Worlds
from streams.calendar.zones import zone_data_number
from streams.decider.recompute import OTHER_ZONE_DATA, release_cause
from streams.decider.resting import is_action
from streams.decider.state import Plan

MOST_KEPT: Final = 1_000
"""Findings of one partition that are kept; more are counted."""


class Begin(NamedTuple):
    """Where a partition's ledger begins, if not with its first event."""

    partition: int
    at: int
    sequence: int


class Gap(NamedTuple):
    """Sequence numbers that are not there."""

    after: Stamp
    before: Stamp

    @property
    def number(self) -> int:
        """How many."""
        return self.before.sequence - self.after.sequence - 1


@dataclass(slots=True)
class Account:
    """What was found in one partition."""

    partition: int
    tallies: list[Tally]
    findings: list[Finding]
    begin: Begin | None
    events: int
    superseded: int
    """Events that compaction took away, each of which a later one sums up."""


def everything(_schedule: str) -> bool:
    """No schedule is left out."""
    return True


@dataclass(slots=True)
class Walk:
    """One partition on its way."""

    partition: int
    worlds: Worlds
    span: Span
    wanted: Callable[[str], bool] = everything
    rows: Mapping[str, Plan] = field(default_factory=dict)
    """Schedules by the public table, for those whose definition is older than the ledger."""
    lives: dict[str, Life] = field(default_factory=dict)
    _last: Stamp | None = None
    begin: Begin | None = None
    """Where the ledger begins, if its first events are gone."""
    _events: int = 0
    _gaps: list[Gap] = field(default_factory=list)
    _holds: dict[str, SubjectHeld] = field(default_factory=dict)
    """By subject: those over all of it."""
    _action_holds: dict[str, SubjectHeld] = field(default_factory=dict)
    """Those over its actions alone."""
    _zone_data: list[tuple[int, str]] = field(default_factory=list)
    """From which sequence number on which zone data were in use."""
    _findings: list[Finding] = field(default_factory=list)
    _not_kept: int = 0

    def take(self, event: Event, stamp: Stamp) -> None:
        """The partition's following event."""
        self._is_next(stamp)
        self._events += 1
        match event:
            case GlobalChanged():
                return
            case SubjectHeld():
                kept = self._action_holds if event.actions_only else self._holds
                kept[subject_of(event.schedule)] = event
            case SubjectReleased():
                kept = self._action_holds if event.actions_only else self._holds
                kept.pop(subject_of(event.schedule), None)
            case SubjectRemoved():
                self._holds.pop(subject_of(event.schedule), None)
                self._action_holds.pop(subject_of(event.schedule), None)
            case ScheduleRecomputed() if event.cause.startswith(OTHER_ZONE_DATA):
                self._zone_data.append((stamp.sequence, event.cause))
            case _:
                pass
        if not event.schedule.endswith("/") and self.wanted(event.schedule):
            life = self._life(event.schedule)
            life.take(event, stamp, self._hold_over(life))

    @property
    def is_new(self) -> bool:
        """Whether it has taken nothing yet."""
        return self._last is None

    def finish(self) -> Account:
        """Class what is left, and say what was found."""
        self._look_at_untouched()
        for life in self.lives.values():
            class_rest(life, self._hold_over(life))
        superseded = sum(life.superseded for life in self.lives.values())
        for finding in self._lost(superseded):
            self._keep(finding)
        found = [self._judged(one) for one in self._findings]
        tallies = {name: life.tally for name, life in self.lives.items()}
        for one in found:
            verdict = Verdict.UNTOLD if one.excuse else Verdict.UNEXPLAINED
            tallies.setdefault(one.schedule, Tally(one.schedule)).add(verdict, one.number)
        if self._not_kept:
            tallies.setdefault("", Tally("")).add(Verdict.UNEXPLAINED, self._not_kept)
        counted = [tallies[name] for name in sorted(tallies) if tallies[name].counts]
        ordered = sorted(found, key=lambda one: (one.at, one.sequence))
        return Account(
            self.partition, counted, ordered, self.begin, self._events, min(superseded, self._gone)
        )

    @property
    def _gone(self) -> int:
        return sum(gap.number for gap in self._gaps if self._is_old(gap))

    def _hold_over(self, life: Life) -> SubjectHeld | None:
        """The hold of its subject under which a schedule is."""
        subject = subject_of(life.schedule)
        over_all = self._holds.get(subject)
        if over_all is not None or life.state is None:
            return over_all
        is_held = is_action(life.state.plan.definition)
        return self._action_holds.get(subject) if is_held else None

    # ------------------------------------------------------------------ sequence numbers

    def _is_next(self, stamp: Stamp) -> None:
        last, self._last = self._last, stamp
        if last is None:
            if stamp.sequence > 0:
                self.begin = Begin(self.partition, stamp.decided_at, stamp.sequence)
        elif stamp.sequence > last.sequence + 1:
            self._gaps.append(Gap(last, stamp))
        elif stamp.sequence <= last.sequence and self._concerns(last, stamp):
            why = f"sequence {stamp.sequence} follows {last.sequence}"
            self._keep(Finding("", stamp.decided_at, why, 1, self.partition, stamp.sequence))

    def _lost(self, superseded: int) -> Iterator[Finding]:
        """Gaps that compaction cannot have left: too young, or more than is summed up later."""
        excused = self._gone <= superseded
        for gap in self._gaps:
            after, before = gap
            if self._concerns(after, before) and not (excused and self._is_old(gap)):
                numbers = f"sequence {before.sequence} follows {after.sequence}"
                why = f"{numbers}: {gap.number} of its events are not there"
                at = before.decided_at
                yield Finding("", at, why, gap.number, self.partition, before.sequence)

    def _is_old(self, gap: Gap) -> bool:
        return gap.before.decided_at < self.span.now - self.span.kept

    def _concerns(self, before: Stamp, after: Stamp) -> bool:
        return before.decided_at < self.span.end and after.decided_at >= self.span.begin

    # ------------------------------------------------------------------ findings

    def _life(self, schedule: str) -> Life:
        life = self.lives.get(schedule)
        if life is None:
            life = self.lives[schedule] = Life(
                schedule, self.worlds, self.span, self._keep, Tally(schedule),
                is_lost=self.begin is not None, row=self.rows.get(schedule),
            )  # fmt: skip
        return life

    def _look_at_untouched(self) -> None:
        """Schedules whose only events lie before the ledger begins."""
        if self.begin is None:
            return
        for schedule, plan in self.rows.items():
            state = untouched(plan, self.begin.at, self.worlds.newest)
            if schedule not in self.lives and state is not None:
                life = self._life(schedule)
                life.state, life.known = state, self.worlds.newest.globals_offset

    def _keep(self, finding: Finding) -> None:
        if len(self._findings) < MOST_KEPT:
            self._findings.append(finding)
        else:
            self._not_kept += finding.number

    def _judged(self, finding: Finding) -> Finding:
        """The finding, excused if it was decided under other zone data than are installed."""
        if finding.excuse or not finding.schedule or finding.sequence < 0:
            return finding
        return finding._replace(excuse=self._other_zone_data(finding.sequence))

    def _other_zone_data(self, sequence: int) -> str:
        known = [cause for at, cause in self._zone_data if at <= sequence]
        if known:
            installed = release_cause(zone_data_number())
            return "" if known[-1] == installed else f"decided under {known[-1]}"
        if self._zone_data:
            return f"decided before {self._zone_data[0][1]} came into use"
        return ""
