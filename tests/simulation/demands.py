"""
What may be asked for about work that somebody reports about?

Made-up policies for definitions, and orders beside them: skips, backfills, scopes, holds and
removals of subjects, activities, reports about runs. One table of orders; a new one is one line.
Everything is drawn from the Random of the act.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from schemas.actions import Program
from schemas.commands import (
    Backfill,
    CancelBackfill,
    CancelRun,
    Command,
    Define,
    EditScopes,
    HoldSubject,
    ReleaseSubject,
    RemoveSubject,
    RemoveTarget,
    ReportActivity,
    ReportRun,
    ReportStatus,
    Resume,
    ScopeEdit,
    Skip,
    Trigger,
    Unskip,
)
from schemas.definition import Basis, CatchUpMode, Definition, Interval, offering
from schemas.policies import (
    Across,
    Full,
    Gate,
    Manual,
    Overlap,
    OverlapMode,
    Retry,
    Scope,
    Tracking,
)

SECOND = 1_000_000
MINUTE = 60 * SECOND
RACKS = ("rack-a", "rack-b", "rack-c")
MODES = (None, None, *OverlapMode)
"""Of one fire by hand, or of a backfill."""

Order = Callable[[Random, str, int], Command]
"""Draws an order about a schedule, or a subject, as of now."""


def with_policies(rng: Random, plain: Definition) -> Definition:
    """The definition with some policies, more often than not with work that is reported about."""
    catch_up = replace(
        plain.catch_up,
        on_resume=rng.choice((CatchUpMode.NONE, *CatchUpMode)),
        on_lifted=rng.choice((None, None, *CatchUpMode)),
    )
    found = replace(plain, catch_up=catch_up, scopes=rng.choice((None, None, _scopes(rng))))
    if rng.random() < 0.1:
        found = replace(found, gate=Gate(5 * SECOND, 20 * SECOND, 3 * SECOND, 30 * SECOND))
    if rng.random() < 0.2:
        return found
    lease = rng.choice((5, 20, 3_600)) * SECOND
    found = replace(
        found,
        action=replace(found.action, tracked=Tracking(lease)),
        overlap=_overlap(rng),
        manual=rng.choice((Manual.OBEY, Manual.OBEY, Manual.IGNORE)),
        retry=rng.choice((Retry(), Retry(), Retry(2, 2 * SECOND, 3 * SECOND))),
        timeout=rng.choice((None, None, 10 * SECOND)),
        pause_on_failure=rng.choice((0, 0, 1, 3)),
    )
    first = found.timings[0]
    if isinstance(first, Interval) and first.micros and len(found.timings) == 1:
        after_end = rng.random() < 0.4 and found.exclude is None and found.start_at is None
        if after_end:
            ends = Interval(micros=first.micros, basis=Basis.AFTER_END)
            found = replace(found, timings=(ends,))
    return found


def _overlap(rng: Random) -> Overlap:
    """A rule whose limits go with its mode."""
    mode = rng.choice(list(OverlapMode))
    across = rng.choice((Across.SCOPE, Across.SCOPE, Across.SUBJECT))
    limit, max_wait = rng.choice((None, 1, 2)), rng.choice((10 * SECOND, MINUTE, 60 * MINUTE))
    full, supersedes = rng.choice(list(Full)), rng.random() < 0.2
    rule = Overlap(mode, across=across, supersedes=supersedes)
    match mode:
        case OverlapMode.ALLOW:
            return replace(rule, limit=limit)
        case OverlapMode.QUEUE:
            return replace(rule, limit=limit, max_wait=max_wait, full=full)
        case OverlapMode.LATEST:
            return replace(rule, max_wait=max_wait)
        case _:
            return rule


def _scopes(rng: Random) -> tuple[Scope, ...]:
    return tuple(Scope(name) for name in rng.sample(RACKS, rng.randint(1, 3)))


def policed(rng: Random, command: Command) -> Command:
    """A wish of the plain kind, with policies where it may have some."""
    match command:
        case Define(definition):
            return replace(command, definition=with_policies(rng, definition))
        case Resume():
            return replace(command, catch_up=rng.choice((None, *CatchUpMode)))
        case Trigger():
            return replace(command, force=rng.random() < 0.2, overlap=rng.choice(MODES))
        case _:
            return command


def for_runners(rng: Random, command: Command) -> Command:
    """Let runners do most of what is reported about."""
    if not isinstance(command, Define) or command.definition.action.tracked is None:
        return command
    if rng.random() < 0.2:
        return command
    within = rng.choice((20 * SECOND, MINUTE, 60 * MINUTE))
    work = offering(Program(("true",)))
    return replace(
        command, definition=replace(command.definition, action=work, start_within=within)
    )


# ---------------------------------------------------------------------- about one schedule


def skip(rng: Random, _name: str, now: int) -> Command:
    """The next few, or one instant that may be one."""
    if rng.random() < 0.6:
        return Skip(count=rng.randint(1, 3), reason="skip")
    return Skip(instant=now // MINUTE * MINUTE + rng.randint(1, 3) * MINUTE, reason="skip")


def unskip(rng: Random, _name: str, now: int) -> Command:
    return Unskip(rng.choice((None, now // MINUTE * MINUTE + MINUTE)))


def backfill(rng: Random, _name: str, now: int) -> Command:
    last = now - rng.randint(0, 60) * SECOND
    return Backfill(
        first=last - rng.randint(10, 200) * SECOND,
        last=last,
        newest_first=rng.random() < 0.5,
        most=rng.choice((2, 5, 1_000)),
        overlap=rng.choice(MODES),
        dry_run=rng.random() < 0.1,
    )


def edit_scopes(rng: Random, _name: str, _now: int) -> Command:
    return EditScopes(rng.choice(list(ScopeEdit)), _scopes(rng))


def cancel_backfill(rng: Random, _name: str, _now: int) -> Command:
    return CancelBackfill(f"sim-more-{rng.randint(1, 12)}")


# ---------------------------------------------------------------------- about a subject


def hold(rng: Random, _name: str, now: int) -> Command:
    until = rng.choice((None, now + rng.randint(1, 60) * SECOND))
    return HoldSubject("wait", until, actions_only=rng.random() < 0.1)


def release(_rng: Random, _name: str, _now: int) -> Command:
    return ReleaseSubject("go on")


def remove(rng: Random, _name: str, _now: int) -> Command:
    return RemoveSubject("gone", cancel=rng.random() < 0.5)


def remove_target(rng: Random, _name: str, _now: int) -> Command:
    return RemoveTarget(rng.choice(RACKS))


def activity(rng: Random, _name: str, now: int) -> Command:
    busy = rng.choice((0, 0, 0, 2))
    return ReportActivity(busy, 0, now, rng.choice((None, now - rng.randint(0, 20) * SECOND)))


def report(rng: Random, run: str, attempt: int | None) -> Command:
    """What a runner says of a run; now and then of another attempt than the present one."""
    status = rng.choice((*ReportStatus, *[ReportStatus.SUCCESS] * 4, *[ReportStatus.FAILED] * 2))
    said = rng.choice((attempt, attempt, None, 1))
    return CancelRun(run, "stop") if rng.random() < 0.12 else ReportRun(run, status, said)


OF_SCHEDULES: dict[str, tuple[int, Order]] = {
    "skip": (3, skip),
    "unskip": (1, unskip),
    "backfill": (3, backfill),
    "cancel backfill": (1, cancel_backfill),
    "edit scopes": (2, edit_scopes),
}
OF_SUBJECTS: dict[str, tuple[int, Order]] = {
    "hold": (3, hold),
    "release": (4, release),
    "remove": (1, remove),
    "remove target": (1, remove_target),
    "activity": (4, activity),
}
"""How often each comes, and what draws it."""


def drawn(rng: Random, table: dict[str, tuple[int, Order]], name: str, now: int) -> Command:
    """One of the orders of a table."""
    [order] = rng.choices(
        [one for _, one in table.values()], [often for often, _ in table.values()]
    )
    return order(rng, name, now)
