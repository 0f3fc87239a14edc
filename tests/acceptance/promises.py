"""
Is what the logs hold what was promised?

Each function looks at one promise and returns what is wrong, in words; nothing wrong is an empty
list. Which occurrences there are is calling.py; the views are views.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from schemas.codec import decode_as
from schemas.commands import Asked, Trigger
from schemas.events import (
    CommandRefused,
    CommandUnchanged,
    Event,
    Fired,
    ScheduleChanged,
    ScheduleDefined,
    SchedulePaused,
    ScheduleRemoved,
    ScheduleResumed,
)
from schemas.instants import format_instant
from schemas.replies import Reply, Verdict
from schemas.snapshot import Owner
from streams.processor.emitting import OURS
from streams.processor.intake import FORWARDED
from streams.processor.replay import replay_partition
from tests.acceptance.calling import Book, Emission
from tests.acceptance.history import Answered, History, Place
from tests.processor.found import Found

Outcomes = dict[Place, list[Event]]

IN_EVERY = OURS - {"horae-scope", "horae-components", "horae-attempt"}
"""Headers of each record that is emitted; the others are of scopes and of tracked work."""

OUTCOMES = (
    *(ScheduleDefined, ScheduleChanged, ScheduleRemoved, SchedulePaused, ScheduleResumed),
    *(CommandRefused, CommandUnchanged),
)


def each_fire_wrote_one_record(history: History, book: Book) -> Iterator[str]:
    """A record in its target for each fire, and no other."""
    found: dict[bytes | None, list[Found]] = defaultdict(list)
    for one in history.emitted:
        found[one.headers.get("horae-occurrence")].append(one)
    for occurrence, emission in book.emissions.items():
        records = found.pop(occurrence, [])
        if len(records) != 1:
            yield f"{occurrence!r} is {len(records)} times in the target topics"
        for record in records:
            fault = _difference(record, emission)
            if fault:
                yield f"{occurrence!r}: {fault}"
    for left, records in found.items():
        yield f"{left!r} was written {len(records)} times and is no fire of the ledger"


def _difference(record: Found, emission: Emission) -> str | None:
    action, event = emission.action, emission.event
    said = (record.topic, record.key, record.value)
    if said != (action.topic, action.key, action.value):
        return f"{said} was written, the definition says {action}"
    expected = dict(one for one in action.headers if one[0] not in OURS)
    expected |= {
        "horae-schedule": emission.schedule.encode(),
        "horae-nominal": format_instant(event.nominal).encode(),
        "horae-run": event.scopes[0].run.encode(),
        "horae-fired-at": format_instant(emission.decided_at).encode(),
    }
    found = {name: record.headers.get(name) for name in expected}
    if found != expected or not record.headers.keys() >= IN_EVERY:
        return f"headers are {record.headers}, expected {expected}"
    return None


def each_command_has_one_outcome(history: History, outcomes: Outcomes) -> Iterator[str]:
    """One event that says what became of it; a copy of an answered one has none."""
    first: dict[str, Asked] = {}
    for place, asked in sorted(history.asked.items()):
        found = outcomes.get(place, [])
        known = first.setdefault(asked.once, asked) if asked.once else asked
        copy = known is not asked and known.digest == asked.digest
        if len(found) != (0 if copy else 1):
            yield f"{asked} has {len(found)} outcomes: {found}"
        if known is not asked and not copy:
            refused = [one.field for one in found if isinstance(one, CommandRefused)]
            if refused != ["id"]:
                yield f"{asked}: an id used with two payloads was not refused: {found}"
    for place in outcomes.keys() - history.asked.keys():
        yield f"{outcomes[place]} at {place} is the outcome of no command"


def outcomes_of(history: History) -> Outcomes:
    """What the ledger says became of each command, by its place."""
    found: Outcomes = defaultdict(list)
    for number, records in history.ledger.items():
        for one in records:
            by_hand = isinstance(one.event, Fired) and one.event.origin is not None
            if one.stamp.offset is not None and (by_hand or isinstance(one.event, OUTCOMES)):
                found[number, one.stamp.offset].append(one.event)
    return found


def each_command_got_one_reply(history: History, outcomes: Outcomes) -> Iterator[str]:
    """Replies in the order of the commands; a copy gets the very answer of the first."""
    replies: dict[tuple[int, str], list[Answered]] = defaultdict(list)
    for answer in sorted(history.replies, key=lambda one: one.place):
        replies[answer.place[0], answer.id].append(answer)
    asked_by_id: dict[tuple[int, str], list[Asked]] = defaultdict(list)
    for place, asked in sorted(history.asked.items()):
        asked_by_id[place[0], asked.id].append(asked)
    for name, copies in asked_by_id.items():
        answers = replies.pop(name, [])
        expected = [_answered_as(one, copies).offset for one in copies]
        offsets = [one.reply.offset for one in answers]
        if offsets != expected:
            yield f"{copies[0]} and its copies: replies {offsets}, expected {expected}"
        if len({one.value for one in answers}) != len(set(offsets)):
            yield f"{copies[0]}: a copy got another answer: {answers}"
        for one in answers:
            yield from _contradiction(one, outcomes.get((name[0], one.reply.offset), []))
    for name, answers in replies.items():
        yield f"{name} was answered {len(answers)} times and never asked"


def _answered_as(asked: Asked, copies: list[Asked]) -> Asked:
    """The first one under a one-shot's id, if it is the same; another payload is a conflict."""
    first = next(one for one in copies if one.once == asked.once)
    return first if asked.once is not None and first.digest == asked.digest else asked


def _contradiction(answered: Answered, events: list[Event]) -> Iterator[str]:
    verdicts: dict[type[Event], Verdict] = {
        CommandRefused: Verdict.REFUSED,
        CommandUnchanged: Verdict.UNCHANGED,
    }
    expected = [verdicts.get(type(event), Verdict.ACCEPTED) for event in events]
    if answered.reply.verdict not in expected:
        yield f"{answered.reply} contradicts {events}"


def what_was_heard_is_in_the_log(history: History, heard: dict[str, list[Reply]]) -> Iterator[str]:
    """A client was told nothing that was not committed."""
    written: dict[str, list[Reply]] = defaultdict(list)
    for one in history.replies:
        written[one.id].append(one.reply)
    for id_, told in heard.items():
        for reply in told:
            if reply not in written[id_]:
                yield f"{id_}: the client heard {reply}, which is not in the log"


def each_trigger_fired_once(history: History) -> Iterator[str]:
    """An accepted trigger is one fire."""
    fires: dict[Place, int] = defaultdict(int)
    for number, records in history.ledger.items():
        for one in records:
            if isinstance(one.event, Fired) and one.event.origin is not None:
                fires[number, one.stamp.offset if one.stamp.offset is not None else -1] += 1
    accepted = {
        (one.place[0], one.reply.offset)
        for one in history.replies
        if one.reply.command == "trigger" and one.reply.verdict is Verdict.ACCEPTED
    }
    for place in accepted | fires.keys():
        asked = history.asked.get(place)
        if fires.get(place) != 1 or place not in accepted or not asked:
            yield f"the trigger at {place} fired {fires.get(place, 0)} times: {asked}"
        elif not isinstance(asked.command, Trigger):
            yield f"{asked} is no trigger and fired by hand"


def each_stray_was_forwarded_once(history: History) -> Iterator[str]:
    """A record in a foreign partition has one copy at home, and a copy has its original."""
    copies: dict[str, int] = defaultdict(int)
    for number, offset in history.asked:
        headers = dict(history.inbox[number][offset].headers)
        if FORWARDED in headers:
            copies[(headers[FORWARDED] or b"").decode()] += 1
    for number, offset in history.misplaced:
        many = copies.pop(f"{number}.{offset}", 0)
        if many != 1:
            yield f"the stray at {number}.{offset} has {many} copies"
    for origin, many in copies.items():
        yield f"{many} copies of {origin}, which is no stray"


def no_number_is_missing(history: History) -> Iterator[str]:
    """Every partition counts its events from 0 without a gap."""
    for number, records in history.ledger.items():
        found = [one.stamp.sequence for one in records]
        if found != list(range(len(found))):
            at = next((n for n, one in enumerate(found) if n != one), len(found))
            yield f"partition {number}: the event after {at} others has the number {found[at:][:1]}"


def owners_never_went_back(history: History, committed: dict[int, int]) -> Iterator[str]:
    """Whoever owned a partition went on where the last one stopped."""
    last: dict[int, Owner] = {}
    for one in sorted(history.state, key=lambda one: (one.partition, one.offset)):
        if not (one.key or b"").startswith(b"o|"):
            continue
        owner, before = decode_as(one.value or b"", Owner), last.get(one.partition)
        last[one.partition] = owner
        if before is not None and (
            owner.next_offset < before.next_offset or owner.next_sequence < before.next_sequence
        ):
            yield f"partition {one.partition}: {owner} follows {before}"
    for number, owner in last.items():
        if owner.next_sequence != len(history.ledger[number]):
            yield f"partition {number}: {owner}, and {len(history.ledger[number])} events"
        if committed.get(number) != owner.next_offset:
            yield f"partition {number}: {owner}, and the group at {committed.get(number)}"
        left = [offset for offset in history.inbox[number] if offset >= owner.next_offset]
        if left:
            yield f"partition {number}: commands {left[:5]} were never decided"


def deciding_again_gives_the_same(history: History) -> Iterator[str]:
    """The recorded causes lead to the recorded events, to the byte."""
    for number, records in history.ledger.items():
        for found in replay_partition(
            records, history.inbox[number], history.told, history.partitions
        ):
            yield f"partition {number}, {found.cause}: {found.fault}"


def first(faults: Iterable[str], most: int = 5) -> list[str]:
    """The first few of many."""
    found = list(faults)
    return found[:most] + ([f"… and {len(found) - most} more"] if len(found) > most else [])
