"""What was seen of a deployment's requests is read from JSON and Avro alike, or set aside."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.codec import encode
from schemas.commands import Pause
from schemas.faults import FieldFault, Unreadable
from schemas.reading_traffic import check_sample, read_sample, sample_json
from schemas.traffic import Sample

AT = 1_798_761_600_000_000
numbers = st.integers(0, 1 << 40)
samples = st.builds(
    Sample,
    sampled_at=st.integers(0, AT),
    in_flight=numbers,
    waiting=numbers,
    finished=st.none() | numbers,
    micros=st.none() | numbers,
)
WRITTEN = {"sampled_at": "2027-01-01T00:00:00Z", "in_flight": 1, "waiting": 2}


@given(sample=samples)
def test_a_sample_comes_back_from_both(sample: Sample) -> None:
    assert read_sample(b"llama", encode(sample)) == ("llama", sample)
    assert read_sample(b"llama", json.dumps(sample_json(sample)).encode()) == ("llama", sample)


def test_a_service_writes_what_it_knows() -> None:
    value = json.dumps(WRITTEN | {"finished": 3, "micros": 4_000_000}).encode()

    assert read_sample(b"llama", value) == ("llama", Sample(AT, 1, 2, 3, 4_000_000))
    assert sample_json(Sample(AT, 1, 2)) == WRITTEN


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"in_flight": -1}, "in_flight: must be at least 0"),
        ({"waiting": -1}, "waiting: must be at least 0"),
        ({"finished": -1}, "finished: must be at least 0"),
        ({"micros": -1}, "micros: must be at least 0"),
        ({"in_flight": 1.5}, "in_flight: must be a whole number"),
        ({"sampled_at": "yesterday"}, "sampled_at: "),
        ({"sampled_at": None}, "sampled_at: "),
        ({"latency": 1}, "latency: there is no such field"),
    ],
)
def test_a_sample_that_is_none_is_set_aside(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(Unreadable, match=message):
        read_sample(b"llama", json.dumps(WRITTEN | changed).encode())


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (None, encode(Sample(AT, 0, 0))),
        (b"", encode(Sample(AT, 0, 0))),
        (b"a/b", encode(Sample(AT, 0, 0))),
        (b"\xff", encode(Sample(AT, 0, 0))),
        (b"llama", None),
        (b"llama", b""),
        (b"llama", b"hello"),
        (b"llama", b"{"),
        (b"llama", encode(Pause())),
        (b"llama", encode(Sample(AT, -1, 0))),
        (b"llama", encode(Sample(1 << 62, 0, 0))),
    ],
)
def test_a_record_that_is_no_sample_is_set_aside(key: bytes | None, value: bytes | None) -> None:
    with pytest.raises(Unreadable):
        read_sample(key, value)


def test_nobody_sends_what_nobody_reads() -> None:
    with pytest.raises(FieldFault) as caught:
        check_sample(Sample(AT, 0, 0, -5))

    assert caught.value.field == "finished"
