"""
What do the policies of a schedule mean, told in plain English?

Only what differs from a schedule without any, and what becomes of work that goes on: what a preset
or a default has filled in is told too, since the definition as it is written does not show it.
"""

from __future__ import annotations

from collections.abc import Iterator

from schemas.definition import CatchUp, CatchUpMode, Definition
from schemas.policies import ALONE, Across, Full, Manual, Overlap, OverlapMode, Preset, Scope
from streams.calendar.explain import duration_text

_SHOWN = 5
"""Targets that are named; of more there is only the number."""
_STILL_RUNS = {
    CatchUpMode.LATEST: "the latest of what was due still runs",
    CatchUpMode.NONE: "nothing of what was due still runs",
    CatchUpMode.ALL: "all that was due still runs",
}


def policy_words(definition: Definition) -> str:
    """The policies that are not as usual, apart by semicolons; empty if all are."""
    return "; ".join(
        (
            *_of_preset(definition.preset),
            *_of_overlap(definition),
            *_of_runs(definition),
            *_of_targets(definition.scopes),
            *_of_fires(definition),
            *_of_catch_up(definition.catch_up),
        )
    )


def _of_preset(preset: Preset) -> Iterator[str]:
    if preset is not Preset.NONE:
        yield f"preset {preset.value}"


def _of_overlap(definition: Definition) -> Iterator[str]:
    overlap = definition.overlap
    # An emit that nobody reports about never meets an earlier run.
    if overlap == ALONE and definition.action.tracked is None:
        return
    whose = "of the subject" if overlap.across is Across.SUBJECT else "of its target"
    yield _mode_words(overlap, f"an earlier run {whose}")
    if overlap.full is Full.OLDEST:
        yield "a full queue drops its oldest"
    if overlap.supersedes:
        yield "what is due closes what still waits"


def _mode_words(overlap: Overlap, earlier: str) -> str:
    wait = duration_text(overlap.max_wait)
    match overlap.mode:
        case OverlapMode.ALLOW:
            most = "" if overlap.limit is None else f", {overlap.limit:,} at once at most"
            return f"starts beside {earlier}{most}"
        case OverlapMode.QUEUE:
            return f"up to {overlap.limit or 5:,} wait for {earlier}, {wait} at most"
        case OverlapMode.LATEST:
            return f"the newest waits for {earlier}, {wait} at most"
        case OverlapMode.REPLACE:
            return f"{earlier} is stopped first"
        case _:
            return f"left out beside {earlier}"


def _of_runs(definition: Definition) -> Iterator[str]:
    tracked, retry = definition.action.tracked, definition.retry
    if tracked is not None:
        from_whom = "a report" if definition.action.work is None else "a word of its runner"
        yield f"interrupted after {duration_text(tracked.lease)} without {from_whom}"
    if definition.action.work is not None:
        yield f"given up if no runner begins it within {duration_text(definition.start_within)}"
    if retry.most:
        attempts = "further attempt" if retry.most == 1 else "further attempts"
        yield f"{retry.most:,} {attempts}, the first after {duration_text(retry.backoff)}"
    if definition.timeout is not None:
        yield f"an attempt takes {duration_text(definition.timeout)} at most"
    if definition.pause_on_failure:
        times = definition.pause_on_failure
        yield (
            "paused after a failure" if times == 1 else f"paused after {times:,} failures in a row"
        )


def _of_targets(scopes: tuple[Scope, ...] | None) -> Iterator[str]:
    if scopes is None:
        return
    if not scopes:
        yield "no target is left"
    elif len(scopes) > _SHOWN:
        yield f"{len(scopes):,} targets"
    else:
        yield f"for {', '.join(map(_target_words, scopes))}"


def _target_words(scope: Scope) -> str:
    some = scope.filter
    if some is None:
        return scope.target
    return f"{scope.target} ({len(some.values):,} {some.kind.value})"


def _of_fires(definition: Definition) -> Iterator[str]:
    if definition.gate is not None:
        quiet, wait = definition.gate.quiet, definition.gate.max_wait
        yield (
            f"only after {duration_text(quiet)} without a request, "
            f"for which it waits {duration_text(wait)} at most"
        )
    if definition.hold_on_failure:
        yield "a failure holds the sleep and wake of the subject until somebody releases it"
    if definition.manual is Manual.IGNORE:
        yield "a fire by hand asks about no other run"


def _of_catch_up(catch_up: CatchUp) -> Iterator[str]:
    if catch_up.on_resume is not CatchUpMode.NONE:
        yield f"after a pause {_STILL_RUNS[catch_up.on_resume]}"
    if catch_up.on_lifted is not None:
        yield f"after a hold {_STILL_RUNS[catch_up.on_lifted]}"
