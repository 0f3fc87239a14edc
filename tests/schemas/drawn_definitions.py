"""
Which definitions are there at all?

A strategy of hypothesis for what the doors let through: with every field, and for each preset some
values as it has them and some not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from schemas.actions import Act
from schemas.definition import (
    DAY,
    HOUR,
    Basis,
    CatchUp,
    CatchUpMode,
    Cron,
    Definition,
    Dialect,
    Dst,
    Emit,
    Exclude,
    Hours,
    Interval,
    Once,
    OnExcluded,
    Weekly,
    Window,
    offering,
)
from schemas.identity import forbidden_in
from schemas.instants import FIRST, LAST
from schemas.limits import MAX_CAUGHT_UP, MAX_GRACE
from schemas.policies import (
    ALONE,
    NO_RETRY,
    Across,
    Filter,
    FilterKind,
    Full,
    Gate,
    Manual,
    Overlap,
    OverlapMode,
    Preset,
    Retry,
    Scope,
    Tracking,
)
from schemas.policy_limits import LONGEST, MAX_BESIDE, MAX_FAILURES, MAX_RETRIES, SHORTEST
from schemas.presets import defaults_for
from schemas.time_limits import MAX_FIRES, MAX_JITTER, MAX_SPREAD, MAX_WAIT
from schemas.wall_times import FIRST_DATE, LAST_DATE, looks_like_date
from tests.schemas.drawn_works import works


def _fitting(overlap: Overlap) -> Overlap:
    """Without a limit, or a wait, where its mode has none."""
    waits = overlap.mode in (OverlapMode.QUEUE, OverlapMode.LATEST)
    limited = overlap.mode in (OverlapMode.QUEUE, OverlapMode.ALLOW)
    return replace(
        overlap,
        limit=overlap.limit if limited else None,
        max_wait=overlap.max_wait if waits else ALONE.max_wait,
        full=overlap.full if overlap.mode is OverlapMode.QUEUE else ALONE.full,
    )


def _possible(found: Definition) -> Definition:
    """Without what needs runners, or runs that stay open, if it has none."""
    if found.action.work is None:
        found = replace(found, start_within=HOUR)
    if not isinstance(found.action.work, Act):
        found = replace(found, hold_on_failure=False)
    else:
        found = replace(found, scopes=None)
    if found.action.tracked is not None:
        return found
    found = replace(found, overlap=ALONE, retry=NO_RETRY, timeout=None, pause_on_failure=0)
    if any(isinstance(each, Interval) and each.basis is Basis.AFTER_END for each in found.timings):
        return replace(found, timings=(Once(0),))
    return found


_texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=9)
_filled = _texts.filter(str.strip)
_elapsed = st.integers(0, 9000 * 365 * DAY)
_instants = st.integers(FIRST, LAST)
_steps = st.tuples(st.integers(0, 99), st.integers(0, 99), st.integers(0, 99 * DAY)).filter(any)
_days = st.integers(1, 127)
_seconds = st.integers(0, 86_399)
_timings = st.one_of(
    st.builds(Cron, _filled, st.sampled_from(Dialect)),
    st.builds(
        lambda step, anchor: Interval(step[0], step[1], step[2], anchor),
        _steps,
        st.none() | _instants,
    ),
    st.builds(lambda at: Once(at // 1000 * 1000), _instants),
    st.builds(Weekly, _days, _seconds),
)
_bases = st.sampled_from([Basis.AFTER_FIRE, Basis.AFTER_END])
_counted = st.builds(
    lambda step, basis: (Interval(step[0], step[1], step[2], basis=basis),), _steps, _bases
)
_names = _filled.filter(
    lambda name: (
        name == name.strip()
        and name.isprintable()
        and "/" not in name
        and not looks_like_date(name)
    )
)
_excludes = st.builds(
    Exclude,
    calendars=st.lists(_names, max_size=3).map(tuple),
    dates=st.lists(st.integers(FIRST_DATE, LAST_DATE), max_size=3).map(tuple),
    on_excluded=st.sampled_from(OnExcluded),
).filter(lambda exclude: exclude.calendars or exclude.dates)
_hours = st.builds(Hours, _seconds, st.integers(0, 86_400), _days).filter(
    lambda hours: hours.opens != hours.closes
)
_windows = st.builds(
    Window,
    hours=st.lists(_hours, min_size=1, max_size=3).map(tuple),
    spread=st.integers(0, MAX_SPREAD),
    max_wait=st.integers(1, MAX_WAIT),
)
_values = st.none() | st.binary(max_size=9) | _texts.map(str.encode)
_spans = st.integers(SHORTEST, LONGEST)
_overlaps = st.builds(
    Overlap,
    mode=st.sampled_from(OverlapMode),
    limit=st.none() | st.integers(1, MAX_BESIDE),
    max_wait=_spans,
    across=st.sampled_from(Across),
    supersedes=st.booleans(),
    full=st.sampled_from(Full),
).map(_fitting)
_retries = st.builds(
    lambda most, spans: Retry(most, min(spans), max(spans)),
    st.integers(0, MAX_RETRIES),
    st.tuples(_spans, _spans),
)
_targets = _filled.filter(lambda name: forbidden_in(name) is None)
_filters = st.builds(
    Filter,
    kind=st.just(FilterKind.IDS),
    values=st.lists(_filled, min_size=1, max_size=3, unique=True).map(tuple),
) | st.builds(
    Filter,
    kind=st.just(FilterKind.TYPES),
    values=st.lists(_filled, min_size=1, max_size=3).map(tuple),
)
_scopes = st.lists(
    st.builds(Scope, target=_targets, filter=st.none() | _filters),
    max_size=3,
    unique_by=lambda scope: scope.target,
).map(tuple)
_emits = st.builds(
    Emit,
    topic=st.from_regex(r"[A-Za-z0-9_-]{1,20}", fullmatch=True),
    key=_values,
    value=_values,
    headers=st.lists(st.tuples(_filled, _values), max_size=3).map(tuple),
    tracked=st.none() | st.builds(Tracking, lease=_spans),
)
_gates = st.builds(Gate, quiet=_spans, fresh=_spans, look=_spans, max_wait=_spans)
_any = st.builds(
    Definition,
    timings=st.lists(_timings, min_size=1, max_size=3).map(tuple) | _counted,
    action=_emits | works.map(offering),
    zone=_filled,
    dst=st.sampled_from(Dst),
    start_at=st.none() | _instants,
    end_at=st.none() | _instants,
    catch_up=st.builds(
        CatchUp,
        mode=st.sampled_from(CatchUpMode),
        lookback=st.none() | _elapsed,
        grace=st.integers(0, MAX_GRACE),
        limit=st.integers(1, MAX_CAUGHT_UP),
        on_resume=st.sampled_from(CatchUpMode),
        on_lifted=st.none() | st.sampled_from(CatchUpMode),
    ),
    description=_texts,
    exclude=st.none() | _excludes,
    window=st.none() | _windows,
    jitter=st.integers(0, MAX_JITTER),
    max_fires=st.none() | st.integers(1, MAX_FIRES),
    overlap=_overlaps,
    retry=_retries,
    timeout=st.none() | _spans,
    pause_on_failure=st.integers(0, MAX_FAILURES),
    scopes=st.none() | _scopes,
    gate=st.none() | _gates,
    manual=st.sampled_from(Manual),
    preset=st.sampled_from(Preset),
    start_within=_spans,
    hold_on_failure=st.booleans(),
)


@st.composite
def _sometimes_as_its_preset(draw: st.DrawFn) -> Definition:
    """Each value of a preset for itself as the preset has it, or not."""
    found = draw(_any)
    usual = defaults_for(found.preset, found.action.work)
    parts: dict[str, Any] = {
        "catch_up": usual.catch_up,
        "dst": usual.dst,
        "overlap": usual.overlap,
        "gate": usual.gate,
        "manual": usual.manual,
        "start_within": usual.start_within,
        "hold_on_failure": usual.hold_on_failure,
    }
    if found.action.work is None:
        parts["action"] = replace(found.action, tracked=usual.tracked)
    kept = draw(st.sets(st.sampled_from(sorted(parts))))
    return _possible(replace(found, **{name: parts[name] for name in kept}))


definitions = _sometimes_as_its_preset()
