"""What a runner says of itself is read from its record, in Avro or as JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.commands import Beat, Beating
from schemas.faults import Unreadable
from schemas.reading import beat_json, beat_record, read_beat

beats = st.builds(
    Beat,
    boot=st.integers(0, 1 << 60),
    runs=st.lists(st.builds(Beating, st.just("shop"), st.just("jr_1")), max_size=2).map(tuple),
    leaving=st.booleans(),
    slots=st.integers(0, 99),
    pools=st.lists(st.sampled_from(["a", "b"]), max_size=2).map(tuple),
)


@given(beat=beats)
def test_a_beat_comes_back_from_its_record_and_from_its_json(beat: Beat) -> None:
    _, value = beat_record("host-1", beat)

    assert read_beat(value) == beat
    assert read_beat(json.dumps(beat_json(beat)).encode()) == beat


def test_a_beat_may_say_that_there_is_nothing() -> None:
    assert read_beat(b'{"boot": 1, "runs": [], "pools": []}') == Beat(1)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (b'{"boot": -1}', "boot: must be at least 0"),
        (b'{"boot": 1, "runs": [{"subject": "a"}]}', "runs[0].run: is missing"),
        (b'{"boot": 1, "runs": [{"subject": "a", "run": ""}]}', "runs: must not be empty"),
        (b'{"boot": 1, "pools": [5]}', "pools[0]: must be a text"),
        (b'{"boot": 1, "more": 2}', "more: there is no such field"),
    ],
)
def test_a_beat_that_says_what_it_cannot_is_unreadable(value: bytes, why: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read_beat(value)

    assert why in str(caught.value)
