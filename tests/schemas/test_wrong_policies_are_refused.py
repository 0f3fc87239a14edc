"""A policy that could not be meant is refused by its name, in JSON and in Avro alike."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from schemas.codec import decode, encode
from schemas.commands import Define
from schemas.definition import Basis, Cron, Definition, Emit, Interval
from schemas.faults import FieldFault, Unwritable
from schemas.limits import check_definition
from schemas.policies import (
    Filter,
    FilterKind,
    Gate,
    Overlap,
    OverlapMode,
    Retry,
    Scope,
    Tracking,
)
from schemas.policy_limits import check_scopes
from schemas.reading import read_definition
from schemas.units import DAY, HOUR, SECOND

UNTRACKED = {"emit": {"topic": "t"}}
LEASE = {"topic": "t", "tracked": {"lease": "0s"}}
MANY = [f"rack-{i}" for i in range(1_001)]
WRITTEN: dict[str, tuple[dict[str, Any], str, str]] = {
    "overlap of nothing that lasts": (
        {**UNTRACKED, "overlap": "queue"},
        "overlap",
        "needs emit.tracked: an emit that nobody reports about is over at once",
    ),
    "retries of nothing that fails": ({**UNTRACKED, "retry": {"max": 1}}, "retry", "tracked"),
    "a timeout of nothing that lasts": ({**UNTRACKED, "timeout": "1m"}, "timeout", "tracked"),
    "a pause after no failure": (
        {**UNTRACKED, "pause_on_failure": 1},
        "pause_on_failure",
        "needs emit.tracked",
    ),
    "an unknown overlap": (
        {"overlap": "never"},
        "overlap",
        "one of skip, allow, queue, latest, replace, not 'never'",
    ),
    "an overlap as a number": ({"overlap": 1}, "overlap", "not a number"),
    "an unknown mode": ({"overlap": {"mode": "x"}}, "overlap.mode", "one of skip"),
    "a misspelt field": ({"overlap": {"limits": 1}}, "overlap.limits", "mean limit"),
    "a limit of one at a time": (
        {"overlap": {"mode": "skip", "limit": 1}},
        "overlap.limit",
        "only with allow or queue, not skip",
    ),
    "a queue for nobody": ({"overlap": {"mode": "queue", "limit": 0}}, "overlap.limit", "from 1"),
    "a queue without end": (
        {"overlap": {"mode": "queue", "limit": 10_001}},
        "overlap.limit",
        "1 to 10,000, not 10001",
    ),
    "a limit of half": ({"overlap": {"mode": "allow", "limit": 1.5}}, "overlap.limit", "not 1.5"),
    "a wait where none waits": (
        {"overlap": {"mode": "replace", "max_wait": "1m"}},
        "overlap.max_wait",
        "only with queue or latest, not replace",
    ),
    "no wait": ({"overlap": {"mode": "queue", "max_wait": "0s"}}, "overlap.max_wait", "from 1 s"),
    "a wait of months": (
        {"overlap": {"mode": "latest", "max_wait": "57d"}},
        "overlap.max_wait",
        "to 56 days",
    ),
    "an unknown order": ({"overlap": {"full": "last"}}, "overlap.full", "newest, oldest"),
    "room where none waits": (
        {"overlap": {"mode": "latest", "full": "oldest"}},
        "overlap.full",
        "only with queue, not latest",
    ),
    "an unknown reach": ({"overlap": {"across": "all"}}, "overlap.across", "scope, subject"),
    "half a truth": ({"overlap": {"supersedes": 1}}, "overlap.supersedes", "true or false"),
    "retries as a number": ({"retry": 3}, "retry", "an object with max, backoff"),
    "negative retries": ({"retry": {"max": -1}}, "retry.max", "from 0 to 1,000"),
    "retries without end": ({"retry": {"max": 1_001}}, "retry.max", "from 0 to 1,000"),
    "no backoff": ({"retry": {"max": 1, "backoff": "0s"}}, "retry.backoff", "from 1 s"),
    "a negative backoff": ({"retry": {"backoff": "-1s"}}, "retry.backoff", "negative"),
    "a backoff beyond its end": (
        {"retry": {"max": 1, "backoff": "2h"}},
        "retry.backoff",
        "must not be longer than retry.longest",
    ),
    "an end that is none": ({"retry": {"longest": "PT0S"}}, "retry.longest", "from 1 s"),
    "no time at all": ({"timeout": "0s"}, "timeout", "from 1 s to 56 days"),
    "a timeout as a number": ({"timeout": 60}, "timeout", "a duration like 6h"),
    "a timeout of a month": ({"timeout": "P1M"}, "timeout", "month"),
    "negative failures": ({"pause_on_failure": -1}, "pause_on_failure", "from 0 to 1,000"),
    "true failures": ({"pause_on_failure": True}, "pause_on_failure", "not a truth value"),
    "a target alone": ({"scopes": "rack-a"}, "scopes", "a list of targets, not a text"),
    "a target as a number": ({"scopes": [1]}, "scopes[0]", "must be a text"),
    "an empty target (IT-089)": ({"scopes": ["a", ""]}, "scopes[1]", "must not be empty"),
    "a rack without its name (IT-089)": ({"scopes": [{"ids": ["a"]}]}, "scopes[0].target", "miss"),
    "a target with a NUL": ({"scopes": ["a\0"]}, "scopes[0]", "NUL"),
    "a target no key can hold": ({"scopes": ["a#b"]}, "scopes[0]", "'#' is not allowed"),
    "a target that is too long": ({"scopes": ["ä" * 201]}, "scopes[0]", "400 bytes"),
    "one rack twice (IT-089)": ({"scopes": ["a", "b", "a"]}, "scopes[2].target", "'a' is there tw"),
    "more targets than one schedule has": ({"scopes": MANY}, "scopes", "1,000 entries"),
    "racks and components together (IT-089)": (
        {"scopes": [{"target": "a", "types": ["x"], "ids": ["y"]}]},
        "scopes[0].ids",
        "not together with types",
    ),
    "one component twice (IT-089)": (
        {"scopes": [{"target": "a", "ids": ["n1", "n2", "n1"]}]},
        "scopes[0].ids[2]",
        "'n1' is there twice",
    ),
    "an unknown kind of filter (IT-092)": (
        {"scopes": [{"target": "a", "racks": ["x"]}]},
        "scopes[0].racks",
        "there is no such field",
    ),
    "types with a list of ids (IT-092)": (
        {"scopes": [{"target": "a", "types": [{"id": "n1"}]}]},
        "scopes[0].types[0]",
        "must be a text, not an object",
    ),
    "an empty filter (IT-092)": (
        {"scopes": [{"target": "a", "types": []}]},
        "scopes[0].types",
        "at least one entry",
    ),
    "a filter of null (IT-092)": (
        {"scopes": [{"target": "a", "ids": None}]},
        "scopes[0].ids",
        "at least one entry, not null",
    ),
    "an empty type": ({"scopes": [{"target": "a", "types": [" "]}]}, "scopes[0].types[0]", "empty"),
    "a type that is too long": (
        {"scopes": [{"target": "a", "types": ["x" * 401]}]},
        "scopes[0].types[0]",
        "400 bytes",
    ),
    "more types than there are": (
        {"scopes": [{"target": "a", "types": ["x"] * 1_001}]},
        "scopes[0].types",
        "1,000 entries",
    ),
    "an unknown gate": ({"gate": "open"}, "gate", "\"quiet\", an object or null, not 'open'"),
    "a quiet of no time": ({"gate": {"quiet": "0s"}}, "gate.quiet", "from 1 s"),
    "a sample of no age": ({"gate": {"fresh": "0s"}}, "gate.fresh", "from 1 s"),
    "a look without end": ({"gate": {"look": "0s"}}, "gate.look", "from 1 s"),
    "a gate for months": ({"gate": {"max_wait": "57d"}}, "gate.max_wait", "to 56 days"),
    "an unknown hand": ({"manual": "force"}, "manual", "obey, ignore"),
    "an unknown preset": ({"preset": "apps"}, "preset", "none, app, infra, deployment"),
    "no preset by null": ({"preset": None}, "preset", "not null"),
    "a lease as a text": (
        {"emit": {"topic": "t", "tracked": "1h"}},
        "emit.tracked",
        "true, false or",
    ),
    "no lease": ({"emit": LEASE}, "emit.tracked.lease", "from 1 s"),
    "an unknown rule of a pause": ({"catch_up": {"on_resume": "x"}}, "catch_up.on_resume", "late"),
    "no rule of a pause": ({"catch_up": {"on_resume": None}}, "catch_up.on_resume", "not null"),
}


@pytest.mark.parametrize(("fields", "field", "message"), WRITTEN.values(), ids=WRITTEN.keys())
def test_what_is_written_wrong_is_named(fields: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(FieldFault) as caught:
        read_definition({"cron": "@daily", "emit": {"topic": "t", "tracked": True}} | fields)

    assert caught.value.field == field
    assert message in caught.value.message


PLAIN = Definition((Cron("@daily"),), Emit("t"))
TRACKED = replace(PLAIN, action=Emit("t", tracked=Tracking()))
SOME = Filter(FilterKind.IDS, ("n1", "n1"))
LAID_OUT: dict[str, tuple[Definition, str, str]] = {
    "overlap of nothing that lasts": (
        replace(PLAIN, overlap=Overlap(OverlapMode.ALLOW)),
        "overlap",
        "needs emit.tracked",
    ),
    "retries of nothing that fails": (replace(PLAIN, retry=Retry(1)), "retry", "emit.tracked"),
    "a timeout of nothing that lasts": (replace(PLAIN, timeout=HOUR), "timeout", "emit.tracked"),
    "a pause after no failure": (replace(PLAIN, pause_on_failure=1), "pause_on_failure", "tracked"),
    "no lease": (
        replace(PLAIN, action=Emit("t", tracked=Tracking(0))),
        "emit.tracked.lease",
        "from 1 s",
    ),
    "a negative limit": (
        replace(TRACKED, overlap=Overlap(OverlapMode.QUEUE, -1)),
        "overlap.limit",
        "from 1",
    ),
    "a limit of the newest": (
        replace(TRACKED, overlap=Overlap(OverlapMode.LATEST, 1)),
        "overlap.limit",
        "only with",
    ),
    "a negative wait": (
        replace(TRACKED, overlap=Overlap(OverlapMode.QUEUE, max_wait=-1)),
        "overlap.max_wait",
        "from 1 s",
    ),
    "negative retries": (replace(TRACKED, retry=Retry(-1)), "retry.max", "from 0"),
    "a backoff beyond its end": (
        replace(TRACKED, retry=Retry(1, 2 * SECOND, SECOND)),
        "retry.backoff",
        "longer than",
    ),
    "a timeout of months": (replace(TRACKED, timeout=57 * DAY), "timeout", "to 56 days"),
    "negative failures": (replace(TRACKED, pause_on_failure=-1), "pause_on_failure", "from 0"),
    "a target twice": (
        replace(TRACKED, scopes=(Scope("a"), Scope("a"))),
        "scopes[1].target",
        "there twice",
    ),
    "an empty target": (replace(PLAIN, scopes=(Scope(""),)), "scopes[0].target", "empty"),
    "a component twice": (replace(PLAIN, scopes=(Scope("a", SOME),)), "scopes[0].ids[1]", "twice"),
    "a filter of nothing (IT-092)": (
        replace(PLAIN, scopes=(Scope("a", Filter(FilterKind.TYPES, ())),)),
        "scopes[0].types",
        "at least one value; without a filter it is all of it",
    ),
    "a gate of no time": (replace(PLAIN, gate=Gate(look=0)), "gate.look", "from 1 s"),
    "after_end of nothing that ends": (
        replace(PLAIN, timings=(Interval(micros=HOUR, basis=Basis.AFTER_END),)),
        "timings[0].interval.basis",
        "needs emit.tracked",
    ),
}


@pytest.mark.parametrize(("definition", "field", "message"), LAID_OUT.values(), ids=LAID_OUT.keys())
def test_what_came_as_avro_is_held_to_the_same(
    definition: Definition, field: str, message: str
) -> None:
    come = decode(encode(Define(definition)))
    assert isinstance(come, Define)

    with pytest.raises(FieldFault) as caught:
        check_definition(come.definition)

    assert caught.value.field == field
    assert message in caught.value.message


def test_what_is_right_is_taken_as_it_is() -> None:
    check_definition(
        replace(
            TRACKED,
            timings=(Interval(micros=HOUR, basis=Basis.AFTER_END),),
            overlap=Overlap(OverlapMode.QUEUE, 2),
            retry=Retry(3),
            timeout=HOUR,
            pause_on_failure=3,
            scopes=(Scope("a", Filter(FilterKind.TYPES, ("x", "x"))), Scope("b")),
            gate=Gate(),
        )
    )


def test_an_unknown_kind_of_filter_is_no_bytes_at_all() -> None:
    """IT-092."""
    unknown = Filter("racks", ("a",))  # type: ignore[arg-type]

    with pytest.raises(Unwritable):
        encode(Define(replace(PLAIN, scopes=(Scope("a", unknown),))))


def test_an_edit_of_targets_needs_at_least_one() -> None:
    """IT-089: with neither racks nor components."""
    with pytest.raises(FieldFault, match="needs at least one target"):
        check_scopes((), "scopes", least=1)
