"""A proposal is what was meant, comes back as it was, or is refused by its field."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from schemas.codec import encode, encode_event
from schemas.commands import AcceptProposal, Propose
from schemas.deployment_limits import MAX_EVIDENCE_BYTES
from schemas.events import ProposalMade, Stamp
from schemas.faults import FieldFault
from schemas.proposals import IdleWindow, Proposal, ProposalSource
from schemas.reading import command_json, read_command
from schemas.topics import MAX_MESSAGE_BYTES

NIGHT = IdleWindow(0, 22 * 3600, 1, 7 * 3600 + 45 * 60, 600, 3, 3)
WINDOW = {
    "sleep_day": "mon",
    "sleep_at": "22:00",
    "wake_day": "tue",
    "wake_at": "07:45",
    "minutes": 600,
    "weeks": 3,
    "idle_weeks": 3,
}
WRITTEN: dict[str, Any] = {
    "id": "p-1",
    "windows": [WINDOW],
    "zone": "Europe/Berlin",
    "source": "model",
    "confidence": 0.81,
    "reason": "nobody asks at night",
    "prompt": "…",
    "answer": "{}",
}
MEANT = Proposal(
    "p-1",
    (NIGHT,),
    "Europe/Berlin",
    ProposalSource.MODEL,
    810,
    "nobody asks at night",
    "…",
    "{}",
)


def refused(call: Callable[[], object]) -> FieldFault:
    with pytest.raises(FieldFault) as caught:
        call()
    return caught.value


def test_a_proposal_is_read_and_written() -> None:
    value = json.dumps(WRITTEN).encode()

    assert read_command(b"llama/#propose:1", value) == ("llama/", Propose(MEANT))
    assert command_json(Propose(MEANT)) == WRITTEN


@pytest.mark.parametrize("thousandths", range(0, 1_001, 7))
def test_each_share_comes_back(thousandths: int) -> None:
    proposal = replace(MEANT, confidence=thousandths)
    value = json.dumps(command_json(Propose(proposal))).encode()

    assert read_command(b"llama/#propose:1", value)[1] == Propose(proposal)


@pytest.mark.parametrize(
    ("changed", "field", "message"),
    {
        "no id": ({"id": ""}, "id", "not empty"),
        "an id with a slash": ({"id": "a/b"}, "id", "1 to 64 of A-Z"),
        "an id without end": ({"id": "a" * 65}, "id", "1 to 64 of A-Z"),
        "no window": ({"windows": []}, "windows", "at least one entry"),
        "too many windows": ({"windows": [WINDOW] * 169}, "windows", "1 to 168 windows"),
        "no such day": ({"windows": [WINDOW | {"wake_day": "day"}]}, "windows[0].wake_day", "mon"),
        "a day by number": ({"windows": [WINDOW | {"wake_day": 1}]}, "windows[0].wake_day", "mon"),
        "no such time": (
            {"windows": [WINDOW | {"sleep_at": "24:00"}]},
            *("windows[0].sleep_at", "from 00:00 to 23:59:59"),
        ),
        "a wake at the moment of its sleep": (
            {"windows": [WINDOW | {"wake_day": "mon", "wake_at": "22:00"}]},
            *("windows[0].wake_at", "another moment"),
        ),
        "an empty window": (
            {"windows": [WINDOW | {"minutes": 0}]},
            "windows[0].minutes",
            "least 1",
        ),
        "more than a week": (
            {"windows": [WINDOW | {"minutes": 10_081}]},
            *("windows[0].minutes", "a week has 10,080"),
        ),
        "weeks below zero": (
            {"windows": [WINDOW | {"idle_weeks": -1}]},
            *("windows[0].idle_weeks", "at least 0"),
        ),
        "more idle weeks than weeks": (
            {"windows": [WINDOW | {"idle_weeks": 4}]},
            *("windows[0].weeks", "at least 4, not 3"),
        ),
        "no zone": ({"zone": ""}, "zone", "must not be empty"),
        "another source": ({"source": "dice"}, "source", "one of other, model, rules"),
        "a later version's source": ({"source": "other"}, "source", "one of model, rules"),
        "more than certain": ({"confidence": 1.5}, "confidence", "a number from 0 to 1"),
        "a confidence in words": ({"confidence": "high"}, "confidence", "a number from 0 to 1"),
        "a confidence too fine": ({"confidence": 0.8105}, "confidence", "no finer than"),
        "an unknown field": ({"why": "x"}, "why", "no such field"),
    }.values(),
)
def test_what_is_wrong_is_named(changed: dict[str, Any], field: str, message: str) -> None:
    value = json.dumps(WRITTEN | changed).encode()

    fault = refused(lambda: read_command(b"llama/#propose:1", value))

    assert fault.field == field
    assert message in fault.message


@pytest.mark.parametrize(
    ("proposal", "field", "message"),
    {
        "an eighth day": (
            replace(MEANT, windows=(NIGHT._replace(wake_day=7),)),
            *("windows[0].wake_day", "from 0 (Monday) to 6, not 7"),
        ),
        "more than certain": (replace(MEANT, confidence=1_001), "confidence", "from 0 to 1"),
        "evidence without end": (
            replace(MEANT, answer="x" * (MAX_EVIDENCE_BYTES + 1)),
            *("answer", "bytes at most"),
        ),
        "no windows": (replace(MEANT, windows=()), "windows", "1 to 168"),
    }.values(),
)
def test_what_is_wrong_in_avro_is_named_alike(proposal: Proposal, field: str, message: str) -> None:
    value = encode(Propose(proposal))

    fault = refused(lambda: read_command(b"llama/#propose:1", value))

    assert fault.field == field
    assert message in fault.message


def test_the_largest_proposal_fits_into_a_record() -> None:
    most = "x" * MAX_EVIDENCE_BYTES
    windows, reason = (NIGHT,) * 168, "r" * 4_096
    wide = Proposal("p", windows, "Z" * 512, MEANT.source, 1, reason, most, most)
    stamp = Stamp(1, 1, 1, 1, 1, "a" * 512, "c" * 256, "t" * 55)

    assert read_command(b"llama/#propose:1", encode(Propose(wide)))[1] == Propose(wide)
    assert len(encode_event(ProposalMade("s/", wide), stamp)) < MAX_MESSAGE_BYTES // 4


@pytest.mark.parametrize("word", ["accept", "dismiss", "withdraw"])
def test_what_becomes_of_a_proposal_names_it(word: str) -> None:
    key = f"llama/#{word}:1".encode()

    _, found = read_command(key, b'{"proposal": "p-1", "reason": "so"}')

    assert (getattr(found, "proposal", None), getattr(found, "reason", None)) == ("p-1", "so")
    assert command_json(found) == {"proposal": "p-1", "reason": "so"}
    assert refused(lambda: read_command(key, b"{}")).field == "proposal"
    assert refused(lambda: read_command(key, b'{"proposal": "a b"}')).field == "proposal"


def test_what_becomes_of_a_proposal_in_avro_names_it_too() -> None:
    value = encode(AcceptProposal("a b"))

    assert refused(lambda: read_command(b"llama/#accept:1", value)).field == "proposal"
