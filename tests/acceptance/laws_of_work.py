"""
Is what became of work that somebody reports about as it was promised?

The part of a history that is about such work, and what has to hold for it: runs begin, wait and end
by their rules, orders are obeyed, each beginning wrote one record, each command has its reply, and
what a fresh processor restores of subjects is what the ledger says. Most of these laws are those of
the simulation; how plain occurrences are judged is calling.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from horae.auditing import audit
from horae.past import Past
from schemas.events import (
    BackfillEnded,
    BackfillStarted,
    Event,
    Fired,
    GlobalChanged,
    Outcome,
    Reason,
    RunCancelling,
    RunEnded,
    RunNoted,
    RunQueued,
    RunRetries,
    RunStarted,
    Skipped,
    SubjectHeld,
    SubjectRemoved,
)
from schemas.run_events import RunStatus
from streams.account.classing import Span
from streams.decider.subject import NOBODY, Subject
from tests.acceptance.history import History
from tests.simulation.laws import each_command_got_one_reply, folded_subjects
from tests.simulation.laws_of_orders import orders_are_obeyed
from tests.simulation.laws_of_runs import runs_keep_their_rules

SECOND = 1_000_000


def part_of(history: History, wanted: Callable[[str], bool]) -> History:
    """The same, as if there had only been these schedules."""
    asked = {place: one for place, one in history.asked.items() if wanted(one.schedule)}
    others = {
        (place[0], one.id) for place, one in history.asked.items() if not wanted(one.schedule)
    }
    kept = {
        number: [
            (offset, one)
            for offset, one in zip(history.offsets[number], records, strict=True)
            if isinstance(one.event, GlobalChanged) or wanted(one.event.schedule)
        ]
        for number, records in history.ledger.items()
    }
    return replace(
        history,
        asked=asked,
        ledger={number: [one for _, one in records] for number, records in kept.items()},
        offsets={number: [offset for offset, _ in records] for number, records in kept.items()},
        replies=[one for one in history.replies if (one.place[0], one.id) not in others],
        emitted=[
            one
            for one in history.emitted
            if wanted((one.headers.get("horae-schedule") or b"").decode())
        ],
        rows={name: one for name, one in history.rows.items() if wanted(name)},
    )


def work_keeps_its_rules(work: History) -> Iterator[str]:
    """Whatever is wrong with runs, orders or replies."""
    expected = folded_subjects(work)
    held = {name for name, one in expected.items() if one.held}
    yield from runs_keep_their_rules(work, held, cap=0)
    yield from orders_are_obeyed(work)
    yield from each_command_got_one_reply(work)
    yield from _ends_stay(work)


def _ends_stay(work: History) -> Iterator[str]:
    """Nothing but a word that was not heard is said of a run that is over."""
    over: set[str] = set()
    for event in events_of(work):
        run = getattr(event, "run", None)
        late = isinstance(event, RunNoted) and event.ignored is not None
        if run in over and not late:
            yield f"after its end: {event}"
        if isinstance(event, RunEnded):
            over.add(event.run)


def subjects_agree(work: History, found: Mapping[str, Subject]) -> Iterator[str]:
    """What a processor has restored of subjects is what the ledger says."""
    expected = folded_subjects(work)
    for name in sorted(expected.keys() | found.keys()):
        one, other = expected.get(name, NOBODY), found.get(name, NOBODY)
        if one != other:
            yield f"{name} was restored as {other}, the ledger says {one}"


def everything_is_explained(bootstrap: str, begin: int, horizon: int) -> Iterator[str]:
    """An audit of all schedules up to then finds nothing that it cannot explain."""
    with Past(bootstrap) as past:
        found = audit(past, Span(begin, horizon, horizon), lambda _: True)
    yield from (f"{one}" for one in found.findings)
    if found.unexplained != sum(not one.excuse for one in found.findings):
        yield f"{found.unexplained} unexplained, but {len(found.findings)} findings"


def events_of(history: History) -> Iterator[Event]:
    """All events, each partition's in their order."""
    for records in history.ledger.values():
        for one in records:
            yield one.event


def what_happened(work: History) -> Counter[str]:
    """How often things happened that must not be missing in a torture."""
    found: Counter[str] = Counter()
    for event in events_of(work):
        found[_named(event)] += 1
        if isinstance(event, Fired):
            found["waiting"] += any(one.outcome is Outcome.WAITING for one in event.scopes)
            found["run once more"] += "+" in (event.origin or "")
    return found


def _named(event: Event) -> str:
    match event:
        case RunEnded(status=RunStatus.DROPPED, reason=reason):
            return f"dropped: {reason}"
        case RunEnded(status=status):
            return f"ended: {status}"
        case RunNoted(ignored=str()):
            return "not heard"
        case Skipped(reason=Reason() as reason):
            return f"skipped: {reason}"
        case _:
            return type(event).__name__


EXPECTED = (
    *(RunQueued, RunStarted, RunRetries, RunCancelling, SubjectHeld, SubjectRemoved),
    *(BackfillStarted, BackfillEnded),
)
NOT_MISSING = (
    *(one.__name__ for one in EXPECTED),
    *("not heard", "run once more", "ended: success", "ended: failed", "ended: interrupted"),
    *("skipped: requested", "skipped: overlap"),
)
"""What happens in any torture, however short."""
